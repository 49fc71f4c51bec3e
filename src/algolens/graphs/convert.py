"""Graphs from nodes and edges as a user names them: of NetworkX, of tables, of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.errors import GraphError, GraphFileError
from algolens.graphs.attributes import (
    BACK,
    Attribute,
    are_unlike,
    columns,
    exact_number,
    picked,
    turned,
)
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph
from algolens.graphs.node_tables import join_nodes
from algolens.graphs.tables import UserTable


class GraphBuilder:
    """One user's graph while it is read: edges that stand several times are joined as they come.

    A file's edges have a weight that is a number, all of them or none.
    """

    def __init__(self, *, directed: bool, is_file: bool = False) -> None:
        self.directed, self.is_file = directed, is_file
        self.error = GraphFileError if is_file else GraphError
        self.nodes: dict[Hashable, dict[str, Any]] = {}
        self.edges: dict[tuple[Hashable, Hashable], Mapping[str, Any]] = {}
        self.of_graph: Mapping[Any, Any] = {}  # what the whole graph has one of
        self.repeated: set[tuple[Hashable, Hashable]] = set()
        self.notes: list[str] = []  # what a user should know of how the graph was read

    @classmethod
    def of_networkx(cls, source: nx.Graph, what: str, *, is_file: bool = False) -> GraphBuilder:
        """The nodes and edges of a NetworkX graph."""
        builder = cls(directed=source.is_directed(), is_file=is_file)
        builder.nodes = {node: dict(attributes) for node, attributes in source.nodes(data=True)}
        builder.of_graph = source.graph
        for u, v, attributes in source.edges(data=True):
            builder.add_edge(u, v, attributes, what)
        return builder

    def add_edge(
        self, source: Hashable, target: Hashable, attributes: Mapping[str, Any], where: str
    ) -> None:
        """Adds an edge; one that stands there already must say the same."""
        weight = attributes.get("weight")
        if self.is_file and weight is not None and exact_number(weight) is None:
            raise self.error(
                f"{where}: 'weight' of edge ({source}, {target}) is '{weight}', which is no "
                "number. Correct the file."
            )
        for node in (source, target):
            self.nodes.setdefault(node, {})
        is_turned = not self.directed and source != target and (target, source) in self.edges
        ends = (target, source) if is_turned else (source, target)
        if ends in self.edges:
            self.repeated.add(ends)
            there = self.edges[ends]
            alike = _turned(attributes, {*attributes, *there}) if is_turned else attributes
            if not _are_equal(there, alike):
                name = next(iter(attributes), "weight")
                both = f", or say both ways in one, as {name} and {name}{BACK}"
                raise self.error(
                    f"{where}: edge ({source}, {target}) stands twice, once with "
                    f"{_in_words(there)} and once with {_in_words(attributes)}. Keep one of them"
                    f"{both if is_turned else ''}."
                )
            return
        self.edges[ends] = attributes

    def add_row(self, cells: dict[str, Any], where: str) -> None:
        """Adds an edge from cells by column; without a target, it is a lone node."""
        source, target = cells.pop("source", None), cells.pop("target", None)
        if source is None or (target is None and cells):
            raise self.error(
                f"{where}: the {'source' if source is None else 'target'} is missing. Give both "
                "ends of the edge."
            )
        if target is None:
            self.nodes.setdefault(source, {})
        else:
            self.add_edge(source, target, cells, where)

    def build(self, what: str, nodes: UserTable | None = None) -> tuple[Graph, list[Hashable]]:
        """The graph, with self-loops left out, and the user's own nodes.

        what: what messages call it. nodes: a table that says more of the nodes.
        """
        if self.is_file:
            self._check_weights(what)
        own, at_nodes = list(self.nodes), columns(list(self.nodes.values()))
        if nodes is not None:
            own, at_nodes = join_nodes(own, at_nodes, nodes, self.notes)
        names = names_of_nodes(own, what, self.error)
        number = {node: place for place, node in enumerate(self.nodes)}
        by_ends: dict[tuple[int, int], tuple[Hashable, Hashable]] = {}
        for u, v in self.edges:
            ends = (number[u], number[v])
            by_ends[ends if self.directed or ends[0] <= ends[1] else ends[::-1]] = (u, v)
        names_at_edges = {name for attributes in self.edges.values() for name in attributes}
        for ends, (u, v) in by_ends.items():
            if ends != (number[u], number[v]):
                self.edges[u, v] = _turned(self.edges[u, v], names_at_edges)
        pairs = sorted(ends for ends in by_ends if ends[0] != ends[1])
        index = {edge: place for place, edge in enumerate(self.edges)}
        named_at = [
            index[u, v] if (number[u], number[v]) == ends else ~index[u, v]
            for ends in pairs
            for u, v in [by_ends[ends]]
        ]
        packed = Graph.pack([len(names)], np.array(pairs, dtype=np.int64), directed=self.directed)
        graph = Graph(
            packed.node_counts,
            packed.edge_counts,
            packed.edges,
            names,
            node_attributes=at_nodes,
            edge_attributes=columns([self.edges[by_ends[ends]] for ends in pairs]),
            graph_attributes=columns([self.of_graph]),
            notes=tuple(self.notes),
            directed=self.directed,
            loops=tuple(sorted(u for u, v in by_ends if u == v)),
            parallel=tuple(
                place for place, ends in enumerate(pairs) if by_ends[ends] in self.repeated
            ),
            named_at=torch.tensor(named_at, dtype=torch.int64),
        )
        return graph, own

    def _check_weights(self, what: str) -> None:
        without = [ends for ends, cells in self.edges.items() if cells.get("weight") is None]
        if 0 < len(without) < len(self.edges):
            u, v = without[0]
            raise self.error(
                f"{what}: edge ({u}, {v}) has no weight though others have. Give every edge a "
                "weight, or none."
            )


def names_of_nodes(
    nodes: Sequence[Hashable], what: str, error: type[GraphError]
) -> tuple[str, ...]:
    """The names of nodes; a graph without any, or with two that read alike, is refused."""
    if not nodes:
        raise error(f"{what} is empty: it has no nodes; give a graph with at least one.")
    names = tuple(map(str, nodes))
    if len(set(names)) < len(names):
        name, _ = Counter(names).most_common(1)[0]
        raise GraphError(
            f"{what} has different nodes that read alike as text ({name!r}); rename one of them."
        )
    return names


def _are_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two edges say the same."""
    return one.keys() == other.keys() and not any(
        are_unlike(value, other[name]) for name, value in one.items()
    )


