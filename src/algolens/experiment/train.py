"""Carrying an experiment out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from algolens.data import fixed
from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedRun, save_run, versions
from algolens.experiment.programs import extract_all
from algolens.experiment.scores import run_scores
from algolens.extraction import Extraction
from algolens.models import Network
from algolens.training import Epoch, Fit
from algolens.training.fit import joined_weights

SEEDS_ON_CPU = 5  # at a time: each small operation is then started once for all; with more, they outgrow the cache


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training leaves."""

    run: TrainedRun
    history: list[Epoch]
    scores: dict[str, Any]  # on the test sets
    extractions: list[Extraction]  # of each seed; none without a bottleneck

    def save(self, folder: Path) -> None:
        """Writes the run's folder."""
        save_run(folder, self.run, self.history, self.scores, self.extractions)


def check(experiment: Experiment) -> None:
    """Raises an error where an experiment cannot be carried out, before any work is done."""
    Network(experiment.find_algorithm(), experiment.architecture, experiment.seeds[:1])


def side_by_side(experiment: Experiment, device: torch.device) -> list[tuple[int, ...]]:
    """The seeds in groups that train as one ensemble: on a GPU all of them, on a CPU some at a time."""
    seeds = experiment.seeds
    if device.type == "cuda" or experiment.schedule.enough:
        return [seeds]
    count = -(-len(seeds) // SEEDS_ON_CPU)
    return [seeds[i * len(seeds) // count : (i + 1) * len(seeds) // count] for i in range(count)]


def train(
    experiment: Experiment, device: torch.device, command: str = "", watch: Callable[[Epoch], None] = lambda _: None
) -> Trained:
    """Trains an experiment, draws its rules and scores it on the test sets. watch: called after every epoch."""
    sets = fixed(experiment.find_algorithm(), experiment.data_seed)
    started = time.perf_counter()
    fits: list[Fit] = []
    histories: list[list[Epoch]] = []
    for seeds in side_by_side(experiment, device):
        fits.append(Fit(sets, experiment.architecture, experiment.schedule, seeds, device))
        histories.append([])
        for epoch in fits[-1]:
            histories[-1].append(epoch)
            watch(epoch)
    history = [_joined(epochs) for epochs in zip(*histories, strict=True)]
    about = {
        "command": command,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "training_seconds": round(time.perf_counter() - started, 1),
        "selected_epochs": [epoch for fit in fits for epoch in fit.selected_epoch],
        "versions": versions(),
    }
    network = Network(experiment.find_algorithm(), experiment.architecture, experiment.seeds)
    network.load_state_dict(joined_weights([weights for fit in fits for weights in fit.selected]))
    network.to(device)
    extractions = extract_all(network, sets.train) if experiment.architecture.bottleneck else []
    programs = [each.program for each in extractions] or None
    scores = run_scores(experiment, network, sets.tests, programs)
    return Trained(TrainedRun(experiment, network, about), history, scores, extractions)


def _joined(epochs: Sequence[Epoch]) -> Epoch:
    """One epoch of several trainings, as if they had gone side by side."""
    validations, unproven = [epoch.validation for epoch in epochs], [epoch.unproven for epoch in epochs]
    return Epoch(
        epoch=epochs[0].epoch,
        losses={name: [loss for epoch in epochs for loss in epoch.losses[name]] for name in epochs[0].losses},
        validation=None if None in validations else [scores for each in validations for scores in each or []],
        unproven=None if None in unproven else [count for each in unproven for count in each or []],
        seconds=sum(epoch.seconds for epoch in epochs),
    )
