"""What a report is made from: the files of runs, and in memory what is missing of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from algolens.algorithms import algorithm as find
from algolens.errors import AlgoLensError, AlgoLensWarning, visible
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.config import preset
from algolens.experiment.model import Model, find_folder, load_model, with_class
from algolens.models import fingerprint
from algolens.protocol import PRESETS, Departure, known_algorithms
from algolens.reading import read_columns, read_record, read_text
from algolens.records import (
    FRESH_SCORES,
    Experiment,
    ExperimentRecord,
    StudyRecord,
    measured_record,
)
from algolens.reports.material import Material, ShownModel
from algolens.reproduction.departures import departures_of
from algolens.reproduction.studies import study
from algolens.text.learnt import training_note

REPORT, REMARKS = "A report of AlgoLens", "remarks.md"
T = TypeVar("T")
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
    # one that cannot be read is refused before others are studied
    loaded = [(load_model(folder), folder) for folder in folders]
    read = [(trained, shown_model(folder, trained)) for trained, folder in loaded]
    return material_of(REPORT, [_studied(*each) for each in read])


def material_of(
    about: str, runs: Sequence[ShownModel], skipped: Mapping[str, str] | None = None
) -> Material:
    """The runs, and the algorithms that they learnt."""
    declared = {run.algorithm: run.experiment.find_algorithm() for run in runs}
    return Material(about, told_apart(runs), skipped or {}, declared)


def shown_model(folder: Path, trained: Model | None = None) -> ShownModel:
    """What a folder tells of its model; what is about other weights is left out, and said."""
    trained = trained or load_model(folder)
    experiment, now = trained.experiment, fingerprint(trained.network)

    def kept(name: str, kind: type[T]) -> T | None:
        record, wrong = measured_record(folder, name, kind, now)
        if wrong is not None:
            warnings.warn(wrong, AlgoLensWarning, stacklevel=3)
        return record

    try:
        scores, wrong = measured_record(folder, "scores.json", ScoresRecord, now)
        if scores is None:
            raise AlgoLensError(wrong or f"{folder / 'scores.json'} is not there")
        history = read_columns(folder / "history.csv", ("epoch", "seed"))
        known = kept("study.json", StudyRecord)
        if known is not None and known.verdicts and len(known.verdicts) != len(scores.seeds):
            raise AlgoLensError(
                f"{folder / 'study.json'} has {len(known.verdicts)} verdicts on "
                f"{len(scores.seeds)} seeds"
            )
        remarks = [read_text(folder / REMARKS)] if (folder / REMARKS).is_file() else []
    except AlgoLensError as problem:
        raise _unread(folder, problem) from problem
    # a text of somebody's, with control characters escaped
    remarks = ["\n".join(map(visible, text.strip().splitlines())) for text in remarks]
    if experiment.graphs is not None:
        remarks.append(f"{training_note(experiment.graphs, experiment.data_seed)} {NO_PUBLISHED}")
    if experiment.architecture.bottleneck:
        remarks += trained.notes
    return ShownModel(
        folder=folder,
        experiment=experiment,
        scores=scores,
        history=history,
        rules=trained.extractions or (),
        study=known,
        remarks="\n\n".join(remarks),
        departures=tuple(_departures(experiment)),
        certificates=trained.certificates if trained.claimed else (),
        variant=_variant(experiment),
        fresh=kept(FRESH_SCORES, ScoresRecord),
    )


def _studied(trained: Model, run: ShownModel) -> ShownModel:
    """The same with the study and the certificates that its folder lacks, made in memory."""
    if not trained.experiment.architecture.bottleneck:
        return run  # it has neither
    known = run.study or study(trained, larger=False)
    return replace(run, study=known, certificates=trained.certificates)


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
        raise _unread(folder, problem) from problem
    return with_class(experiment, None)


def _unread(folder: Path, problem: AlgoLensError) -> AlgoLensError:
    said = f"the model cannot be read ({str(problem).rstrip('.')})"
    return AlgoLensError(f"{folder}: {said}. Train it again, or leave it out.")


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
