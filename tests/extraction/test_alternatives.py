"""Going on by an "or": an algorithm that needs one gets it back, from its own steps and from those
of a network that errs.
"""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given

from algolens.data import fixed
from algolens.engines import goes_on_by, run_algorithm
from algolens.extraction.grading import grade
from algolens.extraction.observations import steps_ahead
from algolens.extraction.termination import smallest_exists
from algolens.logic import GoOn
from tests.effort import examples
from tests.extraction.horizon import HORIZON, Distance
from tests.strategies import batches, streams

DISTANCE = Distance()
CONCEPTS = DISTANCE.declaration.concepts


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))


@examples(25)
@given(batches(), streams())
def test_distances_are_those_of_networkx(graph, rng):
    run = run_algorithm(DISTANCE, graph, DISTANCE.sample(graph, rng))
    for i in range(graph.num_graphs):
        alone = run.take([i])
        plain = nx.empty_graph(alone.graph.num_nodes)
        plain.add_edges_from(alone.graph.edges.T.tolist())
        true = nx.single_source_shortest_path_length(
            plain, int(alone.inputs["source"][0]), cutoff=HORIZON - 1
        )
        assert alone.final("distance").tolist() == [true.get(node, HORIZON) for node in plain]


@pytest.mark.parametrize("share", [0.0, 0.0019])
def test_the_rule_is_found_and_runs_as_the_algorithm_does(share):
    sets = fixed(DISTANCE)
    patterns, step, goes_on = steps_ahead(sets.train)
    wrong = np.random.default_rng(0).choice(len(goes_on), int(share * len(goes_on)), replace=False)
    goes_on[wrong] ^= True
    found = smallest_exists(CONCEPTS, patterns, step, goes_on)
    assert sorted(found.contradictions) == sorted(wrong.tolist())
    rule_set = replace(DISTANCE.declaration.rule_set, continues=found.rule)
    assert grade(rule_set, DISTANCE).equal_on_seen
    # of the frontier's distances but the source's, which is past
    assert len(str(found.rule).split("|")) == HORIZON - 2
    for truth in (sets.validation, *sets.tests.values()):
        by_rule = run_algorithm(
            DISTANCE,
            truth.graph,
            truth.inputs,
            continues=goes_on_by(rule_set, DISTANCE.declaration.location),
        )
        assert by_rule.equals(truth)


def test_no_single_and_is_right():
    """So that the test above can fail: the best single "and" stops at another step in a good part
    of all runs.
    """
    truth = fixed(DISTANCE).validation
    for text in ("is_unknown & beside_1", "is_unknown & beside_2", "is_unknown & ~is_at_3"):
        rule_set = replace(DISTANCE.declaration.rule_set, continues=GoOn.parse(text))
        run = run_algorithm(
            DISTANCE,
            truth.graph,
            truth.inputs,
            continues=goes_on_by(rule_set, DISTANCE.declaration.location),
        )
        assert float((run.lengths != truth.lengths).double().mean()) > 0.1
        assert not torch.equal(run.goes_on[: truth.num_steps], truth.goes_on)
