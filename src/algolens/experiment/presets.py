"""The presets: the paper's models, as data."""

from __future__ import annotations

from dataclasses import replace

from algolens.algorithms import Algorithm
from algolens.errors import UnknownNameError
from algolens.experiment.config import Experiment
from algolens.models import Architecture
from algolens.models.architecture import PAPERS
from algolens.training import Schedule

# Epochs, L1 and the pruning epoch are the paper's, as is the scale of a tenth for keeps_parent's positives; the weights of L1,
# of has_priority and of keeps_parent are those of the authors' code.
# The paper speaks of an initial learning rate and names no schedule: here it falls to zero over the second half, without which
# a seed's accuracy goes up and down to the end (docs/architecture.md).
PAPER_SCHEDULES = {
    "bfs": Schedule(epochs=500, decay=0.5),
    "coloring": Schedule(
        epochs=3000,
        decay=0.5,
        concept_weights={"has_priority": 10.0},
        l1=0.005,
        prune_epoch=2000,
        validate_every=20,
    ),
    "kruskal": Schedule(epochs=100, decay=0.5, hint_weights={"keeps_parent": {"false": 10.0, "true": 1.0}}),
}
PAPER_PROCESSORS = {"kruskal": "nee+pgn"}  # of those whose concepts do not sit at nodes

PRESETS = {
    "paper": "the paper's bottleneck, with L1 and pruning where the paper has them",
    "paper-unregularised": "the same without L1 and pruning: the paper's ablation",
    "standard": "no bottleneck: the paper's baseline",
}


def preset(name: str, algorithm: Algorithm) -> Experiment:
    """The experiment of a preset for an algorithm; one that the paper does not know is trained as BFS is."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    schedule = PAPER_SCHEDULES.get(algorithm.name, PAPER_SCHEDULES["bfs"])
    if name != "paper":
        schedule = replace(schedule, l1=0.0, prune_epoch=None)
    return Experiment(
        algorithm=algorithm.name,
        preset=name,
        architecture=Architecture(processor=PAPER_PROCESSORS.get(algorithm.name, PAPERS), bottleneck=name != "standard"),
        schedule=schedule,
        options={key: value for key, value in algorithm.options.items() if value != type(algorithm)().options[key]},
    )
