"""How CPU time grows with the edges: whole runs with their trace, beside other libraries.

``python -m benchmarks.growth --out rows.jsonl`` runs every algorithm on random graphs with 5 edges
a node (of directed ones, along the order of nodes), each in a process of its own. A comparison
takes the function of the other library that finds the same result; it keeps no trace. Converting
the graph is not counted, of neither side (of DuckDB it is). Every figure is written to the file at
once, one JSON object a line; what stands there already is not measured again, so a run that was
stopped goes on. ``benchmarks.growth_plot`` draws the file and prints its tables.

A library that would take longer than ``--limit``, by its time at the size before, is not run at a
size; nor is a size at which an algorithm would go on beyond ``--seconds``. Libraries that are not
installed are named, and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch

from algolens.algorithms import Algorithm, algorithm
from algolens.engines import delta, run_algorithm
from algolens.graphs import Graph
from benchmarks.growth_beside import by_duckdb, by_graphblas

NAMES = (
    "bfs",
    "bfs_tree",
    "components",
    "k_core",
    "dijkstra",
    "prim",
    "kruskal",
    "dfs",
    "topological_sort",
    "boruvka",
)
EDGES = (1_000, 10_000, 100_000, 1_000_000)
EDGES_PER_NODE = 5
LIMIT = 40.0  # CPU seconds that a call of another library may take
MARGIN = 1.5  # times as long as in proportion, that a size may take by the clock
ONCE = 3.0  # seconds by the clock that do not grow: importing the others
Row = dict[str, Any]


def main(
    out: Path,
    names: Sequence[str] = NAMES,
    sizes: Sequence[int] = EDGES,
    *,
    limit: float = LIMIT,
    seconds: float = float("inf"),
    jobs: int = 1,
) -> None:
    """Measures what the file does not hold yet.

    limit: CPU seconds of one call of another library. seconds: by the clock, of all together.
    """
    if delta.library() is None:
        raise SystemExit("the incremental engine was not compiled: install a C compiler.")
    missing = [library for library, module in MODULES.items() if find_spec(module) is None]
    if missing:
        print(f"Not installed, and left out: {', '.join(missing)}.", flush=True)
    os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that are started
    end = time.time() + seconds
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with pool:
        waiting = [pool.submit(growth, name, sizes, out, limit, end) for name in names]
        for finished in as_completed(waiting):
            finished.result()


def growth(
    name: str, sizes: Sequence[int], out: Path, limit: float = LIMIT, end: float = float("inf")
) -> None:
    """Measures an algorithm and the others' functions, on one graph of each size.

    limit: CPU seconds; another library that would take longer, by its time at the size before, is
    not run, and has no row. end: the time after which none is begun.
    """
    torch.set_num_threads(1)
    chosen, took = algorithm(name), 0.0
    rows = [row for row in read_rows(out) if row["algorithm"] == name]
    for place, size in enumerate(sizes):
        wanted = [library for library in (OURS, *OTHERS) if _is_due(rows, library, size, limit)]
        if not wanted:
            continue
        growing = size / sizes[max(place - 1, 0)]
        if time.time() + MARGIN * took * growing > end:
            print(f"{name}: {size:,} edges would take too long, and are left out", flush=True)
            return
        began = time.time()
        graph, inputs = drawn(chosen, size)
        about = {"algorithm": name, "size": size, "nodes": graph.num_nodes}
        about["edges"] = graph.num_edges
        for library in wanted:
            row = _own_row(chosen, graph, inputs) if library == OURS else None
            if library != OURS:
                call = OTHERS[library](chosen, graph, inputs)
                row = None if call is None else {"seconds": measured(call)[0]}
                del call  # it holds the converted graph
            if row is not None:
                rows.append({**about, "library": library, **row})
                with out.open("a") as file:
                    file.write("\n" + json.dumps(rows[-1]))  # a line before may be cut off
                print(f"{name}, {size:,} edges, {library}: {row['seconds']:.3f} s", flush=True)
        took = max(0.0, time.time() - began - ONCE)


def _is_due(rows: list[Row], library: str, size: int, limit: float) -> bool:
    """Whether a library is to be run at a size."""
    own = {row["size"]: row["seconds"] for row in rows if row["library"] == library}
    before = max((other for other in own if other < size), default=None)
    takes_long = before is not None and own[before] * size / before > limit
    return size not in own and not (takes_long and library != OURS)


def _own_row(chosen: Algorithm, graph: Graph, inputs: dict[str, np.ndarray]) -> Row:
    taken, run = measured(partial(run_algorithm, chosen, graph, inputs))
    changes = sum(len(run[name].steps) for name in chosen.declaration.predicted)
    return {"seconds": taken, "steps": run.num_steps, "changes": changes}


def read_rows(*paths: Path) -> list[Row]:
    """What was measured, but for lines that were cut off."""
    lines = [line for path in paths if path.exists() for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines if line.endswith("}")]


def measured(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it gave."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def drawn(chosen: Algorithm, num_edges: int) -> tuple[Graph, dict[str, np.ndarray]]:
    """A random graph with about so many edges, and inputs."""
    rng = np.random.default_rng(0)
    num_nodes = num_edges // EDGES_PER_NODE
    ends = rng.integers(0, num_nodes, (num_edges, 2))
    if chosen.graphs == "directed":  # without a cycle
        ends = np.sort(ends, 1)
    graph = Graph.pack([num_nodes], ends, directed=chosen.graphs == "directed")
    return graph, dict(chosen.sample(graph, rng))


def by_networkx(
    chosen: Algorithm, graph: Graph, inputs: dict[str, np.ndarray]
) -> Callable[[], Any] | None:
    """The same result by NetworkX."""
    own: nx.Graph = nx.DiGraph() if graph.directed else nx.Graph()
    own.add_nodes_from(range(graph.num_nodes))
    pairs = graph.edges.T.tolist()
    weights = inputs["weight"].tolist() if "weight" in inputs else [1] * len(pairs)
    own.add_weighted_edges_from((u, v, w) for (u, v), w in zip(pairs, weights, strict=True))
    source = int(inputs["source"][0]) if "source" in inputs else 0
    return {
        "bfs": lambda: nx.single_source_shortest_path_length(own, source),
        "bfs_tree": lambda: dict(nx.bfs_predecessors(own, source)),
        "components": lambda: list(nx.connected_components(own)),
        "k_core": lambda: nx.k_core(own, 3),
        "dijkstra": lambda: nx.dijkstra_predecessor_and_distance(own, source),
        "prim": lambda: list(nx.minimum_spanning_edges(own, "prim")),
        "kruskal": lambda: list(nx.minimum_spanning_edges(own, "kruskal")),
        "boruvka": lambda: list(nx.minimum_spanning_edges(own, "boruvka")),
        "dfs": lambda: dict(nx.dfs_predecessors(own)),
        "topological_sort": lambda: list(nx.lexicographical_topological_sort(own)),
    }.get(chosen.name)


def by_igraph(
    chosen: Algorithm, graph: Graph, inputs: dict[str, np.ndarray]
) -> Callable[[], Any] | None:
    """The same result by igraph, where it is installed."""
    try:
        import igraph
    except ImportError:
        return None
    own = igraph.Graph(graph.num_nodes, graph.edges.T, directed=graph.directed)
    weights = inputs["weight"].tolist() if "weight" in inputs else None
    source = int(inputs["source"][0]) if "source" in inputs else 0
    return {
        "bfs": lambda: own.distances(source),
        "bfs_tree": lambda: own.bfs(source),
        "components": lambda: own.connected_components(),
        "k_core": lambda: own.coreness(),
        "dijkstra": lambda: own.get_shortest_paths(source, weights=weights, output="epath"),
        "prim": lambda: own.spanning_tree(weights, return_tree=False),
        "kruskal": lambda: own.spanning_tree(weights, return_tree=False),
        "boruvka": lambda: own.spanning_tree(weights, return_tree=False),
        "dfs": lambda: own.dfs(0),
        "topological_sort": lambda: own.topological_sorting(),
    }.get(chosen.name)


OURS, OTHERS = (
    "AlgoLens",
    {
        "NetworkX": by_networkx,
        "igraph": by_igraph,
        "GraphBLAS": by_graphblas,
        "DuckDB": by_duckdb,
    },
)
MODULES = {"igraph": "igraph", "GraphBLAS": "graphblas", "DuckDB": "duckdb"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a file for the rows, added to")
    parser.add_argument("--algorithms", default=",".join(NAMES))
    parser.add_argument("--edges", default=",".join(map(str, EDGES)))
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU seconds of another library")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of all, by the clock")
    parser.add_argument("--jobs", type=int, default=1, help="algorithms at a time")
    given = parser.parse_args()
    main(
        given.out,
        given.algorithms.split(","),
        sorted(map(int, given.edges.split(","))),
        limit=given.limit,
        seconds=given.seconds,
        jobs=given.jobs,
    )
