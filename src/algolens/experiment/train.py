"""Carrying an experiment out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import torch

from algolens.data import DataSets, Portions, held_out
from algolens.engines import Run
from algolens.errors import AlgoLensError, AlgoLensWarning
from algolens.experiment.check import check_experiment
from algolens.experiment.config import Experiment
from algolens.experiment.model import Model, versions
from algolens.experiment.model_files import extract_all
from algolens.experiment.needs import (
    check_traces,
    check_training,
    learns_on,
    side_by_side,
    tests_at,
    usual_sizes,
)
from algolens.experiment.place import CURVES, Place, claim
from algolens.experiment.scores import model_scores
from algolens.models import Network
from algolens.processes import Ended, Say, Workers
from algolens.proofs import proof, provable
from algolens.records.experiment import About
from algolens.records.manifest import put_file
from algolens.reports.material import read_model
from algolens.training import Checkpoint, Epoch, Fit, checkpoint_path, forget


def find_device(name: str) -> torch.device:
    """The device of a name: ``auto`` is CUDA where there is a device, else the CPU."""
    if name not in ("auto", "cpu", "cuda"):
        raise AlgoLensError(f"device '{name}' is none of auto, cpu, cuda.")
    is_there = torch.cuda.is_available()
    if name == "cuda" and not is_there:
        raise AlgoLensError("device 'cuda': no CUDA device is there. Use cpu, or auto.")
    return torch.device("cuda" if name != "cpu" and is_there else "cpu")


def device_name(device: torch.device) -> str:
    """What a model says that it was trained on."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def total_epochs(experiment: Experiment, device: torch.device) -> int:
    """The most epochs that a training takes, those of all groups of seeds together."""
    return experiment.schedule.epochs * len(side_by_side(experiment, device))


