"""What a report shows of networks that can be certified, besides their certificates: runs far
beyond the size of training.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algolens.data import held_out
from algolens.experiment.folder import TrainedModel
from algolens.experiment.scores import model_scores

# by algorithm: nodes, and graphs
LARGER = {"bfs": {1_000: 70, 10_000: 21}, "coloring": {1_000: 80, 10_000: 20}, "kruskal": {500: 20}}


def exactness(trained: TrainedModel, *, larger: bool) -> dict[str, Any]:
    """Scores on graphs that are far larger than those of training."""
    sizes = LARGER.get(trained.network.algorithm.name, {}) if larger else {}
    return {"larger": {str(size): _scores(trained, size, graphs) for size, graphs in sizes.items()}}


def _scores(trained: TrainedModel, size: int, graphs: int) -> dict[str, Any]:
    algorithm, experiment = trained.network.algorithm, trained.experiment
    recipe = replace(algorithm.recipe, tested=graphs)
    tests = held_out(algorithm, [size], experiment.data_seed, recipe)
    scores: dict[str, Any] = model_scores(experiment, trained.network, tests, trained.rule_sets)[
        "sizes"
    ][str(size)]
    return scores
