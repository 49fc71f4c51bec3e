"""Bits that can be learnt: hard when computed, soft when differentiated."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def harden(x: Tensor) -> Tensor:
    """1 where positive, else 0; its gradient is the sigmoid's."""
    return _Hard.apply(x)


class _Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        soft = torch.sigmoid(ctx.saved_tensors[0])
        return grad * soft * (1 - soft)
