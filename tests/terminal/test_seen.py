"""Laws of reasons: whom an element has in view."""

from __future__ import annotations

import numpy as np
import pytest

from algolens.algorithms import algorithm
from algolens.execution import run_algorithm
from algolens.graphs import sample, stream
from algolens.terminal.seen import StepSeen


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "prim", "boruvka", "matching", "dfs"])
def test_an_element_has_those_in_view_with_whom_it_is_a_pair(name):
    chosen = algorithm(name)
    graph = sample("community", 9, 1, stream(0, name))
    run = run_algorithm(chosen, graph, chosen.sample(graph, np.random.default_rng(0)))
    seen = StepSeen(run, run.num_steps // 2)
    relations = {statement.relation for statement in seen.look.statements} - {None}
    assert relations
    for relation in relations:
        assert relation is not None
        count = graph.count(relation.own)
        looks, others = seen.batch.view(relation).pairs(count)
        for element in range(count):
            assert seen.in_view(relation, element) == sorted(set(others[looks == element].tolist()))
