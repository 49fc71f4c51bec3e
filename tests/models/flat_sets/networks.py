"""Random networks for flat sets, and settings to look at."""

from __future__ import annotations

import torch

from algolens.algorithms import algorithm
from algolens.data import Setting, arbitrary
from algolens.graphs import stream
from algolens.models import Architecture, Network
from algolens.models.architecture import FLAT_SETS
from algolens.models.flat_sets import FlatSets

KRUSKAL = algorithm("kruskal", flat_sets=True, bits=5)
SMALL = Architecture(width=6, processor=FLAT_SETS, message_bits=5)


def random_network(seeds: tuple[int, ...] = (0,), scale: float = 4.0) -> Network:
    """Large weights make it lively, and wide offsets let numbers that are near count as neither lower nor higher, or both."""
    network = Network(KRUSKAL, SMALL, seeds)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
        for place, seed in enumerate(seeds):
            offset = eye(network).comparison.offset
            offset[place] = 2 * torch.randn(offset[place].shape, generator=torch.Generator().manual_seed(seed))
    return network


def eye(network: Network) -> FlatSets:
    assert isinstance(network.perceiver, FlatSets)
    return network.perceiver


def settings(seed: int, count: int = 6, most_nodes: int = 7) -> Setting:
    return arbitrary(KRUSKAL, count, stream(seed), most_nodes)
