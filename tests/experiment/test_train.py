"""Where a training runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.experiment.config import preset
from algolens.experiment.train import learns_on, train_networks

CUDA = torch.device("cuda")


def test_an_exact_network_learns_where_it_is_proven():
    exact, paper = (
        replace(preset(name, algorithm("bfs")), seeds=tuple(range(12)))
        for name in ("exact", "paper")
    )
    assert learns_on(exact, CUDA).type == "cpu"
    assert learns_on(paper, CUDA) == CUDA


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_with_a_gpu_an_exact_network_is_proven_all_the_same():
    assert train_networks(preset("exact", algorithm("bfs")), CUDA, sizes=(20,)).unproven == [0]
