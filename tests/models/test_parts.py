"""A network in the loop's sockets."""

from __future__ import annotations

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.architecture import EXACT
from algolens.models.parts import NetworkParts


@pytest.mark.parametrize(
    ("name", "inputs"), [("dfs", {}), ("bfs_tree", {"source": torch.tensor([0])})]
)
def test_a_graph_is_prepared_once_and_not_in_every_step(name, inputs, monkeypatch):
    network = Network(algorithm(name), Architecture(processor=EXACT), (0,))
    prepared = []
    prepare = network.perceiver.prepare

    def counted(*given):
        prepared.append(given)
        return prepare(*given)

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
