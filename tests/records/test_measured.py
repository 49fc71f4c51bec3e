"""What was measured of other weights is told of and not used."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from algolens.algorithms import SHIPPED
from algolens.disk import lock, write_file, write_inside
from algolens.errors import AlgoLensError, WritingError
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.model import claim, load_model
from algolens.extraction.extraction import RuleSetsRecord
from algolens.models import fingerprint
from algolens.records import measured_record
from algolens.reproduction.gathering import shown_model

RECORDS: dict[str, Any] = {"scores.json": ScoresRecord, "rule_sets.json": RuleSetsRecord}


@pytest.fixture
def run(tmp_path) -> Path:
    return Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "run"))


def test_what_ships_is_of_its_weights():
    for folder in SHIPPED.iterdir():
        now = fingerprint(load_model(folder, certified=False).network)
        for name, kind in (("scores.json", ScoresRecord), ("rule_sets.json", RuleSetsRecord)):
            record, wrong = measured_record(folder, name, kind, now)
            assert (record is None, wrong) == (False, None)


@pytest.mark.parametrize("name", RECORDS)
def test_what_was_measured_of_other_weights_is_told_of_and_not_used(run, name):
    weights = load_file(run / "weights.safetensors")
    save_file(
        {n: torch.zeros_like(value) for n, value in weights.items()}, run / "weights.safetensors"
    )
    now = fingerprint(load_model(run, certified=False, explained=False).network)
    record, wrong = measured_record(run, name, RECORDS[name], now)
    assert record is None
    assert f"{run / name} is about other weights: it is not used." in (wrong or "")
    with pytest.raises(AlgoLensError, match=r"scores.json is about other weights"):
        shown_model(run)
    assert any("other weights" in note for note in load_model(run).notes)


def test_an_experiment_of_another_run_is_told_of(run):
    """It says what network the weights are put into."""
    described = json.loads((run / "experiment.json").read_text())
    (run / "experiment.json").write_text(json.dumps({**described, "seeds": [7]}))
    another = "about another algorithm, option, architecture or seed"
    assert any(another in note for note in load_model(run).notes)
    with pytest.raises(AlgoLensError, match=another):
        shown_model(run)


def test_control_characters_in_remarks_are_escaped(run):
    (run / "remarks.md").write_text("Read *this*:\n\n- \x1b[31mred\x07\n")
    assert shown_model(run).remarks.startswith("Read *this*:\n\n- \\x1b[31mred\\x07")


def test_a_link_in_a_folder_of_ours_is_never_written_through(run, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (run / "certificate.json").unlink()
    (run / "certificate.json").symlink_to(precious)
    write_inside(run, "certificate.json", "{}")
    assert not (run / "certificate.json").is_symlink()
    (run / "figures").symlink_to(tmp_path)
    with pytest.raises(WritingError, match="is a link, and nothing is written through it"):
        write_inside(run, "figures/precious", "lost")
    for name in ("../precious", str(precious)):
        with pytest.raises(WritingError, match="is not inside"):
            write_inside(run, name, "lost")
    (tmp_path / ".lock").symlink_to(precious)
    with pytest.raises(WritingError), lock(tmp_path / ".lock", "busy {who}"):
        pass
    assert precious.read_text() == "kept"


@pytest.mark.parametrize("beside", [".new", ".old"])
def test_a_link_beside_a_run_empties_no_other_run(run, tmp_path, beside):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    before = {path.name: path.read_bytes() for path in other.iterdir()}
    (tmp_path / f".run{beside}").symlink_to(other)
    with (
        pytest.raises(WritingError, match="is not ours"),
        claim(run, overwrite=True) as place,
    ):
        place.install({"experiment.json": "{}"})
    assert {path.name: path.read_bytes() for path in other.iterdir()} == before


def test_a_file_that_is_there_is_replaced_only_where_that_was_said(tmp_path):
    write_file(tmp_path / "new", "first", replace=False)
    with pytest.raises(WritingError, match="is there already"):
        write_file(tmp_path / "new", "second", replace=False)
    assert (tmp_path / "new").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("name", ["rule_sets.json", "certificate.json", "declaration.json"])
def test_what_is_no_file_is_told_and_not_taken_for_missing(run, name):
    (run / name).unlink()
    os.mkfifo(run / name)
    notes = load_model(run).notes
    assert any(str(run / name) in note for note in notes)
