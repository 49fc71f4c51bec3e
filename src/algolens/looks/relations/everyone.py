"""Elements that see all others of their graph, and graphs that see all that is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch

from algolens.graphs import Graph, Location
from algolens.looks.relations._relation import Adjacency, Join, Pointers, Relation


@dataclass(frozen=True)
class _OfTheGraph(Relation):
    """Every element of the graph; an element does not see itself."""

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        owner = graph.owner(self.others)
        elements = torch.arange(graph.count(self.others), device=graph.device)
        if self.own is Location.GRAPH:
            return Adjacency(elements, owner, graph.num_graphs, None, each_once=True)
        return Adjacency(
            elements,
            owner,
            graph.num_graphs,
            graph.owner(self.own)[None],
            others_only=self.others_only,
            each_once=True,
        )


@final
@dataclass(frozen=True)
class OtherNode(_OfTheGraph):
    """Every other node of the graph."""

    own, others, words = Location.NODE, Location.NODE, ("other node", "other nodes")
    joins = (Join("graph", "graph"),)
    others_only = True


@final
@dataclass(frozen=True)
class OtherEdge(_OfTheGraph):
    """Every other edge of the graph."""

    own, others, words = Location.EDGE, Location.EDGE, ("other edge", "other edges")
    joins = (Join("graph", "graph"),)
    others_only = True


@final
@dataclass(frozen=True)
class OtherLink(_OfTheGraph):
    """Every other link of the graph."""

    own, others, words = Location.LINK, Location.LINK, ("other link", "other links")
    joins = (Join("graph", "graph"),)
    others_only = True


@final
@dataclass(frozen=True)
class NodeOfGraph(_OfTheGraph):
    """Every node of a graph."""

    own, others, words = Location.GRAPH, Location.NODE, ("node", "nodes")
    joins = (Join("", "graph"),)


@final
@dataclass(frozen=True)
class EdgeOfGraph(_OfTheGraph):
    """Every edge of a graph."""

    own, others, words = Location.GRAPH, Location.EDGE, ("edge", "edges")
    joins = (Join("", "graph"),)


@final
@dataclass(frozen=True)
class LinkOfGraph(_OfTheGraph):
    """Every link of a graph."""

    own, others, words = Location.GRAPH, Location.LINK, ("link", "links")
    joins = (Join("", "graph"),)
