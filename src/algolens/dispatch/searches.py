"""Functions of NetworkX that search from a node: what can be reached, how far, depth first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import compress
from typing import Any

import networkx as nx
import numpy as np
import torch

from algolens.algorithms import algorithm
from algolens.dispatch.carry_out import final_numbers, last_step, run_on
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.graphs import Graph


def _reached(G: DispatchGraph, graph: Graph, source: Hashable) -> np.ndarray:
    """[N] bools: the nodes that a node leads to, itself too."""
    inputs = {"source": torch.tensor([G.number[source]])}
    return final_numbers(last_step("bfs", G, inputs, graph), "visited")


def _others(G: DispatchGraph, graph: Graph, source: Hashable) -> set[Hashable]:
    return set(compress(G.nodes, _reached(G, graph, source).tolist())) - {source}


def descendants(G: DispatchGraph, source: Hashable) -> set[Hashable]:
    """The nodes that a node leads to."""
    if source not in G.number:
        return G.by_networkx(nx.descendants, source)
    return _others(G, G.graph, source)


def ancestors(G: DispatchGraph, source: Hashable) -> set[Hashable]:
    """The nodes that lead to a node."""
    if source not in G.number:
        return G.by_networkx(nx.ancestors, source)
    return _others(G, G.turned, source)


def has_path(G: DispatchGraph, source: Hashable, target: Hashable) -> bool:
    """Whether a node leads to another."""
    if source not in G.number or target not in G.number:
        return G.by_networkx(nx.has_path, source, target)
    return bool(_reached(G, G.graph, source)[G.number[target]])


def node_connected_component(G: DispatchGraph, n: Hashable) -> set[Hashable]:
    """The nodes that a node is connected to, itself too."""
    if n not in G.number:
        return G.by_networkx(nx.node_connected_component, n)
    return _others(G, G.graph, n) | {n}


# ---- how many edges away


def _steps_away(G: DispatchGraph, graph: Graph, source: Hashable) -> dict[Hashable, int]:
    """How many edges away every node is that can be reached, the nearest first.

    A node is so many away as the steps after which it is visited.
    """
    inputs = {"source": torch.tensor([G.number[source]])}
    visited = run_on(algorithm("bfs"), G, inputs, graph, trace=True).state("visited")
    near_first = map(G.nodes.__getitem__, visited.elements.tolist())
    return {source: 0} | dict(zip(near_first, visited.steps.tolist(), strict=True))


def single_source_shortest_path_length(
    G: DispatchGraph, source: Hashable, cutoff: None = None
) -> dict[Hashable, int]:
    """How many edges each node is away from a node."""
    if source not in G.number:
        return G.by_networkx(nx.single_source_shortest_path_length, source)
    return _steps_away(G, G.graph, source)


def single_target_shortest_path_length(
    G: DispatchGraph, target: Hashable, cutoff: None = None
) -> dict[Hashable, int]:
    """How many edges a node is away from each node."""
    if target not in G.number:
        return G.by_networkx(nx.single_target_shortest_path_length, target)
    return _steps_away(G, G.turned, target)


def descendants_at_distance(G: DispatchGraph, source: Hashable, distance: Any) -> set[Hashable]:
    """The nodes that are so many edges away from a node."""
    if source not in G.number:
        return G.by_networkx(nx.descendants_at_distance, source, distance)
    return {node for node, away in _steps_away(G, G.graph, source).items() if away == distance}


# ---- depth first


def dfs_edges(
    G: DispatchGraph,
    source: Hashable | None = None,
    depth_limit: None = None,
    *,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Hashable, Hashable]]:
    """The edges of a depth-first search, in the order in which it takes them."""
    if source is not None and source not in G.number:
        return G.by_networkx(nx.dfs_edges, source)
    first, listed = G.adjacency
    falls = (first[1:] == first[:-1]) & (listed[1:] < listed[:-1])
    if falls.any():
        node = G.nodes[first[:-1][falls][0]]
        raise NotImplementedError(
            f"node {node!r} lists its neighbours in another order than the graph has its nodes in: "
            "the walk is left to NetworkX"
        )
    # the walk begins at the lowest number: where a source is named, that is its
    start = 0 if source is None else G.number[source]
    order = np.concatenate([[start], np.delete(np.arange(len(G)), start)])
    run = last_step("dfs", G, {}, G.renumbered(np.argsort(order)))
    parents = final_numbers(run, "parent")
    return iter(_tree_edges(G, order, parents, all_trees=source is None))


def _tree_edges(
    G: DispatchGraph, order: np.ndarray, parents: np.ndarray, *, all_trees: bool
) -> list[tuple[Hashable, Hashable]]:
    """The edges of the trees of a walk, a node before those below it, the lowest first."""
    nodes, parent_of = [G.nodes[number] for number in order], parents.tolist()
    children: list[list[int]] = [[] for _ in nodes]
    roots: list[int] = []
    for child in range(len(nodes) - 1, -1, -1):  # the lowest is taken first, so it is put last
        parent = parent_of[child]
        (roots if child == parent else children[parent]).append(child)
    edges, waiting = [], (roots if all_trees else roots[-1:])
    while waiting:
        number = waiting.pop()
        if parent_of[number] != number:
            edges.append((nodes[parent_of[number]], nodes[number]))
        waiting += children[number]
    return edges
