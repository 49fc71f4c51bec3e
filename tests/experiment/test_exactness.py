"""What a report shows of exact networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from algolens.experiment import exactness as module
from algolens.experiment import load_run
from algolens.experiment.exactness import exactness
from algolens.reports.exactness import exactness_table
from algolens.reports.material import ShownRun


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(module, "LARGER", {"bfs": {30: 7, 600: 7}})  # kept whole, and in portions


def shown(found: dict[str, Any]) -> ShownRun:
    """A run that was studied so."""
    experiment = {"algorithm": "bfs", "preset": "exact", "architecture": {}}
    scores = {"seeds": [0], "sizes": {"20": {"graphs": 70, "graphs_right": 100.0}}}
    return ShownRun(Path("bfs-exact"), experiment, scores, [], [], {"exactness": found}, "", ())


def test_what_ships_is_proven_and_right_on_graphs_of_any_size():
    found = exactness(load_run("bfs"), larger=True)
    assert [each["proven"] for each in found["certificates"]] == [True]
    assert {size: scores["graphs"] for size, scores in found["larger"].items()} == {"30": 7, "600": 7}
    for scores in found["larger"].values():
        assert scores["graphs_right"] == scores["formula_graphs_right"] == 100
    table = exactness_table([shown(found)])
    assert table is not None
    assert [row[2] for row in table.rows] == ["20", "30", "600"]
    assert table.rows[0][1] == "1 of 1"


def test_what_was_spoilt_is_told():
    run = load_run("bfs")
    with torch.no_grad():
        for parameter in run.network.decoders["visited"].last.parameters():
            parameter.neg_()  # visited where it is not
    found = exactness(run, larger=True)
    assert [each["proven"] for each in found["certificates"]] == [False]
    assert all(scores["graphs_right"] < 100 for scores in found["larger"].values())
    table = exactness_table([shown(found)])
    assert table is not None
    assert table.rows[0][1] == "0 of 1"


def test_without_large_graphs_there_are_none():
    assert exactness(load_run("bfs"), larger=False)["larger"] == {}


def test_no_exact_network_no_table():
    assert exactness_table([replace(shown({}), study={})]) is None
