"""Graphs from and to NetworkX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np

from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, columns
from algolens.graphs.graph import Graph


def from_networkx(source: nx.Graph, what: str = "the graph") -> Graph:
    """One NetworkX graph, directed or not; node names are kept as text, and attributes as they are.

    Self-loops are left out, and parallel edges, which must agree, become one. The graph remembers
    both: an algorithm that would find something else with them refuses it, and otherwise the user
    is told.

    >>> from_networkx(nx.petersen_graph())
    Graph(10 nodes, 15 edges)
    """
    if source.number_of_nodes() == 0:
        raise GraphError(f"{what} is empty: it has no nodes; give a graph with at least one.")
    number = {node: i for i, node in enumerate(source.nodes)}
    names = tuple(str(node) for node in source.nodes)
    if len(set(names)) < len(names):
        raise GraphError(
            f"{what} has different nodes that read alike as text ({_repeated(names)!r}); rename "
            "one of them."
        )
    directed = source.is_directed()
    merged: dict[tuple[int, int], dict[str, Any]] = {}
    repeated: set[tuple[int, int]] = set()
    for u, v, attributes in source.edges(data=True):
        ends = (
            (number[u], number[v]) if directed or number[u] <= number[v] else (number[v], number[u])
        )
        if ends in merged:
            repeated.add(ends)
            if not _are_equal(merged[ends], attributes):
                raise GraphError(
                    f"{what} has edge ({u}, {v}) twice, with different attributes {merged[ends]} "
                    f"and {attributes}; keep one."
                )
        merged[ends] = attributes
    pairs = sorted(ends for ends in merged if ends[0] != ends[1])
    packed = Graph.pack(
        [len(names)], np.array(pairs, dtype=np.int64).reshape(-1, 2), directed=directed
    )
    return Graph(
        packed.node_counts,
        packed.edge_counts,
        packed.edges,
        names,
        node_attributes=columns([source.nodes[node] for node in source.nodes]),
        edge_attributes=columns([merged[ends] for ends in pairs]),
        directed=directed,
        loops=tuple(u for u, v in merged if u == v),
        parallel=tuple(edge for edge, ends in enumerate(pairs) if ends in repeated),
    )


def to_networkx(graph: Graph) -> nx.Graph:
    """One graph as a NetworkX graph (a DiGraph where it is directed), with its names and
    attributes.
    """
    only_one(graph, "to_networkx")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    names: list[Any] = list(range(graph.num_nodes)) if graph.names is None else list(graph.names)
    for name, attributes in zip(names, _rows(graph.node_attributes, graph.num_nodes), strict=True):
        result.add_node(name, **attributes)
    for (u, v), attributes in zip(
        graph.edges.T.tolist(), _rows(graph.edge_attributes, graph.num_edges), strict=True
    ):
        result.add_edge(names[u], names[v], **attributes)
    return result


def _rows(attributes: Mapping[str, Attribute], count: int) -> list[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    values = {key: value.tolist() for key, value in attributes.items()}
    return [
        {key: each[i] for key, each in values.items() if each[i] is not None} for i in range(count)
    ]


def _are_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two edges say the same; values may be arrays."""
    return one.keys() == other.keys() and all(
        np.array_equal(value, other[name])
        if isinstance(value, np.ndarray)
        else value is other[name] or value == other[name]
        for name, value in one.items()
    )


def _repeated(names: Sequence[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def only_one(graph: Graph, what: str) -> None:
    """Refuses a batch of several graphs."""
    if graph.num_graphs != 1:
        raise GraphError(
            f"{what} converts one graph and {graph.num_graphs} came: take one with "
            "graph.take([i]).graph."
        )
