"""What lies beside weights and is not about them: it is said, and neither shown nor used."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from benchmarks.model_cards import model_card
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from safetensors.torch import load_file, save_file

import algolens as al
from algolens.algorithms import SHIPPED, algorithm
from algolens.errors import AlgoLensError
from algolens.experiment.model import Model, load_model, save_certificates
from algolens.experiment.shipped import Shipped
from algolens.graphs import Recipe
from algolens.models import Network
from algolens.proofs import certificate as module
from algolens.proofs.certificate import Basis, Claimed, certificate_subject
from algolens.proofs.certify import certify_network
from algolens.reading import through_json
from algolens.reproduction.gathering import shown_model
from algolens.reproduction.headline import seeds_certified
from algolens.reproduction.tables import certified_note
from tests.models.networks import few


@pytest.fixture
def folder(tmp_path) -> Path:
    """A model's folder with rules and a certificate."""
    return Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "run"))


def change_weights(folder: Path, amount: float = 1e-6) -> None:
    weights = load_file(folder / "weights.safetensors")
    weights["perceiver.stages.goes_on.head_last.bias"] += amount
    save_file(weights, folder / "weights.safetensors")


def edit(path: Path, **parts: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **parts}))


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_what_ships_fits_its_weights(name):
    found = load_model(name)
    assert found.notes == (), "run `make shipped`"
    assert found.rule_sets is not None
    assert found.claimed is not None
    assert [each.proven for each in found.certificates] == [True]


@few
@given(st.sampled_from([-1e-6, 1e-6, 1.0, -100.0]))
def test_rules_and_certificates_of_other_weights_are_not_taken(tmp_path_factory, amount):
    folder = Path(shutil.copytree(SHIPPED / "bfs", tmp_path_factory.mktemp("other") / "run"))
    change_weights(folder, amount)
    found = load_model(folder)
    assert found.rules is None
    assert found.claimed is None
    rules, certificate = found.notes
    assert f"{folder}/rule_sets.json is about other weights" in rules
    assert f"`algolens explain {folder} --redraw`" in rules
    assert f"{folder}/certificate.json is about other weights" in certificate
    assert f"`algolens certify {folder}`" in certificate
    assert "\n" not in rules + certificate


def test_a_certificate_of_another_run_is_not_taken(folder):
    shutil.copy(SHIPPED / "coloring" / "certificate.json", folder)
    assert load_model(folder).claimed is None
    assert "is about another algorithm, option, architecture or seed" in load_model(folder).notes[0]


def test_a_certificate_by_other_code_is_not_taken_but_rules_are(folder, monkeypatch):
    monkeypatch.setattr(module, "layer_files", lambda _: [])  # as if it had been written otherwise
    module.code_fingerprint.cache_clear()
    found = load_model(folder)
    module.code_fingerprint.cache_clear()
    assert found.claimed is None
    assert "is about other code" in found.notes[0]
    assert found.rules is not None


# ---- what a file claims


def forged(folder: Path) -> Path:
    """A run whose network is spoilt, with a certificate about these weights and this code that says
    it is proven.
    """
    right = through_json(to_builtins(certify_network(load_model("bfs").network.only(0))))
    change_weights(folder, 1000.0)
    about = certificate_subject(load_model(folder).network.only(0))
    (folder / "certificate.json").write_text(json.dumps({**right, "about": about}))
    edit(folder / "scores.json", about=about)  # as one who edits all of it would
    return folder


def test_a_verdict_that_a_file_claims_is_not_believed(folder):
    found = load_model(forged(folder))
    assert found.claimed is not None
    assert found.claimed[0].proven
    assert found.claimed is not None
    (shown,) = found.certificates
    assert not shown.proven
    assert {check.name for check in shown.checks if check.failures} == {"goes_on"}
    assert {check.basis for check in shown.checks if isinstance(check, Claimed)} == {
        Basis.EXHAUSTIVE,
        Basis.SAMPLED,
    }
    assert not found.is_proven
    assert repr(found).endswith("not proven)")


def test_a_report_and_a_card_show_what_is_proven_not_what_is_claimed(folder):
    run = shown_model(forged(folder))
    assert seeds_certified([run]) == (0, 1)
    assert "not proven, by" in certified_note(run)
    assert "a file claims" in certified_note(run)
    card = model_card(folder, run.certificates[0])
    assert "**It is not proven.**" in card
    assert "| goes_on |" in card
    assert "as `certificate.json` claims" in card


@pytest.mark.parametrize("changed", ["weights", "declaration"])
def test_a_certificate_about_other_files_than_those_beside_it_proves_nothing_in_the_list(
    folder, monkeypatch, changed
):
    monkeypatch.setattr("algolens.algorithms._discovery.SHIPPED", folder.parent)
    folder = folder.rename(folder.with_name("bfs"))
    Shipped.of.cache_clear()  # it is read once a process
    assert Shipped.of("bfs").proven is True
    Shipped.of.cache_clear()
    if changed == "weights":
        change_weights(folder)
    else:
        edit(folder / "declaration.json", loops_matter=True)
    assert Shipped.of("bfs").proven is False
    Shipped.of.cache_clear()


