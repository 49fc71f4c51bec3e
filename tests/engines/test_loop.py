"""Laws of the loop, for every algorithm."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Algorithm, algorithm
from algolens.engines import Percept, Run, Stopped, goes_on_by, perceive_truly, run_algorithm
from algolens.errors import UnknownNameError
from algolens.graphs import Graph
from algolens.logic.rule_set import RuleSet
from tests.strategies import batches, streams

ALGORITHMS = [algorithm("bfs"), algorithm("coloring", colors=9), algorithm("kruskal")]
any_algorithm = st.sampled_from(ALGORITHMS)


def trace(chosen: Algorithm, graph: Graph, rng) -> Run:
    return run_algorithm(chosen, graph, chosen.sample(graph, rng))


@given(any_algorithm, batches(), streams())
def test_true_rules_on_true_concepts_reproduce_every_step_and_stop(chosen, graph, rng):
    run = trace(chosen, graph, rng)
    rule_set = chosen.declaration.rule_set
    decided = rule_set.decide(run.patterns())
    elements = run.is_alive[:, graph.owner(chosen.declaration.location)]
    for name, values in run.outputs.items():
        assert np.array_equal(decided[name][elements], values.dense()[elements])
    if rule_set.continues is None:
        return
    for i in range(graph.num_graphs):
        alone = run.take([i])
        for step in range(alone.num_steps):
            state = {name: alone.state(name)[step + 1] for name in chosen.declaration.state}
            after = perceive_truly(chosen)(alone.graph, alone.inputs, state, None).concepts
            assert (
                bool(rule_set.goes_on(after))
                == bool(alone.goes_on[step, 0])
                == (step + 1 < alone.num_steps)
            )


@given(any_algorithm, batches(max_graphs=6), streams())
def test_a_graph_alone_and_in_company_runs_the_same(chosen, graph, rng):
    together = trace(chosen, graph, rng)
    for i in range(graph.num_graphs):
        expected = together.take([i])
        alone = run_algorithm(chosen, expected.graph, expected.inputs)
        assert alone.equals(expected)


@given(any_algorithm, batches(), streams(), st.data())
def test_the_order_of_graphs_does_not_matter(chosen, graph, rng, data):
    together = trace(chosen, graph, rng)
    order = data.draw(st.permutations(range(graph.num_graphs)))
    turned = together.take(order)
    assert run_algorithm(chosen, turned.graph, turned.inputs).equals(turned)


@given(any_algorithm, batches(), streams())
def test_the_states_follow_from_the_predictions(chosen, graph, rng):
    run = trace(chosen, graph, rng)
    for name in chosen.declaration.state:
        over_time = run.state(name).dense()
        assert np.array_equal(over_time[0], run.start[name])
        moving = run.lengths[graph.owner(chosen.declaration.predicted[name].at)] > 0
        assert np.array_equal(over_time[1:, moving], run[name].dense()[:, moving])
        assert (over_time[:, ~moving] == run.start[name][~moving]).all()
        assert np.array_equal(run.final(name), over_time[-1])


@given(any_algorithm, batches(), streams())
def test_after_its_end_a_graph_stays_as_it_was(chosen, graph, rng):
    run = trace(chosen, graph, rng)
    for i, length in enumerate(run.lengths.tolist()):
        mine = graph.owner(chosen.declaration.location) == i
        for step in range(max(length, 1), run.num_steps):
            assert (
                np.array_equal(run.patterns_at(step)[mine], run.patterns_at(step - 1)[mine])
                or length == 0
            )
        assert not run.goes_on[max(length - 1, 0) :, i].any()


@given(any_algorithm, batches(), streams())
def test_tensors_round_trip(chosen, graph, rng):
    run = trace(chosen, graph, rng)
    assert Run.from_tensors(chosen, run.tensors()).equals(run)
    assert run.to("cpu").equals(run)


@given(batches(), streams())
def test_a_part_that_never_stops_is_stopped_at_the_limit(graph, rng):
    bfs = ALGORITHMS[0]
    run = run_algorithm(
        bfs,
        graph,
        bfs.sample(graph, rng),
        continues=lambda g, _: torch.ones(g.num_graphs, dtype=torch.bool),
    )
    assert (run.stopped == Stopped.BY_LIMIT).all()
    assert np.array_equal(run.lengths, graph.node_counts)


@given(batches(), streams())
def test_parts_can_be_exchanged(graph, rng):
    """Programs that are no BFS at all fit the same sockets: here nothing is ever visited again."""
    bfs = ALGORITHMS[0]
    forgetful = RuleSet.parse(
        bfs.declaration.concepts,
        {"visited": {"true": "False", "false": "True"}},
        "has_been_visited",
    )
    inputs = bfs.sample(graph, rng)
    run = run_algorithm(
        bfs, graph, inputs, decide=forgetful.decide, continues=goes_on_by(forgetful, "node")
    )
    assert not run.final("visited").any()
    assert (run.lengths == 1).all()


@given(batches(max_graphs=6), streams())
def test_memory_and_probabilities_travel_through_the_loop(graph, rng):
    """A perceiver that counts its steps in memory sees the right count, also after graphs were put
    away.
    """
    bfs = ALGORITHMS[0]
    look = perceive_truly(bfs)

    def perceive(part, inputs, state, memory):
        seen = look(part, inputs, state, None)
        count = torch.zeros(part.num_nodes, 1) if memory is None else memory + 1
        assert len(count.unique()) <= 1
        return Percept(seen.concepts.float() * 0.8 + 0.1, seen.hints, count)

    inputs = bfs.sample(graph, rng)
    assert run_algorithm(bfs, graph, inputs, perceive=perceive).equals(
        run_algorithm(bfs, graph, inputs)
    )


def test_unknown_fields_get_a_hint():
    run = run_algorithm(ALGORITHMS[0], Graph.pack([1], []), {"source": torch.tensor([0])})
    with pytest.raises(UnknownNameError, match="Did you mean 'visited'"):
        run["visted"]
    with pytest.raises(UnknownNameError, match="state of bfs"):
        run.state("has_been_visited")
    assert "Run(bfs" in repr(run)
