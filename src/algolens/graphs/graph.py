"""Graphs, packed: one, or many of mixed sizes side by side, as one set of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from algolens import arrays
from algolens.arrays import NUMPY, Array
from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, joined, picked
from algolens.graphs.elements import At, Elements, TakenGraphs, as_places, ranges


@dataclass(frozen=True, eq=False)
class Graph(Elements):
    """A disjoint union of simple graphs, undirected or directed.

    Nodes are numbered through all graphs, the nodes of a graph standing together; so do its edges,
    in lexicographic order. An undirected edge stands once, as (u, v) with u < v; a directed one
    leads from u to v. ``ends`` and ``named_order`` give edges as the user named them. Make one with
    ``Graph.pack``, ``Graph.join``, a family of ``algolens.graphs.families``, or from NetworkX,
    PyTorch Geometric or a file.

    >>> graph = Graph.pack([3, 2], [(0, 1), (1, 2), (3, 4)])
    >>> graph.num_graphs, graph.num_nodes, graph.num_edges
    (2, 5, 3)
    >>> visited = np.array([True, False, False, False, False])
    >>> graph.any_over_neighbours(visited).tolist()
    [False, True, False, False, False]
    """

    node_counts: Array  # [G]
    edge_counts: Array  # [G]
    edges: Array  # [2, E]
    names: tuple[str, ...] | None = None  # [N] what the user calls the nodes
    node_attributes: Mapping[str, Attribute] = field(default_factory=dict)  # each [N, ...]
    edge_attributes: Mapping[str, Attribute] = field(default_factory=dict)  # each [E, ...]
    graph_attributes: Mapping[str, Attribute] = field(default_factory=dict)  # each [G, ...]
    notes: tuple[str, ...] = ()  # what a user should know of how their graph was read
    directed: bool = False
    loops: tuple[int, ...] = ()  # nodes that had a self-loop, which was left out
    parallel: tuple[int, ...] = ()  # edges that stood more than once, and are here once
    # [E] the index at which the user first named each edge; ~index where from its second end
    named_at: Array | None = None

    @classmethod
    def pack(
        cls,
        node_counts: Sequence[int] | Array,
        edges: Sequence[tuple[int, int]] | Array,
        *,
        directed: bool = False,
    ) -> Graph:
        """Graphs of these sizes with these edges.

        Self-loops are left out and double edges joined into one, and nothing remembers them: what
        reads a user's graph does.

        Parameters
        ----------
        node_counts
            [G] how many nodes each graph has.
        edges
            Pairs [E, 2] of nodes, numbered through all graphs.
        directed
            Whether an edge leads from its first node to its second.

        Raises
        ------
        GraphError
            Where a graph has no nodes, or an edge leads outside of its graph.
        """
        counts, edge_counts, ends = _packed(node_counts, edges, directed=directed)
        return cls(counts, edge_counts, ends, directed=directed)

    @classmethod
    def join(cls, graphs: Sequence[Graph]) -> Graph:
        """All graphs side by side; attributes and names stay where every graph has them."""
        if not graphs:
            raise GraphError("there is no graph to join: give at least one.")
        if len({g.directed for g in graphs}) > 1:
            raise GraphError(
                "directed and undirected graphs cannot stand side by side: join those of one kind."
            )
        shifts = np.cumsum([0] + [g.num_nodes for g in graphs]).tolist()
        edge_shifts = np.cumsum([0] + [g.num_edges for g in graphs]).tolist()
        return cls(
            node_counts=arrays.concat([g.node_counts for g in graphs]),
            edge_counts=arrays.concat([g.edge_counts for g in graphs]),
            edges=arrays.concat(
                [g.edges + shift for g, shift in zip(graphs, shifts, strict=False)], 1
            ),
            names=None
            if any(g.names is None for g in graphs)
            else sum((g.names or () for g in graphs), ()),
            node_attributes=_joined([g.node_attributes for g in graphs]),
            edge_attributes=_joined([g.edge_attributes for g in graphs]),
            graph_attributes=_joined([g.graph_attributes for g in graphs]),
            directed=graphs[0].directed,
            loops=tuple(
                shift + node for g, shift in zip(graphs, shifts, strict=False) for node in g.loops
            ),
            parallel=tuple(
                shift + edge
                for g, shift in zip(graphs, edge_shifts, strict=False)
                for edge in g.parallel
            ),
            named_at=_all_or_none([g.named_at for g in graphs]),
        )

    # ---- reductions over neighbourhoods and over graphs

    def any_over_neighbours(self, mask: Array, *, with_self: bool = False) -> Array:
        """[N] bools: is some neighbour (or the node itself, with_self) marked?"""
        senders, receivers = self.like(mask).links
        marked = arrays.clone(mask) if with_self else mask & ~mask
        arrays.put_any(marked, receivers, arrays.take(mask, senders))
        return marked

    def any_per_graph(self, mask: Array, location: At) -> Array:
        """[G] bools: is some value of the graph marked?"""
        return arrays.any_of(mask, self.like(mask).owner(location), self.num_graphs)

    def argmin_per_graph(self, values: Array, location: At, *, where: Array) -> tuple[Array, Array]:
        """[G] the place, inside its graph, of the smallest marked value, and [G] is there one?

        The first of equals counts. values: whole numbers below the largest that an int64 holds.
        """
        # first the value, then the place: both packed in one number would not have room for large
        # values
        graph, nothing = self.like(values), arrays.LARGEST
        owner, size = graph.owner(location), self.num_graphs
        marked = arrays.where(where, values, nothing)
        least = arrays.least_of(marked, owner, size, nothing)
        there = least < nothing
        is_least = marked == arrays.take(least, owner)
        places = arrays.where(is_least, graph.place(location), nothing)
        first = arrays.least_of(places, owner, size, nothing)
        return arrays.where(there, first, 0), there

    def mark(self, pointer: Array, location: At) -> Array:
        """Bools at ``location``, true at the one place of each graph that [G] ``pointer`` names."""
        graph = self.like(pointer)
        mask = arrays.zeros(self.count(location), bool, graph.device)
        mask[graph.first(location) + pointer] = True
        return mask

    def like(self, values: Array) -> Graph:
        """The same graph with its arrays where some values are."""
        return self if arrays.is_numpy(values) == (self.device == NUMPY) else self._other

    @cached_property
    def _other(self) -> Graph:
        return self.to("cpu" if self.device == NUMPY else NUMPY)

    # ---- parts of a batch

    def take(self, graphs: Array | Sequence[int]) -> TakenGraphs:
        """The chosen graphs, in the order of choice, as a batch of their own."""
        chosen = as_places(graphs, "graphs", self.device)
        node_counts, edge_counts = self.node_counts[chosen], self.edge_counts[chosen]
        nodes = ranges(self.first_node[chosen], node_counts)
        edges = ranges(self.first_edge[chosen], edge_counts)
        shift = node_counts.cumsum(0) - node_counts - self.first_node[chosen]
        part = Graph(
            node_counts=node_counts,
            edge_counts=edge_counts,
            # row by row, since PyTorch picks columns of a matrix one at a time
            edges=arrays.stack([arrays.take(row, edges) for row in self.edges])
            + arrays.repeat(shift, edge_counts),
            names=None if self.names is None else tuple(self.names[i] for i in nodes.tolist()),
            node_attributes=_picked(self.node_attributes, nodes),
            edge_attributes=_picked(self.edge_attributes, edges),
            graph_attributes=_picked(self.graph_attributes, chosen),
            directed=self.directed,
            loops=_places_in(nodes, self.loops),
            parallel=_places_in(edges, self.parallel),
            named_at=None if self.named_at is None else self.named_at[edges],
        )
        return TakenGraphs(
            part,
            chosen,
            nodes,
            edges,
            edges if self.directed else arrays.concat([edges, edges + self.num_edges]),
        )

    def relabelled(self, rng: np.random.Generator) -> Graph:
        """The same graphs, without names and attributes, with nodes numbered anew at random."""
        attributes = (self.node_attributes, self.edge_attributes, self.graph_attributes)
        if self.names is not None or any(attributes):
            raise GraphError(
                "this graph has names or attributes, which a new numbering would tear off; "
                "relabel it before."
            )
        owner, edges = arrays.to(self.node_owner, NUMPY), arrays.to(self.edges, NUMPY)
        # sorting owner + random number shuffles the nodes of each graph among themselves
        numbers = np.empty(self.num_nodes, dtype=np.int64)
        numbers[np.argsort(owner + rng.random(self.num_nodes), kind="stable")] = np.arange(
            self.num_nodes
        )
        packed = Graph.pack(self.node_counts, numbers[edges.T], directed=self.directed)
        return packed.to(self.device)

    def to(self, device: Any) -> Graph:
        """The same graph with tensors on a device of PyTorch; ``numpy``: with arrays of NumPy.

        Attributes, the user's own values, stay NumPy's.
        """
        if str(device) == str(self.device):
            return self
        return replace(
            self,
            node_counts=arrays.to(self.node_counts, device),
            edge_counts=arrays.to(self.edge_counts, device),
            edges=arrays.to(self.edges, device),
            named_at=None if self.named_at is None else arrays.to(self.named_at, device),
        )

    # ---- edges as the user named them

    @cached_property
    def is_turned(self) -> Array:
        """[E] bools: did the user name the edge from its second end to its first?"""
        if self.named_at is None:
            return arrays.zeros(self.num_edges, bool, self.device)
        return self.named_at < 0

    @cached_property
    def named_ends(self) -> Array:
        """[2, E] the two ends of every edge, as the user named them."""
        return arrays.where(self.is_turned, arrays.flip(self.edges), self.edges)

    def ends(self, location: At) -> Array:
        """[2, R] the two ends of every edge, as the user named them, or of every link."""
        return self.named_ends if location == "edge" else self.links

    @cached_property
    def _edge_order(self) -> Array:
        assert self.named_at is not None
        order = arrays.argsort(arrays.where(self.is_turned, ~self.named_at, self.named_at))
        return order[arrays.argsort(self.edge_owner[order])]

    def named_order(self, location: At) -> Array:
        """[R] all places of a location in the order in which the user named the elements.

        Links are in the order of their edges: all as the edges were named, then all back.
        """
        if self.named_at is None or location in ("node", "graph"):
            return self.arange(self.count(location))
        order = self._edge_order
        if location == "edge" or self.directed:
            return order
        back = self.is_turned[order] * self.num_edges
        return arrays.concat([order + back, order + self.num_edges - back])

    def name_of(self, node: int) -> str:
        """What the user calls a node: its name, or its number inside its graph."""
        if self.names is not None:
            return self.names[node]
        return str(node - int(self.first_node[self.node_owner[node]]))

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Of one graph: the place of each node by what the user calls it."""
        names = self.names or map(self.name_of, range(self.num_nodes))
        return dict(zip(names, range(self.num_nodes), strict=True))

    def describe(self, location: At, place: int) -> str:
        """What a message calls a node, an edge or a graph of the batch."""
        if location == "graph":
            return "the graph" if self.num_graphs == 1 else f"graph {place}"
        inside = "" if self.num_graphs == 1 else f" of graph {int(self.owner(location)[place])}"
        if location == "node":
            return f"node '{self.name_of(place)}'{inside}"
        u, v = self.ends(location)[:, place].tolist()
        return f"{location} ({self.name_of(u)}, {self.name_of(v)}){inside}"

    def name_at(self, location: At, place: int) -> str:
        """What the user calls a node; an edge or a link by its ends."""
        if location == "node":
            return self.name_of(place)
        leads = self.directed or location == "link"
        return (" -> " if leads else " - ").join(
            self.name_of(int(node)) for node in self.ends(location)[:, place]
        )

    def __repr__(self) -> str:
        if self.num_graphs == 1:
            return f"Graph({self.num_nodes} nodes, {self.num_edges} edges)"
        return f"Graph({self.num_graphs} graphs, {self.num_nodes} nodes, {self.num_edges} edges)"


