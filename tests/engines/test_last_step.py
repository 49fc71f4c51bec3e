"""Laws of runs that keep their last step alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given

from algolens.algorithms import algorithm
from algolens.engines import perceive_truly, run_algorithm
from algolens.engines.parts import Percept
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from tests.engines.test_loop import any_algorithm
from tests.strategies import batches, streams


@given(any_algorithm, batches(), streams())
def test_the_last_step_is_that_of_the_trace(chosen, graph, rng):
    inputs = chosen.sample(graph, rng)
    whole, last = (
        run_algorithm(chosen, graph, inputs),
        run_algorithm(chosen, graph, inputs, trace=False),
    )
    assert last.num_steps == whole.num_steps
    for part in (
        lambda run: run,
        lambda run: run.take([graph.num_graphs - 1]),
        lambda run: run.to("cpu"),
    ):
        mine, truth = part(last), part(whole)
        assert not mine.has_trace
        assert np.array_equal(mine.lengths, truth.lengths)
        assert np.array_equal(mine.stopped, truth.stopped)
        assert np.array_equal(mine.resting, truth.resting)
        assert len(next(iter(mine.concepts.values()))) == min(truth.num_steps, 1)
        for name in truth.start if not truth.num_steps else chosen.declaration.predicted:
            assert np.array_equal(mine.final(name), truth.final(name)), name


def test_what_needs_every_step_is_refused():
    bfs, path = algorithm("bfs"), Graph.pack([3], [(0, 1), (1, 2)])
    run = run_algorithm(bfs, path, {"source": torch.tensor([0])}, trace=False)
    asked = [
        lambda: run["visited"],
        lambda: run.state("visited"),
        lambda: run.is_alive,
        run.patterns_ahead,
    ]
    for ask in asked:
        with pytest.raises(AlgoLensError, match=r"kept only its last step.*trace=True") as refused:
            ask()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("trace", [False, True])
def test_memory_grows_with_the_graph_and_not_with_the_steps(trace):
    """The most bytes of concepts alive at once, over a run of 300 steps: a few steps' without a
    trace, all with one.
    """
    num_nodes = 300
    path = Graph.pack([num_nodes], np.stack([np.arange(num_nodes - 1), np.arange(1, num_nodes)], 1))
    bfs = algorithm("bfs")
    look, alive, most = perceive_truly(bfs), 0, 0

    class Counted:
        """Lives as long as the tensor that holds it."""

        def __init__(self) -> None:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def perceive(graph, inputs, state, memory):
        percept = look(graph, inputs, state, memory)
        concepts = percept.concepts.clone()
        concepts.counted = Counted()
        return Percept(concepts, percept.hints)

    run = run_algorithm(bfs, path, {"source": torch.tensor([0])}, perceive=perceive, trace=trace)
    assert run.num_steps == num_nodes - 1
    assert (most > num_nodes / 2) == trace
    assert trace or most <= 5
