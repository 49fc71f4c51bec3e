"""What no sampled graph shows, all forms of a proven network say as it does: of two numbers of 24
bits, that they are equal.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import Algorithm, Node, category, number
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.graphs import Graph, Recipe
from tests.programs.in_sql import by_sql

PAIRS = [(5, 5), (5, 6), (2**24 - 1, 0), (0, 0), (2**24 - 1, 2**24 - 1), (2**23, 2**23 - 1)]
TRUE = ["draws", "loses", "wins", "draws", "draws", "wins"]


class Duel(Algorithm):
    """Which of two numbers is the larger."""

    recipe = Recipe(families=("ladder", "tree"), size=8, train=10, held_out=3, test_sizes=(8,))

    mine, theirs = Node.input(number(24)), Node.input(number(24))
    result = Node.output(
        category("wins", "draws", "loses"),
        start="wins",
        becomes={"wins": "is_higher", "loses": "is_lower", "draws": "True"},
    )
    is_higher, is_lower = Node.derived("mine > theirs"), Node.derived("mine < theirs")
    goes_on = "some node (is_higher & is_lower)"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALGOLENS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield al.train(Duel, out=tmp_path_factory.mktemp("duel") / "run", progress=False)


@pytest.fixture
def graph() -> nx.Graph:
    pairs = nx.empty_graph(len(PAIRS))
    for node, (mine, theirs) in enumerate(PAIRS):
        pairs.nodes[node].update(mine=mine, theirs=theirs)
    return pairs


@pytest.mark.parametrize("by", ["network", "rules", "algorithm"])
def test_whatever_carries_it_out_says_draws_on_a_tie(model, graph, by):
    assert al.certify(model)
    found = model.execute(graph, by=by)
    assert list(found.result["result"].values()) == TRUE
    assert found.steps == 1


def test_its_rules_rest_on_all_patterns(model):
    explained = al.explain(model)
    seen = explained.extractions[0].outputs["result"].never_seen
    assert seen is not None
    assert tuple(seen) == (0, 3)  # the training graphs had no tie
    assert str(explained.rules.rules["result"]["draws"]) == "~is_higher & ~is_lower"
    assert "equal to the true rules on every pattern of concepts" in str(explained)
    assert "read off a network, on all patterns of concepts" in explained.rules.remarks[1]
    assert not any(remark.startswith("WARNING") for remark in explained.rules.remarks)
    assert al.compare(explained, Duel).proven


def test_so_do_the_program_that_is_saved_and_its_exports(model, tmp_path):
    explained = al.explain(model)
    saved = Program.load(explained.save(tmp_path / "duel.json"))
    graph = Graph.pack([len(PAIRS)], [])
    inputs = {
        name: np.array(values)
        for name, values in zip(("mine", "theirs"), zip(*PAIRS, strict=True), strict=True)
    }
    run = run_algorithm(saved.algorithm, graph, inputs)
    assert run.shown("result") == TRUE
    module: dict[str, Any] = {}
    exec(explained.to_python_source(), module)
    edges = graph.edges.T
    steps, _ = module["run"](module["graph_of"](len(PAIRS), edges), inputs)
    assert [module["CLASSES"]["result"][number] for number in steps[-1]["result"]] == TRUE
    assert by_sql(saved, run, sqlite3.connect(":memory:")) == [{"result": TRUE}]
