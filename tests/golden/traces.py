"""Runs of all algorithms on fixed graphs, kept as data, so that a rebuilding changes none of them.

python -m tests.golden.traces     writes traces.json.gz anew, after a wanted change
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm, algorithm, algorithms, variants
from algolens.engines import Run, run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from tests.golden.keeping import write

SIZES = (4, 7, 9)


def drawn() -> dict[str, list[dict[str, Any]]]:
    """For each algorithm, graphs and inputs of fixed seeds, and its runs on them."""
    return {
        name: [{"task": task, "run": taken(algorithm(name), task)} for task in tasks(name, SIZES)]
        for name in (*algorithms(), *variants())
    }


def tasks(name: str, sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A graph of each size and an algorithm's inputs on it, of fixed seeds."""
    chosen, rng = algorithm(name), np.random.default_rng([2026, *name.encode()])
    for place, nodes in enumerate(sizes):
        directed = chosen.graphs == "directed" or (chosen.graphs == "any" and bool(place % 2))
        inputs = None
        while inputs is None:
            pairs = np.argwhere(rng.random((nodes, nodes)) < 2.5 / nodes)
            graph = Graph.pack([nodes], pairs[pairs[:, 0] != pairs[:, 1]], directed=directed)
            with suppress(AlgoLensError):  # too few colors, no order: the next graph
                inputs = chosen.sample(graph, rng)
        given = {each: value.tolist() for each, value in inputs.items()}
        edges = graph.edges.T.tolist()
        yield {"nodes": nodes, "edges": edges, "directed": directed, "inputs": given}


def ran(chosen: Algorithm, task: dict[str, Any]) -> Run:
    """The run of a task."""
    graph = Graph.pack([task["nodes"]], task["edges"], directed=task["directed"])
    fields = chosen.declaration.inputs
    inputs: dict[str, np.ndarray] = {
        name: np.array(value, dtype=fields[name].dtype) for name, value in task["inputs"].items()
    }
    return run_algorithm(chosen, graph, inputs)


def taken(chosen: Algorithm, task: dict[str, Any]) -> dict[str, Any]:
    """A run: how each field starts, and what it is after each step that changes it."""
    run = ran(chosen, task)
    steps = []
    for name in chosen.declaration.predicted:
        before = run.start[name].tolist() if name in run.start else None
        for step in range(run.num_steps):
            now = run[name][step].tolist()
            if now != before:
                steps.append([step, name, [int(value) for value in now]])
            before = now
    start = {name: [int(cell) for cell in value.tolist()] for name, value in run.start.items()}
    return {
        "steps": run.num_steps,
        "stopped": int(run.stopped[0]),
        "start": start,
        "changes": sorted(steps),
    }


if __name__ == "__main__":
    write("traces", drawn())
