"""A BFS trace on one large random graph: seconds and memory, each size in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

SIZES = (10_000, 100_000, 1_000_000)
EDGES_PER_NODE = 5


def main(console: Console) -> None:
    """Prints seconds, microseconds a node, and peak memory for each size."""
    table = Table(
        title="BFS on one random graph with 5 edges a node, all cores", title_justify="left"
    )
    for column in (
        "nodes",
        "edges",
        "steps",
        "make graph, s",
        "trace, s",
        "trace, ns a node and step",
        "peak memory, MiB",
    ):
        table.add_column(column, justify="right")
    for size in SIZES:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.large", str(size)],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        table.add_row(
            f"{size:,}",
            f"{found['edges']:,}",
            str(found["steps"]),
            f"{found['make']:.2f}",
            f"{found['trace']:.3f}",
            f"{found['trace'] / size / found['steps'] * 1e9:.0f}",
            f"{found['memory']:.0f}",
        )
    console.print(table)
    console.print(
        "Peak memory is of the whole process; Python with PyTorch loaded is the most of it at "
        "10,000 nodes.\n",
        style="dim",
    )


def measure(num_nodes: int) -> dict[str, float]:
    """One size, in this process."""
    from algolens.algorithms import algorithm
    from algolens.engines import run_algorithm
    from algolens.graphs import Graph, stream
    from algolens.graphs.families import erdos_renyi

    bfs = algorithm("bfs")
    started = time.perf_counter()
    graph = Graph.pack(
        [num_nodes], erdos_renyi(num_nodes, 1, stream(0), 2 * EDGES_PER_NODE / num_nodes)
    )
    made = time.perf_counter()
    run = run_algorithm(bfs, graph, bfs.sample(graph, stream(0)))
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "edges": graph.num_edges,
        "steps": run.num_steps,
        "make": made - started,
        "trace": done - made,
        "memory": peak,
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
