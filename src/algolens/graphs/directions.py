"""Directions of edges: kept or forgotten."""

from __future__ import annotations

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
)
from algolens.graphs.graph import Graph


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
    low, high = np.sort(graph.edges, axis=0)
    keys, joint = np.unique(low * graph.num_nodes + high, return_inverse=True)
    edges = np.stack(np.divmod(keys, graph.num_nodes))
    # [E] of each edge, which of the directed ones leads forth and which back; -1 where none does
    directions = np.full((2, len(keys)), -1)
    directions[(graph.edges[0] > low).astype(int), joint] = np.arange(graph.num_edges)
    rank = np.append(np.argsort(graph.named_order("edge")), graph.num_edges)
    named_forth, named_back = rank[directions]
    return replace(
        graph,
        edge_counts=np.bincount(graph.node_owner[edges[0]], minlength=graph.num_graphs),
        edges=edges,
        edge_attributes=_of_both(graph, directions),
        directed=False,
        parallel=tuple(np.unique(joint[list(graph.parallel)]).tolist()),
        named_at=np.where(named_forth < named_back, named_forth, ~named_back),
    )


def _of_both(graph: Graph, directions: np.ndarray) -> dict[str, Attribute]:
    """Attributes of edges, from those of the directed ones that lead forth and back."""
    given, attributes = graph.edge_attributes, dict[str, Attribute]()
    for name, values in given.items():
        if name in {other + BACK for other in given}:
            continue
        forth, back = directions
        if says_both := name + BACK in given:
            values = joined([values, given[name + BACK]])
            is_there = np.append(hold_something(values), False)
            # what is said of the way back is said of the other direction
            backs = np.where(directions < 0, -1, directions + graph.num_edges)[::-1]
            own, others = (np.where(is_there[places], places, -1) for places in (directions, backs))
            both = (own >= 0) & (others >= 0)
            unlike = differ(values, own[both], others[both])
            disagree = np.concatenate([own[both][unlike], others[both][unlike]]) % graph.num_edges
            order = graph.named_order("edge")
            for edge in order[np.isin(order, disagree)][:1]:  # the one that the user named first
                u, v = map(graph.name_of, graph.edges[:, edge].tolist())
                raise GraphError(
                    f"edges ({u}, {v}) and ({v}, {u}) disagree on {name} and {name}{BACK}: without "
                    "directions they would be one edge. Keep one of the two, or the directions."
                )
            forth, back = np.where(own < 0, others, own)
        both = (forth >= 0) & (back >= 0)
        if says_both or differ(values, forth[both], back[both]).any():
            attributes |= {name: _at(values, forth), name + BACK: _at(values, back)}
        else:
            attributes[name] = _at(values, np.where(forth < 0, back, forth))
    return attributes


def _at(values: Attribute, places: np.ndarray) -> Attribute:
    """The values at some places, and None where a place is below 0."""
    if (places >= 0).all():
        return values[places]
    written = as_written(values)
    return column([None if place < 0 else written[place] for place in places.tolist()])


def with_directions(graph: Graph, directed: bool | None, what: str) -> Graph:
    """The graph as a user asked for it: directed, or without its directions; None: as it is."""
    if directed and not graph.directed:
        raise GraphError(
            f"{what} is undirected and cannot be read as directed: give an edge list, or a file "
            "that says directed (of NetworkX, a DiGraph)."
        )
    return undirected(graph) if directed is False else graph
