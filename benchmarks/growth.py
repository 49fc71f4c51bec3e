"""How CPU time grows with the edges: whole runs with their trace, beside NetworkX and igraph.

``python -m benchmarks.growth`` runs every algorithm on random graphs with 5 edges a node (of
directed ones, along the order of nodes). The exponent is the slope of a line through the
logarithms. A comparison takes the function of the other library that finds the same result; it
keeps no trace. Converting the graph is not counted, of neither side.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import Algorithm, algorithm
from algolens.execution import run_algorithm
from algolens.graphs import Graph

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
LIMIT_BITS = 40  # of weights and positions, so that any size fits


def main(console: Console, names: tuple[str, ...] = NAMES, sizes: tuple[int, ...] = EDGES) -> None:
    """Prints CPU seconds, the growth exponent, and times as much as NetworkX and igraph take."""
    torch.set_num_threads(1)
    table = Table(title="Whole runs with their trace, CPU seconds", title_justify="left")
    columns = [f"{size:,} edges" for size in sizes]
    table.add_column("algorithm")
    for column in (*columns, "steps", "exponent", "/ NetworkX", "/ igraph"):
        table.add_column(column, justify="right")
    for name in names:
        chosen = algorithm(name)
        seconds, edges = [], []
        for size in sizes:
            graph, inputs = drawn(chosen, size)
            if size == sizes[0]:
                run_algorithm(chosen, graph, inputs, kernel="change")  # which compiles it once
            taken, run = measured(lambda: run_algorithm(chosen, graph, inputs))  # noqa: B023
            seconds.append(taken)
            edges.append(graph.num_edges)
        others = [beside(chosen, graph, inputs) for beside in (by_networkx, by_igraph)]
        ratios = [
            "-" if call is None else f"{taken / max(measured(call)[0], 1e-9):.2f}"
            for call in others
        ]
        slope = np.polyfit(np.log(edges), np.log(seconds), 1)[0]
        table.add_row(
            name,
            *(f"{part:.3f}" for part in seconds),
            f"{run.num_steps:,}",
            f"{slope:.2f}",
            *ratios,
        )
        console.print(name, [round(part, 3) for part in seconds], run.num_steps, ratios)
    console.print(table)


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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", default=",".join(NAMES))
    parser.add_argument("--edges", default=",".join(map(str, EDGES)))
    given = parser.parse_args()
    main(
        Console(width=140),
        tuple(given.algorithms.split(",")),
        tuple(map(int, given.edges.split(","))),
    )
