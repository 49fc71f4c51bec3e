"""A file of edges read, and searched: CPU seconds and peak memory, each in a process of its own.

``python -m benchmarks.reading [EDGES ...]``, by default 100,000, 1,000,000 and 10,000,000.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

SIZES = (100_000, 1_000_000, 10_000_000)
EDGES_PER_NODE = 10
MOST_FOR_NETWORKX = 1_000_000  # edges: with more it takes minutes, and much memory


def write_edges(folder: Path, num_edges: int) -> None:
    """A random graph with names and weights, as .csv and .parquet."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng, num_nodes = np.random.default_rng(0), num_edges // EDGES_PER_NODE
    first, second = rng.integers(0, num_nodes, (2, num_edges))
    keys = np.unique(np.minimum(first, second) * num_nodes + np.maximum(first, second))
    rng.shuffle(keys)
    names = pa.array([f"N{node}" for node in range(num_nodes)])
    table = pa.table(
        {
            "source": names.take(pa.array(keys // num_nodes)),
            "target": names.take(pa.array(keys % num_nodes)),
            "weight": keys * 2_654_435_761 % 100 + 1,
        }
    )
    csv.write_csv(table, folder / "edges.csv", csv.WriteOptions(quoting_style="none"))
    parquet.write_table(table, folder / "edges.parquet")


def _algolens(path: Path) -> None:
    from algolens.graphs import read_graph_file

    read_graph_file(path)


def _search(path: Path) -> None:
    from algolens.cli.app import app

    out = path.with_name(f"visited-{path.suffix[1:]}.parquet")
    app(["execute", "bfs", str(path), "--source", "N0", "--out", str(out)], standalone_mode=False)


def _pyarrow(path: Path) -> None:
    from pyarrow import csv

    csv.read_csv(path)


def _pandas(path: Path) -> None:
    import pandas as pd

    pd.read_csv(path)


def _networkx(path: Path) -> None:
    import networkx as nx

    with path.open() as file:
        next(file)
        nx.parse_edgelist(file, delimiter=",", data=[("weight", int)])


READERS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "algolens, .csv to a graph": (_algolens, "edges.csv", "algolens.graphs"),
    "algolens, .parquet to a graph": (_algolens, "edges.parquet", "algolens.graphs"),
    "algolens execute bfs, .csv to a .parquet": (_search, "edges.csv", "algolens.api.executing"),
    "algolens execute bfs, .parquet to a .parquet": (
        _search,
        "edges.parquet",
        "algolens.api.executing",
    ),
    "PyArrow, .csv to a table": (_pyarrow, "edges.csv", "pyarrow.csv"),
    "pandas, .csv to a table": (_pandas, "edges.csv", "pandas"),
    "NetworkX, .csv to a graph": (_networkx, "edges.csv", "networkx"),
}


def main(console: Console, sizes: tuple[int, ...] = SIZES) -> None:
    """Prints CPU and wall seconds, without imports, and the peak memory of each process."""
    for size in sizes:
        table = Table(title=f"{size:,} edges", title_justify="left")
        for column in ("", "CPU, s", "wall, s", "memory, MiB", "of it by imports, MiB"):
            table.add_column(column, justify="right" if column else "left")
        with tempfile.TemporaryDirectory() as folder:
            _in_a_process(
                "--write", folder, str(size)
            )  # since a process inherits the peak of its parent
            for name, (_, file, _) in READERS.items():
                if "NetworkX" in name and size > MOST_FOR_NETWORKX:
                    continue
                cpu, wall, memory, before = json.loads(
                    _in_a_process("--read", f"{folder}/{file}", name).splitlines()[-1]
                )
                table.add_row(name, f"{cpu:.2f}", f"{wall:.2f}", f"{memory:.0f}", f"{before:.0f}")
        console.print(table)


def _in_a_process(*words: str) -> str:
    """What a process prints that does one piece of the work."""
    command = [sys.executable, "-m", "benchmarks.reading", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def measure(name: str, path: Path) -> tuple[float, float, float, float]:
    """CPU seconds, wall seconds, MiB at the peak and after imports, in this process."""
    read, _, module = READERS[name]
    __import__(module)
    before = _peak()
    cpu, wall = time.process_time(), time.perf_counter()
    read(path)
    return time.process_time() - cpu, time.perf_counter() - wall, _peak(), before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", folder, size]:
            write_edges(Path(folder), int(size))
        case ["--read", path, name]:
            print(json.dumps(measure(name, Path(path))))
        case sizes:
            main(Console(width=140), tuple(map(int, sizes)) or SIZES)