@pytest.mark.parametrize(
    "checks",
    [3, [3], [{}], [{"name": "x", "kind": "proof", "cases": "1", "failures": 0, "says": ""}]],
)
def test_checks_of_another_form_are_not_taken(folder, checks):
    edit(
        folder / "certificate.json",
        about=certificate_subject(load_model(folder).network.only(0)),
        checks=checks,
    )
    found = load_model(folder)
    assert found.claimed is None
    assert "certificate.json, checks" in found.notes[0]


def forge(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes what rule_sets.json says of a seed, with the fingerprint of the weights there."""
    written = json.loads((folder / "rule_sets.json").read_text())
    change(written["seeds"][0])
    written["about"] = certificate_subject(load_model(folder).network)
    (folder / "rule_sets.json").write_text(json.dumps(written))


def swap_rules(entry: dict[str, Any]) -> None:
    for of in (entry["rule_set"]["rules"]["visited"], entry["outputs"]["visited"]["classes"]):
        of["true"], of["false"] = of["false"], of["true"]


def stop_at_once(entry: dict[str, Any]) -> None:
    entry["rule_set"]["continues"], entry["termination"]["rule"] = (
        ["exists", False],
        "exists n: False",
    )


def call_unread(entry: dict[str, Any]) -> None:
    entry["outputs"]["visited"]["read"] = False


def tell_another(entry: dict[str, Any]) -> None:
    entry["outputs"]["visited"]["classes"]["true"]["formula"] = "has_been_visited"


@pytest.mark.parametrize("change", [swap_rules, stop_at_once, call_unread, tell_another])
def test_rules_that_the_network_does_not_decide_by_are_not_taken(folder, change):
    forge(folder, lambda _: None)
    assert load_model(folder).rules is not None
    forge(folder, change)
    found = load_model(folder)
    assert found.rules is None
    assert "holds rules that are not the network's: it is not used." in found.notes[0]
    assert "\n" not in found.notes[0]


def test_right_rules_beside_wrong_weights_are_not_taken(folder, monkeypatch):
    """Nor is the network then called equal to its algorithm."""
    recipe = Recipe(families=("ladder",), size=12, train=10, held_out=3, test_sizes=(12,))
    monkeypatch.setattr(type(algorithm("bfs")), "recipe", recipe)
    monkeypatch.setenv("ALGOLENS_CACHE", str(folder / "cache"))
    weights = load_file(folder / "weights.safetensors")
    for part in ("weight", "bias"):
        weights[f"decoders.visited.last.{part}"] *= -1
    save_file(weights, folder / "weights.safetensors")
    forge(folder, lambda _: None)
    assert load_model(folder).rules is None
    assert al.compare(folder, "bfs").differ
    assert not al.explain(folder).is_right


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("rule_sets.json", "about: expected 'object', got 'null'"),
        ("certificate.json", "about: expected 'object', got 'null'"),
    ],
)
def test_what_names_no_weights_is_not_taken(folder, file, said):
    edit(folder / file, about=None)
    found = load_model(folder)
    assert [file in note and said in note for note in found.notes] == [True]
    assert (found.rules is None) == (file == "rule_sets.json")
    assert (found.claimed is None) == (file == "certificate.json")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", "{}", '{"seeds": 3}', '{"seeds": [{}]}', '{"seed": 0}', '"proven"'],
)
def test_a_damaged_certificate_is_not_taken(folder, content):
    (folder / "certificate.json").write_text(content)
    found = load_model(folder)
    assert found.claimed is None
    assert len(found.notes) == 1
    assert "algolens certify" in found.notes[0]
    assert "\n" not in found.notes[0]


def test_every_seed_of_a_run_has_its_own_fingerprint(tmp_path):
    """Certificates of two seeds fit in their order alone."""
    trained = load_model("bfs")
    two = Network(trained.network.algorithm, trained.network.architecture, (0, 1))
    one = trained.network.state_dict()
    weights = {name: torch.cat([value, value]) for name, value in one.items()}
    weights["perceiver.stages.goes_on.head_last.bias"][1] += 0.001
    two.load_state_dict(weights)
    experiment = trained.experiment.from_json({**trained.experiment.to_json(), "seeds": [0, 1]})
    Model(experiment, two, {}).save(tmp_path / "two")
    certificates = [certify_network(two.only(place)) for place in range(2)]
    save_certificates(tmp_path / "two", two, certificates)
    found = load_model(tmp_path / "two")
    assert found.notes == ()
    assert found.claimed is not None
    assert [each.seed for each in found.certificates] == [0, 1]
    written = json.loads((tmp_path / "two" / "certificate.json").read_text())
    first, second = written["seeds"]
    edit(
        tmp_path / "two" / "certificate.json",
        seeds=[{**first, "about": second["about"]}, {**second, "about": first["about"]}],
    )
    assert load_model(tmp_path / "two").claimed is None


def test_weights_with_a_buffer_that_no_training_leaves_are_refused(folder):
    weights = load_file(folder / "weights.safetensors")
    weights["decoders.visited.kept"].neg_()
    save_file(weights, folder / "weights.safetensors")
    with pytest.raises(
        AlgoLensError,
        match=r"run: experiment.json and weights.safetensors do not fit.*kept.*holds -1\)",
    ) as told:
        load_model(folder)
    assert "\n" not in str(told.value)
