"""Directions of edges: kept as a graph says them, asked for, or forgotten."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from algolens.errors import GraphError
from algolens.graphs.attributes import picked
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph


def undirected(graph: Graph) -> Graph:
    """The same graphs without directions: two edges that lead opposite ways between two nodes
    become one, and must agree.

    >>> undirected(Graph.pack([3], [(0, 1), (1, 0), (2, 1)], directed=True)).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if not graph.directed:
        return graph
    packed = Graph.pack(graph.node_counts, graph.edges.T.numpy())
    tails, heads = graph.edges.numpy()
    keys = np.minimum(tails, heads) * graph.num_nodes + np.maximum(tails, heads)
    order = np.argsort(keys, kind="stable")
    both_ways = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    for name, values in graph.edge_attributes.items():
        given = values.tolist()
        for first, second in zip(
            order[both_ways].tolist(), order[both_ways + 1].tolist(), strict=True
        ):
            if given[first] != given[second]:
                raise GraphError(
                    f"{graph.describe(Location.EDGE, first)} has {name} {given[first]}, and the "
                    f"other way {given[second]}: without directions they would be one edge. Give "
                    "both the same, or keep the directions."
                )
    wanted = (packed.edges[0] * graph.num_nodes + packed.edges[1]).numpy()
    kept = torch.from_numpy(order[np.searchsorted(keys[order], wanted)])
    return replace(
        graph,
        edge_counts=packed.edge_counts,
        edges=packed.edges,
        edge_attributes={
            name: picked(values, kept) for name, values in graph.edge_attributes.items()
        },
        directed=False,
        parallel=tuple(np.unique(np.searchsorted(wanted, keys[list(graph.parallel)])).tolist()),
    )


def repeated(graph: Graph, ends: np.ndarray) -> tuple[int, ...]:
    """The edges of one graph that stand more than once among [2, E'] ends; one that stands once
    each way stands once.
    """
    keys, counts = np.unique(ends[0] * graph.num_nodes + ends[1], return_counts=True)
    tails, heads = graph.edges.numpy()
    there = np.isin(tails * graph.num_nodes + heads, keys[counts > 1])
    if not graph.directed:
        there |= np.isin(heads * graph.num_nodes + tails, keys[counts > 1])
    return tuple(np.flatnonzero(there).tolist())


def with_directions(graph: Graph, directed: bool | None, what: str) -> Graph:
    """The graph as a user asked for it: directed, or without its directions; None: as it is."""
    if directed and not graph.directed:
        raise GraphError(
            f"{what} is undirected and cannot be read as directed: give an edge list, or a file "
            "that says directed (of NetworkX, a DiGraph)."
        )
    return undirected(graph) if directed is False else graph
