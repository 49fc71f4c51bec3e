"""Traces of CLRS-30's own algorithms on graphs of its own samplers, stored as plain arrays: an
outside judge for ours.

    pip install 'algolens[clrs]'
    python -m benchmarks.clrs_traces --out src/algolens/clrs/stored
    python -m benchmarks.clrs_traces --out traces --nodes 16 64 128 --graphs 100

writes files for each task and size, of inputs, outputs and hints as CLRS gives them. They are read
without CLRS: `algolens clrs --judge traces` compares with them. `probes.json` beside them says what
each array is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

POINTS = ("segments_intersect", "jarvis_march", "graham_scan")
# those without edges; the probability of an edge is no parameter of their samplers
WITHOUT_EDGES = (
    "activity_selector",
    "binary_search",
    "bubble_sort",
    "find_maximum_subarray_kadane",
    "graham_scan",
    "heapsort",
    "insertion_sort",
    "jarvis_march",
    "kmp_matcher",
    "lcs_length",
    "matrix_chain_order",
    "minimum",
    "naive_string_matcher",
    "optimal_bst",
    "quickselect",
    "quicksort",
    "segments_intersect",
    "task_scheduling",
)
SAMPLES = {16: 8, 64: 2}  # that are stored, by number of nodes
# Of an edge, one drawn anew for each small graph; large ones have CLRS's own, lest files grow. In
# CLRS an undirected edge is there where both of its directions are drawn.
PROBABILITIES = {16: (0.1, 0.2, 0.3, 0.5, 0.7)}
# Tasks whose numbers are cut off to multiples of one part in so many: products of three, and sums
# of many, then are exact in CLRS's floats, and files stay small.
ROUNDED = {"floyd_warshall": 2.0**10, "matrix_chain_order": 2.0**10, "optimal_bst": 2.0**15}
SEED = 16
AT_ONCE = 10  # graphs in a file of many
DECIMALS = 6  # of points, so that products of differences are exact in 62 bits
FOLLOWS = ("pos", "adj", "A_t")  # what follows from the other arrays, or from the number of a node


def main() -> None:
    """Writes the traces of every task."""
    import clrs  # type: ignore[import-not-found, unused-ignore]

    tasks = sorted(clrs.CLRS_30_ALGS_SETTINGS)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--tasks", nargs="*", default=tasks, help="as CLRS calls them")
    parser.add_argument("--nodes", nargs="*", type=int, default=list(SAMPLES), help="sizes")
    parser.add_argument("--graphs", type=int, help="of each size; else as many as are stored")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    probes = {task: {name: list(kind) for name, kind in clrs.SPECS[task].items()} for task in tasks}
    (arguments.out / "probes.json").write_text(_by_line(probes), encoding="utf-8")
    for task in arguments.tasks:
        for nodes in arguments.nodes:
            _write(arguments.out, task, nodes, arguments.graphs or SAMPLES.get(nodes, 2))


def _write(folder: Path, task: str, nodes: int, graphs: int) -> None:
    """Traces of one task and size: a file, or several of `AT_ONCE` graphs."""
    for portion, first in enumerate(range(0, graphs, AT_ONCE)):
        path = folder / f"{task}_{nodes}{'' if graphs <= AT_ONCE else f'_{portion:02}'}.npz"
        count = min(AT_ONCE, graphs - first)
        arrays: dict[str, Any] = traces(task, nodes, count, SEED + portion)
        np.savez_compressed(path, **arrays)
        print(f"{path}: {count} traces, {path.stat().st_size:,} bytes", flush=True)


def traces(task: str, nodes: int, samples: int, seed: int = SEED) -> dict[str, np.ndarray]:
    """By name: input.NAME [G, ...], output.NAME [G, ...], hint.NAME [T, G, ...]; lengths [G]: how
    many hints a trace has.
    """
    import clrs  # type: ignore[import-not-found, unused-ignore]

    varied: dict[str, Any] = (
        {"p": PROBABILITIES[nodes]} if nodes in PROBABILITIES and task not in WITHOUT_EDGES else {}
    )
    if task in POINTS:
        varied = {"truncate_decimals": DECIMALS}
    if task in ROUNDED:
        _round_inputs(task)
    sampler, _ = clrs.build_sampler(task, num_samples=samples, seed=seed, length=nodes, **varied)
    feedback = sampler.next()
    parts = {
        "input": feedback.features.inputs,
        "output": feedback.outputs,
        "hint": feedback.features.hints,
    }
    arrays = {
        f"{part}.{name}": _packed(data)
        for part, points in parts.items()
        for name, data in _named(points)
    }
    return {**arrays, "lengths": feedback.features.lengths.astype(np.int64)}


def _named(points: Any) -> Iterator[tuple[str, np.ndarray]]:
    for point in points:
        # what follows is left out: it would be most of the file
        if point.name not in FOLLOWS:
            yield point.name, np.asarray(point.data)


def _packed(data: np.ndarray) -> np.ndarray:
    """The same numbers in the fewest bytes that hold them; those of one place side by side, so that
    what stays from step to step is compressed.
    """
    for small in (data.astype(np.int8), data.astype(np.float32)):
        if np.array_equal(small, data):
            return np.asfortranarray(small)
    return np.asfortranarray(data)


def _round_inputs(task: str) -> None:
    """Lets a sampler of CLRS draw numbers of few bits, on which CLRS's algorithm then runs."""
    from clrs._src import samplers  # type: ignore[import-not-found, unused-ignore]

    class Rounded(samplers.SAMPLERS[task]):  # type: ignore[misc, unused-ignore]
        """The same sampler; what it draws is cut off after so many bits."""

        CAN_TRUNCATE_INPUT_DATA = True

        def _trunc_array(self, data: list[np.ndarray]) -> list[np.ndarray]:
            return [np.floor(values * ROUNDED[task]) / ROUNDED[task] for values in data]

    samplers.SAMPLERS[task] = Rounded


def _by_line(probes: dict[str, dict[str, list[str]]]) -> str:
    """JSON with a task a line."""
    lines = [f"{json.dumps(task)}: {json.dumps(kinds)}" for task, kinds in probes.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
