"""Functions of NetworkX that choose edges or colors: spanning trees, matchings, colorings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import torch

from algolens.algorithms.coloring import Coloring
from algolens.dispatch.carry_out import RANK_BITS, final_numbers, last_step
from algolens.dispatch.dispatch_graph import DispatchGraph, tensor_of
from algolens.dispatch.parts import component
from algolens.engines import Run
from algolens.graphs import Graph

# ---- spanning trees

TREES = {"kruskal": "kruskal", "prim": "prim", "boruvka": "boruvka", "borůvka": "boruvka"}


def minimum_spanning_edges(
    G: DispatchGraph,
    algorithm: str = "kruskal",
    weight: str | None = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """The edges of the lightest spanning forest, lightest first."""
    return _spanning(G, nx.minimum_spanning_edges, algorithm, weight, data, sign=1)


def maximum_spanning_edges(
    G: DispatchGraph,
    algorithm: str = "kruskal",
    weight: str | None = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """The edges of the heaviest spanning forest, heaviest first."""
    return _spanning(G, nx.maximum_spanning_edges, algorithm, weight, data, sign=-1)


def _spanning(
    G: DispatchGraph, function: Any, algorithm: str, weight: str | None, data: Any, *, sign: int
) -> Iterator[Any]:
    if algorithm not in TREES:
        return G.by_networkx(function, algorithm)
    if not isinstance(data, bool):
        raise NotImplementedError(f"data={data!r} is left to NetworkX")
    values = G.weights(weight)
    if not G.graph.num_edges:
        return iter([])
    # numbers of any size in Python's order; a sort keeps the order of equals
    rank = {value: place for place, value in enumerate(sorted(set(values)))}
    by_weight = sign * np.fromiter(map(rank.__getitem__, values), np.int64, len(values))
    grow = {"kruskal": _kruskal, "prim": _prim, "boruvka": _boruvka}[TREES[algorithm]]

    def chosen(avoided: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All edges by weight, of equals those last that are avoided; and the tree of this."""
        order = np.lexsort([avoided, by_weight])
        ranks = np.empty(len(values), dtype=np.int64)
        ranks[order] = np.arange(1, len(values) + 1)
        is_in = np.zeros(len(values), dtype=bool)
        is_in[G.place_of_edge[grow(G, tensor_of(ranks[G.place_of_edge]))]] = True
        return order, is_in

    order, in_tree = chosen(np.zeros(len(values), dtype=bool))
    # the lightest tree that shares the fewest edges with this one is this one where it is unique
    if algorithm != "kruskal" and (chosen(in_tree)[1] != in_tree).any():
        raise NotImplementedError(
            f"several spanning trees are equally light: which one {algorithm} gives is left to "
            "NetworkX"
        )
    places = order[in_tree[order]].tolist()
    edges = G.edges_at(places)
    if not data:
        return iter(edges)
    carried = G.edge_data or [{}] * len(values)
    return iter([(*edge, carried[place]) for edge, place in zip(edges, places, strict=True)])


def _kruskal(G: DispatchGraph, weight: torch.Tensor) -> np.ndarray:
    """[E] bools: the edges of the lightest forest; weights are ranks, all different."""
    inputs = {"weight": weight, "priority": torch.zeros(len(G), dtype=torch.int64)}
    return final_numbers(last_step("kruskal", G, inputs, bits=RANK_BITS), "in_mst")


def _boruvka(G: DispatchGraph, weight: torch.Tensor) -> np.ndarray:
    return final_numbers(last_step("boruvka", G, {"weight": weight}, bits=RANK_BITS), "in_mst")


def _prim(G: DispatchGraph, weight: torch.Tensor) -> np.ndarray:
    """Prim's tree spans what its source is connected to: each component is a graph of its own."""
    lowest = component(G)
    order = np.argsort(lowest, kind="stable")
    numbers = np.argsort(order)
    _, counts = np.unique(lowest, return_counts=True)
    ends = numbers[G.graph.edges.numpy()]
    parts = Graph.pack(counts, ends.T)
    # the edges of the parts are sorted anew
    places = np.lexsort(np.sort(ends, axis=0)[::-1])
    inputs = {
        "weight": weight[tensor_of(places)],
        "source": torch.zeros(len(counts), dtype=torch.int64),
    }
    run = last_step("prim", G, inputs, parts, bits=RANK_BITS)
    parent = final_numbers(run, "parent") + np.repeat(counts.cumsum() - counts, counts)
    low, high = parts.edges.numpy()
    in_tree = np.empty(G.graph.num_edges, dtype=bool)
    in_tree[places] = (parent[low] == high) | (parent[high] == low)
    return in_tree


# ---- matchings


def maximal_matching(G: DispatchGraph) -> set[tuple[Hashable, Hashable]]:
    """Edges no two of which share an end, to which none can be added: the first ones first."""
    if not G.graph.num_edges:
        return set()
    inputs = {"priority": tensor_of(G.ends.shape[1] - G.place_of_edge)}
    is_in = final_numbers(last_step("matching", G, inputs, bits=RANK_BITS), "in_matching")
    return set(G.edges_at(G.place_of_edge[is_in]))


# ---- colors


def _two_sides(G: DispatchGraph) -> Run:
    return last_step("bipartite", G, {}, G.without_directions)


def is_bipartite(G: DispatchGraph) -> bool:
    """Whether nodes have two sides such that every edge leads from one to the other."""
    return not G.has_loops and bool(_two_sides(G).outcomes["is_bipartite"][0])


def color(G: DispatchGraph) -> dict[Hashable, int]:
    """The side of every node: 1 for the first of a component, and 0 for one without neighbours."""
    run = _two_sides(G)
    if G.has_loops or not run.outcomes["is_bipartite"][0]:
        return G.by_networkx(nx.bipartite.color)
    degrees = np.bincount(G.graph.edges.numpy().reshape(-1), minlength=len(G))
    sides = ((final_numbers(run, "side") == 0) & (degrees > 0)).astype(int)
    return dict(zip(G.nodes, sides.tolist(), strict=True))


def greedy_color(
    G: DispatchGraph, strategy: str = "largest_first", interchange: bool = False
) -> dict[Hashable, int]:
    """Colors from 0 on, by which neighbours differ: those with the most neighbours choose first."""
    degrees = np.bincount(G.graph.edges.numpy().reshape(-1), minlength=len(G))
    order = np.argsort(-degrees, kind="stable")
    # a node sees at most its neighbours, and those that chose before it (Welsh and Powell 1967)
    colors = int((np.minimum(degrees[order], np.arange(len(G))) + 1).max())
    if G.has_loops or colors > Coloring.range_of("colors").most:
        raise NotImplementedError("self-loops, and more than 64 colors, are left to NetworkX")
    priority = np.empty(len(G), dtype=np.int64)
    priority[order] = np.arange(len(G))[::-1]
    run = last_step("coloring", G, {"priority": tensor_of(priority)}, colors=colors, bits=RANK_BITS)
    chosen = (final_numbers(run, "color") - 1).tolist()
    return {G.nodes[number]: chosen[number] for number in order.tolist()}
