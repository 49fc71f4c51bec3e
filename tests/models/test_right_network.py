"""A network with the right weights is right: the architecture can hold breadth-first search,
termination included.
"""

from __future__ import annotations

from hypothesis import given

from algolens.engines import run_algorithm
from algolens.evaluation import free_run, score
from tests.models.networks import right_bfs, several
from tests.strategies import batches, streams

BFS = right_bfs()


@several
@given(batches(max_graphs=6), streams())
def test_it_runs_as_the_algorithm_does_to_the_last_bit(graph, rng):
    truth = run_algorithm(BFS.algorithm, graph, BFS.algorithm.sample(graph, rng))
    run = free_run(BFS, truth)
    assert run.equals(truth)
    assert score(run, truth).graphs_right == 1


@several
@given(batches(max_nodes=24), streams())
def test_it_does_so_on_larger_graphs(graph, rng):
    truth = run_algorithm(BFS.algorithm, graph, BFS.algorithm.sample(graph, rng))
    assert free_run(BFS, truth).equals(truth)
