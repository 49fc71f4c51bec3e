"""The example of an own algorithm is right: its sets are independent and maximal."""

from __future__ import annotations

import networkx as nx
from examples.independent_set import CHOSEN, OUT, IndependentSet
from hypothesis import given

from algolens.execution import execute
from tests.strategies import batches, parts, streams


@given(batches(), streams())
def test_chosen_nodes_are_independent_and_no_more_can_be_chosen(graph, rng):
    algorithm = IndependentSet()
    status = execute(algorithm, graph, algorithm.sample(graph, rng)).final("status")
    assert ((status == CHOSEN) | (status == OUT)).all()
    for i, part in enumerate(parts(graph)):
        mine = status[graph.node_owner == i]
        chosen = set((mine == CHOSEN).nonzero().flatten().tolist())
        assert part.subgraph(chosen).number_of_edges() == 0
        assert nx.is_dominating_set(part, chosen)
