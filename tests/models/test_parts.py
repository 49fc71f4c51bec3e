"""A network in the loop's sockets."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.architecture import EXACT
from algolens.models.parts import NetworkParts
from tests.models.networks import EVERY, batches, every_name, few, numbers, random_network, sampled


@pytest.mark.parametrize(
    ("name", "inputs"), [("dfs", {}), ("bfs_tree", {"source": torch.tensor([0])})]
)
def test_a_graph_is_prepared_once_and_not_in_every_step(name, inputs, monkeypatch):
    network = Network(algorithm(name), Architecture(processor=EXACT), (0,))
    prepared = []
    prepare = network.perceiver.prepare

    def counted(*given, **how):
        prepared.append(given)
        return prepare(*given, **how)

    monkeypatch.setattr(network.perceiver, "prepare", counted)
    path = Graph.pack([6], [(i, i + 1) for i in range(5)])
    parts = NetworkParts(network)
    run = run_algorithm(
        network.algorithm,
        path,
        inputs,
        perceive=parts.perceive,
        decide=parts.decide,
        continues=parts.continues,
    )
    assert run.num_steps >= 1
    assert len(prepared) == 1


@given(every_name, batches(), numbers)
@few
def test_seeds_run_together_as_they_run_alone(name, graph, seed):
    network = random_network(name, (0, 1, 2), scale=3.0)
    inputs = sampled(EVERY[name], graph, np.random.default_rng(seed))
    truth = run_algorithm(EVERY[name], graph, inputs)
    every = truth.take([*range(graph.num_graphs)] * 3)
    sockets = NetworkParts(network, together=True).sockets
    together = run_algorithm(EVERY[name], every.graph, every.inputs, **sockets, shrinks=False)
    for place in range(3):
        alone = run_algorithm(
            EVERY[name], graph, inputs, **NetworkParts(network.only(place)).sockets
        )
        first = place * graph.num_graphs
        assert together.take(range(first, first + graph.num_graphs)).equals(alone)
