"""The same results by GraphBLAS, and by our own programs as SQL on DuckDB, for growth.py.

GraphBLAS has no queues: its shortest paths relax all edges round after round (Bellman-Ford), and
what takes a node at a time has no equal there, nor on a database.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm
from algolens.engines.program import Program
from algolens.engines.sql import find_engine, run_in_tables
from algolens.errors import AlgoLensError
from algolens.graphs import Graph

CORE = 3  # as k_core has it by default
# those of few steps
ON_DUCKDB = ("bfs", "bfs_tree", "boruvka", "components", "k_core")


def by_duckdb(
    chosen: Algorithm, graph: Graph, inputs: dict[str, np.ndarray]
) -> Callable[[], Any] | None:
    """Our program on DuckDB with one thread, filling its tables counted in; few steps only."""
    try:
        engine = find_engine("duckdb", {"threads": "1"})
        with engine.opened():
            pass
    except AlgoLensError:  # it is not installed
        return None
    if chosen.name not in ON_DUCKDB:
        return None
    return partial(run_in_tables, engine, Program.of(chosen), chosen, graph, inputs)


def by_graphblas(
    chosen: Algorithm, graph: Graph, inputs: dict[str, np.ndarray]
) -> Callable[[], Any] | None:
    """The same result by GraphBLAS with one thread, where it is installed."""
    try:
        import graphblas as gb
    except ImportError:
        return None
    if chosen.name not in GRAPHBLAS:
        return None
    gb.ss.config["nthreads"] = 1
    u, v = graph.edges
    count = graph.num_nodes
    weights = inputs["weight"] if "weight" in inputs else np.ones(len(u), dtype=np.int64)
    links = gb.Matrix.from_coo(
        np.concatenate([u, v]),
        np.concatenate([v, u]),
        np.concatenate([weights, weights]).astype(np.int64),
        nrows=count,
        ncols=count,
    )
    links.wait("materialize")
    source = int(inputs["source"][0]) if "source" in inputs else 0
    return partial(GRAPHBLAS[chosen.name], gb, links, source)


def _distances(gb: Any, links: Any, source: int, *, hops: bool = False) -> np.ndarray:
    """[N] the distance of each node, -1 where none leads there; hops: by the number of edges."""
    count = links.nrows
    reached = gb.Vector(np.int64, count)
    reached[source] = 0
    if hops:
        frontier, distance = gb.Vector(bool, count), 0
        frontier[source] = True
        while frontier.nvals:
            distance += 1
            frontier(~reached.S, gb.replace) << gb.semiring.any_pair(links @ frontier)
            reached(frontier.S) << distance
    else:
        changed = reached.dup()
        while changed.nvals:
            offered = gb.semiring.min_plus(links @ changed).new()
            # those that are lower than what is there, or where nothing is there yet
            lower = gb.binary.lt(offered & reached).new()
            changed = gb.Vector(np.int64, count)
            changed(lower.V) << offered
            fresh = gb.Vector(np.int64, count)
            fresh(~reached.S) << offered
            changed(gb.binary.first) << fresh
            reached(gb.binary.min) << changed
    return np.asarray(reached.to_dense(fill_value=-1))


def _tree(gb: Any, links: Any, source: int) -> np.ndarray:
    """[N] the lowest neighbour in the layer before; -1 where none leads there."""
    count = links.nrows
    parents, frontier = gb.Vector(np.int64, count), gb.Vector(np.int64, count)
    parents[source] = frontier[source] = source
    while frontier.nvals:
        frontier << gb.indexunary.rowindex(frontier)
        frontier(~parents.S, gb.replace) << gb.semiring.min_second(links @ frontier)
        parents(frontier.S) << frontier
    return np.asarray(parents.to_dense(fill_value=-1))


def _components(gb: Any, links: Any, _source: int) -> np.ndarray:
    """[N] the lowest node of each node's component."""
    least = gb.Vector.from_dense(np.arange(links.nrows))
    while True:
        before = least.dup()
        least(gb.binary.min) << gb.semiring.min_second(links @ before)
        if least.isequal(before):
            return np.asarray(least.to_dense())


def _core(gb: Any, links: Any, _source: int) -> np.ndarray:
    """[N] bools: who is in the core."""
    inside = gb.Vector.from_scalar(True, links.nrows)
    while True:
        degree = gb.Vector(np.int64, links.nrows)
        degree(inside.S) << gb.semiring.plus_pair(links @ inside)
        kept = gb.select.valuege(degree, CORE).new()
        if kept.nvals == inside.nvals:
            return np.asarray(gb.unary.one(inside).new().to_dense(fill_value=0)).astype(bool)
        inside = gb.unary.one(kept).new(dtype=bool)


GRAPHBLAS: dict[str, Callable[..., np.ndarray]] = {
    "bfs": partial(_distances, hops=True),
    "bfs_tree": _tree,
    "components": _components,
    "dijkstra": _distances,
    "k_core": _core,
}
