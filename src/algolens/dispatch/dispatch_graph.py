"""A graph of NetworkX as the backend holds it: numbered, once, with its own nodes and edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import torch

from algolens.graphs import Graph

if TYPE_CHECKING:
    from algolens.algorithms import Algorithm
    from algolens.dispatch.paths import Lengths
    from algolens.engines.parts import Perceive


@dataclass(frozen=True, eq=False)
class DispatchGraph:
    """One simple graph; its nodes are numbered in NetworkX's order, its edges as ``G.edges``."""

    __networkx_backend__ = "algolens"

    nodes: tuple[Hashable, ...]
    adjacency: np.ndarray  # [2, L] a node and one that it lists, in the order of the lists
    directed: bool
    values: Mapping[Any, list[Any]]  # the attributes of edges that were asked for, by name
    edge_data: list[dict[Any, Any]] | None  # all that edges carry, where it was asked for
    node_data: list[dict[str, Any]] = field(default_factory=list)
    graph_data: Mapping[str, Any] = field(default_factory=dict)
    # what calls before have left: looks by the names of algorithms, lengths by these and weights'
    looks: dict[str, tuple[Algorithm, Perceive | None]] = field(default_factory=dict)
    lengths: dict[tuple[str, str | None], Lengths] = field(default_factory=dict)

    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Never: two nodes have one edge."""
        return False

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def number(self) -> dict[Hashable, int]:
        """The number of each node."""
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def ends(self) -> np.ndarray:
        """[2, E'] the ends of every edge, self-loops too, as ``G.edges`` gives them."""
        first, second = self.adjacency
        return self.adjacency if self.directed else self.adjacency[:, second >= first]

    @cached_property
    def has_loops(self) -> bool:
        """Whether an edge leads from a node to itself."""
        return bool((self.ends[0] == self.ends[1]).any())

    @cached_property
    def graph(self) -> Graph:
        """The graph itself, without names."""
        return Graph.pack([len(self)], self.ends.T, directed=self.directed)

    @cached_property
    def without_directions(self) -> Graph:
        """The graph with every edge leading both ways."""
        return Graph.pack([len(self)], self.ends.T) if self.directed else self.graph

    @cached_property
    def turned(self) -> Graph:
        """The graph with all directions turned round."""
        if not self.directed:
            return self.graph
        return Graph.pack([len(self)], self.ends[::-1].T, directed=True)

    def renumbered(self, numbers: np.ndarray) -> Graph:
        """The graph with other numbers for its nodes."""
        if (numbers == np.arange(len(self))).all():
            return self.graph
        return Graph.pack([len(self)], numbers[self.ends.T], directed=self.directed)

    @cached_property
    def place_of_edge(self) -> np.ndarray:
        """[E] where each edge of ``graph`` stands in ``ends``."""
        order = np.lexsort(
            np.sort(self.ends, axis=0)[::-1] if not self.directed else self.ends[::-1]
        )
        return order[self.ends[0, order] != self.ends[1, order]]

    def edges_at(self, places: Iterable[int]) -> list[tuple[Hashable, Hashable]]:
        """The edges that stand at some places of ``ends``."""
        first, second = self.ends[:, np.fromiter(places, np.int64)].tolist()
        node = self.nodes.__getitem__
        return [*zip(map(node, first), map(node, second), strict=True)]

    def weights(self, name: str | None) -> list[int | float]:
        """The weight of every edge, 1 where it has none; what is no finite number is refused."""
        if self.edge_data is not None:
            values = [data.get(name, 1) for data in self.edge_data]
        else:
            values = self.values.get(name, [1] * self.ends.shape[1])
        others = [value for value in values if type(value) is not int]
        wrong = [value for value in others if type(value) is not float or not math.isfinite(value)]
        if wrong:
            place = next(place for place, value in enumerate(values) if value is wrong[0])
            (edge,) = self.edges_at([place])
            raise NotImplementedError(
                f"'{name}' of edge {edge} is {wrong[0]!r}: only finite numbers of Python are read, "
                "the call is left to NetworkX"
            )
        return values

    def to_networkx(self, is_in: np.ndarray | None = None) -> nx.Graph:
        """The same as a graph of NetworkX, with the attributes that came along.

        is_in: [N] bools, the nodes that are kept; unless given, all.
        """
        kept = np.ones(len(self), dtype=bool) if is_in is None else is_in
        graph = nx.DiGraph() if self.directed else nx.Graph()
        graph.graph.update(self.graph_data)
        nodes = zip(self.nodes, self.node_data, strict=True) if self.node_data else self.nodes
        graph.add_nodes_from(compress(nodes, kept.tolist()))
        data: list[dict[Any, Any]] = (
            self.edge_data
            or [
                dict(zip(self.values, row, strict=True))
                for row in zip(*self.values.values(), strict=True)
            ]
            or [{}] * self.ends.shape[1]
        )
        places = np.flatnonzero(kept[self.ends].all(0)).tolist()
        edges = zip(self.edges_at(places), places, strict=True)
        graph.add_edges_from((*ends, data[place]) for ends, place in edges)
        return graph

    def by_networkx(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What NetworkX itself says of a call that is an error: its own error, in its own words."""
        return function(self.to_networkx(), *args, backend="networkx", **kwargs)


def convert_from_nx(
    graph: nx.Graph,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> DispatchGraph:
    """A graph of NetworkX, numbered; NetworkX calls it, and keeps what it gives with the graph.

    Parameters
    ----------
    graph
        A Graph or a DiGraph.
    edge_attrs
        The attributes of edges to keep, and what stands for those that are missing.
    node_attrs
        Unused: no function here reads attributes of nodes.
    preserve_edge_attrs, preserve_node_attrs, preserve_graph_attrs
        Whether all attributes are kept.
    name, graph_name
        Of the function that asks, and of its argument; both unused.
    """
    nodes = tuple(graph)
    number = {node: place for place, node in enumerate(nodes)}
    lists = [ends for _, ends in graph.adjacency()]
    counts = np.fromiter(map(len, lists), dtype=np.int64, count=len(nodes))
    listed = np.fromiter(
        map(number.__getitem__, chain.from_iterable(lists)), dtype=np.int64, count=counts.sum()
    )
    adjacency = np.stack([np.repeat(np.arange(len(nodes)), counts), listed])
    data: list[dict[Any, Any]] = []
    if preserve_edge_attrs or edge_attrs:
        is_first = None if graph.is_directed() else adjacency[1] >= adjacency[0]
        every = chain.from_iterable(ends.values() for ends in lists)
        data = list(every if is_first is None else compress(every, is_first))
    return DispatchGraph(
        nodes,
        adjacency,
        graph.is_directed(),
        {
            attribute: [edge.get(attribute, default) for edge in data]
            for attribute, default in (edge_attrs or {}).items()
        },
        data if preserve_edge_attrs else None,
        [dict(given) for _, given in graph.nodes(data=True)] if preserve_node_attrs else [],
        dict(graph.graph) if preserve_graph_attrs else {},
    )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """What a function gave, as NetworkX has it; all but a graph is as it is.

    Parameters
    ----------
    result
        A graph of this backend, or anything else.
    name
        Of the function that gave it; unused.
    """
    return result.to_networkx() if isinstance(result, DispatchGraph) else result


def tensor_of(values: Any) -> torch.Tensor:
    """Numbers of NumPy as a tensor."""
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.int64))
