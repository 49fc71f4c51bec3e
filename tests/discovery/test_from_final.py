"""From inputs and final outputs alone: the smallest program whose run ends in them."""

from typing import ClassVar

import numpy as np
import pytest

import algolens as al
from algolens.algorithms import Node, algorithm, category
from algolens.discovery import AlgorithmOracle, BlackBox, Limits, discover
from algolens.discovery.sampling import random_runs
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError


def ends_alike(name, found):
    """Whether both end in the same outputs on fresh graphs of up to 20 nodes."""
    oracle = AlgorithmOracle(algorithm(name))
    (output,) = oracle.schema.outputs
    for some in random_runs(oracle, 30, (2, 20), np.random.default_rng(7)):
        ours = run_algorithm(found.algorithm(), some.graph, some.inputs, check=False)
        if not bool((ours.final(output) == some.frames[-1][output]).all()):
            return False
    return True


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("bfs", "some predecessor (visited)"),
        ("k_core", "at least 3 neighbours (in_core)"),
        ("components", "some incoming link (is_best)"),
    ],
)
def test_single_fields_are_found_alone(name, statement):
    found = discover(AlgorithmOracle(algorithm(name)), limits=Limits(nodes=3), final=True)
    assert statement in [entry.text for entry in found.declaration.statements.values()]
    assert "no other program" in found.known.words()
    assert ends_alike(name, found)


class Degrees:
    """Nodes are told apart by whether they have no neighbour, one, or more."""

    state: ClassVar = {"kind": Node(category("inner", "leaf", "alone"))}

    def start(self, graph):
        return {"kind": dict.fromkeys(graph, "inner")}

    def step(self, graph, state):
        kinds = ("alone", "leaf", "inner")
        then = {node: kinds[min(graph.degree[node], 2)] for node in graph}
        return None if then == state["kind"] else {"kind": then}


def test_of_three_classes():
    oracle = BlackBox(Degrees)
    found = discover(oracle, limits=Limits(runs=20, nodes=3), final=True)
    assert found.known.ends is not None
    assert found.known.ends.price == 4
    for some in random_runs(oracle, 20, (2, 12), np.random.default_rng(7)):
        ours = run_algorithm(found.algorithm(), some.graph, some.inputs, check=False)
        assert bool((ours.final("kind") == some.frames[-1]["kind"]).all())
    # either rule may come first where its condition excludes the other's
    others = found.known.ends.alike
    assert found.known.ends.programs > 100
    assert len(set(others)) == len(others)


def test_what_is_outside_of_the_bound_is_said():
    with pytest.raises(AlgoLensError, match="has 2 outputs"):
        discover(AlgorithmOracle(algorithm("bfs_tree")), final=True)
    with pytest.raises(AlgoLensError, match="programs of up to price"):
        al.discover("coloring", final=True, seconds=1, nodes=3)


def test_a_condition_may_compare_inputs():
    found = discover(
        AlgorithmOracle(algorithm("independent_set")), limits=Limits(nodes=3), final=True
    )
    assert found.known.ends is not None
    assert found.known.ends.price == 6
    texts = [entry.text for entry in found.declaration.statements.values()]
    assert "some neighbour (status is chosen)" in texts
    assert ends_alike("independent_set", found)
