"""Nodes that see nodes: along links, and by pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch

from algolens.graphs import Graph, Location
from algolens.looks.relations._relation import Adjacency, ByPointer, Join, Pointers, Relation


@final
@dataclass(frozen=True)
class Neighbour(Relation):
    """The nodes that an edge joins to a node; in a directed graph, whichever way it leads."""

    own, others, words = Location.NODE, Location.NODE, ("neighbour", "neighbours")
    joins = (
        Join("receiver", "sender", through_links=True),
        Join("sender", "receiver", through_links=True),
    )
    along_edges = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        senders, receivers = graph.links
        if graph.directed:
            # two nodes with an edge each way are neighbours once
            both = torch.cat([graph.edges, graph.edges.flip(0)], 1)
            senders, receivers = both.unique(dim=1)
        return Adjacency(senders, receivers, graph.num_nodes, None)


@final
@dataclass(frozen=True)
class Predecessor(Relation):
    """The nodes from which a link leads to a node."""

    own, others, words = Location.NODE, Location.NODE, ("predecessor", "predecessors")
    joins = (Join("receiver", "sender", through_links=True),)
    along_edges = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        senders, receivers = graph.links
        return Adjacency(senders, receivers, graph.num_nodes, None)


@final
@dataclass(frozen=True)
class Successor(Relation):
    """The nodes to which a link leads from a node."""

    own, others, words = Location.NODE, Location.NODE, ("successor", "successors")
    joins = (Join("sender", "receiver", through_links=True),)
    along_edges = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        senders, receivers = graph.links
        return Adjacency(receivers, senders, graph.num_nodes, None)


@final
@dataclass(frozen=True)
class PointingNode(ByPointer):
    """The nodes whose pointer leads to a node, itself too where it points to itself: ``node whose
    root is me``.
    """

    own, others, words = Location.NODE, Location.NODE, ("node whose", "nodes whose")
    ending = ("is", "me")

    @property
    def joins(self) -> tuple[Join, ...]:
        return (Join("", self.pointer),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return Adjacency(
            torch.arange(graph.num_nodes, device=graph.device),
            pointers(self.pointer),
            graph.num_nodes,
            None,
            each_once=True,
        )
