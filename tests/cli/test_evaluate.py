"""``algolens evaluate``: on which graphs, and mistakes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from algolens.algorithms import algorithm
from algolens.data import held_out
from algolens.evaluation import score_network, seeds_summary
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.model import load_model
from algolens.graphs import Recipe
from algolens.reading import as_record
from algolens.reproduction.gathering import shown_model


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sizes", "ten"), "--sizes 'ten' should be whole numbers"),
        (("--sizes", "10,10"), "names a number twice"),
        (("--sizes", "10,"), "--sizes '10,' should be whole numbers"),
        (("--sizes", "0"), "a number of --sizes is 0: give a whole number from 1"),
        (("--sizes", "1"), "too few different graphs of 1 nodes"),
        (("--device", "tpu"), "device 'tpu' is none of auto, cpu, cuda"),
    ],
)
def test_a_mistake_in_evaluating_gets_one_line(run, words, complaint):
    status, out, err = run("evaluate", "bfs", "--json", *words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


def test_evaluating_what_is_no_run_gets_one_line(run, tmp_path):
    status, _, err = run("evaluate", str(tmp_path / "nowhere"))
    assert status == 2
    assert "there is no model here" in err
    assert err.count("\n") == 1


def flat(scores: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Scores within scores by one name each. Processors add in different orders, so they are
    compared nearly.
    """
    found: dict[str, Any] = {}
    for name, value in scores.items():
        found |= (
            flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
        )
    return found


@pytest.mark.usefixtures("small_sets")
def test_a_run_is_scored_on_fresh_graphs_and_says_which(run, tmp_path):
    folder = str(tmp_path / "run")
    assert (
        run("train", "bfs", "--preset", "paper", "--epochs", "1", "--out", folder, "--json")[0] == 0
    )
    status, out, _ = run(
        "evaluate", folder, "--data-seed", "777", "--graphs", "11", "--sizes", "8,14", "--json"
    )
    found = json.loads(out)
    assert status == 0
    assert found["test_graphs"] == {
        "data_seed": 777,
        "fresh": True,
        "of_each_size": {"ladder": 6, "tree": 5},
    }
    recipe = Recipe(
        families=("ladder", "tree"), size=8, train=10, held_out=3, test_sizes=(), tested=11
    )
    # so few graphs are apart from the model's own without being told
    tests = held_out(algorithm("bfs"), (8, 14), 777, recipe)
    expected = seeds_summary(score_network(load_model(folder).network, tests))
    for size, scores in expected.items():
        assert scores["graphs"] == 11
        told_scores = flat(found["sizes"][size])
        assert {name: told_scores[name] for name in flat(scores)} == pytest.approx(flat(scores))
    status, out, _ = run("evaluate", folder, "--data-seed", "777", "--graphs", "11", "--sizes", "8")
    told = " ".join(out.split())
    assert (
        "drawn with data seed 777, at each size 6 of ladder; 5 of tree. None is in the model's own "
        "sets, of data seed 0." in told
    )

    own = json.loads(run("evaluate", folder, "--sizes", "8", "--json")[1])
    assert own["test_graphs"] == {
        "data_seed": 0,
        "fresh": False,
        "of_each_size": {"ladder": 3, "tree": 3},
    }
    kept = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert flat(own["sizes"]["8"]) == pytest.approx(flat(kept["sizes"]["8"]))
    assert (
        json.loads(run("evaluate", folder, "--sizes", "8", "--data-seed", "0", "--json")[1]) == own
    )


def test_a_data_seed_is_no_negative_number(run):
    assert run("evaluate", "bfs", "--data-seed", "-1")[0] == 2


@pytest.mark.usefixtures("small_sets")
def test_scores_on_fresh_graphs_are_kept_beside_the_run_and_go_with_it(run, tmp_path):
    folder = tmp_path / "run"
    training = (
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "1",
        "--out",
        str(folder),
        "--json",
    )
    assert run(*training)[0] == 0
    status, out, _ = run(
        "evaluate",
        str(folder),
        "--data-seed",
        "777",
        "--graphs",
        "11",
        "--sizes",
        "8",
        "--save",
        "--json",
    )
    assert status == 0
    kept = json.loads((folder / "scores-fresh.json").read_text())
    assert kept == {**json.loads(out), "about": kept["about"]}
    assert shown_model(folder).fresh == as_record(kept, ScoresRecord, "")
    # other weights: what was measured of the old ones is gone
    assert run(*training, "--overwrite")[0] == 0
    assert shown_model(folder).fresh is None


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    "words", [(), ("--data-seed", "0"), ("--data-seed", "777", "--by", "rules")]
)
def test_only_scores_of_networks_on_fresh_graphs_are_kept(run, tmp_path, words):
    folder = tmp_path / "run"
    assert (
        run("train", "bfs", "--preset", "paper", "--epochs", "1", "--out", str(folder), "--json")[0]
        == 0
    )
    status, out, err = run("evaluate", str(folder), "--sizes", "8", "--save", *words)
    assert (status, out) == (2, "")
    assert "--save keeps scores of a folder's networks on fresh graphs" in err
    assert err.count("\n") == 1
    assert not (folder / "scores-fresh.json").exists()
