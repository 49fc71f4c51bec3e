"""Functions of NetworkX, each by a run of an algorithm: searches, parts of a graph, choices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import compress, pairwise
from typing import Any

import networkx as nx
import numpy as np

from algolens.algorithms.coloring import Coloring
from algolens.dispatch import paths
from algolens.dispatch.dispatch_graph import AskNetworkXError, DispatchGraph
from algolens.graphs import Graph

Nodes = set[Hashable]
Edges = Iterator[tuple[Hashable, Hashable]]
RANK_BITS = 62  # of ranks: as many as a number may have


# ---- searches from a node


def _reached(G: DispatchGraph, graph: Graph, source: Hashable) -> np.ndarray:
    """[N] bools: the nodes that a node leads to, itself too."""
    return G.final("visited", "bfs", {"source": [G.number(source)]}, graph)


def _reached_nodes(G: DispatchGraph, graph: Graph, source: Hashable) -> Nodes:
    return set(compress(G.nodes, _reached(G, graph, source).tolist()))


def _steps_away(G: DispatchGraph, graph: Graph, source: Hashable) -> dict[Hashable, int]:
    """How many edges away every node is that can be reached, the nearest first.

    A node is so many away as the steps after which it is visited.
    """
    run = G.run("bfs", {"source": [G.number(source)]}, graph, trace=True)
    visited = run.state("visited")
    near_first = map(G.nodes.__getitem__, visited.elements.tolist())
    return {source: 0} | dict(zip(near_first, visited.steps.tolist(), strict=True))


def _at_distance(G: DispatchGraph, source: Hashable, distance: Any) -> Nodes:
    return {node for node, away in _steps_away(G, G.graph, source).items() if away == distance}


def _dfs_edges(G: DispatchGraph, source: Hashable | None) -> Edges:
    """The edges of a depth-first search, in the order in which it takes them."""
    # the walk begins at the lowest number: where a source is named, that is its
    start = 0 if source is None else G.number(source)
    first, listed = G.adjacency
    falls = (first[1:] == first[:-1]) & (listed[1:] < listed[:-1])
    if falls.any():
        node = G.nodes[first[:-1][falls][0]]
        raise NotImplementedError(
            f"node {node!r} lists its neighbours in another order than the graph has its nodes in: "
            "the walk is left to NetworkX"
        )
    order = np.concatenate([[start], np.delete(np.arange(len(G)), start)])
    nodes = [G.nodes[number] for number in order]
    run = G.run("dfs", {}, G.renumbered(np.argsort(order)), trace=True)
    parents, edges = run.final("parent").tolist(), []
    for number in run.state("visited").elements.tolist():  # in the order of the walk
        if parents[number] != number:
            edges.append((nodes[parents[number]], nodes[number]))
        elif source is not None and number:
            break  # the next tree
    return iter(edges)


# ---- components


def _groups(G: DispatchGraph, labels: np.ndarray) -> Iterator[Nodes]:
    """The nodes of each label, from the lowest on."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    node = G.nodes.__getitem__
    return iter([set(map(node, part.tolist())) for part in np.split(order, cuts)])


def _component(G: DispatchGraph) -> np.ndarray:
    """[N] the lowest number that each node is connected to, whatever directions say."""
    return G.final("component", "components", graph=G.without_directions)


def _components(G: DispatchGraph) -> Iterator[Nodes]:
    return _groups(G, _component(G))


def _num_components(G: DispatchGraph) -> int:
    return len(np.unique(_component(G)))


def _is_connected(G: DispatchGraph) -> bool:
    return _num_components(G) == 1


def _strong(G: DispatchGraph) -> np.ndarray:
    """[N] when the search left the node that began each node's strong component.

    A component is left after those that it leads to.
    """
    run = G.run("strong_components", {})
    return np.asarray(run.final("left_at"))[np.asarray(run.final("component"))]


def _num_strong(G: DispatchGraph) -> int:
    return len(np.unique(_strong(G)))


