"""Certificates as they are written: of what ships, of a training from nothing, and of what was spoilt."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.certification import Basis, certify, prove
from algolens.certification.trials import small_graphs
from algolens.data import fixed
from algolens.errors import AlgoLensError
from algolens.experiment import SHIPPED, load_run, preset
from algolens.graphs import Recipe
from algolens.models import Network
from algolens.training import Fit
from tests.models.memoryless.test_perceiver import random_network as memoryless
from tests.models.networks import random_network


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_what_ships_carries_its_certificate(name):
    written = json.loads((SHIPPED / name / "certificate.json").read_text())
    assert written == certify(load_run(name).network.only(0)).to_json()
    assert written["proven"]
    assert {check["kind"] for check in written["checks"]} == {basis.value for basis in Basis}
    small = [check for check in written["checks"] if check["name"] == "small graphs"]
    assert any("1252 graphs of up to 7 nodes" in check["says"] for check in small)


@pytest.mark.parametrize(("name", "size"), [("bfs", 20), ("kruskal", 8)])
def test_a_training_from_nothing_ends_with_a_proof(name, size):
    made = preset("exact", algorithm(name))
    schedule = replace(made.schedule, enough=1)
    recipe = Recipe(("ladder", "erdos_renyi"), size=size, train=2, held_out=2, test_sizes=())
    sets = fixed(made.find_algorithm(), 0, recipe)
    fit = Fit(sets, made.architecture, schedule, (7,), torch.device("cpu"))
    history = list(fit)
    assert len(history) < schedule.epochs
    assert [epoch.unproven == [0] for epoch in history] == [False] * (len(history) - 1) + [True]
    assert not any(finding.check.failures for finding in prove(fit.result()))


@pytest.mark.parametrize(("name", "exchange"), [("bfs", "exchange"), ("kruskal", "edges")])
def test_a_spoilt_network_is_caught_by_every_kind_of_check(name, exchange):
    network = load_run(name).network.only(0)
    with torch.no_grad():
        dict(network.named_parameters())[f"perceiver.{exchange}.conclude.last.bias"].add_(100.0)
    certificate = certify(network)
    assert not certificate.proven
    failed = {check.basis for check in certificate.checks if check.failures}
    assert failed == set(Basis)
    assert next(check for check in certificate.checks if check.name == "small graphs").counterexample


def test_what_is_only_drawn_is_not_called_exhaustive():
    """Numbers that may be equal have too many values to go through."""
    checks = small_graphs(memoryless("contagion"))
    assert [(check.basis, check.cases) for check in checks] == [(Basis.SAMPLED, 12_520)]


def test_what_cannot_be_proven_is_refused():
    with pytest.raises(AlgoLensError, match=r"keeps a memory of numbers between steps.*the preset 'exact'"):
        certify(random_network("bfs"))
    many = load_run("bfs").network
    two = Network(many.algorithm, many.architecture, (0, 1))
    with pytest.raises(AlgoLensError, match="one seed is certified at a time, and 2 came"):
        certify(two)
