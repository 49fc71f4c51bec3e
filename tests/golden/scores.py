"""Scores of four models that ship, each on ten fixed graphs, by its network and by its rules.

Guards of a rebuilding, beside the laws that judge what is right.

`python -m tests.golden.commands` writes scores.json.gz anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins

from algolens.algorithms import shipped_folder
from algolens.evaluation import free_run, run_by_rules, score
from algolens.experiment.model import load_model
from tests.golden.traces import ran, tasks

MODELS = ("bfs", "coloring", "kruskal", "dijkstra")
SIZES = (1, 2, 3, 4, 5, 5, 6, 7, 8, 9)


def drawn() -> dict[str, Any]:
    """For each model, its tasks and its scores on them."""
    found = {}
    for name in MODELS:
        given = list(tasks(name, SIZES))
        found[name] = {"tasks": given, "scores": taken(name, given)}
    return found


def taken(name: str, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each task, the scores and every step of network and rules."""
    folder = shipped_folder(name)
    assert folder is not None
    model = load_model(folder)
    network = model.network.only(0)
    assert model.rule_sets is not None
    found = []
    for task in given:
        truth = ran(network.algorithm, task)
        runs = {
            "network": free_run(network, truth),
            "rules": run_by_rules(network, model.rule_sets[0], truth),
        }
        found.append(
            {
                by: {
                    "scores": {"termination": None, **to_builtins(score(run, truth))},
                    "steps": run.num_steps,
                    "outputs": {
                        field: [
                            [int(value) for value in values[step].tolist()]
                            for step in range(run.num_steps)
                        ]
                        for field, values in run.outputs.items()
                    },
                }
                for by, run in runs.items()
            }
        )
    return found