def _turned(attributes: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """What an edge says, from its other end: of a name and the one with ``_back``, the other."""
    other = {name: name + BACK for name in names if name + BACK in names}
    other |= {back: name for name, back in other.items()}
    return {other.get(name, name): value for name, value in attributes.items()}


def _in_words(attributes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in attributes.items()) or "nothing"


# ---- NetworkX


def from_networkx(source: nx.Graph, what: str = "the graph") -> Graph:
    """One NetworkX graph, directed or not.

    Node names are kept as text, and attributes as they are. Self-loops are left out, and parallel
    edges, which must agree, become one. The graph remembers both: an algorithm that would find
    something else with them refuses it, and otherwise the user is told.

    Parameters
    ----------
    source
        The graph.
    what
        What messages call it.

    Raises
    ------
    GraphError
        Where it has no nodes, nodes that read alike as text, or parallel edges that disagree.

    Examples
    --------
    >>> from_networkx(nx.petersen_graph())
    Graph(10 nodes, 15 edges)
    """
    return GraphBuilder.of_networkx(source, what).build(what)[0]


def edges_as_named(graph: Graph) -> tuple[Tensor, dict[str, Attribute]]:
    """[2, E] the edges of one graph in the user's order and direction, and their attributes."""
    order = graph.named_order(Location.EDGE)
    attributes = turned(graph.edge_attributes, graph.is_turned.numpy())
    named = {name: picked(values, order) for name, values in attributes.items()}
    return graph.ends(Location.EDGE)[:, order], named


def to_networkx(graph: Graph) -> nx.Graph:
    """One graph as a NetworkX graph (a DiGraph where it is directed), with names and attributes."""
    only_one(graph, "to_networkx")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    names: list[Any] = list(range(graph.num_nodes)) if graph.names is None else list(graph.names)
    for name, attributes in zip(names, _rows(graph.node_attributes, graph.num_nodes), strict=True):
        result.add_nodes_from([(name, attributes)])  # any name may be an attribute's
    edges, at_edges = edges_as_named(graph)
    for (u, v), attributes in zip(edges.T.tolist(), _rows(at_edges, graph.num_edges), strict=True):
        result.add_edges_from([(names[u], names[v], attributes)])
    result.graph.update(*_rows(graph.graph_attributes, 1))
    return result


def _rows(attributes: Mapping[str, Attribute], count: int) -> list[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    values = {name: column.tolist() for name, column in attributes.items()}
    return [
        {name: column[place] for name, column in values.items() if column[place] is not None}
        for place in range(count)
    ]


def only_one(graph: Graph, what: str) -> None:
    """Refuses a batch of several graphs."""
    if graph.num_graphs != 1:
        raise GraphError(
            f"{what} converts one graph and {graph.num_graphs} came: take one with "
            "graph.take([i]).graph."
        )
