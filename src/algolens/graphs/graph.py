"""Graphs, packed: one, or many of mixed sizes side by side, as one set of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, joined, picked


class Location(Enum):
    """Where a value sits: at every node, edge or link, or once for a whole graph.

    A link is an edge seen from one end: a directed edge is one link, an undirected edge two.
    """

    NODE = "node"
    EDGE = "edge"
    LINK = "link"
    GRAPH = "graph"


@dataclass(frozen=True, eq=False)
class Graph:
    """A disjoint union of simple graphs, undirected or directed.

    Nodes are numbered through all graphs, the nodes of a graph standing together; so do its edges, in lexicographic order.
    An undirected edge stands once, as (u, v) with u < v; a directed one leads from u to v. Make one with ``Graph.pack``,
    ``Graph.join``, a family of ``algolens.graphs.families``, or from NetworkX, PyTorch Geometric or a file.

    >>> graph = Graph.pack([3, 2], [(0, 1), (1, 2), (3, 4)])
    >>> graph.num_graphs, graph.num_nodes, graph.num_edges
    (2, 5, 3)
    >>> visited = torch.tensor([True, False, False, False, False])
    >>> graph.any_over_neighbours(visited).tolist()
    [False, True, False, False, False]
    """

    node_counts: Tensor  # [G]
    edge_counts: Tensor  # [G]
    edges: Tensor  # [2, E]
    names: tuple[str, ...] | None = None  # [N] what the user calls the nodes
    node_attributes: Mapping[str, Attribute] = field(default_factory=dict)  # each [N, ...]
    edge_attributes: Mapping[str, Attribute] = field(default_factory=dict)  # each [E, ...]
    notes: tuple[str, ...] = ()  # what a user should know of how their graph was read
    directed: bool = False
    loops: tuple[str, ...] = ()  # nodes that had a self-loop, which was left out

    @classmethod
    def pack(
        cls,
        node_counts: Sequence[int] | np.ndarray | Tensor,
        edges: Sequence[tuple[int, int]] | np.ndarray | Tensor,
        *,
        directed: bool = False,
    ) -> Graph:
        """Graphs of these sizes with these edges: pairs [E, 2] of nodes, numbered through all graphs.

        Self-loops are left out and double edges joined into one.
        """
        counts = _whole(node_counts, "numbers of nodes").reshape(-1)
        pairs = _whole(edges, "edges")
        if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise GraphError(
                f"edges came as {list(pairs.shape)}: give pairs of nodes, [E, 2]; of an edge_index, its transpose."
            )
        pairs = pairs.reshape(-1, 2)
        num_nodes = int(counts.sum())
        if counts.size and counts.min() < 1:
            raise GraphError(f"graph {int(counts.argmin())} of the batch has no nodes; every graph needs at least one.")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= num_nodes):
            u, v = pairs[((pairs < 0) | (pairs >= num_nodes)).any(1)][0]
            raise GraphError(f"edge ({u}, {v}) leads to an unknown node: nodes are numbered 0 to {num_nodes - 1}.")
        owner = np.repeat(np.arange(counts.size), counts)
        low, high = pairs.T
        if not directed:
            low, high = np.minimum(low, high), np.maximum(low, high)
        if (strays := owner[low] != owner[high]).any():
            u, v = low[strays][0], high[strays][0]
            raise GraphError(f"edge ({u}, {v}) joins graph {owner[u]} to graph {owner[v]}; an edge stays inside one graph.")
        # an edge as one number: its first end, then the place of its second end inside the graph
        first, width = np.repeat(counts.cumsum() - counts, counts), int(counts.max(initial=1))
        keys = _sorted_distinct((low * width + high - first[low])[low != high], num_nodes * width)
        low = keys // width
        ends = np.stack([low, keys - low * width + first[low]])
        edge_counts = np.bincount(owner[low], minlength=counts.size)
        return cls(torch.from_numpy(counts), torch.from_numpy(edge_counts), torch.from_numpy(ends), directed=directed)

    @classmethod
    def join(cls, graphs: Sequence[Graph]) -> Graph:
        """All of them side by side, in this order. Attributes and names stay where every graph has them."""
        if not graphs:
            raise GraphError("there is no graph to join: give at least one.")
        if len({g.directed for g in graphs}) > 1:
            raise GraphError("directed and undirected graphs cannot stand side by side: join those of one kind.")
        shifts = np.cumsum([0] + [g.num_nodes for g in graphs])
        return cls(
            node_counts=torch.cat([g.node_counts for g in graphs]),
            edge_counts=torch.cat([g.edge_counts for g in graphs]),
            edges=torch.cat([g.edges + int(shift) for g, shift in zip(graphs, shifts, strict=False)], 1),
            names=None if any(g.names is None for g in graphs) else sum((g.names or () for g in graphs), ()),
            node_attributes=_joined([g.node_attributes for g in graphs]),
            edge_attributes=_joined([g.edge_attributes for g in graphs]),
            directed=graphs[0].directed,
        )

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
        return _repeated(self.node_counts)

    @cached_property
    def edge_owner(self) -> Tensor:
        """[E] the graph that each edge belongs to."""
        return _repeated(self.edge_counts)

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
        """[2, L] senders, receivers: every edge both ways (all one way, then all the other); a directed one as it leads."""
        return self.edges if self.directed else torch.cat([self.edges, self.edges.flip(0)], 1)

    @property
    def num_links(self) -> int:
        """Of all graphs together."""
        return self.num_edges if self.directed else 2 * self.num_edges

    @cached_property
    def reverse_link(self) -> Tensor:
        """[L] the link that leads back along the same edge; in a directed graph there is none, and it is the link itself."""
        links = torch.arange(self.num_links, device=self.device)
        return links if self.directed else links.roll(self.num_edges)

    def at_links(self, values: Tensor) -> Tensor:
        """[L] what belongs to a link's edge, from values of edges [E]."""
        return values if self.directed else torch.cat([values, values])

    @cached_property
    def arcs(self) -> Tensor:
        """[2, 2E + N] every edge both ways and a self-loop at every node: senders, receivers; sorted by receiver."""
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
        """[G] the number of each graph's first value at this location; the links of a graph do not stand together."""
        if location is Location.GRAPH:
            return torch.arange(self.num_graphs, device=self.device)
        return self.first_node if location is Location.NODE else self.first_edge

    # ---- reductions over neighbourhoods and over graphs

    def any_over_neighbours(self, mask: Tensor, *, with_self: bool = False) -> Tensor:
        """[N] bools: is some neighbour (or the node itself, with_self) marked?"""
        found = mask.clone() if with_self else torch.zeros_like(mask)
        senders, receivers = self.links
        # "or" as a maximum of bytes: scatter_reduce knows no bools
        found.view(torch.uint8).scatter_reduce_(0, receivers, mask.view(torch.uint8).index_select(0, senders), "amax")
        return found

    def max_over_neighbours(self, values: Tensor, *, where: Tensor | None = None, empty: float) -> Tensor:
        """[N] the largest of the neighbours' values, of those marked by ``where``; ``empty`` where there is none."""
        if where is not None:
            values = torch.where(where, values, torch.full_like(values, empty))
        senders, receivers = self.links
        return torch.full_like(values, empty).scatter_reduce_(0, receivers, values.index_select(0, senders), "amax")

    def classes_among_neighbours(self, classes: Tensor, num_classes: int) -> Tensor:
        """[N, K] bools: does some neighbour belong to class k? classes: [N] whole numbers below K."""
        senders, receivers = self.links
        found = torch.zeros(num_classes, self.num_nodes, dtype=torch.bool, device=self.device)
        # writing True twice is the same as once, so every neighbour of every class is marked in one pass
        found.view(-1).scatter_(0, (classes.long() * self.num_nodes).index_select(0, senders).add_(receivers), True)
        return found.T  # a class after the other in memory: they are read so

    def any_per_graph(self, mask: Tensor, location: Location) -> Tensor:
        """[G] bools: is some value of the graph marked?"""
        found = torch.zeros(self.num_graphs, dtype=torch.uint8, device=self.device)
        return found.scatter_reduce_(0, self.owner(location), mask.view(torch.uint8), "amax").view(torch.bool)

    def argmin_per_graph(self, values: Tensor, location: Location, *, where: Tensor) -> tuple[Tensor, Tensor]:
        """[G] the place, inside its graph, of the smallest marked value (the first of equals), and [G] is there one?

        values: whole numbers below the largest that an int64 holds.
        """
        # first the value, then the place: both packed in one number would not have room for large values
        owner, nothing = self.owner(location), torch.iinfo(torch.int64).max
        marked = torch.where(where, values, nothing)
        least = torch.full((self.num_graphs,), nothing, device=self.device).scatter_reduce_(0, owner, marked, "amin")
        there = least < nothing
        places = torch.where(marked == least.index_select(0, owner), self.place(location), nothing)
        first = torch.full_like(least, nothing).scatter_reduce_(0, owner, places, "amin")
        return torch.where(there, first, 0), there

    # ---- pointers: places inside the own graph, so that they mean the same in any company

    @cached_property
    def node_place(self) -> Tensor:
        """[N] the place of each node inside its own graph."""
        return torch.arange(self.num_nodes, device=self.device) - self.first_node.index_select(0, self.node_owner)

    @cached_property
    def edge_place(self) -> Tensor:
        """[E] the place of each edge inside its own graph."""
        return torch.arange(self.num_edges, device=self.device) - self.first_edge.index_select(0, self.edge_owner)

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

    def mark(self, pointer: Tensor, location: Location) -> Tensor:
        """Bools at ``location``, true at the one place of each graph that [G] ``pointer`` names."""
        mask = torch.zeros(self.count(location), dtype=torch.bool, device=self.device)
        mask[self.first(location) + pointer] = True
        return mask

    # ---- parts of a batch

    def take(self, graphs: Tensor | Sequence[int]) -> Selection:
        """The chosen graphs, in the order of choice, as a batch of their own."""
        chosen = as_places(graphs, "graphs", self.device)
        node_counts, edge_counts = self.node_counts[chosen], self.edge_counts[chosen]
        nodes = _ranges(self.first_node[chosen], node_counts)
        edges = _ranges(self.first_edge[chosen], edge_counts)
        shift = node_counts.cumsum(0) - node_counts - self.first_node[chosen]
        part = Graph(
            node_counts=node_counts,
            edge_counts=edge_counts,
            # row by row, since PyTorch picks columns of a matrix one at a time
            edges=torch.stack([row.index_select(0, edges) for row in self.edges]) + torch.repeat_interleave(shift, edge_counts),
            names=None if self.names is None else tuple(self.names[i] for i in nodes.tolist()),
            node_attributes={name: picked(value, nodes) for name, value in self.node_attributes.items()},
            edge_attributes={name: picked(value, edges) for name, value in self.edge_attributes.items()},
            directed=self.directed,
        )
        return Selection(part, chosen, nodes, edges, edges if self.directed else torch.cat([edges, edges + self.num_edges]))

    def relabelled(self, rng: np.random.Generator) -> Graph:
        """The same graphs with the nodes of each numbered anew at random. For graphs without names and attributes."""
        if self.names is not None or self.node_attributes or self.edge_attributes:
            raise GraphError("this graph has names or attributes, which a new numbering would tear off; relabel it before.")
        owner = self.node_owner.numpy()
        # sorting owner + random number shuffles the nodes of each graph among themselves
        numbers = np.empty(self.num_nodes, dtype=np.int64)
        numbers[np.argsort(owner + rng.random(self.num_nodes), kind="stable")] = np.arange(self.num_nodes)
        return Graph.pack(self.node_counts, numbers[self.edges.T.numpy()], directed=self.directed)

    def to(self, device: torch.device | str) -> Graph:
        """The same graph with its tensors on a device."""
        return Graph(
            self.node_counts.to(device),
            self.edge_counts.to(device),
            self.edges.to(device),
            self.names,
            _moved(self.node_attributes, device),
            _moved(self.edge_attributes, device),
            directed=self.directed,
        )

    def name_of(self, node: int) -> str:
        """What the user calls a node: its name, or its number inside its graph."""
        if self.names is not None:
            return self.names[node]
        return str(node - int(self.first_node[self.node_owner[node]]))

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Of one graph: the place of each node by what the user calls it."""
        return {self.name_of(node): node for node in range(self.num_nodes)}

    def describe(self, location: Location, place: int) -> str:
        """What a message calls a node, an edge or a graph of the batch."""
        if location is Location.GRAPH:
            return "the graph" if self.num_graphs == 1 else f"graph {place}"
        inside = "" if self.num_graphs == 1 else f" of graph {int(self.owner(location)[place])}"
        if location is Location.NODE:
            return f"node '{self.name_of(place)}'{inside}"
        u, v = self.edges[:, place].tolist()
        return f"edge ({self.name_of(u)}, {self.name_of(v)}){inside}"

    def name_at(self, location: Location, place: int) -> str:
        """What the user calls a node; an edge or a link by its ends."""
        if location is Location.NODE:
            return self.name_of(place)
        ends = self.edges if location is Location.EDGE else self.links
        leads = self.directed or location is Location.LINK
        return (" -> " if leads else " - ").join(self.name_of(int(node)) for node in ends[:, place])

    def __repr__(self) -> str:
        if self.num_graphs == 1:
            return f"Graph({self.num_nodes} nodes, {self.num_edges} edges)"
        return f"Graph({self.num_graphs} graphs, {self.num_nodes} nodes, {self.num_edges} edges)"


@dataclass(frozen=True, eq=False)
class Selection:
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
    """Numbers of elements as a tensor. A mask in their place would be taken for the numbers 0 and 1."""
    places = torch.as_tensor(values, device=device)
    if places.numel() and (places.dtype == torch.bool or places.is_floating_point()):
        raise GraphError(
            f"{what} are named by {places.dtype}: name them by number, as mask.nonzero().flatten() does for a mask."
        )
    return places.long()


def _whole(values: Any, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise GraphError(f"{what} came as {array.dtype}: give whole numbers.")
    return array.astype(np.int64, copy=False)


def _sorted_distinct(keys: np.ndarray, span: int) -> np.ndarray:
    """The different ones of some numbers in [0, span), sorted."""
    if span <= 64 * keys.size:
        # many small graphs: ticking numbers off on a list is far faster than sorting them
        there = np.zeros(span, dtype=bool)
        there[keys] = True
        return np.flatnonzero(there)
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if keys.size else keys


def _repeated(counts: Tensor) -> Tensor:
    return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)


def _ranges(starts: Tensor, counts: Tensor) -> Tensor:
    """start, start + 1, ..., start + count - 1 for each pair, one after the other."""
    shift = torch.repeat_interleave(starts - (counts.cumsum(0) - counts), counts)
    return torch.arange(len(shift), device=counts.device) + shift


def _joined(attributes: Sequence[Mapping[str, Attribute]]) -> dict[str, Attribute]:
    shared = [name for name in attributes[0] if all(name in other for other in attributes[1:])]
    return {name: joined([each[name] for each in attributes]) for name in shared}


def _moved(attributes: Mapping[str, Attribute], device: torch.device | str) -> dict[str, Attribute]:
    """Tensors on a device; what no tensor holds stays where it is."""
    return {name: value.to(device) if isinstance(value, Tensor) else value for name, value in attributes.items()}
