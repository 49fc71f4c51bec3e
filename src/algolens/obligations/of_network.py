"""All that has to be shown of a network."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch

from algolens.models import Network
from algolens.models.exact import Exact
from algolens.obligations.obligation import Obligation
from algolens.obligations.order import order_obligation
from algolens.obligations.outputs import output_obligation
from algolens.obligations.stages import stage_obligations


@torch.no_grad()
def obligations(network: Network) -> Iterator[Obligation]:
    """Of one seed's network: the order of numbers, the stages in order, going on among them, and
    the outputs.
    """
    network = copy.deepcopy(network).eval().cpu()
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    for comparison in perceiver.comparisons.values():
        yield order_obligation(comparison)
    for name, stage in perceiver.stages.items():
        yield from stage_obligations(perceiver.readings[name], stage)
    for name in network.decoders:
        yield output_obligation(network, name)
