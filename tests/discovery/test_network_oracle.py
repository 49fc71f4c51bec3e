"""A network's own decisions are the labels; hidden units are probed for what was found."""

from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.network_probes import hidden, probes
from torch_geometric.nn import SimpleConv, global_max_pool

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits, discover
from algolens.discovery.differences import fidelity, first_difference
from algolens.discovery.oracle import NetworkOracle
from algolens.discovery.sampling import random_runs
from algolens.graphs import Recipe

STANDARD = Path(__file__).parents[2] / "results" / "runs" / "bfs-standard"


@pytest.fixture(scope="module")
def oracle():
    return NetworkOracle(al.load(STANDARD).network.only(0))


def test_a_network_without_a_bottleneck(oracle):
    found = al.discover(oracle, runs=6, nodes=3)
    texts = {entry.text for entry in found.declaration.statements.values()}
    assert texts == {"visited", "some neighbour (visited)"}
    units = probes(oracle, found.algorithm, graphs=8)
    assert {one.concept for one in units} == set(found.declaration.concepts)
    for one in units:  # the network could not decide without them
        assert one.accuracy > 0.9
        assert 0 <= one.unit < 32


def test_directed_graphs_are_not_claimed_of_a_network_that_refuses_them(oracle):
    assert oracle.schema.graphs == "undirected"
    assert AlgorithmOracle(oracle.algorithm).schema.graphs == "any"


def test_hidden_units_are_of_the_run_itself(oracle):
    (some,) = random_runs(oracle, 1, (6, 6), np.random.default_rng(0))
    made, units = hidden(oracle, some.graph, some.inputs)
    assert not bool((first_difference(oracle.schema, some, made) >= 0).any())
    assert units is not None
    assert units.shape == (int(made.lengths[0]) + 1, 6, 32)


def test_a_network_with_tables_shows_no_units():
    exact = NetworkOracle(al.load("bfs").network.only(0))
    assert probes(exact, exact.algorithm, graphs=2) == []


class AvoidsHubs(torch.nn.Module):
    """A module of PyTorch Geometric that was put into the loop of BFS, and does something else."""

    messages = SimpleConv("sum")

    def forward(self, data):
        visited = data.x[:, 1:]
        near = self.messages(visited, data.edge_index) >= 1
        small = self.messages(torch.ones_like(visited), data.edge_index) <= 2
        new = (near & small) * (1 - visited)
        asks = global_max_pool(new, data.batch)
        return {"visited": 9 * (visited + new) - 4, "goes_on": 9 * asks - 4}


def test_a_wrapped_module_comes_back_as_what_it_does(monkeypatch):
    few = Recipe(families=("tree",), size=8, train=4, held_out=2, test_sizes=(8,))
    monkeypatch.setattr(type(algorithm("bfs")), "recipe", few)
    oracle = NetworkOracle(al.wrap("bfs", AvoidsHubs()).network.only(0))
    assert not oracle.can_step  # a network may have a memory, which is no part of the state
    found = al.discover(oracle, runs=6, nodes=3)
    texts = {entry.text for entry in found.declaration.statements.values()}
    assert {"visited", "some predecessor (visited)", "at least 3 predecessors"} <= texts
    assert probes(oracle, found.algorithm, graphs=2) == []  # it gives scores alone
    fresh = list(random_runs(oracle, 20, (4, 12), np.random.default_rng(2)))
    assert fidelity(found.algorithm, oracle.schema, fresh).share == 0


def test_a_network_that_errs_comes_back_as_it_is():
    """Weights that are disturbed: what is discovered is closer to it than what it was taught."""
    model = al.load(STANDARD)
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in model.network.parameters():
            weight.add_(0.4 * torch.randn_like(weight) * weight.std(correction=0))
    wrong = NetworkOracle(model.network.only(0))
    found = discover(wrong, limits=Limits(seconds=20, nodes=3), exceptions=True)
    fresh = list(random_runs(wrong, 30, (4, 9), np.random.default_rng(1)))
    taught, ours = (
        fidelity(one, wrong.schema, fresh) for one in (wrong.algorithm, found.algorithm())
    )
    assert ours.share <= taught.share
