"""Certificates as they are written: of what ships, of a training from nothing, and of what was
spoilt.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples.game_of_life
import pytest
import torch
from msgspec import structs, to_builtins

import algolens
from algolens.algorithms import SHIPPED, algorithm, algorithms
from algolens.algorithms.bfs import Bfs
from algolens.data import fixed
from algolens.errors import AlgoLensError
from algolens.experiment.config import preset
from algolens.experiment.model import load_model
from algolens.graphs import Recipe
from algolens.models import Architecture, Network, misfit
from algolens.models.architecture import EXACT
from algolens.proofs.certificate import Basis, certificate_subject, code_fingerprint
from algolens.proofs.certify import certify_network, larger_graph_trial, small_graph_trials
from algolens.proofs.network import prove
from algolens.reading import through_json
from algolens.training import Fit
from tests.models.networks import random_network


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_what_ships_carries_its_certificate(name):
    written = json.loads((SHIPPED / name / "certificate.json").read_text())
    assert written == through_json(
        to_builtins(certify_network(load_model(name).network.only(0)))
    ), "run `make shipped`"
    assert written["proven"]
    assert {check["kind"] for check in written["checks"]} == {basis.value for basis in Basis}


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


@pytest.mark.parametrize(
    ("name", "stage"), [("bfs", "has_visited_neighbours"), ("kruskal", "lighter_edges_visited")]
)
def test_a_spoilt_network_is_caught_by_every_kind_of_check(name, stage):
    network = load_model(name).network.only(0)
    with torch.no_grad():
        dict(network.named_parameters())[f"perceiver.stages.{stage}.head_last.bias"].add_(1000.0)
    certificate = certify_network(network)
    assert not certificate.proven
    failed = {check.basis for check in certificate.checks if check.failures}
    assert failed == {check.basis for check in certificate.checks}
    assert next(
        check for check in certificate.checks if check.name == "small graphs"
    ).counterexample


# ---- what it rests on


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_a_certificate_is_proven_by_proofs_and_by_nothing_that_failed(name):
    shipped = certify_network(load_model(name).network.only(0))
    assert shipped.proven
    failed = structs.replace(shipped.checks[0], failures=1)
    assert not structs.replace(shipped, checks=(failed,)).proven
    assert not structs.replace(shipped, checks=()).proven
    sampled = tuple(check for check in shipped.checks if check.basis is not Basis.PROOF)
    assert not structs.replace(shipped, checks=sampled).proven


def test_of_what_is_seen_in_python_nothing_can_be_proven():
    with pytest.raises(AlgoLensError, match="sees in Python"):
        Network(algorithm("kruskal_union_find"), Architecture(processor=EXACT), (0,))


# ---- what it is about


def test_a_certificate_names_the_weights_and_the_code_that_it_is_about(monkeypatch):
    network = load_model("bfs").network.only(0)
    certificate = certify_network(network)
    assert certificate.about == certificate_subject(network)
    assert misfit(certificate.about, certificate_subject(network)) is None
    with torch.no_grad():
        dict(network.named_parameters())["decoders.visited.last.bias"].add_(1e-3)
    assert misfit(certificate.about, certificate_subject(network)) == "other weights"
    monkeypatch.setattr(algolens, "__version__", "another")
    code_fingerprint.cache_clear()
    assert (
        misfit(certificate.about, certificate_subject(load_model("bfs").network.only(0)))
        == "other code"
    )
    code_fingerprint.cache_clear()


def test_the_code_of_an_algorithm_is_its_file_and_what_all_are_made_with(tmp_path, monkeypatch):
    def defined(text: str) -> Any:
        """The class of a file of a user's own."""
        (tmp_path / "own.py").write_text(text)
        monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(tmp_path / "own.py"))
        algorithms.cache_clear()
        return algorithms()["game_of_life"]

    shipped: dict[str, Any] = {**algorithms()}
    text = Path(examples.game_of_life.__file__).read_text()
    first = code_fingerprint(defined(text))
    assert first == code_fingerprint(defined(text))
    assert first != code_fingerprint(defined(text + "# changed"))
    assert len({code_fingerprint(shipped[name]) for name in ("bfs", "coloring", "kruskal")}) == 3
    typed = type("Typed", (Bfs,), {"name": "typed", "__module__": "nowhere"})
    assert code_fingerprint(typed) is None
    monkeypatch.undo()
    algorithms.cache_clear()


