"""Functions of NetworkX that find parts of a graph: components, bridges, cores, orders."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import compress, pairwise
from typing import Any

import networkx as nx
import numpy as np

from algolens.dispatch.carry_out import final_numbers, last_step
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.engines import Run
from algolens.graphs import Graph

# ---- components


def _groups(G: DispatchGraph, labels: np.ndarray) -> list[set[Hashable]]:
    """The nodes of each label, from the lowest on."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    node = G.nodes.__getitem__
    return [set(map(node, part.tolist())) for part in np.split(order, cuts)]


def component(G: DispatchGraph) -> np.ndarray:
    """[N] the lowest number that each node is connected to."""
    return final_numbers(last_step("components", G, {}, G.without_directions), "component")


def connected_components(G: DispatchGraph) -> Iterator[set[Hashable]]:
    """The connected components, in the order of their first nodes."""
    return iter(_groups(G, component(G)))


def number_connected_components(G: DispatchGraph) -> int:
    """How many connected components there are."""
    return len(np.unique(component(G)))


def is_connected(G: DispatchGraph) -> bool:
    """Whether there is one connected component."""
    return number_connected_components(G) == 1


def _strong(G: DispatchGraph) -> np.ndarray:
    """[N] when the search left the node that began each node's strong component."""
    run = last_step("strong_components", G, {})
    return final_numbers(run, "left_at")[final_numbers(run, "component")]


def strongly_connected_components(G: DispatchGraph) -> Iterator[set[Hashable]]:
    """The strongly connected components, each after those that it leads to."""
    return iter(_groups(G, _strong(G)))


def number_strongly_connected_components(G: DispatchGraph) -> int:
    """How many strongly connected components there are."""
    return len(np.unique(_strong(G)))


def is_strongly_connected(G: DispatchGraph) -> bool:
    """Whether there is one strongly connected component."""
    return number_strongly_connected_components(G) == 1


# ---- what a graph falls apart without


def _cut_nodes(G: DispatchGraph) -> np.ndarray:
    return final_numbers(last_step("articulation_points", G, {}), "is_cut")


def articulation_points(G: DispatchGraph) -> Iterator[Hashable]:
    """The nodes without which a component falls apart, in the order of the nodes."""
    return compress(G.nodes, _cut_nodes(G).tolist())


def is_biconnected(G: DispatchGraph) -> bool:
    """Whether the graph is connected, and stays so without any one node."""
    return len(G) > 1 and is_connected(G) and not _cut_nodes(G).any()


def bridges(G: DispatchGraph, root: Hashable | None = None) -> Iterator[tuple[Hashable, Hashable]]:
    """The edges without which a component falls apart, of one node's or of all, in their order."""
    if root is not None and root not in G.number:
        return G.by_networkx(nx.bridges, root)
    if not G.graph.num_edges:
        return iter([])
    is_bridge = final_numbers(last_step("bridges", G, {}), "is_bridge")
    if root is not None:
        lowest = component(G)
        is_bridge = is_bridge & (lowest[G.graph.edges[0].numpy()] == lowest[G.number[root]])
    return iter(G.edges_at(np.sort(G.place_of_edge[is_bridge])))


def has_bridges(G: DispatchGraph, root: Hashable | None = None) -> bool:
    """Whether there is an edge without which a component, one node's or any, falls apart."""
    return next(bridges(G, root), None) is not None


# ---- cores


def _in_core(G: DispatchGraph, k: int) -> np.ndarray:
    return final_numbers(last_step("k_core", G, {}, k=k), "in_core")


def _core_numbers(G: DispatchGraph) -> np.ndarray:
    """[N] the largest k in whose core each node is: one run for each k."""
    numbers, k = np.zeros(len(G), dtype=np.int64), 1
    while (is_in := _in_core(G, k)).any():
        numbers[is_in], k = k, k + 1
    return numbers


def core_number(G: DispatchGraph) -> dict[Hashable, int]:
    """The largest k in whose core each node is."""
    if G.has_loops:
        return G.by_networkx(nx.core_number)
    return dict(zip(G.nodes, _core_numbers(G).tolist(), strict=True))


def k_core(G: DispatchGraph, k: int | None = None, core_number: None = None) -> nx.Graph:
    """The largest part in which every node has k neighbours; without k, the innermost."""
    if G.has_loops:
        return G.by_networkx(nx.k_core, k)
    if k is None:
        numbers = _core_numbers(G)
        is_in = numbers == numbers.max()
    else:
        is_in = np.ones(len(G), dtype=bool) if k < 1 else _in_core(G, k)
    return G.to_networkx(is_in)


# ---- orders


def _sorted(G: DispatchGraph, graph: Graph) -> Run:
    return last_step("topological_sort", G, {}, graph)


def is_directed_acyclic_graph(G: DispatchGraph) -> bool:
    """Whether there is no cycle."""
    return not G.has_loops and bool(_sorted(G, G.graph).outcomes["is_acyclic"][0])


def has_cycle(G: DispatchGraph) -> bool:
    """Whether there is a cycle."""
    return not is_directed_acyclic_graph(G)


def lexicographical_topological_sort(
    G: DispatchGraph, key: Callable[[Any], Any] | None = None
) -> Iterator[Hashable]:
    """An order in which every edge leads forward; of several nodes, the one of the least key."""
    if G.has_loops:
        return G.by_networkx(nx.lexicographical_topological_sort, key)
    try:
        keys: Sequence[Any] = G.nodes if key is None else [key(node) for node in G.nodes]
        order = sorted(range(len(G)), key=keys.__getitem__)
        pairs = pairwise(keys[number] for number in order)
        # sets, for one, are sorted without an error, and not all are below or above all others
        is_total = all(a == b or a < b for a, b in pairs)
    except Exception as problem:  # whatever a key or its "<" raises
        raise NotImplementedError(f"keys of nodes: {problem}: left to NetworkX") from problem
    if not is_total:
        raise NotImplementedError("keys of nodes have no one order: left to NetworkX")
    run = _sorted(G, G.renumbered(np.argsort(order)))
    if not run.outcomes["is_acyclic"][0]:
        return G.by_networkx(nx.lexicographical_topological_sort, key)
    places = np.argsort(final_numbers(run, "position")).tolist()
    return iter([G.nodes[order[place]] for place in places])