# ---- what a graph falls apart without, and its cores


def _cut_nodes(G: DispatchGraph) -> np.ndarray:
    return G.final("is_cut", "articulation_points")


def _is_biconnected(G: DispatchGraph) -> bool:
    return len(G) > 1 and _is_connected(G) and not _cut_nodes(G).any()


def _bridges(G: DispatchGraph, root: Hashable | None) -> Edges:
    """The edges without which a component falls apart, of one node's or of all, in their order."""
    start = None if root is None else G.number(root)
    if not G.graph.num_edges:
        return iter([])
    is_bridge = G.final("is_bridge", "bridges")
    if start is not None:
        lowest = _component(G)
        is_bridge = is_bridge & (lowest[np.asarray(G.graph.edges[0])] == lowest[start])
    return iter(G.edges_at(np.sort(G.place_of_edge[is_bridge])))


def _in_core(G: DispatchGraph, k: int) -> np.ndarray:
    return G.final("in_core", "k_core", k=k)


def _core_numbers(G: DispatchGraph) -> np.ndarray:
    """[N] the largest k in whose core each node is: one run for each k."""
    G.ask_networkx_where(G.has_loops)
    numbers, k = np.zeros(len(G), dtype=np.int64), 1
    while (is_in := _in_core(G, k)).any():
        numbers[is_in], k = k, k + 1
    return numbers


def _k_core(G: DispatchGraph, k: int | None) -> nx.Graph:
    """The largest part in which every node has k neighbours; without k, the innermost."""
    G.ask_networkx_where(G.has_loops)
    if k is None:
        numbers = _core_numbers(G)
        is_in = numbers == numbers.max()
    else:
        is_in = np.ones(len(G), dtype=bool) if k < 1 else _in_core(G, k)
    return G.source.subgraph(compress(G.nodes, is_in.tolist())).copy()


# ---- orders


def _is_acyclic(G: DispatchGraph) -> bool:
    return not G.has_loops and bool(G.run("topological_sort", {}).outcomes["is_acyclic"][0])


def _lexicographical_sort(G: DispatchGraph, key: Callable[[Any], Any] | None) -> Iterator[Hashable]:
    """An order in which every edge leads forward; of several nodes, the one of the least key."""
    G.ask_networkx_where(G.has_loops)
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
    run = G.run("topological_sort", {}, G.renumbered(np.argsort(order)))
    G.ask_networkx_where(not run.outcomes["is_acyclic"][0])
    places = np.argsort(np.asarray(run.final("position"))).tolist()
    return iter([G.nodes[order[place]] for place in places])


# ---- spanning trees


def _spanning(G: DispatchGraph, weight: str | None, data: Any, *, sign: int) -> Iterator[Any]:
    """The edges of the lightest spanning forest, lightest first; sign -1: of the heaviest."""
    if not isinstance(data, bool):
        raise NotImplementedError(f"data={data!r} is left to NetworkX")
    values = G.weights(weight)
    if not G.graph.num_edges:
        return iter([])
    # numbers of any size in Python's order; of equals, the edge that stands first
    order = sorted(range(len(values)), key=lambda place: sign * values[place])
    rank = np.argsort(order)
    inputs = {"weight": rank[G.place_of_edge] + 1, "priority": np.zeros(len(G))}
    in_tree = G.final("in_mst", "kruskal", inputs, bits=RANK_BITS)
    edges = G.edges_at(np.array(order)[np.sort(rank[G.place_of_edge[in_tree]])])
    return iter([(*edge, G.source.edges[edge]) for edge in edges] if data else edges)


# ---- matchings and colors


def _maximal_matching(G: DispatchGraph) -> set[tuple[Hashable, Hashable]]:
    """Edges no two of which share an end, to which none can be added: the first ones first."""
    if not G.graph.num_edges:
        return set()
    inputs = {"priority": G.ends.shape[1] - G.place_of_edge}
    is_in = G.final("in_matching", "matching", inputs, bits=RANK_BITS)
    return set(G.edges_at(G.place_of_edge[is_in]))


