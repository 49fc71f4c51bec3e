"""Nodes, edges and links of a batch of graphs: how many, whose, where; and a part of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from algolens import arrays
from algolens.arrays import Array
from algolens.errors import GraphError

if TYPE_CHECKING:
    from algolens.graphs.graph import Graph


# Where a value sits: at every node, edge or link, or once for a whole graph. A link is an edge seen
# from one end: a directed edge is one link, an undirected edge two. A side is a pair of neighbours,
# each once: an edge between a and b, in whichever direction it leads and however often, is the
# sides (a, b) and (b, a).
At: TypeAlias = Literal["node", "edge", "link", "side", "graph"]
LOCATIONS: tuple[At, ...] = ("node", "edge", "link", "graph")


def owners(counts: Array, total: int | None = None) -> Array:
    """[R] the group that each member belongs to, for groups of these sizes [G].

    total: of all sizes, where it is known: a device is then not asked for it.

    >>> owners(np.array([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return arrays.repeat(arrays.arange(len(counts), arrays.device_of(counts)), counts, total)


def ranges(starts: Array, counts: Array) -> Array:
    """start, start + 1, ..., start + count - 1 for each pair, one range after the other.

    >>> ranges(np.array([5, 9, 0]), np.array([2, 0, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = arrays.repeat(starts - (counts.cumsum(0) - counts), counts)
    return arrays.arange(len(shift), arrays.device_of(counts)) + shift


class Elements:
    """What is counted and numbered in a batch of graphs; ``Graph`` adds names and attributes."""

    node_counts: Array  # [G]
    edge_counts: Array  # [G]
    edges: Array  # [2, E]
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
    def device(self) -> Any:
        """Where its arrays are: ``numpy``, or a device of PyTorch."""
        return arrays.device_of(self.edges)

    def arange(self, count: int) -> Array:
        """[count] 0, 1, 2, ... where the graph's arrays are."""
        return arrays.arange(count, self.device)

    @cached_property
    def node_owner(self) -> Array:
        """[N] the graph that each node belongs to."""
        return owners(self.node_counts)

    @cached_property
    def edge_owner(self) -> Array:
        """[E] the graph that each edge belongs to."""
        return owners(self.edge_counts)

    @cached_property
    def first_node(self) -> Array:
        """[G] the number of each graph's first node."""
        return self.node_counts.cumsum(0) - self.node_counts

    @cached_property
    def first_edge(self) -> Array:
        """[G] the number of each graph's first edge."""
        return self.edge_counts.cumsum(0) - self.edge_counts

    @cached_property
    def links(self) -> Array:
        """[2, L] senders, receivers: all edges one way, then all back; directed ones once."""
        return (
            self.edges if self.directed else arrays.concat([self.edges, arrays.flip(self.edges)], 1)
        )

    @property
    def num_links(self) -> int:
        """Of all graphs together."""
        return self.num_edges if self.directed else 2 * self.num_edges

    @cached_property
    def reverse_link(self) -> Array:
        """[L] the link back along the same edge; in a directed graph, the link itself."""
        links, edges = self.arange(self.num_links), self.num_edges
        return links if self.directed else arrays.concat([links[edges:], links[:edges]])

    def at_links(self, values: Array) -> Array:
        """[L] what belongs to a link's edge, from values of edges [E]."""
        return values if self.directed else arrays.concat([values, values])

    @cached_property
    def arcs(self) -> Array:
        """[2, L + N] links and a self-loop at every node: senders, receivers; by receiver."""
        loops = self.arange(self.num_nodes)
        arcs = arrays.concat([self.links, arrays.stack([loops, loops])], 1)
        return arcs[:, arrays.argsort(arcs[1])]

    def count(self, location: At) -> int:
        """How many values a field at this location has."""
        match location:
            case "node":
                return self.num_nodes
            case "edge":
                return self.num_edges
            case "link":
                return self.num_links
        return self.num_graphs

    def counts(self, location: At) -> Array:
        """[G] how many values each graph has at this location."""
        match location:
            case "node":
                return self.node_counts
            case "edge":
                return self.edge_counts
            case "link":
                return self.edge_counts if self.directed else 2 * self.edge_counts
        return self.node_counts**0

    def owner(self, location: At) -> Array:
        """The graph that each value at this location belongs to."""
        match location:
            case "node":
                return self.node_owner
            case "edge":
                return self.edge_owner
            case "link":
                return self.at_links(self.edge_owner)
        return self.arange(self.num_graphs)

    def first(self, location: At) -> Array:
        """[G] the number of each graph's first value; a graph's links do not stand together."""
        if location == "graph":
            return self.arange(self.num_graphs)
        return self.first_node if location == "node" else self.first_edge

    # ---- places inside the own graph, so that pointers mean the same in any company

    @cached_property
    def node_place(self) -> Array:
        """[N] the place of each node inside its own graph."""
        return self.arange(self.num_nodes) - arrays.take(self.first_node, self.node_owner)

    @cached_property
    def edge_place(self) -> Array:
        """[E] the place of each edge inside its own graph."""
        return self.arange(self.num_edges) - arrays.take(self.first_edge, self.edge_owner)

    def place(self, location: At) -> Array:
        """The place of each value inside its own graph; of a link, that of its edge."""
        match location:
            case "node":
                return self.node_place
            case "edge":
                return self.edge_place
            case "link":
                return self.at_links(self.edge_place)
        return self.node_counts * 0


@dataclass(frozen=True, eq=False)
class TakenGraphs:
    """Some graphs of a batch, and where their parts stood in it."""

    graph: Graph
    graphs: Array  # [G'] which graphs
    nodes: Array  # [N'] which nodes
    edges: Array  # [E'] which edges
    links: Array  # [L'] which links

    def index(self, location: At) -> Array:
        """Where the values at a location stood in the whole batch."""
        match location:
            case "node":
                return self.nodes
            case "edge":
                return self.edges
            case "link":
                return self.links
        return self.graphs


def as_places(values: Array | Sequence[int], what: str, device: Any) -> Array:
    """Numbers of elements as an array; a mask would be taken for the numbers 0 and 1."""
    given: Array = values if arrays.is_array(values) else np.asarray(values)
    if math.prod(given.shape) and (arrays.is_of(given, bool) or arrays.is_floating(given)):
        raise GraphError(
            f"{what} are named by {given.dtype}: name them by number, as mask.nonzero() does for a "
            "mask."
        )
    return arrays.to(arrays.cast(given, int), device)
