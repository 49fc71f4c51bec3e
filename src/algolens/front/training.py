"""Training from Python, and with a class that was defined in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from algolens.algorithms import Algorithm, algorithms
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.experiment import (
    Experiment,
    Trained,
    check_experiment,
    claim,
    learns_on,
    leave_curves,
    preset,
    side_by_side,
    train_into,
)
from algolens.experiment import train_networks as train_experiment
from algolens.experiment.run_files import rules_of
from algolens.front.arguments import path_of, whole_number
from algolens.front.display import in_notebook
from algolens.front.model import Model
from algolens.front.task import find_subject, with_options
from algolens.training import Epoch, Schedule


def train(
    algorithm: Algorithm | type[Algorithm] | str,
    *,
    preset: str = "exact",
    seeds: int | Sequence[int] = 0,
    out: str | PathLike[str] | None = None,
    epochs: int | None = None,
    options: Mapping[str, Any] | None = None,
    width: int | None = None,
    processor: str | None = None,
    given: Sequence[str] = (),
    sizes: Sequence[int] = (),
    device: str = "auto",
    overwrite: bool = False,
    watch: Callable[[Epoch], None] | None = None,
    progress: bool | None = None,
    **schedule: Any,
) -> Model:
    """Trains networks for an algorithm, draws their rules, and scores them on test graphs.

    algorithm: a name, an Algorithm or its class, which may be defined in a notebook. preset:
    ``exact`` (what it learns can be proven), ``paper`` and others. seeds: one, or several that
    train side by side. out: a folder to save it in, with a picture of how it was learnt; a training
    that was interrupted there goes on. epochs, and settings of the schedule by their names
    (``learning_rate=0.01``): where not the preset's. width, processor, given: likewise of the
    network. sizes: of test graphs.
    device: ``auto`` (CUDA when there), ``cpu`` or ``cuda``; exact networks learn on the CPU. watch:
    is called after every epoch. progress: whether a bar is shown; None: in a terminal or notebook.
    """
    chosen = _algorithm(algorithm, options or {})
    experiment = _experiment(chosen, preset, epochs, schedule)
    if processor is not None and preset == "exact":
        raise AlgoLensError(
            "the preset 'exact' has a network of its own, which can be proven: leave processor= "
            "out."
        )
    network = experiment.architecture
    network = replace(
        network,
        width=network.width if width is None else width,
        processor=processor or network.processor,
        given=tuple(dict.fromkeys(given)) or network.given,
    )
    experiment = replace(experiment, architecture=network, seeds=_seeds(seeds))
    check_experiment(experiment)
    sizes = _sizes(sizes)
    if watch is not None and not callable(watch):
        raise AlgoLensError(
            f"watch={watch!r} should be a function, which is called with every epoch."
        )
    folder = None if out is None else path_of(out, "out=")
    where = learns_on(experiment, _device(device))
    total = experiment.schedule.epochs * len(side_by_side(experiment, where))
    title = f"{chosen.name}, {preset}"
    with (
        _one_thread(where),
        _bar(title, total, shown=_is_interactive() if progress is None else progress) as advance,
    ):

        def seen(epoch: Epoch) -> None:
            advance()
            if watch is not None:
                watch(epoch)

        return _trained(experiment, where, seen, folder, sizes, overwrite=overwrite)


def _trained(
    experiment: Experiment,
    device: torch.device,
    watch: Callable[[Epoch], None],
    out: Path | None,
    sizes: Sequence[int],
    *,
    overwrite: bool,
) -> Model:
    command = f"al.train({experiment.algorithm!r}, preset={experiment.preset!r})"
    if out is None:
        trained = train_experiment(experiment, device, command, watch, None, sizes)
        return Model(_with_rules(trained), None, trained)
    with claim(out, overwrite=overwrite) as place:
        trained = train_into(place, experiment, device, command, watch, sizes)
        leave_curves(out)
    return Model(_with_rules(trained), out, trained)


def _with_rules(trained: Trained) -> Any:
    """The run with the rules that were drawn from it, as if it had been saved and loaded."""
    if not trained.extractions:
        return trained.run
    return replace(trained.run, rules=rules_of(trained.run.network, trained.extractions))


def _algorithm(given: object, options: Mapping[str, Any]) -> Algorithm:
    subject = find_subject(given)
    if subject.algorithm is None:
        raise AlgoLensError(
            f"{subject.name} is no algorithm to be trained: give its name, an Algorithm or its "
            "class."
        )
    known = algorithms().get(subject.algorithm.name)
    if known is not None and known is not type(subject.algorithm):
        raise DefinitionError(
            f"an algorithm '{known.name}' is there already, and a run of another by that name "
            "could not be told from its own: rename the class's."
        )
    return with_options(subject.algorithm, options)


def _experiment(
    algorithm: Algorithm, name: str, epochs: int | None, settings: Mapping[str, Any]
) -> Experiment:
    experiment = preset(name, algorithm)
    known = [field.name for field in fields(Schedule)]
    for setting in settings:
        if setting not in known:
            raise UnknownNameError("setting of the schedule, or argument of train,", setting, known)
    schedule = experiment.schedule
    if epochs is not None:
        # refused there where it is no number
        schedule = schedule.with_epochs(replace(Schedule(), epochs=epochs).epochs)
    return replace(experiment, schedule=replace(schedule, **settings))


def _seeds(given: int | Sequence[int]) -> tuple[int, ...]:
    seeds = (given,) if isinstance(given, int) else tuple(given)
    if not seeds or not all(
        isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in seeds
    ):
        raise AlgoLensError(
            f"seeds={given!r} should be a whole number from 0 on, or several, as in range(5)."
        )
    if len(set(seeds)) < len(seeds):
        raise AlgoLensError(f"seeds={given!r} names a seed twice; give each once.")
    return seeds


def _sizes(given: object) -> tuple[int, ...]:
    listed = given if isinstance(given, list | tuple | range) else [given]
    sizes = tuple(whole_number(size) or 0 for size in listed)
    if not all(size > 0 for size in sizes):
        raise AlgoLensError(f"sizes={given!r} should be numbers of nodes, as in (20, 100).")
    return sizes


def _device(name: str) -> torch.device:
    if name not in ("auto", "cpu", "cuda"):
        raise AlgoLensError(f"device={name!r} is none of auto, cpu, cuda.")
    is_there = torch.cuda.is_available()
    if name == "cuda" and not is_there:
        raise AlgoLensError("device='cuda': no CUDA device is there. Use cpu, or auto.")
    return torch.device("cuda" if name != "cpu" and is_there else "cpu")


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


@contextmanager
def _bar(title: str, total: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """A bar of so many epochs; it is full when training ends, also where that ends early."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)
        progress.update(task, total=progress.tasks[task].completed)


def _is_interactive() -> bool:
    return in_notebook() or sys.stderr.isatty()
