"""Laws of interventions."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm, algorithms
from algolens.engines import Intervention, run_algorithm
from algolens.errors import AlgoLensError
from tests.effort import examples, few_runs

NAMES = sorted(algorithms())


@examples(8)
@given(st.sampled_from(NAMES), st.data())
def test_the_true_value_of_a_right_concept_changes_nothing(name, data):
    truth = few_runs(algorithm(name), 8)
    declaration = truth.algorithm.declaration
    concept = data.draw(st.sampled_from(declaration.concepts))
    step = data.draw(st.integers(0, truth.num_steps - 1))
    value = data.draw(st.booleans())
    alive = truth.is_alive[step][truth.graph.owner(declaration.location)]
    elements = ((truth[concept][step] == value) & alive).nonzero().flatten()
    same = Intervention(concept, value, elements=elements, steps=[step])
    again = run_algorithm(truth.algorithm, truth.graph, truth.inputs, interventions=[same])
    assert again.equals(truth)


@examples(20)
@given(st.data())
def test_a_changed_concept_is_seen_as_set_and_other_graphs_run_as_before(data):
    truth = few_runs(algorithm("coloring"), 6)
    graph = data.draw(st.integers(0, 5))
    step = data.draw(st.integers(0, int(truth.lengths[graph]) - 1))
    element = int(truth.graph.first_node[graph]) + data.draw(
        st.integers(0, int(truth.graph.node_counts[graph]) - 1)
    )
    flipped = not bool(truth["has_priority"][step][element])
    change = Intervention("has_priority", flipped, elements=[element], steps=[step])
    run = run_algorithm(truth.algorithm, truth.graph, truth.inputs, interventions=[change])
    assert bool(run["has_priority"][step][element]) is flipped
    others = [i for i in range(6) if i != graph]
    assert run.take(others).equals(truth.take(others))
    before = run.take([graph]).patterns()[:step]
    assert torch.equal(before, truth.take([graph]).patterns()[:step])


def test_what_is_not_there_is_named():
    truth = few_runs(algorithm("bfs"))
    with pytest.raises(AlgoLensError, match="has_visited_neighbours"):
        run_algorithm(
            truth.algorithm,
            truth.graph,
            truth.inputs,
            interventions=[Intervention("visited_neighbours", True)],
        )
    with pytest.raises(AlgoLensError, match="node 99999"):
        run_algorithm(
            truth.algorithm,
            truth.graph,
            truth.inputs,
            interventions=[Intervention("has_been_visited", True, [99999])],
        )
