"""Layers that hold several seeds' weights side by side: [S, N, features], a matrix product for each
seed at once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SLOPE = 0.01  # of LeakyReLU below zero
NARROW = 16  # a matrix of fewer columns (but one alone) makes slow products on a CPU


def leaky(x: Tensor) -> Tensor:
    """LeakyReLU."""
    return F.leaky_relu(x, SLOPE)


class Seeded(nn.Module, ABC):
    """A module with weights of its own for each seed."""

    @abstractmethod
    def draw(self, place: int, generator: torch.Generator) -> None:
        """Draws the first weights of the seed at a place."""


class Linear(Seeded):
    """An affine map for each seed: [S, N, inputs] -> [S, N, outputs].

    A step after the other uses the same weights, so their gradient is one product over all steps.
    On a GPU, backward therefore only notes down what it needs, and ``finish_backward`` computes the
    gradients of the whole network, once.
    """

    def __init__(
        self, seeds: int, inputs: int, outputs: int, *, bias: bool = True, fan_in: int | None = None
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(seeds, inputs, outputs))
        self.bias = nn.Parameter(torch.empty(seeds, 1, outputs)) if bias else None
        # as PyTorch draws its own Linear; fan_in: of the whole, for a part
        self.bound = 1 / math.sqrt(fan_in or inputs or 1)
        self.narrow = bias and (1 < inputs < NARROW or 1 < outputs < NARROW)
        self.notes: list[tuple[Tensor, Tensor]] = []

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            for parameter in self.parameters():
                drawn = torch.rand(parameter[place].shape, generator=generator)
                parameter[place] = (drawn * 2 - 1) * self.bound

    def forward(self, x: Tensor) -> Tensor:
        if x.is_cuda:
            return _Affine.apply(x, self.weight, self.bias, self.notes)
        if self.narrow:
            return _Narrow.apply(x, self.weight, self.bias)
        return x @ self.weight if self.bias is None else torch.baddbmm(self.bias, x, self.weight)

    def finish_backward(self) -> None:
        """The gradients, from the notes; there are none on a CPU, which rather computes them at
        once.
        """
        if not self.notes:
            return
        x, grad = (torch.cat(parts, 1) for parts in zip(*self.notes, strict=True))
        self.notes.clear()
        _accumulate(self.weight, weight_gradient(x, grad))
        if self.bias is not None:
            _accumulate(self.bias, grad.sum(1, keepdim=True))


def _accumulate(parameter: nn.Parameter, grad: Tensor) -> None:
    parameter.grad = grad if parameter.grad is None else parameter.grad.add_(grad)


class Bias(Seeded):
    """A bias alone: [S, 1, width]."""

    def __init__(self, seeds: int, width: int, *, fan_in: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(seeds, 1, width))
        self.bound = 1 / math.sqrt(fan_in)

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            self.bias[place] = (
                torch.rand(self.bias[place].shape, generator=generator) * 2 - 1
            ) * self.bound


class Norm(Seeded):
    """Layer normalisation (Ba et al. 2016), with a scale and a shift for each seed: [S, N, width]
    to the same.
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.empty(seeds, 1, width))
        self.shift = nn.Parameter(torch.empty(seeds, 1, width))

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            self.scale[place] = 1
            self.shift[place] = 0

    def forward(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.shift, F.layer_norm(x, x.shape[-1:]), self.scale)


@torch.no_grad()
def finish_backward(module: nn.Module) -> None:
    """Completes the gradients of a module's linear layers after ``backward``."""
    for part in module.modules():
        if type(part) is Linear:  # quicker than isinstance, and this runs at every step
            part.finish_backward()


