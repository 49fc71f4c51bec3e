"""Making traces: AlgoLens against plain NetworkX and Python, and against the authors' code, on one
core.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import Algorithm, algorithm
from algolens.engines import Run, run_algorithm
from algolens.graphs import Graph, sample, stream
from benchmarks.plain import TRACES, as_tensors, make_graph

# milliseconds a trace on one core of a 2-core machine, as measured on the authors' code (torch
# 2.13)
AUTHORS = {"bfs": 5.0, "coloring": 12.0, "kruskal": 3.0}
COUNTS = {"bfs": 10_000, "coloring": 10_000, "kruskal": 2_000}
PLAIN_GRAPHS = 700  # enough to time a plain trace


def main(console: Console) -> None:
    """Prints the table of ratios."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    table = Table(
        title="Making graphs, inputs and traces (as tensors), one core: microseconds a trace",
        title_justify="left",
    )
    for column in (
        "algorithm",
        "traces",
        "AlgoLens",
        "plain",
        "plain / AlgoLens",
        "authors' / AlgoLens",
        "trace alone: plain / AlgoLens",
    ):
        table.add_column(column, justify="right" if column != "algorithm" else "left")
    for name, count in COUNTS.items():
        chosen = algorithm(name)
        ours, ours_alone = _ours(chosen, count)
        plain, plain_alone = _plain(chosen)
        table.add_row(
            f"{name} (n = {chosen.recipe.size})",
            f"{count:,}",
            f"{ours * 1e6:.1f}",
            f"{plain * 1e6:.0f}",
            f"{plain / ours:.0f}",
            f"{AUTHORS[name] / 1e3 / ours:.0f}",
            f"{plain_alone / ours_alone:.0f}",
        )
    torch.set_num_threads(threads)
    console.print(table)
    console.print(
        "authors': 5, 12 and 3 ms a trace, measured once on one core of another 2-core machine.\n",
        style="dim",
    )


def _ours(chosen: Algorithm, count: int) -> tuple[float, float]:
    """Seconds a trace, with the making of graphs and inputs, and without. The best of three, after
    a warm-up.
    """
    families = [*map(str, chosen.recipe.families)]

    def graphs() -> Graph:
        each = [count // len(families) + (i < count % len(families)) for i in range(len(families))]
        return Graph.join(
            [
                sample(f, chosen.recipe.size, n, stream(0, f))
                for f, n in zip(families, each, strict=True)
            ]
        )

    def everything() -> Run:
        graph = graphs()
        return run_algorithm(chosen, graph, chosen.sample(graph, stream(0, "inputs")), check=False)

    made = everything()
    assert made.graph.num_graphs == count
    alone = _best(lambda: run_algorithm(chosen, made.graph, made.inputs, check=False))
    return _best(everything) / count, alone / count


def _plain(chosen: Algorithm) -> tuple[float, float]:
    rng, families, output = (
        random.Random(0),
        [*map(str, chosen.recipe.families)],
        next(iter(chosen.declaration.outputs)),
    )
    started = time.process_time()
    graphs = [
        make_graph(families[i % len(families)], chosen.recipe.size, rng)
        for i in range(PLAIN_GRAPHS)
    ]
    made = time.process_time()
    for graph in graphs:
        as_tensors(graph, TRACES[chosen.name](graph, rng), output)
    done = time.process_time()
    return (done - started) / PLAIN_GRAPHS, (done - made) / PLAIN_GRAPHS


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)
