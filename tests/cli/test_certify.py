"""What a proof has to show, as files, and by a solver, as a person asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algolens.experiment.model import load_model
from algolens.proofs.smt import obligations


def test_obligations_are_written_with_a_page_that_names_each(run, tmp_path: Path) -> None:
    status, _, told = run("certify", "bfs", "--smtlib", str(tmp_path / "out"))
    assert status == 0, told
    files = {path.stem for path in (tmp_path / "out").glob("*.smt2")}
    assert files == {each.name for each in obligations(load_model("bfs").network.only(0))}
    page = (tmp_path / "out" / "README.md").read_text()
    assert all(f"`{name}.smt2`" in page for name in files)
    status, _, told = run("certify", "bfs", "--smtlib", str(tmp_path / "out"))
    assert status != 0
    assert "not empty" in told


def test_a_solver_shows_it_once_more(run) -> None:
    pytest.importorskip("z3")
    status, shown, told = run("certify", "bfs", "--check-with", "z3", "--json")
    assert status == 0, told
    by = json.loads(shown)["solver"]
    assert by["name"] == "z3"
    assert by["obligations"] == 9
    assert by["failed"] == []


def test_a_solver_that_nobody_knows_is_refused(run) -> None:
    status, _, told = run("certify", "bfs", "--check-with", "minisat")
    assert status != 0
    assert "z3" in told
