"""The example of an own algorithm is right: its sets are independent and maximal."""

from __future__ import annotations

import networkx as nx
from examples.independent_set import IndependentSet
from hypothesis import given

from algolens.execution import execute
from tests.strategies import batches, parts, streams


@given(batches(), streams())
def test_chosen_nodes_are_independent_and_no_more_can_be_chosen(graph, rng):
    algorithm = IndependentSet()
    kind = algorithm.declaration.outputs["status"]
    chosen_class, out_class = kind.labels.index("chosen"), kind.labels.index("out")
    status = execute(algorithm, graph, algorithm.sample(graph, rng)).final("status")
    assert ((status == chosen_class) | (status == out_class)).all()
    for i, part in enumerate(parts(graph)):
        mine = status[graph.node_owner == i]
        chosen = set((mine == chosen_class).nonzero().flatten().tolist())
        assert part.subgraph(chosen).number_of_edges() == 0
        assert nx.is_dominating_set(part, chosen)