class _Affine(torch.autograd.Function):
    """x @ weight + bias, whose backward leaves the weights' gradient to later."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, notes: list[tuple[Tensor, Tensor]]
    ) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.notes = notes
        return x @ weight if bias is None else torch.baddbmm(bias, x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        ctx.notes.append((x, grad))
        return grad @ weight.mT if ctx.needs_input_grad[0] else None, None, None, None


class _Narrow(torch.autograd.Function):
    """x @ weight + bias where a side is narrow: products whose result has few columns are computed
    transposed.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        if weight.shape[2] < NARROW:
            return torch.baddbmm(bias.mT, weight.mT, x.mT).mT.contiguous()
        return torch.baddbmm(bias, x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = (
                (weight @ grad.mT).mT.contiguous() if weight.shape[1] < NARROW else grad @ weight.mT
            )
        grad_weight = (grad.mT @ x).mT if weight.shape[2] < NARROW else x.mT @ grad
        return grad_x, grad_weight, grad.sum(1, keepdim=True)


def most(x: Tensor, dim: int) -> Tensor:
    """The maximum along a dimension; of equals, each takes the same part of the gradient."""
    return _Most.apply(x, dim)


class _Most(torch.autograd.Function):
    """As PyTorch's amax, whose backward takes its time with booleans."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int) -> Tensor:
        found = x.amax(dim, keepdim=True)
        ctx.save_for_backward(x, found)
        ctx.dim = dim
        return found.squeeze(dim)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        x, found = ctx.saved_tensors
        share = torch.eq(x, found, out=torch.empty_like(x))  # 1 or 0
        return share.mul_(grad.unsqueeze(ctx.dim) / share.sum(ctx.dim, keepdim=True)), None


def weight_gradient(x: Tensor, grad: Tensor) -> Tensor:
    """x^T @ grad: [S, N, inputs], [S, N, outputs] to [S, inputs, outputs].

    A small matrix that sums over many rows is one block's work, and a GPU idles: so rows are cut
    into pieces, summed last.
    """
    seeds, rows = x.shape[:2]
    pieces = (
        next((p for p in (32, 20, 16, 10, 8, 5, 4) if rows % p == 0 and rows >= 32 * p), 1)
        if x.is_cuda
        else 1
    )
    if pieces == 1:
        return x.mT @ grad
    parts = x.reshape(seeds * pieces, rows // pieces, -1).mT @ grad.reshape(
        seeds * pieces, rows // pieces, -1
    )
    return parts.view(seeds, pieces, *parts.shape[1:]).sum(1)


def gated(from_input: Tensor, from_state: Tensor, state: Tensor) -> Tensor:
    """The gates of a gated recurrent unit (Cho et al. 2014): [S, N, 3 width] from input and state
    each, to the next state.
    """
    reset_x, update_x, new_x = from_input.chunk(3, -1)
    reset_h, update_h, new_h = from_state.chunk(3, -1)
    update = torch.sigmoid(update_x + update_h)
    new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
    return new + update * (state - new)


def rows_of(x: Tensor, index: Tensor) -> Tensor:
    """[S, M, F] some rows of x [S, N, F], taken as those of a matrix, whose backward PyTorch
    computes several times faster.
    """
    seeds, n = x.shape[:2]
    if seeds > 1:
        index = (torch.arange(seeds, device=x.device)[:, None] * n + index).view(-1)
    return x.reshape(seeds * n, -1).index_select(0, index).view(seeds, -1, x.shape[2])


def add_leaky(x: Tensor, y: Tensor) -> Tensor:
    """LeakyReLU of a sum."""
    return leaky(x + y)


class GRU(nn.Module):
    """A gated recurrent unit: new input [S, N, width] and last state to the next state."""

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.from_input = Linear(seeds, width, 3 * width)
        self.from_state = Linear(seeds, width, 3 * width)

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        return gated(self.from_input(x), self.from_state(state), state)


def draw_all(module: nn.Module, seeds: Sequence[int]) -> None:
    """The first weights of every seed, from the seed alone: the same, bit for bit, alone and among
    others.
    """
    for place, seed in enumerate(seeds):
        generator = torch.Generator().manual_seed(seed)
        for part in module.modules():
            if isinstance(part, Seeded):
                part.draw(place, generator)