def train_networks(
    experiment: Experiment,
    device: torch.device,
    command: str = "",
    watch: Callable[[Epoch], None] = lambda _: None,
    keep: Path | None = None,
    sizes: Sequence[int] = (),
) -> Model:
    """Trains an experiment, draws its rules and scores it on the test sets.

    Parameters
    ----------
    experiment : Experiment
        What is trained, on what, and how.
    device : torch.device
        Where it is trained; exact networks always learn on the CPU.
    command : str
        What the model says that it was made by.
    watch : callable
        Called after every epoch with an ``Epoch``; what it raises ends the training.
    keep : Path, optional
        A folder that keeps the training while it goes. A training that was interrupted goes on.
    sizes : sequence of int
        Of test graphs, where not the recipe's.

    Returns
    -------
    Model
        The networks, with their history, scores and rules.

    Examples
    --------
    A watch that prints the mean loss of all seeds and, after a validation, the share of graphs that
    are right::

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
    check_training(experiment, device, sizes)
    with _one_thread(device):
        sets = experiment.data(tests=experiment.graphs is not None)
        check_traces(sets.train)
        if experiment.graphs is None:
            sizes = sizes or usual_sizes(experiment, sets.train)
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
        network = Network.joined(
            experiment.find_algorithm(),
            experiment.architecture,
            experiment.seeds,
            [weights for fit in fits for weights in fit.selection.weights],
        )
        about: About = {
            "command": command,
            "device": device_name(device),
            "training_seconds": round(sum(fit.seconds for fit in fits), 1),
            "selected_epochs": [epoch for fit in fits for epoch in fit.selection.epochs],
            "versions": versions(),
        }
        history = [_joined(epochs) for epochs in zip(*histories, strict=True)]
        return finished(experiment, network, sets, about, history, sizes)


def finished(
    experiment: Experiment,
    network: Network,
    sets: DataSets,
    about: About,
    history: Sequence[Epoch] = (),
    sizes: Sequence[int] = (),
) -> Model:
    """A network whose weights are there, with its rules and its scores on the test sets."""
    extractions = extract_all(network, sets.train) if experiment.architecture.bottleneck else []
    rule_sets = [extraction.rule_set for extraction in extractions] or None
    tests: dict[Any, Run | Iterable[Run]] = {**sets.tests, **_tests(experiment, sizes)}
    scores = model_scores(experiment, network, tests, rule_sets)
    unproven = None
    if provable(network):
        alone = [network.only(place) for place in range(len(network.seeds))]
        unproven = [sum(check.failures for check in proof(one)) for one in alone]
    return Model(
        experiment,
        network,
        about,
        extractions or None,
        history=list(history),
        scores=scores,
        unproven=unproven,
    )


@contextmanager
def _one_thread(device: torch.device) -> Iterator[None]:
    """On a CPU one thread: these products are small, and a second mostly waits for the first."""
    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def train_into(
    place: Place,
    experiment: Experiment,
    device: torch.device,
    command: str,
    watch: Callable[[Epoch], None],
    sizes: Sequence[int] = (),
) -> Model:
    """Trains an experiment into a claimed folder; a training that was interrupted goes on."""
    trained = train_networks(experiment, device, command, watch, unfinished(place.folder), sizes)
    trained.write(place)
    forget(unfinished(place.folder))
    return trained


def train_to_folder(
    folder: Path,
    experiment: Experiment,
    device: torch.device,
    command: str,
    watch: Callable[[Epoch], None],
    sizes: Sequence[int] = (),
    *,
    overwrite: bool = False,
    workers: Workers | None = None,
) -> Model:
    """Trains an experiment into a folder; overwrite also starts an unfinished training anew.

    workers: where it is trained, if not in this process.
    """
    check_training(experiment, device, sizes)
    with claim(folder, overwrite=overwrite) as place:
        if overwrite:
            forget(unfinished(folder))
        kept = epochs_kept(folder, experiment, device)
        if kept:
            total = total_epochs(experiment, device)
            warnings.warn(
                f"going on after epoch {kept} of {total}, as kept in {unfinished(folder)}.",
                AlgoLensWarning,
                stacklevel=2,
            )
        if workers is None:
            return train_into(place, experiment, device, command, watch, sizes)
    folder = folder.absolute()
    work = {folder.name: (folder, experiment, device, command, tuple(sizes), overwrite)}
    with closing(workers.messages(work, _train_there, folder.parent)) as messages:
        for _, message in messages:
            if isinstance(message, Model):
                trained = message
            elif not isinstance(message, Ended):
                watch(message)
    return trained


def _train_there(
    folder: Path,
    experiment: Experiment,
    device: torch.device,
    command: str,
    sizes: Sequence[int],
    overwrite: bool,
    say: Say,
) -> None:
    """A training in another process, which says its epochs and then what it leaves."""
    with claim(folder, overwrite=overwrite) as place:
        say(train_into(place, experiment, device, command, say, sizes))


def _tests(experiment: Experiment, sizes: Sequence[int]) -> dict[int, Sequence[Run] | Portions]:
    """Test sets at other sizes than the recipe's; of large graphs, one of each family."""
    algorithm, seed = experiment.find_algorithm(), experiment.data_seed
    tests: dict[int, Sequence[Run] | Portions] = {}
    for size in sizes:
        tests |= held_out(algorithm, (size,), seed, tests_at(experiment, size))
    return tests


def unfinished(folder: Path) -> Path:
    """The folder beside a model's that keeps its training until the model is saved."""
    return folder.with_name(f"{folder.name}.unfinished")


def epochs_kept(folder: Path, experiment: Experiment, device: torch.device) -> int:
    """How many epochs of an unfinished training are kept; refused where it is another experiment's.

    Those of all groups of seeds are counted together.
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
    validations = [epoch.validation for epoch in epochs]
    unproven = [epoch.unproven for epoch in epochs]
    losses = {
        name: [loss for epoch in epochs for loss in epoch.losses[name]] for name in epochs[0].losses
    }
    return Epoch(
        epoch=epochs[0].epoch,
        losses=losses,
        validation=None
        if None in validations
        else [s for group in validations for s in group or []],
        unproven=None if None in unproven else [n for group in unproven for n in group or []],
        seconds=sum(epoch.seconds for epoch in epochs),
    )


def leave_curves(folder: Path) -> Path | None:
    """Draws how a model was learnt into its folder: the picture's path, None without a history.

    It is drawn from the files of the model, so it can be drawn again at any time. Where that fails,
    a warning says so, and nothing else happens, for the model itself is whole.
    """
    from algolens.reports.curves import draw_curves
    from algolens.reports.figures import figure_bytes

    try:
        model = read_model(folder)
        figure = draw_curves(model, f"{model.title}: how it was learnt")
        if figure is None:
            return None
        put_file(folder, CURVES, figure_bytes(figure, "png"))
    except Exception as problem:
        why = str(problem) or type(problem).__name__
        warnings.warn(
            f"the curves could not be drawn ({why}); the model in {folder} is whole.",
            AlgoLensWarning,
            stacklevel=2,
        )
        return None
    return folder / CURVES
