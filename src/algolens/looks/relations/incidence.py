"""Nodes that see edges and links, and edges that see nodes and edges at their ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch

from algolens.graphs import Graph, Location
from algolens.looks.relations._relation import Adjacency, Join, Pointers, Relation


@final
@dataclass(frozen=True)
class IncomingLink(Relation):
    """The links that lead to a node."""

    own, others, words = Location.NODE, Location.LINK, ("incoming link", "incoming links")
    joins = (Join("", "receiver"),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return Adjacency(
            torch.arange(graph.num_links, device=graph.device),
            graph.links[1],
            graph.num_nodes,
            None,
            each_once=True,
        )


@final
@dataclass(frozen=True)
class OutgoingLink(Relation):
    """The links that lead from a node."""

    own, others, words = Location.NODE, Location.LINK, ("outgoing link", "outgoing links")
    joins = (Join("", "sender"),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return Adjacency(
            torch.arange(graph.num_links, device=graph.device),
            graph.links[0],
            graph.num_nodes,
            None,
            each_once=True,
        )


@final
@dataclass(frozen=True)
class IncidentEdge(Relation):
    """The edges that a node is an end of."""

    own, others, words = Location.NODE, Location.EDGE, ("incident edge", "incident edges")
    joins = (Join("", "one_end"), Join("", "other_end"))

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return Adjacency(
            torch.arange(graph.num_edges, device=graph.device).repeat(2),
            graph.edges.flatten(),
            graph.num_nodes,
            None,
        )


@final
@dataclass(frozen=True)
class End(Relation):
    """The two nodes that an edge joins."""

    own, others, words, exactly = Location.EDGE, Location.NODE, ("end", "ends"), 2
    joins = (Join("one_end", ""), Join("other_end", ""))

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return Adjacency(
            graph.edges.flatten(),
            torch.arange(graph.num_edges, device=graph.device).repeat(2),
            graph.num_edges,
            None,
        )


@final
@dataclass(frozen=True)
class AdjacentEdge(Relation):
    """The other edges that share an end with an edge."""

    own, others, words = Location.EDGE, Location.EDGE, ("adjacent edge", "adjacent edges")
    joins = tuple(
        Join(mine, its) for mine in ("one_end", "other_end") for its in ("one_end", "other_end")
    )
    others_only = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        edges = torch.arange(graph.num_edges, device=graph.device).repeat(2)
        return Adjacency(
            edges, graph.edges.flatten(), graph.num_nodes, graph.edges, others_only=True
        )


@final
@dataclass(frozen=True)
class Direction(Relation):
    """The links of an edge: one for each way that it leads."""

    own, others, words = Location.EDGE, Location.LINK, ("direction", "directions")
    joins = (Join("", "edge"),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        edges = graph.at_links(torch.arange(graph.num_edges, device=graph.device))
        return Adjacency(
            torch.arange(graph.num_links, device=graph.device),
            edges,
            graph.num_edges,
            None,
            each_once=True,
        )
