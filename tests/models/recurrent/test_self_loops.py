"""Where a node hears itself, it cannot see that a neighbour is of its own class; where it does not,
it can.
"""

from __future__ import annotations

import pytest
import torch
from examples.paired import Paired
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.experiment.config import preset
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts
from algolens.records import Experiment
from tests.effort import examples

RED, BLUE = 0, 1


@pytest.mark.parametrize("self_loops", [True, False])
@examples(20)
@given(seed=st.integers(0, 2**32 - 1), own=st.sampled_from([RED, BLUE]))
def test_a_neighbour_of_the_own_class_is_seen_without_self_loops_only(self_loops, seed, own):
    """Whatever the weights: the largest message from the own side is there already, from the node
    itself.
    """
    parts = NetworkParts(Network(Paired(), Architecture(self_loops=self_loops), (seed,)))
    # nodes 0 and 3 have two neighbours each
    two = Graph.pack([3, 3], [(0, 1), (0, 2), (3, 4), (3, 5)]).to("cpu")
    other = BLUE if own == RED else RED
    # and only node 0 has one on its own side
    sides = torch.tensor([own, own, other, own, other, other])
    with torch.no_grad():
        seen = parts.perceive(
            two, {"side": sides}, {"paired": torch.zeros(6, dtype=torch.bool)}, None
        ).concepts
    assert torch.equal(seen[0], seen[3]) == self_loops


def test_the_papers_networks_have_self_loops_and_those_of_other_algorithms_none():
    assert not preset("paper", Paired()).architecture.self_loops
    for name in ("bfs", "coloring", "kruskal"):
        assert preset("paper", algorithm(name)).architecture.self_loops


def test_an_experiment_written_before_there_was_a_choice_means_what_it_meant():
    written = preset("paper", algorithm("bfs")).to_json()
    del written["architecture"]["self_loops"]
    assert Experiment.from_json(written).architecture.self_loops
