"""A network with the right weights is right: the architecture can hold breadth-first search,
termination included.
"""

from __future__ import annotations

from hypothesis import given

from algolens.engines import run_algorithm
from algolens.evaluation import free_run, score
from tests.models.networks import batches, right_bfs, sampled, several
from tests.strategies import streams

BFS = right_bfs()


@several
@given(batches(max_graphs=6), streams())
def test_it_runs_as_the_algorithm_does_to_the_last_bit(graph, rng):
    truth = run_algorithm(BFS.algorithm, graph, sampled(BFS.algorithm, graph, rng))
    run = free_run(BFS, truth)
    assert run.equals(truth)
    assert score(run, truth).graphs_right == 1


@several
@given(batches(max_nodes=24), streams())
def test_it_does_so_on_larger_graphs(graph, rng):
    truth = run_algorithm(BFS.algorithm, graph, sampled(BFS.algorithm, graph, rng))
    assert free_run(BFS, truth).equals(truth)
