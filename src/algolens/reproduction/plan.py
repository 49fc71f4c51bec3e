"""The reproduction of the paper: what it takes, what is missing of it, and what departs from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch

from algolens.algorithms import algorithm as find
from algolens.algorithms import algorithms
from algolens.certification import certify_network, provable
from algolens.disk import write_json
from algolens.errors import AlgoLensError
from algolens.experiment.check import training_objection
from algolens.experiment.config import OF_PAPERS, Experiment, preset
from algolens.experiment.folder import load_model, save_certificates, save_rule_sets
from algolens.experiment.model_files import extract_all
from algolens.experiment.place import claim, is_kept_aside, recover, unchanged
from algolens.experiment.scores import model_scores, study
from algolens.experiment.train import epochs_kept, train_into
from algolens.processes import Ended, Say, at_once
from algolens.protocol import PRESETS, SEEDS
from algolens.reports.material import MODELS, Material, published, read_model
from algolens.reproduction.gathering import (
    is_studied,
    material_of,
    read_experiment,
    shown_model,
    told_apart,
)
from algolens.training import Epoch

# enough for figures and tables of every kind in ten minutes, not for the paper's accuracies
QUICK_SEEDS, QUICK_EPOCHS, QUICK_VALIDATE = 2, 12, 2
REPRODUCTION = "Reproduction of “Algorithmic Concept-based Explainable Reasoning”"
# of so many epochs, and of so many graphs to validate and test on, it takes one
QUICK_SHARE, QUICK_GRAPHS = 25, 5

Watch = Callable[[Experiment], AbstractContextManager[Callable[[Epoch], None]]]


@dataclass(frozen=True)
class ReproductionPlan:
    """The runs that a reproduction takes."""

    algorithms: tuple[str, ...]
    runs: tuple[Experiment, ...]
    skipped: Mapping[str, str]  # what is left out, and why
    quick: bool = False  # few epochs and seeds, and no large graphs


def make_plan(names: Sequence[str], seeds: int = SEEDS, *, quick: bool = False) -> ReproductionPlan:
    """Every preset of every algorithm; one that its network cannot do, or that is another over
    again, is left out.

    names: by default the paper's algorithms.
    """
    runs: list[Experiment] = []
    skipped: dict[str, str] = {}
    chosen_names = tuple(
        dict.fromkeys(names or (name for name in algorithms() if name in published()))
    )
    for name in chosen_names:
        chosen = find(name)
        for model in sorted(PRESETS, key=_place):
            if name not in OF_PAPERS.get(model, (name,)):
                continue  # the paper has no such study of it: nothing is left out
            wanted = replace(preset(model, chosen), seeds=tuple(range(seeds)))
            wrong = training_objection(wanted)
            if wrong is not None:
                skipped[f"{name}-{model}"] = wrong[:1].upper() + wrong[1:]
                continue
            alike = [
                run.preset
                for run in runs
                if run.algorithm == name and replace(run, preset=model) == wanted
            ]
            if alike:
                skipped[f"{name}-{model}"] = (
                    f"It is {name}-{alike[0]} over again: that has nothing to take away."
                )
            else:
                runs.append(wanted)
    return ReproductionPlan(
        chosen_names,
        tuple(quickened(run) for run in runs) if quick else tuple(runs),
        skipped,
        quick,
    )


def quickened(experiment: Experiment) -> Experiment:
    """An experiment with few epochs and seeds; the pruning epoch moves along."""
    schedule = experiment.schedule
    # a training that ends by itself, once all is right, keeps its epochs
    epochs = (
        schedule.epochs
        if schedule.enough
        else min(QUICK_EPOCHS, max(1, schedule.epochs // QUICK_SHARE))
    )
    validate = min(QUICK_VALIDATE, schedule.validate_every)
    return replace(
        experiment,
        seeds=experiment.seeds[:QUICK_SEEDS],
        held_out=max(1, find(experiment.algorithm).recipe.held_out // QUICK_GRAPHS),
        schedule=replace(schedule.with_epochs(epochs), validate_every=validate),
    )


def folder_of(out: Path, experiment: Experiment) -> Path:
    """Where a reproduction keeps a run."""
    return out / "runs" / f"{experiment.algorithm}-{experiment.preset}"


def is_there(folder: Path) -> bool:
    """Whether a run is finished: scores come last."""
    return all((folder / name).is_file() for name in ("experiment.json", "scores.json"))


def check_plan(plan: ReproductionPlan, out: Path) -> None:
    """Raises an error where a run is there that was made otherwise than planned."""
    for wanted in plan.runs:
        folder = folder_of(out, wanted)
        if is_there(folder):
            others = plan_differences(read_experiment(folder), wanted)
            if others:
                raise AlgoLensError(
                    f"{folder} was made otherwise: {'; '.join(others)}. Give another folder with "
                    "--out, delete that run, or make the report of what is there with "
                    "--report-only."
                )


def carry_out(
    plan: ReproductionPlan,
    out: Path,
    device: torch.device,
    command: str,
    watch: Watch,
    jobs: int = 1,
) -> None:
    """Trains every planned run that is not there, and studies those that were not studied.

    jobs: so many runs at once, each in a process of its own; the figures are the same.
    """
    for wanted in plan.runs:
        recover(folder_of(out, wanted))
    check_plan(plan, out)
    missing = {
        folder_of(out, wanted).name: wanted
        for wanted in plan.runs
        if not is_there(folder_of(out, wanted))
    }
    for wanted in plan.runs:
        epochs_kept(
            folder_of(out, wanted), wanted, device
        )  # an unfinished training of another kind is refused before anything is trained
    for wanted in missing.values():
        with claim(folder_of(out, wanted), overwrite=True):
            pass  # a folder that another process writes, or that is no run, is refused as well
    if jobs > 1 and len(missing) > 1:
        work = {
            name: (folder_of(out, wanted), wanted, device, command, plan.quick)
            for name, wanted in missing.items()
        }
        _watched(at_once(work, _make, jobs), missing, watch)
    else:
        for wanted in missing.values():
            # a folder that is there holds no finished run, so it may be replaced
            with (
                claim(folder_of(out, wanted), overwrite=True) as place,
                watch(wanted) as each_epoch,
            ):
                train_into(place, wanted, device, command, each_epoch)
    complete(out, device, quick=plan.quick)


def complete(out: Path, device: torch.device, *, quick: bool = False) -> None:
    """Draws, studies and certifies what is missing of a run with a bottleneck, or is not about its
    weights, which are there.

    Scores that say nothing of single graphs, by which figures are compared, are measured anew.
    """
    for folder in _folders(out):
        _draw_rules(folder, device)
        _score(folder, device)
        _study(folder, device, quick=quick)


def _make(
    folder: Path, wanted: Experiment, device: torch.device, command: str, quick: bool, say: Say
) -> None:
    """Trains and studies a run, in a process of its own."""
    with claim(folder, overwrite=True) as place:
        train_into(place, wanted, device, command, say)
    _study(folder, device, quick=quick)


def _watched(
    words: Generator[tuple[str, Any], None, None], runs: Mapping[str, Experiment], watch: Watch
) -> None:
    """Shows the epochs of several trainings, as they come."""
    with closing(words), ExitStack() as all_shown:
        shown: dict[str, tuple[ExitStack, Callable[[Epoch], None]]] = {}
        for name, word in words:
            if name not in shown:
                alone = all_shown.enter_context(ExitStack())
                shown[name] = alone, alone.enter_context(watch(runs[name]))
            alone, each_epoch = shown[name]
            if isinstance(word, Ended):
                alone.close()
            else:
                each_epoch(word)


def _study(folder: Path, device: torch.device, *, quick: bool) -> None:
    """Writes study.json and certificate.json, where they are missing, for a run with a bottleneck
    whose weights are there.
    """
    if not _can_be_checked(folder):
        return
    with unchanged(folder):
        trained = load_model(folder)
        if not is_studied(read_model(folder).study):
            trained.network.to(device)
            write_json(folder / "study.json", study(trained, larger=not quick))
        if trained.claimed is None and provable(trained.network):
            network = trained.network.cpu()
            save_certificates(
                folder,
                [certify_network(network.only(place)) for place in range(len(network.seeds))],
            )


def _draw_rules(folder: Path, device: torch.device) -> None:
    """Draws rules of a run's weights where they are missing; if others were there, it is scored
    anew, and then studied.
    """
    if not _can_be_checked(folder):
        return
    with unchanged(folder):
        trained = load_model(folder)
        if trained.rules is not None:
            return
        network, sets = trained.network.to(device), trained.experiment.data()
        extractions = extract_all(network, sets.train)
        rule_sets = [each.rule_set for each in extractions]
        if rule_sets != read_model(folder).rule_sets:
            write_json(
                folder / "scores.json",
                model_scores(trained.experiment, network, sets.tests, rule_sets),
            )
            (folder / "study.json").unlink(missing_ok=True)
        # last: a run that was interrupted here still lacks them
        save_rule_sets(folder, network, extractions)


def _can_be_checked(folder: Path) -> bool:
    """Whether a run has weights, and a bottleneck: so there are rules, and whether they are its own
    can be seen.
    """
    return (folder / "weights.safetensors").is_file() and read_experiment(
        folder
    ).architecture.bottleneck


def _score(folder: Path, device: torch.device) -> None:
    """Writes scores.json anew where it has no spread over graphs and the weights are there."""
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    if (
        all("spread" in found for found in scores["sizes"].values())
        or not (folder / "weights.safetensors").is_file()
    ):
        return
    with unchanged(folder):
        trained = load_model(folder)
        network = trained.network.to(device)
        found = model_scores(
            trained.experiment, network, trained.experiment.data().tests, trained.rule_sets
        )
        write_json(folder / "scores.json", found)


def gather(out: Path, plan: ReproductionPlan) -> Material:
    """What the report of a folder shows: the runs of the planned algorithms that are there, by
    algorithm and network.
    """
    names = plan.algorithms
    known = {folder: read_experiment(folder) for folder in _folders(out)}
    chosen = [folder for folder, experiment in known.items() if experiment.algorithm in names]
    if not chosen:
        raise AlgoLensError(
            f"{out}: no run is here (no runs/*/scores.json). Leave --report-only away, and they "
            "are trained."
        )

    def rank(folder: Path) -> tuple[int, int]:
        return names.index(known[folder].algorithm), _place(known[folder].preset)

    missing = {
        folder_of(out, wanted).name: "It is not in this folder."
        for wanted in plan.runs
        if not is_there(folder_of(out, wanted))
    }
    runs = told_apart([shown_model(folder) for folder in sorted(chosen, key=rank)])
    return material_of(REPRODUCTION, runs, {**plan.skipped, **missing})


def plan_differences(found: Experiment, wanted: Experiment) -> list[str]:
    """What differs between two experiments, setting by setting, in words."""
    others = [
        f"{name} {_shown(ours)} (planned: {_shown(theirs)})"
        for part in ("architecture", "schedule")
        for name, ours, theirs in _settings(getattr(found, part), getattr(wanted, part))
    ]
    for name in ("seeds", "data_seed", "options", "held_out", "families"):
        ours, theirs = getattr(found, name), getattr(wanted, name)
        if ours != theirs:
            others.append(f"{name} {_shown(ours)} (planned: {_shown(theirs)})")
    return others


def _place(model: str) -> int:
    """A preset's place in the report; those that the paper does not know come last."""
    return list(MODELS).index(model) if model in MODELS else len(MODELS)


def _settings(found: Any, wanted: Any) -> Iterator[tuple[str, Any, Any]]:
    for field in fields(found):
        ours, theirs = getattr(found, field.name), getattr(wanted, field.name)
        if ours != theirs:
            yield field.name, ours, theirs


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _folders(out: Path) -> list[Path]:
    return sorted(
        path for path in (out / "runs").glob("*") if is_there(path) and not is_kept_aside(path)
    )
