"""Traces of CLRS-30's own algorithms on graphs of its own samplers, stored as plain arrays: an
outside judge for ours.

    pip install 'algolens[clrs]'
    python -m benchmarks.clrs_traces --out tests/clrs/

writes a file for each task and size, of inputs, outputs and hints as CLRS gives them. They are read
without CLRS.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

POINTS = ("segments_intersect", "jarvis_march", "graham_scan")
WITHOUT_EDGES = (
    "minimum",
    "binary_search",
    "insertion_sort",
    "bubble_sort",
    "heapsort",
    "quicksort",
    "quickselect",
    "find_maximum_subarray_kadane",
    "activity_selector",
    "task_scheduling",
    "naive_string_matcher",
    "kmp_matcher",
    *POINTS,
)
TASKS = (
    "bfs",
    "mst_kruskal",
    "mst_prim",
    "dijkstra",
    "bellman_ford",
    "dag_shortest_paths",
    "dfs",
    "topological_sort",
    "strongly_connected_components",
    "articulation_points",
    "bridges",
    *WITHOUT_EDGES,
)
SAMPLES = {16: 8, 64: 2}  # by number of nodes
# Of an edge, one drawn anew for each small graph; large ones have CLRS's own, lest files grow. In
# CLRS an undirected edge is there where both of its directions are drawn.
PROBABILITIES = {16: (0.1, 0.2, 0.3, 0.5, 0.7)}
SEED = 16
DECIMALS = 6  # of points, so that products of differences are exact in 62 bits
FOLLOWS = ("pos", "adj", "A_t")  # what follows from the other arrays, or from the number of a node


def main() -> None:
    """Writes the traces of every task."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--tasks", nargs="*", default=TASKS, help="as CLRS calls them")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for task in arguments.tasks:
        for nodes, samples in SAMPLES.items():
            path = arguments.out / f"{task}_{nodes}.npz"
            arrays: dict[str, Any] = traces(task, nodes, samples)
            np.savez_compressed(path, **arrays)
            print(f"{path}: {samples} traces, {path.stat().st_size:,} bytes")


def traces(task: str, nodes: int, samples: int) -> dict[str, np.ndarray]:
    """By name: input.NAME [G, ...], output.NAME [G, ...], hint.NAME [T, G, ...]; lengths [G]: how
    many hints a trace has.
    """
    import clrs  # type: ignore[import-not-found, unused-ignore]

    varied: dict[str, Any] = (
        {"p": PROBABILITIES[nodes]} if nodes in PROBABILITIES and task not in WITHOUT_EDGES else {}
    )
    if task in POINTS:
        varied = {"truncate_decimals": DECIMALS}
    sampler, _ = clrs.build_sampler(task, num_samples=samples, seed=SEED, length=nodes, **varied)
    feedback = sampler.next()
    parts = {
        "input": feedback.features.inputs,
        "output": feedback.outputs,
        "hint": feedback.features.hints,
    }
    found = {
        f"{part}.{name}": _packed(data)
        for part, points in parts.items()
        for name, data in _named(points)
    }
    return {**found, "lengths": feedback.features.lengths.astype(np.int64)}


def _named(points: Any) -> Iterator[tuple[str, np.ndarray]]:
    for point in points:
        # what follows is left out: it would be most of the file
        if point.name not in FOLLOWS:
            yield point.name, np.asarray(point.data)


def _packed(data: np.ndarray) -> np.ndarray:
    """The same numbers in a byte each where they are small and whole; else as they are."""
    small = data.astype(np.int8)
    return small if np.array_equal(small, data) else data


if __name__ == "__main__":
    main()
