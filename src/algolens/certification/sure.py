"""When a decision is sure: further from undecided than rounding can move it, in whatever order a machine adds."""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from algolens.models import Network
from algolens.models.layers import Linear


class Rounding:
    """Bounds on the rounding of everything that two layers of a network compute.

    A sum of n products is off by at most n u times the sum of their sizes, u being the unit of rounding. The sizes are what the
    same network gives when all its weights are positive: then nothing cancels. (LeakyReLU makes no error larger.)
    """

    def __init__(self, network: Network) -> None:
        self.positive = copy.deepcopy(network)
        with torch.no_grad():
            for parameter in self.positive.parameters():
                parameter.abs_()
        most = max(layer.weight.shape[1] for layer in network.modules() if isinstance(layer, Linear))
        self.unit = 2 * (most + 3) * torch.finfo(torch.float32).eps  # for two layers, with some room

    def sure(self, logits: Tensor, sizes: Tensor) -> Tensor:
        """Whether rounding cannot change a logit's sign. sizes: what the positive network gives."""
        return logits.abs() > self.unit * sizes

    def ahead(self, scores: Tensor, sizes: Tensor) -> Tensor:
        """Whether rounding cannot change which of the scores [..., K] is the largest."""
        reach = self.unit * sizes
        best = scores.argmax(-1, keepdim=True)
        floor = (scores - reach).gather(-1, best)
        others = (scores + reach).scatter(-1, best, -torch.inf)
        return (floor > others).all(-1)
