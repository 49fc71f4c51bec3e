"""The reproduction of the paper: the runs that it takes, and carrying out what is missing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from msgspec import to_builtins

from algolens.algorithms import algorithm as find
from algolens.algorithms import algorithms
from algolens.disk import as_json, write_inside
from algolens.errors import AlgoLensError
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.config import OF_PAPERS, preset, training_objection
from algolens.experiment.model import (
    Model,
    claim,
    extract_all,
    load_model,
    recover,
    save_certificates,
    save_rule_sets,
    scores_json,
    unchanged,
)
from algolens.experiment.train import check_training, epochs_kept, model_scores, train_into
from algolens.models import fingerprint
from algolens.processes import Ended, Processes, Say, Workers
from algolens.proofs.certificate import provable
from algolens.protocol import PRESETS, SEEDS, fact_in_words
from algolens.records import Experiment, StudyRecord, measured_record
from algolens.reports.material import MODELS, Material
from algolens.reproduction.accuracies import published
from algolens.reproduction.gathering import (
    material_of,
    read_experiment,
    shown_model,
)
from algolens.reproduction.studies import study
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
    """Every preset of every algorithm; without any names, of the paper's algorithms.

    One that its network cannot do, or that is another over again, is left out.
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
    workers: Workers = Processes(),  # noqa: B008
) -> None:
    """Trains every planned run that is not there, and studies those that were not studied.

    workers: where runs are trained, several at once; the figures are the same.
    """
    for wanted in plan.runs:
        recover(folder_of(out, wanted))
    check_plan(plan, out)
    missing = {}
    # what cannot be made is refused before anything is trained
    for wanted in plan.runs:
        folder = folder_of(out, wanted)
        epochs_kept(folder, wanted, device)  # an unfinished training of another kind
        if not is_there(folder):
            check_training(wanted, device)
            missing[folder.name] = wanted
            with claim(folder, overwrite=True):
                pass  # a folder that another process writes, or that is no run
    if workers.starts_others(len(missing)):
        there = out.absolute()
        work = {
            name: (folder_of(there, wanted), wanted, device, command, plan.quick)
            for name, wanted in missing.items()
        }
        _watched(workers.messages(work, _make, there), missing, watch)
    else:
        for wanted in missing.values():
            with watch(wanted) as each_epoch:
                _make(folder_of(out, wanted), wanted, device, command, plan.quick, each_epoch)
    complete(out, device, quick=plan.quick)


def _make(
    folder: Path, wanted: Experiment, device: torch.device, command: str, quick: bool, say: Say
) -> None:
    """Trains and studies a run."""
    if not is_there(folder):  # a process that died may have trained it
        # a folder that is there holds no finished run, so it may be replaced
        with claim(folder, overwrite=True) as place:
            train_into(place, wanted, device, command, say)
    _complete(folder, device, quick=quick)


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


def complete(out: Path, device: torch.device, *, quick: bool = False) -> None:
    """Makes what is missing of runs whose weights are there: rules, scores, studies, certificates.

    Rules and certificates of other weights are missing, too; so are scores that say nothing of
    single graphs, by which figures are compared.
    """
    for folder in _folders(out):
        _complete(folder, device, quick=quick)


def _complete(folder: Path, device: torch.device, *, quick: bool) -> None:
    if not (folder / "weights.safetensors").is_file():
        return
    with unchanged(folder):
        trained = load_model(folder)
        network = trained.network.to(device)
        has_rules = trained.experiment.architecture.bottleneck
        is_redrawn = has_rules and trained.extractions is None
        if is_redrawn:
            truth = trained.experiment.data(tests=False).train
            trained = replace(trained, extractions=extract_all(network, truth))
        now = fingerprint(trained.network)
        scores = known = None
        if not is_redrawn:
            scores, _ = measured_record(folder, "scores.json", ScoresRecord, now)
            known, _ = measured_record(folder, "study.json", StudyRecord, now)
        if scores is None or not all(each.spread for each in scores.sizes.values()):
            _write_scores(folder, trained)
        if has_rules and known is None:
            made = to_builtins(study(trained, larger=not quick))
            write_inside(folder, "study.json", as_json(made))
        if is_redrawn and trained.extractions is not None:
            # after what was measured of them: a run that was interrupted here still lacks them
            save_rule_sets(folder, network, trained.extractions)
        if has_rules and trained.claimed is None and provable(trained.network):
            save_certificates(folder, network, trained.certificates)


def _write_scores(folder: Path, trained: Model) -> None:
    experiment, tests = trained.experiment, trained.experiment.data().tests
    scores = model_scores(experiment, trained.network, tests, trained.rule_sets)
    write_inside(folder, "scores.json", scores_json(trained.network, scores))


def gather(out: Path, plan: ReproductionPlan) -> Material:
    """The runs of the planned algorithms that are in a folder, by algorithm and network."""
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
    runs = [shown_model(folder) for folder in sorted(chosen, key=rank)]
    return material_of(REPRODUCTION, runs, {**plan.skipped, **missing})


def plan_differences(ours: Experiment, wanted: Experiment) -> list[str]:
    """What differs between two experiments, setting by setting, in words."""
    pairs = zip(_settings(ours).items(), _settings(wanted).values(), strict=True)
    return [
        f"{name} {fact_in_words(one)} (planned: {fact_in_words(other)})"
        for (name, one), other in pairs
        if one != other
    ]


def _settings(experiment: Experiment) -> dict[str, Any]:
    names = ("seeds", "data_seed", "variant", "options", "held_out", "families")
    others = {name: getattr(experiment, name) for name in names}
    return {**vars(experiment.architecture), **vars(experiment.schedule), **others}


def _place(model: str) -> int:
    """A preset's place in the report; those that the paper does not know come last."""
    return list(MODELS).index(model) if model in MODELS else len(MODELS)


def _folders(out: Path) -> list[Path]:
    return sorted(path for path in (out / "runs").glob("*") if is_there(path))