@pytest.mark.parametrize(
    "layer",
    [
        "errors.py",
        "logic/patterns.py",
        "graphs/graph.py",
        "engines/loop.py",
        "data/small_graphs.py",
    ],
)
def test_all_code_that_a_run_goes_through_counts(layer, tmp_path, monkeypatch):
    """In a copy of the package, one place is changed."""
    root = Path(algolens.__file__).parent
    copied = shutil.copytree(
        root, tmp_path / "copied", ignore=shutil.ignore_patterns("shipped", "__pycache__")
    )
    monkeypatch.setattr(algolens, "__file__", str(copied / "__init__.py"))
    code_fingerprint.cache_clear()
    first = code_fingerprint(Bfs)
    text = (copied / layer).read_text()
    (copied / layer).write_text(
        text.replace("torch.ge", "torch.gt") if "torch.ge" in text else f"{text}# changed"
    )
    code_fingerprint.cache_clear()
    changed = code_fingerprint(Bfs)
    code_fingerprint.cache_clear()
    monkeypatch.undo()
    assert first == code_fingerprint(Bfs)
    assert first != changed


# ---- what is tried


def test_words_say_what_was_gone_through():
    """And a check is called exhaustive where every graph and every input of the stated range was
    run.
    """
    said = {
        name: [
            (check.basis, check.cases, check.says)
            for check in small_graph_trials(load_model(name).network.only(0))
        ]
        for name in ("topological_sort", "bfs", "prim", "coloring")
    }
    start = "Running freely, it is right in every step on all "
    directed, undirected = 1 + 2**2 + 2**6 + 2**12, 1 + 2 + 2**3 + 2**6 + 2**10
    numbering = "in every numbering"
    assert said["topological_sort"] == [
        (
            Basis.EXHAUSTIVE,
            directed,
            f"{start}{directed:,} directed graphs of up to 4 nodes {numbering}.",
        )
    ]
    assert said["bfs"] == [
        (
            basis,
            cases,
            (
                f"{start}{graphs:,} {kind} graphs of up to {most} nodes {numbering}, with every "
                "source."
            ),
        )
        for basis, cases, graphs, kind, most in (
            (
                Basis.EXHAUSTIVE,
                1 + 2 * 2 + 3 * 2**3 + 4 * 2**6 + 5 * 2**10,
                undirected,
                "undirected",
                5,
            ),
            (Basis.EXHAUSTIVE, 1 + 2 * 2**2 + 3 * 2**6 + 4 * 2**12, directed, "directed", 4),
        )
    ]
    all_of_prim = said["prim"]
    assert [basis for basis, _, _ in all_of_prim] == [Basis.EXHAUSTIVE, Basis.SAMPLED]
    assert "with every order of weight (ties too) and every source" in all_of_prim[0][2]
    assert all_of_prim[1][1:] == (
        4 * (2**6 + 2**10),
        f"{start}1,088 undirected graphs of 4 to 5 nodes {numbering}, with inputs drawn 4 times.",
    )
    assert (
        said["coloring"][1][2]
        == f"{start}1,024 undirected graphs of 5 nodes {numbering}, with inputs drawn 4 times."
    )


def test_larger_graphs_are_such_as_the_algorithm_takes():
    said = {
        name: larger_graph_trial(load_model(name).network.only(0))
        for name in ("topological_sort", "bfs", "coloring")
    }
    kinds = {name: check.says.split(" graphs of")[0] for name, check in said.items()}
    assert kinds == {
        "topological_sort": "On random directed",
        "bfs": "On random undirected and directed",
        "coloring": "On random undirected",
    }
    assert not any(check.failures for check in said.values())


def test_what_cannot_be_proven_is_refused():
    with pytest.raises(
        AlgoLensError, match=r"decides by numbers that are no bits.*the preset 'exact'"
    ):
        certify_network(random_network("bfs"))
    many = load_model("bfs").network
    two = Network(many.algorithm, many.architecture, (0, 1))
    with pytest.raises(AlgoLensError, match="one seed is certified at a time, and 2 came"):
        certify_network(two)
