"""Rules of an exact network say what it decides on every pattern of concepts, whether its runs came
upon it or not.
"""

from __future__ import annotations

import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.engines import Percept, goes_on_by
from algolens.extraction.extract import extract
from algolens.graphs import Graph
from algolens.logic.patterns import all_patterns
from algolens.logic.remarks import warnings
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import EXACT
from tests.effort import examples, few_runs

NAMES = ["bfs", "components", "independent_set", "kruskal", "matching", "topological_sort"]


def drawn(name: str, seed: int) -> Network:
    """An exact network as first drawn: it decides something or other of every pattern."""
    network = Network(algorithm(name), Architecture(processor=EXACT), (seed,))
    with torch.no_grad():
        for decoder in network.decoders.values():
            decoder.first.weight.mul_(3.0)
            decoder.first.bias.normal_(generator=torch.Generator().manual_seed(seed))  # type: ignore[union-attr]
    return network


@examples(15)
@given(st.sampled_from(NAMES), st.integers(0, 10_000))
def test_rules_are_what_the_decoder_decides_of_every_pattern(name, seed):
    network = drawn(name, seed)
    declaration = network.algorithm.declaration
    found = extract(network, few_runs(network.algorithm, 2))
    patterns = torch.from_numpy(all_patterns(len(declaration.concepts)))
    decided, ruled = NetworkParts(network)._decide(patterns), found.rule_set.decide(patterns)
    for output in declaration.decided:
        assert torch.equal(decided[output], ruled[output])
        assert found.outputs[output].read


@examples(15)
@given(
    st.sampled_from(["bfs", "coloring", "independent_set", "k_core", "topological_sort"]),
    st.integers(0, 10_000),
)
def test_going_on_is_asked_as_the_network_asks_of_any_elements(name, seed):
    """Where one rule can say it; where none can, the program warns."""
    network = drawn(name, seed)
    declaration = network.algorithm.declaration
    found = extract(network, few_runs(network.algorithm, 2))
    assert found.termination is not None
    if not found.termination.read:
        assert any("going on was drawn" in line for line in warnings(found.rule_set.remarks))
        return
    generator = torch.Generator().manual_seed(seed)
    graph = Graph.pack([2] * 60, [(2 * i, 2 * i + 1) for i in range(60)]).to("cpu")
    count = graph.count(declaration.location)
    concepts = torch.rand(count, len(declaration.concepts), generator=generator) < 0.5
    percept = Percept(concepts, {})
    asks = goes_on_by(found.rule_set, declaration.location)(graph, percept)
    assert torch.equal(asks, NetworkParts(network).continues(graph, percept))


@pytest.mark.parametrize("most", [16, 1])
def test_a_decoder_of_too_many_concepts_is_not_read_and_that_is_a_warning(monkeypatch, most):
    monkeypatch.setattr(sys.modules[extract.__module__], "MOST_READ", most)
    network = drawn("independent_set", 0)
    found = extract(network, few_runs(network.algorithm, 2))
    (output,) = found.outputs.values()
    assert len(output.relevant) > 1
    told = [
        line for line in warnings(found.rule_set.remarks) if "too many for all patterns" in line
    ]
    assert (output.read, len(told)) == ((True, 0) if most == 16 else (False, 1))
