"""A run's files fit its weights and each other, or are told of and not used."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from algolens.algorithms import SHIPPED
from algolens.disk import lock, write_file, write_inside
from algolens.errors import AlgoLensError, WritingError
from algolens.experiment.model import claim, load_model
from algolens.records import MANIFEST, put_file, read_manifest, unfit
from algolens.reports.material import read_model

MEASURED = ("scores.json", "history.csv", "rule_sets.json", "certificate.json")


@pytest.fixture
def run(tmp_path) -> Path:
    return Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "run"))


def test_what_ships_fits_its_manifest():
    for folder in SHIPPED.iterdir():
        manifest = read_manifest(folder)
        assert manifest is not None
        there = {path.name for path in folder.iterdir()} - {MANIFEST}
        assert set(manifest.files) == there
        assert [unfit(folder, name) for name in there] == [None] * len(there)


@pytest.mark.parametrize("name", MEASURED)
def test_a_file_that_was_changed_is_noticed(run, name):
    content = bytearray((run / name).read_bytes())
    content[len(content) // 2] ^= 1
    (run / name).write_bytes(content)
    assert "is not the file that manifest.json names" in (unfit(run, name) or "")


def test_scores_of_other_weights_are_told_of_and_not_used(run):
    weights = load_file(run / "weights.safetensors")
    save_file(
        {n: torch.zeros_like(value) for n, value in weights.items()}, run / "weights.safetensors"
    )
    assert all("other weights" in (unfit(run, name) or "") for name in MEASURED)
    with pytest.raises(AlgoLensError, match=r"other weights than weights.safetensors beside it"):
        read_model(run)
    assert any("other weights" in note for note in load_model(run).notes)


def test_an_experiment_of_another_run_is_told_of(run):
    """It says what network the weights are put into."""
    described = (run / "experiment.json").read_text()
    assert '"learning_rate": 0.' in described
    (run / "experiment.json").write_text(
        described.replace('"learning_rate": 0.', '"learning_rate": 0.1')
    )
    assert any("experiment.json is not the file" in note for note in load_model(run).notes)
    with pytest.raises(AlgoLensError, match=r"experiment.json is not the file"):
        read_model(run)


def test_control_characters_in_remarks_are_escaped(run):
    (run / "remarks.md").write_text("Read *this*:\n\n- \x1b[31mred\x07\n")
    assert read_model(run).remarks == "Read *this*:\n\n- \\x1b[31mred\\x07"


def test_a_run_without_a_manifest_has_no_scores(run):
    (run / MANIFEST).unlink()
    with pytest.raises(AlgoLensError, match=r"no manifest.json is in"):
        read_model(run)


def test_a_link_in_a_folder_of_ours_is_never_written_through(run, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (run / "certificate.json").unlink()
    (run / "certificate.json").symlink_to(precious)
    put_file(run, "certificate.json", "{}")
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
    try:
        notes = load_model(run).notes
    except AlgoLensError as refused:
        notes = (str(refused),)
    assert any(str(run / name) in note for note in notes)


def test_a_changed_word_in_the_rules_of_an_exact_network_is_noticed(run):
    text = (run / "rule_sets.json").read_text()
    (run / "rule_sets.json").write_text(text.replace("Chosen", "Chosef"))
    model = load_model(run)
    assert model.rules is None
    assert any("rule_sets.json is not the file" in note for note in model.notes)