def _sides(G: DispatchGraph) -> np.ndarray | None:
    """[N] the side of every node; None where there are no two sides."""
    run = G.run("bipartite", {}, G.without_directions)
    is_bipartite = not G.has_loops and run.outcomes["is_bipartite"][0]
    return np.asarray(run.final("side")) if is_bipartite else None


def _degrees(G: DispatchGraph) -> np.ndarray:
    return np.bincount(np.asarray(G.graph.edges).reshape(-1), minlength=len(G))


def _color(G: DispatchGraph) -> dict[Hashable, int]:
    """The side of every node: 1 for the first of a component, and 0 for one without neighbours."""
    sides = _sides(G)
    if sides is None:
        raise AskNetworkXError
    colors = ((sides == 0) & (_degrees(G) > 0)).astype(int)
    return dict(zip(G.nodes, colors.tolist(), strict=True))


def _greedy_color(G: DispatchGraph) -> dict[Hashable, int]:
    """Colors from 0 on, by which neighbours differ: those with the most neighbours choose first."""
    degrees = _degrees(G)
    order = np.argsort(-degrees, kind="stable")
    # a node sees at most its neighbours, and those that chose before it (Welsh and Powell 1967)
    colors = int((np.minimum(degrees[order], np.arange(len(G))) + 1).max())
    if G.has_loops or colors > Coloring.range_of("colors").most:
        raise NotImplementedError("self-loops, and more than 64 colors, are left to NetworkX")
    priority = {"priority": np.argsort(order[::-1])}
    chosen = G.final("color", "coloring", priority, colors=colors, bits=RANK_BITS) - 1
    return {G.nodes[number]: int(chosen[number]) for number in order.tolist()}


# ---- all of them, each with the arguments that its offer takes

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "descendants": lambda G, source: _reached_nodes(G, G.graph, source) - {source},
    "ancestors": lambda G, source: _reached_nodes(G, G.turned, source) - {source},
    "has_path": lambda G, source, target: bool(_reached(G, G.graph, source)[G.number(target)]),
    "node_connected_component": lambda G, n: _reached_nodes(G, G.graph, n),
    "single_source_shortest_path_length": lambda G, source: _steps_away(G, G.graph, source),
    "single_target_shortest_path_length": lambda G, target: _steps_away(G, G.turned, target),
    "descendants_at_distance": _at_distance,
    "dfs_edges": _dfs_edges,
    "connected_components": _components,
    "number_connected_components": _num_components,
    "is_connected": _is_connected,
    "weakly_connected_components": _components,
    "number_weakly_connected_components": _num_components,
    "is_weakly_connected": _is_connected,
    "strongly_connected_components": lambda G: _groups(G, _strong(G)),
    "number_strongly_connected_components": _num_strong,
    "is_strongly_connected": lambda G: _num_strong(G) == 1,
    "articulation_points": lambda G: compress(G.nodes, _cut_nodes(G).tolist()),
    "is_biconnected": _is_biconnected,
    "bridges": _bridges,
    "has_bridges": lambda G, root: next(_bridges(G, root), None) is not None,
    "core_number": lambda G: dict(zip(G.nodes, _core_numbers(G).tolist(), strict=True)),
    "k_core": _k_core,
    "lexicographical_topological_sort": _lexicographical_sort,
    "is_directed_acyclic_graph": _is_acyclic,
    "has_cycle": lambda G: not _is_acyclic(G),
    "minimum_spanning_edges": lambda G, *given: _spanning(G, *given, sign=1),
    "maximum_spanning_edges": lambda G, *given: _spanning(G, *given, sign=-1),
    "is_bipartite": lambda G: _sides(G) is not None,
    "color": _color,
    "greedy_color": _greedy_color,
    "maximal_matching": _maximal_matching,
    **paths.FUNCTIONS,
}
