"""BFS by DuckDB on a large random graph in Parquet, with all memory and with less than its tables.

Each row is a process of its own: ``python -m benchmarks.engines``. With ``--recursive``: long runs
by one recursive query, beside the same step by step.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

NODES, EDGES = 1_000_000, 10_000_000
THREADS = 2
BYTES = 8  # of a whole number in a table


def main(console: Console, nodes: int = NODES, edges: int = EDGES) -> None:
    """Prints seconds a step and peak memory, for each limit of memory."""
    table = Table(
        title=f"BFS by DuckDB: {nodes:,} nodes, {edges:,} rows of edges, {THREADS} threads",
        title_justify="left",
    )
    for column in (
        "memory it may take",
        "its tables, MB",
        "steps",
        "longest step, s",
        "longest step, CPU s",
        "reading, CPU s",
        "all, CPU s",
        "peak of the process, MB",
    ):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.parquet"
        _write(path, nodes, edges)
        bytes_of_links = BYTES * 3 * 2 * edges
        for limit in (None, f"{bytes_of_links // 2 // 10**6}MB"):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.engines", "--measure", str(path), str(limit)],
                capture_output=True,
                text=True,
                check=True,
            )
            seen = json.loads(done.stdout)
            table.add_row(
                "all" if limit is None else limit,
                f"{seen['tables'] / 1e6:,.0f}",
                str(seen["steps"]),
                f"{max(seen['seconds']):.2f}",
                f"{max(seen['cpu']):.2f}",
                f"{seen['reading']:.1f}",
                f"{seen['all']:.1f}",
                f"{seen['peak']:,.0f}",
            )
    console.print(table)
    console.print(
        "Its tables: links with id, sender and receiver, and nodes, at 8 bytes a value. CPU "
        "seconds are of both threads together. The peak counts Python with PyTorch loaded.\n",
        style="dim",
    )


def _write(path: Path, nodes: int, edges: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    ends = np.random.default_rng(0).integers(0, nodes, (2, edges))
    parquet.write_table(pa.table({"source": ends[0], "target": ends[1]}), path)


def measure(path: Path, limit: str | None) -> dict[str, object]:
    """One run, in this process."""
    import algolens as al

    began = last = time.process_time()
    seconds, cpu, reading = [], [], 0.0

    def tell(step: int, took: float) -> None:
        nonlocal last, reading
        now = time.process_time()
        seconds.append(took)
        if step > 1:
            cpu.append(now - last)
        else:
            reading = now - last  # and the first step
        last = now

    run = al.execute_parquet(
        "bfs",
        path,
        path.parent / f"out-{limit}",
        engine=al.DuckDB(memory=limit, threads=THREADS, folder=str(path.parent)),
        tell=tell,
        source=0,
    )
    return {
        "steps": run.steps,
        "tables": BYTES * (3 * 2 * run.num_edges + 3 * run.num_nodes),
        "seconds": seconds,
        "cpu": cpu,
        "reading": reading,
        "all": time.process_time() - began,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def recursive(console: Console) -> None:
    """CPU seconds of long runs of local steps: by one recursive query, and step by step."""
    import networkx as nx

    from algolens.algorithms import algorithm
    from algolens.engines.program import Program
    from algolens.engines.sql import engine, find_engine, run_in_tables
    from algolens.graphs import Graph

    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60))
    graphs = {"path of 300": nx.path_graph(300), "grid of 60 by 60": grid}
    usual = engine.ONE_BY_ONE
    for words, drawn in graphs.items():
        graph = Graph.pack([len(drawn)], drawn.edges)
        for name in ("bfs", "components", "bellman_ford"):
            chosen = algorithm(name)
            inputs = chosen.sample(graph, np.random.default_rng(0))
            inputs = {
                key: abs(value) if key == "weight" else value for key, value in inputs.items()
            }
            took = {}
            for how, engine.ONE_BY_ONE in (("step by step", -1), ("one query", usual)):
                base, program = find_engine("duckdb", {"threads": "1"}), Program.of(chosen)
                began = time.process_time()
                run = run_in_tables(base, program, chosen, graph, inputs)
                took[how] = f"{time.process_time() - began:.2f}"
            console.print(name, "on a", words, f"({run.num_steps} steps):", took)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "LIMIT"))
    parser.add_argument("--recursive", action="store_true", help=recursive.__doc__)
    given = parser.parse_args()
    if given.recursive:
        recursive(Console(width=140))
    elif given.measure:
        file, most = given.measure
        print(json.dumps(measure(Path(file), None if most == "None" else most)))
    else:
        main(Console(width=140), given.nodes, given.edges)
