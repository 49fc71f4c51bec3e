"""A network in the loop's sockets."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.execution import execute
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.architecture import EXACT
from algolens.models.parts import NetworkParts


@pytest.mark.parametrize(("name", "inputs"), [("dfs", {}), ("bfs_tree", {"source": torch.tensor([0])})])
def test_a_graph_is_prepared_once_and_not_in_every_step(name, inputs, monkeypatch):
    network = Network(algorithm(name), Architecture(processor=EXACT), (0,))
    prepared: list[int] = []
    prepare = network.perceiver.prepare

    def counted(*given: Any) -> Any:
        prepared.append(1)
        return prepare(*given)

    monkeypatch.setattr(network.perceiver, "prepare", counted)
    path = Graph.pack([6], [(i, i + 1) for i in range(5)])
    sockets: dict[str, Any] = NetworkParts(network).sockets
    run = execute(network.algorithm, path, inputs, **sockets)
    assert run.num_steps >= 1
    assert len(prepared) == 1
