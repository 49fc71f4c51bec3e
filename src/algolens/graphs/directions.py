"""Directions of edges: kept, joined or forgotten; and edges that stand several times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from algolens.arrays import NUMPY
from algolens.errors import GraphError
from algolens.graphs.attributes import (
    BACK,
    Attribute,
    as_written,
    column,
    differ,
    hold_something,
    joined,
    picked,
)
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph

# ---- edges that stand several times


def _edge_indices(graph: Graph, ends: np.ndarray) -> np.ndarray:
    """[E'] the edge of the graph between each of [2, E'] ends; below 0 for a self-loop."""
    first, second = ends if graph.directed else (ends.min(0), ends.max(0))
    tails, heads = graph.edges
    keys = tails * graph.num_nodes + heads  # in order, as edges are
    indices = np.searchsorted(keys, first * graph.num_nodes + second)
    return np.where(first == second, -1 - first, indices)


def first_named(graph: Graph, ends: np.ndarray) -> np.ndarray:
    """[E] ``Graph.named_at`` of a graph whose edges the user gave as [2, E'] ends."""
    indices = _edge_indices(graph, ends)
    edges, firsts = np.unique(indices, return_index=True)
    firsts = firsts[edges >= 0]
    is_turned = (ends[0] > ends[1])[firsts] & (not graph.directed)
    return np.where(is_turned, ~firsts, firsts)


def repeated_edges(graph: Graph, ends: np.ndarray) -> tuple[int, ...]:
    """The edges that stand more than once among [2, E'] ends; once each way counts as once."""
    indices = _edge_indices(graph, ends)
    keys, counts = np.unique(2 * indices + (ends[0] > ends[1]), return_counts=True)
    edges = np.unique(keys[counts > 1] // 2)
    return tuple(edges[edges >= 0].tolist())


def values_of_edges(
    graph: Graph,
    ends: np.ndarray,
    given: Mapping[str, Attribute],
    refuse: Callable[[str, int], GraphError],
) -> dict[str, Attribute]:
    """Attributes of the edges of a graph, from attributes given for [2, E'] ends.

    Where an undirected edge has different values each way, the values back get a name of their own.
    refuse: the error where one direction has two values, from their name and the edge.
    """
    backs = set() if graph.directed else {name + BACK for name in given}
    at_edges: dict[str, Attribute] = {}
    for name, written in given.items():
        if name in backs:
            continue
        values, columns, says_both = written, ends, name + BACK in backs & given.keys()
        if says_both:  # what is said of the way back is said of the other direction
            both = joined([written, given[name + BACK]])
            is_there = hold_something(both)
            values = picked(both, is_there.nonzero()[0])
            columns = np.hstack([ends, ends[::-1]])[:, is_there]
        there, back, differ = _each_way(graph, columns, name, values, refuse)
        if says_both or differ:
            at_edges[name] = _at_places(values, there)
            at_edges[name + BACK] = _at_places(values, back)
        else:
            at_edges[name] = _at_places(values, np.where(there < 0, back, there))
    return at_edges


def _each_way(
    graph: Graph,
    ends: np.ndarray,
    name: str,
    values: Attribute,
    refuse: Callable[[str, int], GraphError],
) -> tuple[np.ndarray, np.ndarray, bool]:
    """[E] where the value of each edge stands, [E] of its way back, and whether some two differ.

    Below 0 where it stands nowhere.
    """
    indices = _edge_indices(graph, ends)
    is_turned = (ends[0] > ends[1]) & (not graph.directed)
    keys, firsts, which = np.unique(
        np.where(indices < 0, -1, 2 * indices + is_turned), return_index=True, return_inverse=True
    )
    again = np.flatnonzero((firsts[which] != np.arange(len(which))) & (indices >= 0))
    differing = again[differ(values, again, firsts[which[again]])]
    if len(differing):
        raise refuse(name, int(indices[differing[0]]))
    places = np.full(2 * graph.num_edges, -1)
    places[keys[keys >= 0]] = firsts[keys >= 0]
    there, back = places.reshape(-1, 2).T
    both = (there >= 0) & (back >= 0)
    return there, back, bool(differ(values, there[both], back[both]).any())


def _at_places(values: Attribute, places: np.ndarray) -> Attribute:
    """The values at some places, and none where a place is below 0."""
    if (places >= 0).all():
        return picked(values, places)
    written = as_written(values)
    return column([None if place < 0 else written[place] for place in places.tolist()])


# ---- directions


def undirected(graph: Graph) -> Graph:
    """The same graphs without directions.

    Two edges that lead opposite ways between two nodes become one. Where they differ in an
    attribute ``x``, the edge has ``x``, from its first node to its second, and ``x_back``.

    Raises
    ------
    GraphError
        Where ``graph`` is no ``Graph``, or edges say ``x_back`` themselves, and differently.

    Examples
    --------
    >>> undirected(Graph.pack([3], [(0, 1), (1, 0), (2, 1)], directed=True)).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if not isinstance(graph, Graph):
        raise GraphError(
            f"undirected takes a Graph, and a {type(graph).__name__} of {type(graph).__module__} "
            "came: convert it with from_networkx or from_pyg of algolens.graphs."
        )
    if not graph.directed:
        return graph
    if graph.device != NUMPY:
        return undirected(graph.to(NUMPY)).to(graph.device)
    ends = graph.edges
    packed = Graph.pack(graph.node_counts, ends.T)
    as_named = ends[:, graph.named_order(Location.EDGE)]

    def refuse(name: str, edge: int) -> GraphError:
        u, v = (graph.name_of(node) for node in packed.edges[:, edge].tolist())
        return GraphError(
            f"edges ({u}, {v}) and ({v}, {u}) disagree on {name} and {name}{BACK}: without "
            "directions they would be one edge. Keep one of the two, or the directions."
        )

    return replace(
        graph,
        edge_counts=packed.edge_counts,
        edges=packed.edges,
        edge_attributes=values_of_edges(packed, ends, graph.edge_attributes, refuse),
        directed=False,
        parallel=tuple(np.unique(_edge_indices(packed, ends)[list(graph.parallel)]).tolist()),
        named_at=first_named(packed, as_named),
    )


def with_directions(graph: Graph, directed: bool | None, what: str) -> Graph:
    """The graph as a user asked for it: directed, or without its directions; None: as it is."""
    if directed and not graph.directed:
        raise GraphError(
            f"{what} is undirected and cannot be read as directed: give an edge list, or a file "
            "that says directed (of NetworkX, a DiGraph)."
        )
    return undirected(graph) if directed is False else graph
