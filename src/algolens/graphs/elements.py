"""Nodes, edges and links of a batch of graphs: how many, whose, where; and a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.errors import GraphError

if TYPE_CHECKING:
    from algolens.graphs.graph import Graph


class Location(Enum):
    """Where a value sits: at every node, edge or link, or once for a whole graph.

    A link is an edge seen from one end: a directed edge is one link, an undirected edge two.
    """

    NODE = "node"
    EDGE = "edge"
    LINK = "link"
    GRAPH = "graph"


def owners(counts: Tensor, total: int | None = None) -> Tensor:
    """[R] the group that each member belongs to, for groups of these sizes [G].

    total: of all sizes, where it is known: a device is then not asked for it.

    >>> owners(torch.tensor([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return torch.repeat_interleave(
        torch.arange(len(counts), device=counts.device), counts, output_size=total
    )


def ranges(starts: Tensor, counts: Tensor) -> Tensor:
    """start, start + 1, ..., start + count - 1 for each pair, one range after the other.

    >>> ranges(torch.tensor([5, 9, 0]), torch.tensor([2, 0, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = torch.repeat_interleave(starts - (counts.cumsum(0) - counts), counts)
    return torch.arange(len(shift), device=counts.device) + shift


class Elements:
    """What is counted and numbered in a batch of graphs; ``Graph`` adds names and attributes."""

    node_counts: Tensor  # [G]
    edge_counts: Tensor  # [G]
    edges: Tensor  # [2, E]
    directed: bool

    @cached_property
    def num_graphs(self) -> int:
        return len(self.node_counts)

    @cached_property
    def num_nodes(self) -> int:
        """Of all graphs together."""
        return len(self.node_owner)

    @cached_property
    def num_edges(self) -> int:
        """Of all graphs together."""
        return self.edges.shape[1]

    @cached_property
    def device(self) -> torch.device:
        return self.edges.device

    @cached_property
    def node_owner(self) -> Tensor:
        """[N] the graph that each node belongs to."""
        return owners(self.node_counts)

    @cached_property
    def edge_owner(self) -> Tensor:
        """[E] the graph that each edge belongs to."""
        return owners(self.edge_counts)

    @cached_property
    def first_node(self) -> Tensor:
        """[G] the number of each graph's first node."""
        return self.node_counts.cumsum(0) - self.node_counts

    @cached_property
    def first_edge(self) -> Tensor:
        """[G] the number of each graph's first edge."""
        return self.edge_counts.cumsum(0) - self.edge_counts

    @cached_property
    def links(self) -> Tensor:
        """[2, L] senders, receivers: all edges one way, then all back; directed ones once."""
        return self.edges if self.directed else torch.cat([self.edges, self.edges.flip(0)], 1)

    @property
    def num_links(self) -> int:
        """Of all graphs together."""
        return self.num_edges if self.directed else 2 * self.num_edges

    @cached_property
    def reverse_link(self) -> Tensor:
        """[L] the link back along the same edge; in a directed graph, the link itself."""
        links = torch.arange(self.num_links, device=self.device)
        return links if self.directed else links.roll(self.num_edges)

    def at_links(self, values: Tensor) -> Tensor:
        """[L] what belongs to a link's edge, from values of edges [E]."""
        return values if self.directed else torch.cat([values, values])

    @cached_property
    def arcs(self) -> Tensor:
        """[2, L + N] links and a self-loop at every node: senders, receivers; by receiver."""
        loops = torch.arange(self.num_nodes, device=self.device)
        arcs = torch.cat([self.links, loops.expand(2, -1)], 1)
        return arcs[:, torch.argsort(arcs[1], stable=True)]

    def count(self, location: Location) -> int:
        """How many values a field at this location has."""
        match location:
            case Location.NODE:
                return self.num_nodes
            case Location.EDGE:
                return self.num_edges
            case Location.LINK:
                return self.num_links
        return self.num_graphs

    def counts(self, location: Location) -> Tensor:
        """[G] how many values each graph has at this location."""
        match location:
            case Location.NODE:
                return self.node_counts
            case Location.EDGE:
                return self.edge_counts
            case Location.LINK:
                return self.edge_counts if self.directed else 2 * self.edge_counts
        return torch.ones_like(self.node_counts)

    def owner(self, location: Location) -> Tensor:
        """The graph that each value at this location belongs to."""
        match location:
            case Location.NODE:
                return self.node_owner
            case Location.EDGE:
                return self.edge_owner
            case Location.LINK:
                return self.at_links(self.edge_owner)
        return torch.arange(self.num_graphs, device=self.device)

    def first(self, location: Location) -> Tensor:
        """[G] the number of each graph's first value; a graph's links do not stand together."""
        if location is Location.GRAPH:
            return torch.arange(self.num_graphs, device=self.device)
        return self.first_node if location is Location.NODE else self.first_edge

    # ---- places inside the own graph, so that pointers mean the same in any company

    @cached_property
    def node_place(self) -> Tensor:
        """[N] the place of each node inside its own graph."""
        return torch.arange(self.num_nodes, device=self.device) - self.first_node.index_select(
            0, self.node_owner
        )

    @cached_property
    def edge_place(self) -> Tensor:
        """[E] the place of each edge inside its own graph."""
        return torch.arange(self.num_edges, device=self.device) - self.first_edge.index_select(
            0, self.edge_owner
        )

    def place(self, location: Location) -> Tensor:
        """The place of each value inside its own graph; of a link, that of its edge."""
        match location:
            case Location.NODE:
                return self.node_place
            case Location.EDGE:
                return self.edge_place
            case Location.LINK:
                return self.at_links(self.edge_place)
        return torch.zeros_like(self.node_counts)


@dataclass(frozen=True, eq=False)
class TakenGraphs:
    """Some graphs of a batch, and where their parts stood in it."""

    graph: Graph
    graphs: Tensor  # [G'] which graphs
    nodes: Tensor  # [N'] which nodes
    edges: Tensor  # [E'] which edges
    links: Tensor  # [L'] which links

    def index(self, location: Location) -> Tensor:
        """Where the values at a location stood in the whole batch."""
        match location:
            case Location.NODE:
                return self.nodes
            case Location.EDGE:
                return self.edges
            case Location.LINK:
                return self.links
        return self.graphs


def as_places(values: Tensor | Sequence[int], what: str, device: torch.device) -> Tensor:
    """Numbers of elements as a tensor; a mask would be taken for the numbers 0 and 1."""
    places = torch.as_tensor(values, device=device)
    if places.numel() and (places.dtype == torch.bool or places.is_floating_point()):
        raise GraphError(
            f"{what} are named by {places.dtype}: name them by number, as mask.nonzero().flatten() "
            "does for a mask."
        )
    return places.long()
