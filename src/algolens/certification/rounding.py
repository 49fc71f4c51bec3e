"""When a decision is sure: further from undecided than rounding can move it, in whatever order a machine adds."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.models.layers import Linear, leaky

SMALLEST = 2.0**-126  # of normal numbers in single precision: below it a machine may take 0 instead


def two_layers(first: Linear, last: Linear, features: Tensor) -> tuple[Tensor, Tensor]:
    """[M, outputs] what two layers of one seed give for features [M, inputs], and by how much rounding may change it.

    A sum of n products is off by at most n u times the sum of their sizes, u being the unit of rounding, and by n times the
    smallest normal number, where small products are lost. Sizes are what the layers give with all weights positive: then
    nothing cancels. LeakyReLU makes no error larger. Both layers' sums together stay below twice the longer one's bound.
    """
    features = features.double()
    (weight, bias), (weight_last, bias_last) = _parts(first), _parts(last)
    values = leaky(features @ weight + bias) @ weight_last + bias_last
    sizes = (features.abs() @ weight.abs() + bias.abs()) @ weight_last.abs() + bias_last.abs()
    terms = max(len(weight), len(weight_last)) + 3
    lost = terms * SMALLEST * (2 + weight_last.abs().sum(0))
    return values, 2 * terms * torch.finfo(torch.float32).eps * sizes + lost


def _parts(layer: Linear) -> tuple[Tensor, Tensor]:
    assert layer.bias is not None
    return layer.weight[0].double(), layer.bias[0].double()
