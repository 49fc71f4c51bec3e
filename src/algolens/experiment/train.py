"""Carrying an experiment out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch

from algolens.data import fixed
from algolens.evaluation import evaluate, summary
from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedRun, versions
from algolens.training import Epoch, Fit


def train(
    experiment: Experiment, device: torch.device, command: str = "", watch: Callable[[Epoch], None] = lambda _: None
) -> tuple[TrainedRun, list[Epoch], dict[str, Any]]:
    """Trains an experiment: the run, its history, and its scores on the test sets. watch: called after every epoch."""
    sets = fixed(experiment.find_algorithm(), experiment.data_seed)
    started = time.perf_counter()
    fit = Fit(sets, experiment.architecture, experiment.schedule, experiment.seeds, device)
    history = []
    for epoch in fit:
        history.append(epoch)
        watch(epoch)
    about = {
        "command": command,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        "training_seconds": round(time.perf_counter() - started, 1),
        "selected_epochs": fit.selected_epoch,
        "versions": versions(),
    }
    network = fit.result()
    scores = evaluate(network, sets.tests)
    found = {
        "algorithm": experiment.algorithm,
        "preset": experiment.preset,
        "seeds": list(experiment.seeds),
        "sizes": summary(scores),
        "by_seed": {str(size): [asdict(each) for each in seeds] for size, seeds in scores.items()},
    }
    return TrainedRun(experiment, network, about), history, found
