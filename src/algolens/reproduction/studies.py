"""What a report shows of a model beyond its scores: verdicts, trees, a step, large graphs."""

from __future__ import annotations

from dataclasses import replace

from algolens.data import held_out
from algolens.evaluation.metrics import SizeScores
from algolens.experiment.model import Model
from algolens.experiment.train import model_scores
from algolens.extraction.grading import grade
from algolens.extraction.observations import decision_trees
from algolens.models import fingerprint
from algolens.proofs.certificate import provable
from algolens.reading import as_record
from algolens.records import ExactnessRecord, StudyRecord, VerdictRecord

# beyond the size of training: by algorithm, nodes and graphs
LARGER = {"bfs": {1_000: 70, 10_000: 21}, "coloring": {1_000: 80, 10_000: 20}, "kruskal": {500: 20}}


def study(trained: Model, *, larger: bool = True) -> StudyRecord:
    """What study.json holds of a model with a bottleneck.

    larger: exact networks are tried on graphs far beyond the size of training, too.
    """
    network, algorithm = trained.network, trained.network.algorithm
    first, rule_sets = network.only(0), trained.rule_sets or []
    truth = trained.experiment.data(tests=False).train.to(network.device)
    verdicts = [grade(rule_set, algorithm) for rule_set in rule_sets]
    return StudyRecord(
        network.seeds[0],
        decision_trees(first, truth),
        [
            VerdictRecord(verdict.equal_on_seen, verdict.equal_on_all, str(verdict))
            for verdict in verdicts
        ],
        exactness(trained, larger=larger) if provable(network) else None,
        fingerprint(network),
    )


def exactness(trained: Model, *, larger: bool) -> ExactnessRecord:
    """Scores on graphs that are far larger than those of training."""
    algorithm, experiment = trained.network.algorithm, trained.experiment
    scores = {}
    for size, graphs in LARGER.get(algorithm.data_name, {}).items() if larger else ():
        recipe = replace(algorithm.recipe, tested=graphs)
        tests = held_out(algorithm, [size], experiment.data_seed, recipe)
        measured = model_scores(experiment, trained.network, tests, trained.rule_sets)
        scores[str(size)] = as_record(measured["sizes"][str(size)], SizeScores, f"scores at {size}")
    return ExactnessRecord(scores)
