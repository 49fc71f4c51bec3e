"""Runs of all algorithms on fixed graphs, kept as data, so that a rebuilding changes none of them.

python -m tests.golden.traces     writes traces.json.gz anew, after a wanted change
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Algorithm, algorithm, algorithms, variants
from algolens.errors import AlgoLensError
from algolens.execution import run_algorithm
from algolens.graphs import Graph

FILE = Path(__file__).parent / "traces.json.gz"
SIZES = (4, 7, 9)


def drawn() -> dict[str, list[dict[str, Any]]]:
    """For each algorithm, graphs and inputs of fixed seeds, and its runs on them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in (*algorithms(), *variants()):
        chosen, rng = algorithm(name), np.random.default_rng([2026, *name.encode()])
        found[name] = []
        while len(found[name]) < len(SIZES):
            nodes = SIZES[len(found[name])]
            directed = chosen.graphs == "directed" or (
                chosen.graphs == "any" and bool(len(found[name]) % 2)
            )
            pairs = np.argwhere(rng.random((nodes, nodes)) < 2.5 / nodes)
            graph = Graph.pack([nodes], pairs[pairs[:, 0] != pairs[:, 1]], directed=directed)
            try:
                inputs = chosen.sample(graph, rng)
            except AlgoLensError:  # too few colors, no order: the next graph
                continue
            given = {each: value.tolist() for each, value in inputs.items()}
            edges = graph.edges.T.tolist()
            task = {"nodes": nodes, "edges": edges, "directed": directed, "inputs": given}
            found[name].append({"task": task, "run": taken(chosen, task)})
    return found


def taken(chosen: Algorithm, task: dict[str, Any]) -> dict[str, Any]:
    """A run: how each field starts, and what it is after each step that changes it."""
    graph = Graph.pack([task["nodes"]], task["edges"], directed=task["directed"])
    fields = chosen.declaration.inputs
    inputs = {
        name: torch.tensor(value, dtype=fields[name].kind.dtype)
        for name, value in task["inputs"].items()
    }
    run = run_algorithm(chosen, graph, inputs)
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


def kept() -> dict[str, list[dict[str, Any]]]:
    """What was written."""
    return json.loads(gzip.decompress(FILE.read_bytes()))


if __name__ == "__main__":
    text = json.dumps(drawn(), separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
