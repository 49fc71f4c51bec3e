"""Scores of a large set are those of its portions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from algolens.engines import run_algorithm
from algolens.evaluation import free_run, score, score_network
from algolens.evaluation.evaluate import in_portions
from tests.models.networks import ALGORITHMS, names, numbers, random_network, several
from tests.strategies import batches, streams


@several
@given(names, batches(max_graphs=6), streams(), numbers, st.integers(1, 60))
def test_portions_hold_every_graph_once_and_score_as_the_whole(name, graph, rng, seed, room):
    chosen, network = ALGORITHMS[name], random_network(name, (seed,), scale=2.0)
    truth = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    portions = list(in_portions(truth, room))
    assert sorted(size for each in portions for size in each.graph.node_counts.tolist()) == sorted(
        graph.node_counts.tolist()
    )
    for each in portions:
        assert each.graph.num_graphs == 1 or each.num_steps * each.graph.num_nodes <= room
        assert each.equals(run_algorithm(chosen, each.graph, each.inputs))
    whole = to_builtins(score(free_run(network, truth), truth))
    for figure, value in to_builtins(score_network(network, {0: portions})[0][0]).items():
        if isinstance(value, dict):
            assert value == {concept: pytest.approx(whole[figure][concept]) for concept in value}
        else:
            assert value == pytest.approx(whole[figure]), figure


@several
@given(names, batches(), streams())
def test_what_there_is_room_for_stays_whole(name, graph, rng):
    truth = run_algorithm(ALGORITHMS[name], graph, ALGORITHMS[name].sample(graph, rng))
    assert list(in_portions(truth)) == [truth]
