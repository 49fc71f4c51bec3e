"""How CPU time grows with the edges: whole runs with their trace, beside other libraries.

``python -m benchmarks.growth`` runs every algorithm on random graphs with 5 edges a node (of
directed ones, along the order of nodes). The exponent is the slope of a line through the
logarithms. A comparison takes the function of the other library that finds the same result; it
keeps no trace. Converting the graph is not counted, of neither side (of DuckDB it is). ``--out``
writes a row for each algorithm, size and library, which ``benchmarks.growth_plot`` draws. A library
that would take longer than ``--limit``, by its time at the size before, is not run at a size.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import Algorithm, algorithm
from algolens.execution import by_change, run_algorithm
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
EDGES = (10_000, 100_000, 1_000_000)
EDGES_PER_NODE = 5
LIMIT = 40.0  # CPU seconds that a call of another library may take


def main(
    console: Console,
    names: tuple[str, ...] = NAMES,
    sizes: tuple[int, ...] = EDGES,
    out: Path | None = None,
    limit: float = LIMIT,
) -> None:
    """Prints CPU seconds, the growth exponent, and times as much as other libraries take.

    out: a file for the rows, as JSON; it is written anew after every algorithm.
    """
    torch.set_num_threads(1)
    table = Table(title="Whole runs with their trace, CPU seconds", title_justify="left")
    columns = [f"{size:,} edges" for size in sizes]
    table.add_column("algorithm")
    for column in (*columns, "steps", "exponent", *(f"/ {library}" for library in OTHERS)):
        table.add_column(column, justify="right")
    rows: list[dict[str, Any]] = []
    for name in names:
        own = growth(algorithm(name), sizes, limit)
        rows += own
        ours = [row for row in own if row["library"] == OURS]
        last = ours[-1]
        beside = {row["library"]: row["seconds"] for row in own if row["edges"] == last["edges"]}
        known = {row["library"] for row in own}
        ratios = [
            f"{last['seconds'] / max(beside[library], 1e-9):.2f}"
            if library in beside
            else "not run"
            if library in known  # it would have taken longer than the limit
            else "-"
            for library in OTHERS
        ]
        seconds = [f"{row['seconds']:.3f}" for row in ours]
        table.add_row(name, *seconds, f"{last['steps']:,}", exponent(ours), *ratios)
        console.print(name, *seconds, last["steps"], exponent(ours), *ratios)
        if out is not None:
            out.write_text(json.dumps(rows, indent=1) + "\n")
    console.print(table)


def growth(chosen: Algorithm, sizes: tuple[int, ...], limit: float = LIMIT) -> list[dict[str, Any]]:
    """CPU seconds of an algorithm and of the others' functions, on one graph of each size.

    limit: CPU seconds; another library that would take longer, by its time at the size before, is
    not run, and has no row.
    """
    rows: list[dict[str, Any]] = []
    for size in sizes:
        graph, inputs = drawn(chosen, size)
        about = {"algorithm": chosen.name, "nodes": graph.num_nodes, "edges": graph.num_edges}
        if size == sizes[0]:
            compile_kernel(chosen, graph, inputs)
        taken, run = measured(partial(run_algorithm, chosen, graph, inputs))
        steps, changes = (
            run.num_steps,
            sum(len(run[name].steps) for name in chosen.declaration.predicted),
        )
        rows.append(
            {**about, "library": OURS, "seconds": taken, "steps": steps, "changes": changes}
        )
        del run
        for library, beside in OTHERS.items():
            before = [row for row in rows if row["library"] == library][-1:]
            if before and before[0]["seconds"] * size / before[0]["edges"] > limit:
                continue  # nor is it at larger sizes, since what it took is not measured
            call = beside(chosen, graph, inputs)
            if call is not None:
                rows.append({**about, "library": library, "seconds": measured(call)[0]})
    return rows


def compile_kernel(chosen: Algorithm, graph: Graph, inputs: dict[str, torch.Tensor]) -> None:
    """Compiles the program of a look, as a long run does by itself when it pays."""
    patience = by_change.SPECIALISING
    by_change.SPECIALISING = 0.0
    try:
        run_algorithm(chosen, graph, inputs, kernel="change")
    finally:
        by_change.SPECIALISING = patience


def exponent(rows: list[dict[str, Any]]) -> str:
    """The slope of a line through the logarithms of edges and seconds; none of one size."""
    if len(rows) < 2:
        return "-"
    edges, seconds = ([row[name] for row in rows] for name in ("edges", "seconds"))
    return f"{np.polyfit(np.log(edges), np.log(seconds), 1)[0]:.2f}"


def measured(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it gave."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def drawn(chosen: Algorithm, num_edges: int) -> tuple[Graph, dict[str, torch.Tensor]]:
    """A random graph with about so many edges, and inputs."""
    rng = np.random.default_rng(0)
    num_nodes = num_edges // EDGES_PER_NODE
    ends = rng.integers(0, num_nodes, (num_edges, 2))
    if chosen.graphs == "directed":  # without a cycle
        ends = np.sort(ends, 1)
    graph = Graph.pack([num_nodes], ends, directed=chosen.graphs == "directed")
    return graph, dict(chosen.sample(graph, rng))


def by_networkx(
    chosen: Algorithm, graph: Graph, inputs: dict[str, torch.Tensor]
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
    chosen: Algorithm, graph: Graph, inputs: dict[str, torch.Tensor]
) -> Callable[[], Any] | None:
    """The same result by igraph, where it is installed."""
    try:
        import igraph
    except ImportError:
        return None
    own = igraph.Graph(graph.num_nodes, graph.edges.T.numpy(), directed=graph.directed)
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", default=",".join(NAMES))
    parser.add_argument("--edges", default=",".join(map(str, EDGES)))
    parser.add_argument("--out", type=Path, help="a file for the rows, as JSON")
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU seconds of another library")
    given = parser.parse_args()
    main(
        Console(width=140),
        tuple(given.algorithms.split(",")),
        tuple(map(int, given.edges.split(","))),
        given.out,
        given.limit,
    )
