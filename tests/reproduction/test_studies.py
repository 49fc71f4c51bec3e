"""What a report shows of exact networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from algolens.evaluation.metrics import ScoresRecord, SizeScores
from algolens.experiment.model import Model, load_model
from algolens.proofs.certificate import Basis
from algolens.proofs.certify import certify_network
from algolens.records import ExactnessRecord, StudyRecord
from algolens.reports.material import ShownModel
from algolens.reports.tables import Table
from algolens.reproduction import studies as module
from algolens.reproduction.studies import exactness
from algolens.reproduction.tables import exactness_table
from tests.refusals import experiment_record


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(module, "LARGER", {"bfs": {30: 7, 600: 7}})  # kept whole, and in portions


def shown(run: Model, found: ExactnessRecord) -> ShownModel:
    """A run that was studied so, with its certificates."""
    experiment = experiment_record("bfs", "exact")
    scores = ScoresRecord("bfs", "exact", (0,), {"20": SizeScores(graphs=70, graphs_right=100.0)})
    certificates = [certify_network(run.network.only(0))]
    return ShownModel(
        Path("bfs-exact"),
        experiment,
        scores,
        [],
        [],
        StudyRecord(0, [], [], found),
        "",
        (),
        certificates,
    )


def test_what_ships_is_certified_and_right_on_graphs_of_any_size():
    found = exactness(load_model("bfs"), larger=True)
    assert {size: scores.graphs for size, scores in found.larger.items()} == {
        "30": 7,
        "600": 7,
    }
    for scores in found.larger.values():
        assert scores.graphs_right == scores.formula_graphs_right == 100
    table = exactness_table([shown(load_model("bfs"), found)])
    assert table is not None
    assert [row[2] for row in table.rows] == ["20", "30", "600"]
    assert table.rows[0][1] == "1 of 1"


def test_what_was_spoilt_is_told():
    run = load_model("bfs")
    with torch.no_grad():
        for parameter in run.network.decoders["visited"].last.parameters():
            parameter.neg_()  # visited where it is not
    found = exactness(run, larger=True)
    right = [scores.figure("graphs_right") for scores in found.larger.values()]
    assert all(figure is not None and figure.mean < 100 for figure in right)
    table = exactness_table([shown(run, found)])
    assert table is not None
    assert table.rows[0][1] == "0 of 1"


def test_a_table_counts_the_cases_of_the_proof_apart_from_what_was_tried():
    run = shown(load_model("bfs"), ExactnessRecord({}))
    cases = sum(check.cases for check in run.certificates[0].checks if check.basis is Basis.PROOF)
    assert f"by {cases:,} cases" in " ".join(_table(run).notes)


def test_without_a_certificate_of_these_weights_none_is_certified():
    run = replace(shown(load_model("bfs"), ExactnessRecord({})), certificates=())
    assert _table(run).rows[0][1] == "0 of 1"
    assert "bfs: no certificate is here that is about these weights." in _table(run).notes


def _table(run: ShownModel) -> Table:
    table = exactness_table([run])
    assert table is not None
    return table


def test_without_large_graphs_there_are_none():
    assert exactness(load_model("bfs"), larger=False).larger == {}


def test_no_exact_network_no_table():
    assert (
        exactness_table([replace(shown(load_model("bfs"), ExactnessRecord({})), study=None)])
        is None
    )
