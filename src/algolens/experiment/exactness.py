"""What a report shows of networks that can be proven: their certificates, and runs far beyond the size of training."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algolens.certification import Basis, Certificate, certify
from algolens.data import held_out
from algolens.experiment.folder import TrainedRun
from algolens.experiment.scores import run_scores

# by algorithm: nodes, and graphs
LARGER = {"bfs": {1_000: 70, 10_000: 21}, "coloring": {1_000: 80, 10_000: 20}, "kruskal": {500: 20}}


def exactness(trained: TrainedRun, *, larger: bool) -> dict[str, Any]:
    """The certificates of all seeds, shortened, and scores on graphs that are far larger than those of training."""
    network = trained.network
    certificates = [certify(network.only(place)) for place in range(len(network.seeds))]
    sizes = LARGER.get(network.algorithm.name, {}) if larger else {}
    return {
        "certificates": [_shortened(each) for each in certificates],
        "larger": {str(size): _scores(trained, size, graphs) for size, graphs in sizes.items()},
    }


def _shortened(certificate: Certificate) -> dict[str, Any]:
    cases = {basis.value: sum(check.cases for check in certificate.checks if check.basis is basis) for basis in Basis}
    return {"seed": certificate.seed, "proven": certificate.proven, "cases": cases}


def _scores(trained: TrainedRun, size: int, graphs: int) -> dict[str, Any]:
    algorithm, experiment = trained.network.algorithm, trained.experiment
    recipe = replace(algorithm.recipe, tested=graphs)
    tests = held_out(algorithm, [size], experiment.data_seed, recipe)
    scores: dict[str, Any] = run_scores(experiment, trained.network, tests, trained.programs)["sizes"][str(size)]
    return scores
