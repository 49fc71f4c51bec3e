"""The JSON schemas of a run's files, made from the records that read them: ``make schemas``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from algolens.disk import as_json, write_file
from algolens.extraction.extraction import RuleSetsRecord
from algolens.reading import schema_of
from algolens.records.certificate import CertificatesRecord
from algolens.records.declaration import DeclarationRecord
from algolens.records.experiment import ExperimentRecord
from algolens.records.manifest import Manifest
from algolens.records.scores import ScoresRecord
from algolens.records.study import StudyRecord

# by the name of a file: the record that reads it, and what it holds; a program has its schema
# beside its record
FILES: dict[str, tuple[Any, str]] = {
    "experiment": (ExperimentRecord, "What was trained, on what, and how."),
    "manifest": (Manifest, "The SHA-256 of every file of a run, and of the weights beside it."),
    "scores": (ScoresRecord, "What was measured of networks on test graphs, in percent."),
    "study": (StudyRecord, "What a report shows of one network."),
    "certificate": (CertificatesRecord, "What is proven of networks, and on what assumptions."),
    "declaration": (DeclarationRecord, "All that an algorithm declares, as trees."),
    "rule_sets": (RuleSetsRecord, "The rules drawn from networks, and how well they fit."),
}


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of every file, by its name."""
    return {
        name: schema_of(record, f"{name}.json of AlgoLens", said)
        for name, (record, said) in FILES.items()
    }


def write_schemas(folder: Path) -> None:
    """Writes them anew, after a change of a record."""
    for name, schema in schemas().items():
        write_file(folder / f"{name}.schema.json", as_json(schema))
