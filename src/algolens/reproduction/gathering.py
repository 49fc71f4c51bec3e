"""What a report is made from: the files of runs, and in memory what is missing of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from algolens.algorithms import algorithm as find
from algolens.errors import AlgoLensError
from algolens.experiment.config import preset
from algolens.experiment.model import find_folder, load_model, with_class
from algolens.protocol import PRESETS, Departure, known_algorithms
from algolens.reading import read_record
from algolens.records import Experiment, ExperimentRecord
from algolens.reports.material import Material, ShownModel, read_model
from algolens.reproduction.departures import departures_of
from algolens.reproduction.studies import study
from algolens.text.learnt import training_note

REPORT = "A report of AlgoLens"
UNCHECKED = (
    "`weights.safetensors` is not here: that its rules are of these weights was not checked, and "
    "no certificate is shown."
)
NO_PUBLISHED = "Published figures are of the paper's graphs, so none stands beside its own."


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
    return material_of(REPORT, [shown_model(folder, complete=True) for folder in folders])


def material_of(
    about: str, runs: Sequence[ShownModel], skipped: Mapping[str, str] | None = None
) -> Material:
    """The runs, and the algorithms that they learnt."""
    declared = {run.algorithm: run.experiment.find_algorithm() for run in runs}
    return Material(about, told_apart(runs), skipped or {}, declared)


def shown_model(folder: Path, *, complete: bool = False) -> ShownModel:
    """A run with the rules and certificates of its weights; what cannot be checked is said.

    complete: what is missing is made, in memory.
    """
    experiment, run = read_experiment(folder), read_model(folder)
    run = replace(run, departures=tuple(_departures(experiment)), variant=_variant(experiment))
    if run.own_graphs is not None:
        on_graphs = f"{training_note(run.own_graphs, experiment.data_seed)} {NO_PUBLISHED}"
        run = replace(run, remarks="\n\n".join(filter(None, (run.remarks, on_graphs))))
    if not experiment.architecture.bottleneck:
        return run  # it has neither
    if not (folder / "weights.safetensors").is_file():
        return replace(run, remarks="\n\n".join(filter(None, (run.remarks, UNCHECKED))))
    trained = load_model(folder)
    known = run.study
    if complete:
        known = known or study(trained, larger=False)
    return replace(
        run,
        rules=trained.extractions or (),
        certificates=trained.certificates if complete or trained.claimed else (),
        study=known,
        remarks="\n\n".join(filter(None, (run.remarks, *trained.notes))),
    )


def told_apart(runs: Sequence[ShownModel]) -> list[ShownModel]:
    """Runs named by their folders; of the same algorithm and network, they are called so."""
    folders = Counter(run.folder.name for run in runs)
    alike = Counter((run.algorithm, run.model) for run in runs)
    named = []
    for run in runs:
        name = run.folder.name if folders[run.folder.name] == 1 else str(run.folder)
        called = name if alike[run.algorithm, run.model] > 1 else ""
        named.append(replace(run, name=name, called=called))
    return named


def read_experiment(folder: Path) -> Experiment:
    """The experiment of a model, without its weights."""
    try:
        experiment = Experiment.from_json(read_record(folder / "experiment.json", ExperimentRecord))
    except AlgoLensError as problem:
        raise AlgoLensError(
            f"{folder}: the model cannot be read ({str(problem).rstrip('.')}). Train it again, or "
            "leave it out."
        ) from problem
    return with_class(experiment, None)


def _departures(experiment: Experiment) -> Sequence[Departure]:
    """How a run departs from the paper; exact networks of other algorithms are not after it."""
    if experiment.preset == "exact" and experiment.algorithm not in known_algorithms():
        return ()
    return departures_of(experiment)


def _variant(experiment: Experiment) -> str:
    """What tells the algorithm from the one of that name: a program, or unusual options.

    The number of bits is none: it bounds the inputs, and changes nothing that is done with them.
    """
    if experiment.program is not None:
        return "as a program"
    usual: Mapping[str, Any] = {}
    if experiment.preset in PRESETS:
        usual = preset(experiment.preset, find(experiment.algorithm)).options
    others = {
        name: value
        for name, value in experiment.options.items()
        if name != "bits" and usual.get(name) != value
    }
    return ", ".join(f"{name}={value}" for name, value in others.items())
