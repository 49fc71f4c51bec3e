"""A graph of NetworkX as the backend holds it: numbered, once, with its own nodes and edges."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from algolens.algorithms import algorithm
from algolens.engines import Run, run_algorithm
from algolens.graphs import Graph
from algolens.graphs.builder import adjacency_of, data_of_edges

if TYPE_CHECKING:
    from algolens.dispatch.paths import Lengths


class AskNetworkXError(Exception):
    """NetworkX itself answers a call: mostly with its own error, in its own words."""


@dataclass(frozen=True, eq=False)
class DispatchGraph:
    """One simple graph; its nodes are numbered in NetworkX's order, its edges as ``G.edges``."""

    __networkx_backend__ = "algolens"

    source: nx.Graph
    nodes: tuple[Hashable, ...]
    adjacency: np.ndarray  # [2, L] a node and one that it lists, in the order of the lists
    values: Mapping[Any, list[Any]]  # the attributes of edges that were asked for, by name
    # what calls before have read: lengths by the names of algorithms and of weights
    lengths: dict[tuple[str, str | None], Lengths] = field(default_factory=dict)

    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return bool(self.source.is_directed())

    def is_multigraph(self) -> bool:
        """Never: two nodes have one edge."""
        return False

    def __len__(self) -> int:
        return len(self.nodes)

    def number(self, node: Hashable) -> int:
        """The number of a node; NetworkX has its own errors for what is none."""
        if node not in self._numbers:
            raise AskNetworkXError
        return self._numbers[node]

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def ends(self) -> np.ndarray:
        """[2, E'] the ends of every edge, self-loops too, as ``G.edges`` gives them."""
        first, second = self.adjacency
        return self.adjacency if self.is_directed() else self.adjacency[:, second >= first]

    @cached_property
    def has_loops(self) -> bool:
        """Whether an edge leads from a node to itself."""
        return bool((self.ends[0] == self.ends[1]).any())

    @cached_property
    def graph(self) -> Graph:
        """The graph itself, without names."""
        return self.renumbered(np.arange(len(self)))

    def renumbered(self, numbers: np.ndarray) -> Graph:
        """The graph with other numbers for its nodes."""
        return Graph.pack([len(self)], numbers[self.ends.T], directed=self.is_directed())

    @cached_property
    def without_directions(self) -> Graph:
        """The graph with every edge leading both ways."""
        return Graph.pack([len(self)], self.ends.T) if self.is_directed() else self.graph

    @cached_property
    def turned(self) -> Graph:
        """The graph with all directions turned round."""
        if not self.is_directed():
            return self.graph
        return Graph.pack([len(self)], self.ends[::-1].T, directed=True)

    @cached_property
    def place_of_edge(self) -> np.ndarray:
        """[E] where each edge of ``graph`` stands in ``ends``."""
        ends = self.ends if self.is_directed() else np.sort(self.ends, axis=0)
        order = np.lexsort(ends[::-1])
        return order[ends[0, order] != ends[1, order]]

    def edges_at(self, places: Iterable[int]) -> list[tuple[Hashable, Hashable]]:
        """The edges that stand at some places of ``ends``."""
        first, second = self.ends[:, np.fromiter(places, np.int64)].tolist()
        node = self.nodes.__getitem__
        return [*zip(map(node, first), map(node, second), strict=True)]

    def weights(self, name: str | None) -> list[int | float]:
        """The weight of every edge, 1 where it has none; what is no finite number is refused."""
        values = self.values.get(name)
        if values is None:
            values = [data.get(name, 1) for data in data_of_edges(self.source, self.adjacency)]
        for place, value in enumerate(values):
            if type(value) is not int and not (type(value) is float and math.isfinite(value)):
                (edge,) = self.edges_at([place])
                raise NotImplementedError(
                    f"'{name}' of edge {edge} is {value!r}: only finite numbers of Python are "
                    "read, the call is left to NetworkX"
                )
        return values

    def run(
        self,
        name: str,
        inputs: Mapping[str, ArrayLike],
        graph: Graph | None = None,
        *,
        trace: bool = False,
        **options: Any,
    ) -> Run:
        """A run of an algorithm. inputs: right whole numbers, which nothing checks again.

        graph: what it runs on, where that is not the graph as it is.
        """
        given = {
            name: np.ascontiguousarray(values, dtype=np.int64) for name, values in inputs.items()
        }
        chosen = algorithm(name).but(**options)
        return run_algorithm(chosen, graph or self.graph, given, trace=trace, check=False)

    def final(
        self,
        field: str,
        name: str,
        inputs: Mapping[str, ArrayLike] = MappingProxyType({}),
        graph: Graph | None = None,
        **options: Any,
    ) -> np.ndarray:
        """A field of a run of an algorithm, when all is done."""
        return np.asarray(self.run(name, inputs, graph, **options).final(field))

    def ask_networkx_where(self, it_must: bool) -> None:
        """Leave a call to NetworkX, for its own error, in its own words."""
        if it_must:
            raise AskNetworkXError


def convert_from_nx(
    graph: nx.Graph, *, edge_attrs: Mapping[str, Any] | None = None, **_: Any
) -> DispatchGraph:
    """A graph of NetworkX, numbered; NetworkX calls it, and keeps what it gives with the graph.

    Parameters
    ----------
    graph
        A Graph or a DiGraph.
    edge_attrs
        The attributes of edges to read, and what stands for those that are missing. All others,
        of nodes and of the graph too, stay with the graph.
    """
    adjacency = adjacency_of(graph)
    data = list(data_of_edges(graph, adjacency)) if edge_attrs else []
    values = {
        name: [edge.get(name, default) for edge in data]
        for name, default in (edge_attrs or {}).items()
    }
    return DispatchGraph(graph, tuple(graph), adjacency, values)
