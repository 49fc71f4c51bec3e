"""Breadth-first search against NetworkX."""

from __future__ import annotations

import networkx as nx
from hypothesis import given

from algolens.algorithms import algorithm
from algolens.engines import Stopped, run_algorithm
from tests.strategies import batches, parts, streams

BFS = algorithm("bfs")


@given(batches(), streams())
def test_nodes_are_visited_at_their_distance(graph, rng):
    inputs = BFS.sample(graph, rng)
    run = run_algorithm(BFS, graph, inputs)
    visited = run.state("visited").dense()
    for i, part in enumerate(parts(graph)):
        distance = nx.single_source_shortest_path_length(part, int(inputs["source"][i]))
        for node in part:
            over_time = visited[:, int(graph.first_node[i]) + node].tolist()
            assert over_time == [
                step >= distance.get(node, len(visited)) for step in range(len(visited))
            ]
        assert run.lengths[i] == max(1, max(distance.values()))
        assert run.stopped[i] == Stopped.BY_RULE


@given(batches(), streams())
def test_concepts_mean_what_they_say(graph, rng):
    run = run_algorithm(BFS, graph, BFS.sample(graph, rng))
    before = run.state("visited").dense()[:-1]
    assert (run["has_been_visited"].dense() == before)[run.is_alive[:, graph.node_owner]].all()
    for i, part in enumerate(parts(graph)):
        first = int(graph.first_node[i])
        for step in range(int(run.lengths[i])):
            for node in part:
                around = [first + j for j in [node, *part[node]]]
                assert (
                    run["has_visited_neighbours"][step][first + node] == before[step, around].any()
                )
