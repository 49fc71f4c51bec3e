"""When a decision is sure: further from undecided than rounding can move it, in whatever order a machine adds."""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from algolens.models import Network
from algolens.models.layers import Linear

SINGLE = torch.finfo(torch.float32)
UNDERFLOW = 4 * SINGLE.tiny / SINGLE.eps


class Rounding:
    """Bounds on the rounding of everything that two layers of a network compute.

    A sum of n products is off by at most n u times the sum of their sizes, u being the unit of rounding. The sizes are what the
    same network gives when all its weights and buffers are positive: then nothing cancels. (LeakyReLU makes no error larger.)

    Besides, where a machine takes numbers below the least normal one for 0, each weight, product and sum is off by up to that
    number. ``UNDERFLOW`` is so much that its rounding is more than that: added to every weight and bias, it makes sizes large
    enough for both.
    """

    def __init__(self, network: Network) -> None:
        self.positive = copy.deepcopy(network)
        with torch.no_grad():
            for tensor in self.positive.state_dict().values():
                tensor.abs_().add_(UNDERFLOW)
        most = max(layer.weight.shape[1] for layer in network.modules() if isinstance(layer, Linear))
        self.unit = 2 * (most + 3) * SINGLE.eps  # for two layers, with some room

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
