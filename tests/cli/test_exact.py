"""What ships, as a person uses it: an algorithm's name in the place of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import networkx as nx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from algolens.algorithms import SHIPPED, algorithm
from algolens.experiment.model import Model, extract_all, load_model
from algolens.graphs import Recipe
from algolens.text.learnt import proof_in_words

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small_sets(monkeypatch):
    recipe = Recipe(families=("ladder", "caveman"), size=12, train=10, held_out=3, test_sizes=(12,))
    for name in ("bfs", "coloring"):
        monkeypatch.setattr(type(algorithm(name)), "recipe", recipe)


@pytest.fixture
def spoilt(tmp_path):
    """A model's folder, of a BFS network that takes every node for visited."""
    trained = load_model("bfs")
    _spoil(trained)
    Model(trained.experiment, trained.network, {}).save(tmp_path / "spoilt")
    return tmp_path / "spoilt"


def _spoil(trained: Model) -> None:
    with torch.no_grad():
        for stage in ("has_been_visited", "has_visited_neighbours"):
            dict(trained.network.named_parameters())[
                f"perceiver.stages.{stage}.head_last.bias"
            ].add_(1000.0)


def test_what_ships_is_certified_from_its_name(run):
    status, out, _ = run("certify", "bfs", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["algorithm"] == "bfs"
    assert found["proven"] is True
    assert all({"name", "cases", "failures", "kind"} <= set(check) for check in found["checks"])
    assert all(check["failures"] == 0 < check["cases"] for check in found["checks"])
    status, out, _ = run("certify", "bfs")
    assert status == 0
    told = " ".join(out.split())
    assert ("proven right on every graph" in told) is found["proven"]


def test_a_spoilt_run_is_not_certified_and_its_certificate_says_why(run, spoilt):
    status, out, _ = run("certify", str(spoilt), "--json")
    found = json.loads(out)
    assert status == 1
    assert found["proven"] is False
    assert json.loads((spoilt / "certificate.json").read_text()) == found
    told = next(
        check["counterexample"]
        for check in found["checks"]
        if check["name"] == "has_visited_neighbours"
    )
    assert "is found True and is False" in told
    assert "is found True and is False" in " ".join(
        run("certify", str(spoilt))[1].replace("│", " ").split()
    )


@pytest.mark.usefixtures("small_sets")
def test_a_run_with_memory_cannot_be_certified(run, tmp_path):
    assert (
        run(
            "train",
            "bfs",
            "--preset",
            "paper",
            "--epochs",
            "1",
            "--out",
            str(tmp_path / "paper"),
            "--json",
        )[0]
        == 0
    )
    status, out, err = run("certify", str(tmp_path / "paper"))
    assert status == 2
    assert "--preset exact" in err
    assert out == ""


@pytest.mark.parametrize("by", ["network", "rules", "algorithm"])
def test_everything_that_can_carry_an_algorithm_out_agrees(run, by):
    words = ("execute", "bfs", VILLAGE, "--source", "Mill", "--by", by)
    found = json.loads(run(*words, "--json")[1])
    assert found["by"] == by
    assert found["agrees"] is True
    assert found["steps"] == 4
    assert [node for node, visited in found["outputs"]["visited"].items() if not visited] == [
        "Ferry",
        "Island",
    ]
    assert ("It agrees with the algorithm in every step." in run(*words)[1]) == (by != "algorithm")
    assert found["compared"] == [
        "has_been_visited",
        "has_visited_neighbours",
        "visited",
        "going on",
    ]


@pytest.mark.parametrize("by", ["network", "rules", "algorithm"])
def test_weights_of_any_kind_are_ranked_with_a_note(run, tmp_path, by):
    """Fractions, negative ones and ones that are too large: the tree is NetworkX's."""
    edges = [
        ("a", "b", 0.5),
        ("b", "c", -3),
        ("a", "c", 0.75),
        ("c", "d", 5e6),
        ("d", "e", 2),
        ("b", "e", 1e7),
        ("x", "y", 1),
    ]
    file = tmp_path / "weighted.csv"
    file.write_text(
        "source,target,weight\n" + "".join(f"{u},{v},{weight}\n" for u, v, weight in edges)
    )
    status, out, err = run("execute", "kruskal", str(file), "--by", by, "--json")
    found = json.loads(out)
    assert status == 0
    assert "weight of each edge is replaced by its rank" in " ".join(err.split())
    assert found["agrees"] is True
    graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    tree = {frozenset(pair) for pair in nx.minimum_spanning_edges(graph, data=False)}
    assert {
        frozenset((each["source"], each["target"]))
        for each in found["outputs"]["in_mst"]
        if each["value"]
    } == tree


def test_kruskals_exact_rules_are_the_true_ones(run):
    found = json.loads(run("explain", "kruskal", "--json")[1])
    assert found["equal_on_all"] is True
    assert found["continues"] is None


def test_a_network_that_differs_says_where_first(run, spoilt):
    words = ("execute", str(spoilt), VILLAGE, "--source", "Mill", "--by", "network")
    found = json.loads(run(*words, "--json")[1])
    assert found["agrees"] is False
    assert found["first_mistake"] == {
        "graph": 0,
        "nodes": 9,
        "step": 1,
        "field": "has_been_visited",
        "at": "node",
        "element": 1,
        "name": "Bridge",
        "wrong": 8,
        "found": "true",
        "true": "false",
    }
    told = (
        "It first differs from the algorithm at step 1: has_been_visited of node Bridge is true, "
        "and false by the algorithm."
    )
    assert told in " ".join(run(*words)[1].split())


def test_a_network_keeps_its_options(run):
    status, _, err = run(
        "execute", "coloring", "nx:karate_club", "--by", "network", "--option", "colors=6"
    )
    assert status == 2
    assert "colors=5, bits=62" in err


@pytest.mark.usefixtures("small_sets")
def test_by_rules_the_network_sees_and_alone_they_need_none(run, tmp_path):
    """A network that sees wrongly beside rules that are right: one meaning of each name in every
    command.
    """
    trained = load_model("bfs")
    right = extract_all(trained.network, trained.experiment.data().train)
    _spoil(trained)
    folder = str(tmp_path / "blind")
    Model(trained.experiment, trained.network, {}, right).save(tmp_path / "blind")
    words = ("execute", folder, VILLAGE, "--source", "Mill", "--json", "--by")
    by_rules = json.loads(run(*words, "rules")[1])
    assert (by_rules["by"], by_rules["agrees"]) == ("rules", False)
    assert by_rules["first_mistake"]["field"] == "has_been_visited"
    scored = json.loads(run("evaluate", folder, "--sizes", "12", "--by", "rules", "--json")[1])
    assert scored["by"] == "rules"
    assert scored["sizes"]["12"]["formula_graphs_right"] == 0.0


def test_a_run_without_rules_cannot_run_by_them(run, spoilt):
    status, _, err = run("execute", str(spoilt), VILLAGE, "--by", "rules")
    assert status == 2
    assert "no rules were drawn" in err


@pytest.mark.usefixtures("small_sets")
def test_what_ships_is_scored_and_explained_by_its_name(run):
    found = json.loads(
        run("evaluate", "bfs", "--sizes", "10,600", "--graphs", "3", "--first-mistakes", "--json")[
            1
        ]
    )
    assert found["sizes"]["10"]["graphs"] == found["sizes"]["600"]["graphs"] == 3
    assert found["sizes"]["10"]["graphs_right"] == found["sizes"]["600"]["graphs_right"] == 100.0
    assert found["first_mistakes"]["600"] == [{"seed": 0, "graphs_wrong": 0, "mistakes": []}]
    assert "No mistake" in run("evaluate", "bfs", "--sizes", "10", "--first-mistakes")[1]
    assert json.loads(run("explain", "bfs", "--json")[1])["equal_on_all"] is True


@pytest.mark.usefixtures("small_sets")
def test_first_mistakes_of_a_spoilt_run_are_shown(run, spoilt):
    found = json.loads(
        run("evaluate", str(spoilt), "--sizes", "12", "--first-mistakes", "--json")[1]
    )
    entry = found["first_mistakes"]["12"][0]
    assert entry["graphs_wrong"] == 6
    assert entry["mistakes"][0]["field"] == "has_been_visited"
    assert (
        "First mistakes: 6 graphs"
        in run("evaluate", str(spoilt), "--sizes", "12", "--first-mistakes")[1]
    )


def test_no_run_and_no_algorithm_gets_one_line_with_what_ships(run):
    status, _, err = run("certify", "nowhere")
    assert status == 2
    assert "bfs" in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("small_sets")
def test_training_says_whether_the_network_is_proven(run, tmp_path):
    status, out, _ = run(
        "train", "bfs", "--preset", "exact", "--epochs", "1", "--out", str(tmp_path / "short")
    )
    assert status == 0
    assert "Not proven right: seed 0 in " in out


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_training_says_proven_only_where_no_case_is_wrong(unproven):
    told = proof_in_words(tuple(range(len(unproven))), unproven)
    assert told.startswith("Proven right on every graph") == (not any(unproven))
    assert told.startswith("Not proven") == any(unproven)


@pytest.mark.usefixtures("small_sets")
def test_training_to_the_end_says_that_it_is_proven(run, tmp_path):
    status, out, _ = run("train", "bfs", "--preset", "exact", "--out", str(tmp_path / "whole"))
    assert status == 0
    assert "Proven right on every graph" in out


# ---- what is not about the weights beside it


@pytest.fixture
def stale(tmp_path):
    """A model's folder with rules that are wrong and a certificate, both of other weights."""
    folder = Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "stale"))
    weights = load_file(folder / "weights.safetensors")
    weights["perceiver.stages.goes_on.head_last.bias"] += 1e-6
    save_file(weights, folder / "weights.safetensors")
    written = json.loads((folder / "rule_sets.json").read_text())
    rules = written["seeds"][0]["rule_set"]["rules"]["visited"]
    rules["true"], rules["false"] = rules["false"], rules["true"]
    (folder / "rule_sets.json").write_text(json.dumps(written))
    return folder


