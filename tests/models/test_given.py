"""Concepts that the algorithm gives: one column is exchanged, in teaching and in running, and
nothing else.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens.algorithms import Values, algorithm
from algolens.engines import Percept, Run, perceive_with_oracle, run_algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.evaluation import free_run, run_by_rules
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import EXACT
from tests.models.disjoint_sets.plain import KRUSKAL
from tests.models.networks import (
    ALGORITHMS,
    batches,
    few,
    names,
    numbers,
    random_network,
    right_bfs,
    sampled,
    several,
)
from tests.models.recurrent.test_samples import taught_by, trace
from tests.strategies import streams


def assert_the_algorithms_own(run: Run, concept: str) -> None:
    """In every step of every graph, a concept is the algorithm's in the state that the run is
    in.
    """
    for i in range(run.graph.num_graphs):
        alone = run.take([i])
        for t in range(alone.num_steps):
            state = {field: alone.state(field)[t] for field in alone.start}
            assert torch.equal(
                alone[concept][t], run.algorithm.perceive(alone.graph, alone.inputs, state)[concept]
            )


@several
@given(names, batches(), streams(), numbers, st.data())
def test_in_running_one_column_is_the_algorithms_and_no_other(name, graph, rng, seed, data):
    chosen, truth = ALGORITHMS[name], trace(name, graph, rng)
    concept = data.draw(st.sampled_from(chosen.declaration.concepts))
    place = chosen.declaration.concepts.index(concept)
    parts = NetworkParts(random_network(name, (seed,), scale=3.0, given=(concept,)))
    plain = NetworkParts(random_network(name, (seed,), scale=3.0))  # of the same weights
    looks: list[tuple[Percept, Percept]] = []

    def watched(graph: Graph, inputs: Values, state: Values, memory: Tensor | None) -> Percept:
        looks.append(
            (
                parts.perceive(graph, inputs, state, memory),
                plain.perceive(graph, inputs, state, memory),
            )
        )
        return looks[-1][0]

    run = run_algorithm(chosen, graph, truth.inputs, **{**parts.sockets, "perceive": watched})
    rest = [i for i in range(len(chosen.declaration.concepts)) if i != place]
    for told, own in looks:
        assert torch.equal(told.concepts[:, rest], own.concepts[:, rest])
        assert set(told.concepts[:, place].unique().tolist()) <= {0.0, 1.0}
        assert told.memory is not None
        assert own.memory is not None
        assert torch.equal(told.memory, own.memory)
    assert_the_algorithms_own(run, concept)
    assert free_run(parts.network, truth).equals(run)


@several
@given(names, batches(), streams(), numbers, st.data())
def test_in_teaching_one_column_is_the_truth_and_no_other(name, graph, rng, seed, data):
    chosen, truth = ALGORITHMS[name], trace(name, graph, rng)
    concept = data.draw(st.sampled_from(chosen.declaration.concepts))
    place = chosen.declaration.concepts.index(concept)
    told = taught_by(random_network(name, (seed, 7), scale=2.0, given=(concept,)), truth)
    own = taught_by(random_network(name, (seed, 7), scale=2.0), truth)
    rest = [i for i in range(len(chosen.declaration.concepts)) if i != place]
    torch.testing.assert_close(told.head[:, :, rest], own.head[:, :, rest])
    # to the last bit
    assert torch.equal(torch.sigmoid(told.head[:, :, place]), told.concepts[:, place].expand(2, -1))


@few
@given(batches().filter(lambda graph: graph.num_edges > 0), streams(), numbers)
def test_so_it_is_at_edges(graph, rng, seed):
    truth = run_algorithm(KRUSKAL, graph, sampled(KRUSKAL, graph, rng))
    architecture = Architecture(width=6, processor="nee+pgn", given=("nodes_in_same_set",))
    assert_the_algorithms_own(
        free_run(Network(KRUSKAL, architecture, (seed,)), truth), "nodes_in_same_set"
    )


@several
@given(batches(), streams(), st.sampled_from(ALGORITHMS["bfs"].declaration.concepts))
def test_where_the_network_is_right_nothing_changes(graph, rng, concept):
    truth, right = trace("bfs", graph, rng), right_bfs()
    network = Network(ALGORITHMS["bfs"], Architecture(width=8, given=(concept,)), (0,))
    network.load_state_dict(right.state_dict())
    assert free_run(network, truth).equals(truth)


@several
@given(batches(), streams(), numbers)
def test_rules_read_what_is_given(graph, rng, seed):
    """Random looks, all that the rule of BFS reads given, the true rules: all is right."""
    truth = trace("bfs", graph, rng)
    network = random_network(
        "bfs", (seed,), scale=3.0, given=("has_visited_neighbours", "has_been_visited")
    )
    assert run_by_rules(network, ALGORITHMS["bfs"].declaration.rule_set, truth).equals(truth)


def test_an_oracle_for_a_concept_that_is_not_there_is_refused():
    look = NetworkParts(random_network("coloring")).perceive
    with pytest.raises(UnknownNameError, match="Did you mean 'has_priority'"):
        perceive_with_oracle(look, ALGORITHMS["coloring"], ("is_colored", "has_priorty"))


@pytest.mark.parametrize(
    ("name", "parts", "complaint"),
    [
        ("coloring", {"given": ("has_priorty",)}, "Did you mean 'has_priority'"),
        (
            "coloring",
            {"given": ("has_priority",), "bottleneck": False},
            "without a bottleneck, which has no concepts",
        ),
        (
            "coloring",
            {"given": ("has_priority",), "processor": EXACT},
            "proven right in what it sees itself",
        ),
        (
            "kruskal",
            {"given": ("lighter_edges_visited",), "processor": "nee+pgn"},
            r"it is state of kruskal.*Give one of nodes_in_same_set, edge_in_mst",
        ),
    ],
)
def test_what_cannot_be_given_is_refused(name, parts, complaint):
    chosen = algorithm("kruskal_union_find" if name == "kruskal" else name)
    with pytest.raises(AlgoLensError, match=complaint):
        Network(chosen, Architecture(**parts), (0,))


def test_the_weights_are_those_of_any_other_network():
    """So a network that was trained without an oracle can run with one, and the other way round."""
    network, plain = (
        random_network("coloring", (3,), given=("has_priority",)),
        random_network("coloring", (3,)),
    )
    assert network.state_dict().keys() == plain.state_dict().keys()
    assert network.only(0).architecture.given == ("has_priority",)
    assert all(
        torch.equal(value, plain.state_dict()[key]) for key, value in network.state_dict().items()
    )
