"""The gates for the files of a run: each by its record, and in a folder by what reads the run."""

from __future__ import annotations

import contextlib
import importlib
import json
import random
import shutil
from functools import cached_property
from pathlib import Path
from typing import Any

from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.model import load_model
from algolens.extraction.extraction import RuleSetsRecord
from algolens.proofs.certificate import CertificatesRecord
from algolens.reading import read_columns, read_record
from algolens.records import DeclarationRecord, Experiment, ExperimentRecord, StudyRecord
from algolens.reproduction.gathering import shown_model
from benchmarks.fuzz.damage import damaged_bytes, damaged_value
from benchmarks.fuzz.gate import Gate, Wrong

ROOT = Path(__file__).parents[2]
RUN = ROOT / "results" / "runs" / "bfs-exact"
SMALL_RUN = ROOT / "src" / "algolens" / "shipped" / "bfs"
RECORDS: dict[str, Any] = {
    "experiment.json": ExperimentRecord,
    "scores.json": ScoresRecord,
    "study.json": StudyRecord,
    "certificate.json": CertificatesRecord,
    "declaration.json": DeclarationRecord,
    "rule_sets.json": RuleSetsRecord,
}


class RunFiles(Gate):
    """A file of a run is the record that it should be, or refused."""

    name, share = "files of runs", 250
    names = (*RECORDS, "history.csv")

    def __init__(self) -> None:
        self.whole = {name: (RUN / name).read_bytes() for name in self.names}

    def draw(self, draw: random.Random) -> Any:
        name = draw.choice(sorted(self.whole))
        return {"file": name, "content": damaged_file(name, self.whole[name], draw)}

    def enter(self, given: Any, folder: Path) -> None:
        path = folder / given["file"]
        path.write_bytes(given["content"].encode("latin-1"))
        if path.suffix == ".csv":
            read_columns(path, ("epoch", "seed"))
            return
        record = read_record(path, RECORDS[path.name])
        if isinstance(record, ExperimentRecord):
            Experiment.from_json(record)


class WholeRuns(Gate):
    """A run with a damaged file is refused, or what does not fit is told, or it is the same run."""

    name, share = "runs with a damaged file", 20

    def prepare(self) -> None:
        # an unknown processor is looked for among its convolutions
        with contextlib.suppress(ImportError):
            importlib.import_module("torch_geometric.nn")

    def draw(self, draw: random.Random) -> Any:
        path = draw.choice(sorted(SMALL_RUN.iterdir()))
        return {"file": path.name, "content": damaged_file(path.name, path.read_bytes(), draw)}

    @cached_property
    def weights(self) -> Any:
        """Of the whole run."""
        return load_model(SMALL_RUN).network.state_dict()

    def enter(self, given: Any, folder: Path) -> None:
        copy = folder / "run"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(SMALL_RUN, copy)
        (copy / given["file"]).write_bytes(given["content"].encode("latin-1"))
        model = load_model(copy)
        _ = model.certificates
        shown_model(copy)
        state = model.network.state_dict()
        is_same = all((state[name] == value).all() for name, value in self.weights.items())
        if not is_same and not model.notes:
            raise Wrong("other weights are used without a word")


def damaged_file(name: str, content: bytes, draw: random.Random) -> str:
    """A file of a run, damaged as bytes or as JSON; each character is a byte."""
    if name.endswith(".json") and draw.random() < 0.6:
        content = json.dumps(damaged_value(json.loads(content), draw)).encode()
    else:
        content = damaged_bytes(content, draw)
    return content.decode("latin-1")