def noted(err: str, folder: Path) -> None:
    notes = [line for line in err.splitlines() if line.startswith("note:")]
    assert f"{folder}/rule_sets.json is about other weights: it is not used." in notes[0]
    assert (
        f"{folder}/certificate.json is about other weights: it is not used. Run `algolens certify "
        f"{folder}`." in notes[1]
    )


@pytest.mark.usefixtures("small_sets")
def test_scores_by_rules_are_by_those_of_the_weights(run, stale):
    status, out, err = run("evaluate", str(stale), "--sizes", "10", "--graphs", "3", "--json")
    assert status == 0
    assert json.loads(out)["sizes"]["10"]["formula_mean_step"] == 100.0
    noted(err, stale)


@pytest.mark.usefixtures("small_sets")
def test_rules_are_explained_as_the_weights_have_them_and_kept_when_asked_to(run, stale):
    before = (stale / "rule_sets.json").read_text()
    status, out, err = run("explain", str(stale), "--json")
    assert status == 0
    assert json.loads(out)["equal_on_all"] is True
    noted(err, stale)
    assert (stale / "rule_sets.json").read_text() == before
    status, out, err = run("explain", str(stale), "--redraw", "--json")
    assert status == 0
    assert err == ""
    assert json.loads(out)["equal_on_all"] is True
    assert run("certify", str(stale))[0] == 0
    _, again, err = run("explain", str(stale), "--json")
    assert again == out
    assert err == ""


def test_what_ships_is_not_redrawn(run):
    status, _, err = run("explain", "bfs", "--redraw")
    assert status == 2
    assert "stays as it came" in err


def test_a_run_by_rules_of_other_weights_is_refused(run, stale):
    words = ("execute", str(stale), VILLAGE, "--source", "Mill", "--by")
    status, out, err = run(*words, "rules")
    assert (status, out) == (2, "")
    assert f"{stale}/rule_sets.json is about other weights" in err
    assert f"`algolens explain {stale} --redraw`" in " ".join(err.splitlines()[-1:])
    status, out, err = run(*words, "network", "--json", "--trace")
    assert json.loads(out)["agrees"] is True
    assert f"{stale}/rule_sets.json is about other weights" in err
    assert "'because' goes by the algorithm's own" in err
    assert json.loads(out)["trace"][0]["because"]["visited"]["Market"] == "~has_visited_neighbours"


def test_the_exact_preset_has_no_other_processor(run, tmp_path):
    status, _, err = run(
        "train", "bfs", "--preset", "exact", "--processor", "mpnn", "--out", str(tmp_path / "no")
    )
    assert status == 2
    assert "give no processor" in err
