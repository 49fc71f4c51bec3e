"""Carrying an experiment out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from algolens.certification import proof, provable
from algolens.data import MOST_KEPT_NODES, Portions, held_out
from algolens.execution import Run
from algolens.experiment.check import check_experiment
from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedModel, save_model, versions, write_model
from algolens.experiment.place import Place
from algolens.experiment.run_files import extract_all
from algolens.experiment.scores import model_scores
from algolens.extraction import Extraction
from algolens.models import Network
from algolens.models.perceivers import is_exact
from algolens.training import Checkpoint, Epoch, Fit, checkpoint_path, forget

# at a time: each small operation is then started once for all; with more, they outgrow the cache
SEEDS_ON_CPU = 5


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training leaves."""

    run: TrainedModel
    history: list[Epoch]
    scores: dict[str, Any]  # on the test sets
    extractions: list[Extraction]  # of each seed; none without a bottleneck
    # of each seed, the cases that a proof finds wrong; None where nothing can be proven
    unproven: list[int] | None

    def save(self, folder: Path, *, overwrite: bool = False) -> None:
        """Writes the run's folder; overwrite: a run that is there may be replaced."""
        save_model(
            folder, self.run, self.history, self.scores, self.extractions, overwrite=overwrite
        )


def device_name(device: torch.device) -> str:
    """What a run says that it was trained on."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def learns_on(experiment: Experiment, device: torch.device) -> torch.device:
    """The device that a training runs on: an exact network learns on the CPU, in seconds, for there
    it is proven meanwhile.
    """
    return torch.device("cpu") if is_exact(experiment.architecture) else device


def side_by_side(experiment: Experiment, device: torch.device) -> list[tuple[int, ...]]:
    """The seeds in groups that train as one ensemble: on a GPU all of them, on a CPU some at a
    time.
    """
    seeds = experiment.seeds
    if learns_on(experiment, device).type == "cuda" or experiment.schedule.enough:
        return [seeds]
    count = -(-len(seeds) // SEEDS_ON_CPU)
    return [seeds[i * len(seeds) // count : (i + 1) * len(seeds) // count] for i in range(count)]


def train_networks(
    experiment: Experiment,
    device: torch.device,
    command: str = "",
    watch: Callable[[Epoch], None] = lambda _: None,
    keep: Path | None = None,
    sizes: Sequence[int] = (),
) -> Trained:
    """Trains an experiment, draws its rules and scores it on the test sets.

    watch: called after every epoch with an ``Epoch``. It may print or draw; what it raises ends the
    training. keep: a folder that keeps the training while it goes; where one is kept there that was
    interrupted, it goes on. sizes: of test graphs, where not the recipe's.

    An example of a watch, which prints the mean loss of all seeds and, after a validation, the
    share of graphs that are right::

        def watch(epoch):
            line = [f"epoch {epoch.epoch}"]
            for name, of_seeds in epoch.losses.items():
                line.append(f"{name} {sum(of_seeds) / len(of_seeds):.3f}")
            if epoch.validation is not None:
                line.append(f"right {[scores.graphs_right for scores in epoch.validation]}")
            print(", ".join(line))
    """
    check_experiment(experiment)
    device = learns_on(experiment, device)
    sets = experiment.data(tests=not sizes)
    fits: list[Fit] = []
    histories: list[list[Epoch]] = []
    for seeds in side_by_side(experiment, device):
        fit = Fit(sets, experiment.architecture, experiment.schedule, seeds, device)
        checkpoint = None if keep is None else _checkpoint(experiment, device, keep, seeds)
        history = [] if checkpoint is None else checkpoint.resume(fit)
        for epoch in history:
            watch(epoch)
        for epoch in fit:
            history.append(epoch)
            if checkpoint is not None:
                checkpoint.keep(fit, history)
            watch(epoch)
        fits.append(fit)
        histories.append(history)
    about = {
        "command": command,
        "device": device_name(device),
        "training_seconds": round(sum(fit.seconds for fit in fits), 1),
        "selected_epochs": [epoch for fit in fits for epoch in fit.selection.epochs],
        "versions": versions(),
    }
    selected = [weights for fit in fits for weights in fit.selection.weights]
    network = Network.joined(
        experiment.find_algorithm(), experiment.architecture, experiment.seeds, selected
    )
    extractions = extract_all(network, sets.train) if experiment.architecture.bottleneck else []
    rule_sets = [each.rule_set for each in extractions] or None
    scores = model_scores(
        experiment, network, _tests(experiment, sizes) if sizes else sets.tests, rule_sets
    )
    history = [_joined(epochs) for epochs in zip(*histories, strict=True)]
    unproven = (
        [_failures(network.only(place)) for place in range(len(network.seeds))]
        if provable(network)
        else None
    )
    return Trained(TrainedModel(experiment, network, about), history, scores, extractions, unproven)


def _failures(alone: Network) -> int:
    return sum(check.failures for check in proof(alone))


def train_into(
    place: Place,
    experiment: Experiment,
    device: torch.device,
    command: str,
    watch: Callable[[Epoch], None],
    sizes: Sequence[int] = (),
) -> Trained:
    """Trains an experiment and saves its run in a claimed folder; where this was begun before, and
    interrupted, it goes on.
    """
    trained = train_networks(experiment, device, command, watch, unfinished(place.folder), sizes)
    write_model(place, trained.run, trained.history, trained.scores, trained.extractions)
    forget(unfinished(place.folder))
    return trained


def _tests(experiment: Experiment, sizes: Sequence[int]) -> dict[int, Sequence[Run] | Portions]:
    """Test sets at other sizes than the recipe's; of large graphs, one of each family."""
    chosen, recipe, seed = experiment.find_algorithm(), experiment.recipe, experiment.data_seed
    few = replace(recipe, tested=len(recipe.families))
    found: dict[int, Sequence[Run] | Portions] = {}
    for size in sizes:
        found |= held_out(chosen, (size,), seed, few if size > MOST_KEPT_NODES else recipe)
    return found


def unfinished(folder: Path) -> Path:
    """The folder beside a run's that keeps its training until the run is saved."""
    return folder.with_name(f"{folder.name}.unfinished")


def epochs_kept(folder: Path, experiment: Experiment, device: torch.device) -> int:
    """How many epochs of an unfinished training, those of all groups of seeds together, are kept
    beside a run's folder.

    Raises an error where that is a training of another experiment.
    """
    groups, device = side_by_side(experiment, device), learns_on(experiment, device)
    return sum(
        _checkpoint(experiment, device, unfinished(folder), seeds).epochs() for seeds in groups
    )


def _checkpoint(
    experiment: Experiment, device: torch.device, keep: Path, seeds: tuple[int, ...]
) -> Checkpoint:
    configuration = {**experiment.to_json(), "device": device.type}
    return Checkpoint(checkpoint_path(keep, seeds), configuration)


def _joined(epochs: Sequence[Epoch]) -> Epoch:
    """One epoch of several trainings, as if they had gone side by side."""
    validations, unproven = (
        [epoch.validation for epoch in epochs],
        [epoch.unproven for epoch in epochs],
    )
    return Epoch(
        epoch=epochs[0].epoch,
        losses={
            name: [loss for epoch in epochs for loss in epoch.losses[name]]
            for name in epochs[0].losses
        },
        validation=None
        if None in validations
        else [scores for each in validations for scores in each or []],
        unproven=None if None in unproven else [count for each in unproven for count in each or []],
        seconds=sum(epoch.seconds for epoch in epochs),
    )
