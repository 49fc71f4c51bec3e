"""What a report is made from, of any runs: their files, and in memory what is missing of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from algolens.algorithms import Declaration
from algolens.algorithms import algorithm as find
from algolens.certification import certify_network, provable
from algolens.errors import AlgoLensError
from algolens.experiment.config import Experiment, preset
from algolens.experiment.folder import TrainedModel, find_folder, load_model
from algolens.experiment.scores import example, study
from algolens.protocol import PRESETS, known_algorithms
from algolens.reports.material import Material, ShownModel, read_model
from algolens.reproduction.departures import departures_of

REPORT = "A report of AlgoLens"
UNCHECKED = (
    "`weights.safetensors` is not here: that its rules are of these weights was not checked, and "
    "no certificate is shown."
)
SHOWN_FIRST = ("bottleneck", "exact")  # whose example is taken, where there are several


def gather_models(names: Sequence[str]) -> Material:
    """What the report of these runs shows: folders, or names of algorithms whose models ship.

    What a report needs and a folder lacks (a study, certificates) is made in memory: nothing is
    written into the folders.
    """
    folders = [find_folder(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        if sum(other.resolve() == folder.resolve() for other in folders) > 1:
            raise AlgoLensError(f"{name}: this model is given twice. Give each model once.")
        read_model(folder)  # one that cannot be read is refused before others are studied
    return material_of(
        REPORT, told_apart([shown_model(folder, complete=True) for folder in folders])
    )


def material_of(
    about: str, runs: Sequence[ShownModel], skipped: Mapping[str, str] | None = None
) -> Material:
    """The runs with an example of each algorithm, and what each declares."""
    examples: dict[str, Mapping[str, Any]] = {}
    declared: dict[str, Declaration] = {}
    for run in sorted(runs, key=_shown_first):
        algorithm = Experiment.from_json(run.experiment).find_algorithm()
        declared.setdefault(run.algorithm, algorithm.declaration)
        if "example" in run.study:
            examples.setdefault(run.algorithm, run.study["example"])
    for run in runs:
        if run.algorithm not in examples:
            examples[run.algorithm] = example(Experiment.from_json(run.experiment).find_algorithm())
    order = list(dict.fromkeys(run.algorithm for run in runs))
    return Material(
        about,
        runs,
        skipped or {},
        {name: examples[name] for name in order},
        {name: declared[name] for name in order},
    )


def _shown_first(run: ShownModel) -> int:
    return SHOWN_FIRST.index(run.model) if run.model in SHOWN_FIRST else len(SHOWN_FIRST)


def shown_model(folder: Path, *, complete: bool = False) -> ShownModel:
    """A run with the rules and certificates that are about its weights; what is not, or cannot be
    checked, is said.

    complete: what is missing is made, in memory.
    """
    experiment = read_experiment(folder)
    found = read_model(folder)
    if not is_studied(found.study):
        found = replace(found, study={})
    run = replace(found, departures=tuple(_departures(experiment)), variant=_variant(experiment))
    if not experiment.architecture.bottleneck:
        return run  # it has neither
    if not (folder / "weights.safetensors").is_file():
        return replace(run, remarks="\n\n".join(filter(None, (run.remarks, UNCHECKED))))
    trained = load_model(folder)
    notes = "\n\n".join(filter(None, (run.remarks, *trained.notes)))
    run = replace(
        run, rules=trained.rules or (), certificates=trained.certificates or (), remarks=notes
    )
    return _completed(run, trained) if complete else run


def _completed(run: ShownModel, trained: TrainedModel) -> ShownModel:
    if not run.study:
        run = replace(run, study=study(trained, larger=False))
    if not run.certificates and provable(trained.network):
        network = trained.network
        run = replace(
            run,
            certificates=[
                certify_network(network.only(place)).to_json()
                for place in range(len(network.seeds))
            ],
        )
    return run


def told_apart(runs: Sequence[ShownModel]) -> list[ShownModel]:
    """Runs of the same algorithm and network are called by their folders, as far as these
    differ.
    """
    alike = Counter((run.algorithm, run.model) for run in runs)
    names = Counter((run.algorithm, run.model, run.folder.name) for run in runs)
    called = []
    for run in runs:
        name = (
            run.folder.name
            if names[run.algorithm, run.model, run.folder.name] == 1
            else str(run.folder)
        )
        called.append(replace(run, called=name) if alike[run.algorithm, run.model] > 1 else run)
    return called


def is_studied(found: Mapping[str, Any]) -> bool:
    """Whether this is a study as it is made today."""
    return "trees" in found


def read_experiment(folder: Path) -> Experiment:
    """The experiment of a run, without its weights."""
    try:
        return Experiment.from_json(
            json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
        )
    except (OSError, ValueError) as problem:
        raise AlgoLensError(
            f"{folder}: the model cannot be read ({problem}). Train it again, or leave it out."
        ) from problem


def _departures(experiment: Experiment) -> Sequence[Any]:
    """In what a run departs from the paper; an exact network of an algorithm that is not the
    paper's is after nothing in it.
    """
    if experiment.preset == "exact" and experiment.algorithm not in known_algorithms():
        return ()
    return departures_of(experiment)


def _variant(experiment: Experiment) -> str:
    """What tells the algorithm from the one of that name: a program that was found, or options that
    are not its preset's.
    """
    if experiment.program is not None:
        return "as a program"
    usual = (
        preset(experiment.preset, find(experiment.algorithm)).options
        if experiment.preset in PRESETS
        else {}
    )
    others = {name: value for name, value in experiment.options.items() if usual.get(name) != value}
    return ", ".join(f"{name}={value}" for name, value in others.items())
