"""Steps from any state, and a black box that errs by chance: its errors are outvoted."""

import numpy as np
import pytest
import torch
from benchmarks.noisy_oracle import NoisyOracle, StepAlgorithm

import algolens as al
from algolens.algorithms import Node, algorithm, mask, number, pointer
from algolens.discovery import AlgorithmOracle, BlackBox, Limits, discover
from algolens.discovery.differences import BlackBoxCheck, first_difference
from algolens.discovery.oracle import MajorityOracle, Oracle, UndecidedBlackBoxError
from algolens.discovery.sampling import random_runs

# masks, classes, pointers, numbers, edges, a fixed number of steps, outcomes, state at the graph
NAMES = ["k_core", "coloring", "bfs_tree", "dijkstra", "kruskal", "bipartite", "topological_sort"]


@pytest.mark.parametrize("name", NAMES)
def test_runs_step_by_step_are_runs(name):
    oracle = StepAlgorithm(algorithm(name))
    for some in random_runs(oracle, 12, (1, 9), np.random.default_rng(5)):
        again = Oracle.run(oracle, some.graph, some.inputs)
        assert not bool((first_difference(oracle.schema, some, again) >= 0).any())
        for place, length in enumerate(some.lengths.tolist()):
            assert (some.asked[:length, place] == again.asked[:length, place]).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_output_is_wrong_now_and_then_and_outvoted(name):
    clean, rng = AlgorithmOracle(algorithm(name)), np.random.default_rng(6)
    noisy = NoisyOracle(algorithm(name), 0.1, seed=3)
    asked, wrong = MajorityOracle(noisy), dict.fromkeys(clean.schema.decided, 0)
    for some in random_runs(clean, 8, (3, 6), rng):
        assert not bool(
            (first_difference(clean.schema, some, asked.run(some.graph, some.inputs)) >= 0).any()
        )
        for _ in range(20):
            first = noisy.step(some.graph, some.inputs, some.frames[0]).frame
            for field in wrong:
                wrong[field] += int((first[field] != some.frames[1][field]).sum())
    assert all(wrong.values())  # pointers and numbers included
    for some in random_runs(clean, 2, (1, 1), rng):  # without an edge
        assert asked.run(some.graph, some.inputs).lengths.shape == some.lengths.shape
    assert asked.share == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize("kind", [mask, number(6), pointer(Node)])
def test_a_wrong_value_is_another_of_its_kind(kind):
    noisy = NoisyOracle(algorithm("bfs"), 1.0)
    graph = al.graphs.Graph.pack([4, 1], [(0, 1), (1, 2)]).to("cpu")
    values = torch.tensor([0, 1, 1, 0, 0]).to(kind.dtype)
    for _ in range(20):
        wrong = noisy._wrong(Node(kind), values, graph)
        assert (wrong != values)[:4].all()
        assert not Node(kind).outside(graph, wrong).any()


def test_an_algorithm_with_wrong_pointers_comes_back():
    found = discover(NoisyOracle(algorithm("bfs_tree"), 0.05), limits=Limits(seconds=60, nodes=3))
    check = BlackBoxCheck(
        AlgorithmOracle(algorithm("bfs_tree")), found.algorithm(), Limits(nodes=3)
    )
    assert check.counterexample(np.random.default_rng(1)) is None
    assert found.known.otherwise is not None
    assert found.known.fidelity is not None
    assert found.known.fidelity.share == pytest.approx(0.05, abs=0.02)
    assert "It errs by chance" in found.known.words()
    assert "are exceptions" in found.known.words()


class Spread:
    """Awake nodes wake their neighbours; now and then one sleeps through it."""

    inputs = {"first": Node(mask, start_only=True)}  # noqa: RUF012
    state = {"awake": Node(mask)}  # noqa: RUF012

    def __init__(self, share=0.05):
        self.rng, self.share = np.random.default_rng(0), share

    def start(self, graph):
        return {"awake": {node: graph.nodes[node]["first"] for node in graph}}

    def step(self, graph, state):
        awake = state["awake"]
        then = {n: awake[n] or any(awake[m] for m in graph[n]) for n in graph}
        if then == awake:
            return None
        return {"awake": {n: then[n] ^ (self.rng.random() < self.share) for n in graph}}


def test_a_class_of_a_users_that_errs():
    found = al.discover(Spread(), runs=6, nodes=3)
    assert {"awake", "some neighbour (awake)"} <= {
        e.text for e in found.declaration.statements.values()
    }
    assert "It errs by chance" in found.known


def test_a_coin_has_no_majority():
    asked = MajorityOracle(BlackBox(Spread(share=0.5)))
    with pytest.raises(UndecidedBlackBoxError, match="errs too often"):
        list(random_runs(asked, 4, (3, 5), np.random.default_rng(0)))
