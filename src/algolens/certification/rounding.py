"""When a decision is sure: further from undecided than rounding can move it, in whatever order a
machine adds.
"""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.models.layers import Linear, leaky

SMALLEST = 2.0**-126  # of normal numbers in single precision: below it a machine may take 0 instead
# of sizes: rounding then brings none beyond what single precision holds
LARGEST = torch.finfo(torch.float32).max / 2


def two_layers(first: Linear, last: Linear, features: Tensor) -> tuple[Tensor, Tensor]:
    """[M, outputs] what two layers of one seed give for features [M, inputs], and by how much
    rounding may change it.

    A sum of n products is off by at most n u times the sum of their sizes, u being the unit of
    rounding. Where numbers below the smallest normal one are taken for 0, each product, sum and
    weight loses at most that. Sizes are what the layers give with all weights positive: then
    nothing cancels. LeakyReLU makes no error larger. Both layers' sums together stay below twice
    the longer one's bound. Where sizes exceed half of what single precision holds, a sum may become
    infinite on the way, and anything may come of it. Proven in docs/exactness.md.
    """
    features = features.double()
    (weight, bias), (weight_last, bias_last) = _parts(first), _parts(last)
    values = leaky(features @ weight + bias) @ weight_last + bias_last
    hidden = features.abs() @ weight.abs() + bias.abs()
    sizes = hidden @ weight_last.abs() + bias_last.abs()
    terms = max(len(weight), len(weight_last)) + 3
    lost = 2 * terms * SMALLEST * (2 + weight_last.abs().sum(0) + hidden.sum(1, keepdim=True))
    reach = 2 * terms * torch.finfo(torch.float32).eps * sizes + lost
    held = (hidden.amax(1, keepdim=True) <= LARGEST) & (sizes.amax(1, keepdim=True) <= LARGEST)
    return values, reach.masked_fill(~held, torch.inf)


def _parts(layer: Linear) -> tuple[Tensor, Tensor]:
    assert layer.bias is not None
    return layer.weight[0].double(), layer.bias[0].double()
