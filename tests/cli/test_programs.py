"""Programs that stand alone, by the command: written, run, compared, distilled."""

from __future__ import annotations

import copy
import json

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.data import small_graphs
from algolens.engines import program, run_algorithm
from algolens.engines.program import Program
from algolens.experiment.explain import account
from algolens.experiment.model import load_model
from algolens.graphs import Graph, Recipe
from algolens.models.exact import Exact
from algolens.proofs import certify
from tests.models.networks import right_bfs


@pytest.mark.usefixtures("small_sets")
def test_explain_tells_what_each_concept_means(run):
    status, out, _ = run("explain", "k_core", "--json")
    found = {each["name"]: each for each in json.loads(out)["meanings"]}
    assert status == 0
    assert found["has_enough_neighbours"]["found"] == "at least 3 neighbours (in_core)"
    assert all(each["equal_in_every_case"] and each["proven_smallest"] for each in found.values())
    status, out, _ = run("explain", "k_core", "--cases", "met")
    assert status == 0
    assert "came upon" in out


def test_of_a_network_with_a_memory_it_is_told_on_samples(run, bfs_that_is_right):
    status, out, _ = run("explain", str(bfs_that_is_right), "--json")
    found = {each["name"]: each for each in json.loads(out)["sampled_meanings"]}
    assert status == 0
    assert found["has_visited_neighbours"]["found"] == "visited | some predecessor (visited)"
    assert found["has_visited_neighbours"]["fidelity"] == 1.0
    assert found["has_visited_neighbours"]["found_is_as_declared"] is True
    _, out, _ = run("explain", str(bfs_that_is_right))
    assert "samples of the network's own runs" in " ".join(out.split())


def test_a_program_is_written_run_and_compared(run, bfs_that_is_right, tmp_path):
    path = str(tmp_path / "mine.json")
    assert run("explain", str(bfs_that_is_right), "--save", path)[0] == 0
    status, out, _ = run("execute", path, "nx:petersen", "--source", "3", "--json")
    assert status == 0
    # what it is called, and a program knows no options
    other = dict.fromkeys(["algorithm", "options", "asked"])
    named = json.loads(run("execute", "bfs", "nx:petersen", "--source", "3", "--json")[1])
    assert json.loads(out) | other == named | other
    status, out, _ = run("compare", "bfs", path)
    assert status == 0
    assert "That is proven, case by case" in " ".join(out.split())
    assert json.loads(run("compare", str(bfs_that_is_right), path, "--json")[1])["proven"] is True
    status, out, err = run("explain", str(bfs_that_is_right), "--save", path)
    assert (status, out) == (2, "")
    assert "is there already" in err
    assert "ends in .json" in run("explain", "bfs", "--save", str(tmp_path / "mine.txt"))[2]


@pytest.mark.usefixtures("small_sets")
def test_sql_is_a_format_too(run):
    status, out, _ = run("explain", "components", "--format", "sql")
    assert status == 0
    assert 'CREATE TABLE "node"' in out
    assert "-- a step" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("execute", "nowhere.json", "nx:petersen"), "cannot be read"),
        (("execute", "{path}", "nx:petersen", "--by", "network"), "which has no network"),
        (("execute", "{path}", "nx:petersen", "--option", "colors=3"), "as it was written"),
        (("compare", "{path}", "coloring"), "only programs for one task"),
        (("compare", "{path}", "nothing"), "nothing"),
    ],
)
def test_what_cannot_be_done_with_a_program_is_said_in_one_line(run, tmp_path, words, told):
    Program.of(algorithm("bfs")).save(tmp_path / "mine.json")
    status, out, err = run(*(word.format(path=tmp_path / "mine.json") for word in words))
    assert (status, out) == (2, "")
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_a_network_is_distilled_into_one_that_is_proven(
    run, bfs_that_is_right, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        program, "Recipe", lambda directed: Recipe(("tree",), 8, 10, 3, (8,), directed)
    )
    monkeypatch.setattr(small_graphs, "MOST_NODES", {False: 4, True: 3})
    monkeypatch.setattr(certify, "SAMPLED_SIZES", (20,))
    folder = tmp_path / "twin"
    status, out, _ = run(
        "distil",
        str(bfs_that_is_right),
        "--out",
        str(folder),
        "--graphs",
        "tree:12",
        "--graphs",
        "tree:9",
        "--json",
    )
    found = json.loads(out)
    assert status == 0
    assert found["twin_proven"] is found["beside_the_declared"]["proven"] is True
    assert found["accounts"] == [
        {"name": "given", "graphs": 2, "differing": 0, "first_differences": []}
    ]
    # the twin is a model as any other, of the program that was found
    assert run("execute", str(folder), "nx:petersen", "--source", "3")[0] == 0
    assert json.loads(run("compare", str(folder), "bfs", "--json")[1])["proven"] is True
    assert load_model(folder).certificates is not None


def test_an_account_tells_where_a_network_differs_from_its_twin():
    twin = copy.deepcopy(load_model("bfs").network.only(0))
    assert isinstance(twin.perceiver, Exact)
    bias = twin.perceiver.stages["has_visited_neighbours"].head_last.bias
    assert bias is not None
    with torch.no_grad():
        bias.fill_(100.0)
    graph, inputs = Graph.pack([4], [(0, 1), (1, 2)]), {"source": torch.tensor([0])}
    truth = run_algorithm(algorithm("bfs"), graph, inputs)
    found = account(right_bfs(), twin, "given", [truth])
    assert (found.graphs, found.differing) == (1, 1)
    (mistake,) = found.mistakes
    assert (mistake.step, mistake.field, mistake.element) == (1, "has_visited_neighbours", 2)
    told = found.to_json()["first_differences"][0]
    assert (told["found"], told["twin"]) == ("false", "true")
    assert truth.num_steps == 2


def test_what_sees_in_python_has_no_program(run, tmp_path):
    status, _, err = run("distil", "kruskal", "--seed", "7", "--out", str(tmp_path / "x"))
    assert status == 2
    assert "seed 7 is not in this model" in err