def _joined(attributes: Sequence[Mapping[str, Attribute]]) -> dict[str, Attribute]:
    shared = [name for name in attributes[0] if all(name in other for other in attributes[1:])]
    return {name: joined([of_graph[name] for of_graph in attributes]) for name in shared}


def _all_or_none(parts: Sequence[Array | None]) -> Array | None:
    there = [part for part in parts if part is not None]
    return arrays.concat(there) if len(there) == len(parts) else None


def _picked(attributes: Mapping[str, Attribute], places: Array) -> dict[str, Attribute]:
    return {name: picked(value, places) for name, value in attributes.items()}


def _places_in(chosen: Array, places: Sequence[int]) -> tuple[int, ...]:
    """Where some places stand among those that were chosen."""
    return tuple(new for new, old in enumerate(chosen.tolist()) if old in places) if places else ()


def _packed(
    node_counts: Any, edges: Any, *, directed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[G] the nodes of each graph, [G] its edges, [2, E] the ends of all; edges come as [E, 2]."""
    counts = _whole(node_counts, "numbers of nodes").reshape(-1)
    pairs = _whole(edges, "edges")
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise GraphError(
            f"edges came as {list(pairs.shape)}: give pairs of nodes, [E, 2]; of an edge_index, "
            "its transpose."
        )
    pairs = pairs.reshape(-1, 2)
    num_nodes = int(counts.sum())
    if counts.size and counts.min() < 1:
        raise GraphError(
            f"graph {int(counts.argmin())} of the batch has no nodes; every graph needs at least "
            "one."
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= num_nodes):
        u, v = pairs[((pairs < 0) | (pairs >= num_nodes)).any(1)][0]
        raise GraphError(
            f"edge ({u}, {v}) leads to an unknown node: nodes are numbered 0 to {num_nodes - 1}."
        )
    owner = np.repeat(np.arange(counts.size), counts)
    low, high = pairs.T
    if not directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    if (strays := owner[low] != owner[high]).any():
        u, v = low[strays][0], high[strays][0]
        raise GraphError(
            f"edge ({u}, {v}) joins graph {owner[u]} to graph {owner[v]}; an edge stays inside one "
            "graph."
        )
    # an edge as one number: its first end, then the place of its second end inside the graph
    first, width = np.repeat(counts.cumsum() - counts, counts), int(counts.max(initial=1))
    keys = _sorted_distinct((low * width + high - first[low])[low != high], num_nodes * width)
    low = keys // width
    ends = np.stack([low, keys - low * width + first[low]])
    edge_counts = np.bincount(owner[low], minlength=counts.size)
    return counts, edge_counts, ends


def _whole(values: Any, what: str) -> np.ndarray:
    array = arrays.to(values, NUMPY) if arrays.is_array(values) else np.asarray(values)
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
