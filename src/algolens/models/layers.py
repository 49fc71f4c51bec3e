"""Layers that hold several seeds' weights side by side: [S, N, features], a product for each seed.

``torch.func`` (``stack_module_state`` and ``vmap`` over PyTorch's own layers) takes 1.9 times as
long on a CPU, and 2.6 times on an H200: ``python -m benchmarks.stacked_layers``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SLOPE = 0.01  # of LeakyReLU below zero
PIECE = 64  # rows that a GPU sums at once in a weight's gradient


def leaky(x: Tensor) -> Tensor:
    """LeakyReLU."""
    return F.leaky_relu(x, SLOPE)


class Seeded(nn.Module):
    """A module with weights of its own for each seed."""

    bound: float

    @torch.no_grad()
    def draw(self, place: int, generator: torch.Generator) -> None:
        """Draw the first weights of the seed at a place, as PyTorch draws its own Linear."""
        for parameter in self.parameters():
            drawn = torch.rand(parameter[place].shape, generator=generator)
            parameter[place] = (drawn * 2 - 1) * self.bound


class Linear(Seeded):
    """An affine map for each seed: [S, N, inputs] -> [S, N, outputs].

    fan_in: the inputs of the whole map, of which this is a part.
    """

    def __init__(
        self, seeds: int, inputs: int, outputs: int, *, bias: bool = True, fan_in: int | None = None
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(seeds, inputs, outputs))
        self.bias = nn.Parameter(torch.empty(seeds, 1, outputs)) if bias else None
        self.bound = 1 / math.sqrt(fan_in or inputs or 1)
        self.shared: Shared | None = None  # inside of ``gradients_at_once``

    def forward(self, x: Tensor) -> Tensor:
        if self.shared is not None:
            return _Use.apply(x, self.shared.weight, self.shared.bias, self.shared.uses)
        return x @ self.weight if self.bias is None else torch.baddbmm(self.bias, x, self.weight)


class Bias(Seeded):
    """A bias alone for each seed: [S, N, width] to the same."""

    def __init__(self, seeds: int, width: int, *, fan_in: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(seeds, 1, width))
        self.bound = 1 / math.sqrt(fan_in)
        self.shared: Shared | None = None  # as above

    def forward(self, x: Tensor) -> Tensor:
        if self.shared is not None:
            return _Use.apply(x, None, self.shared.bias, self.shared.uses)
        return x + self.bias


@contextmanager
def gradients_at_once(module: nn.Module) -> Iterator[None]:
    """Meanwhile, what affine maps are used for is noted, and their gradients are summed up last.

    A network uses a map at every step. Autograd computes and adds a gradient for each use, by a few
    small kernels; here it is one product over the rows of all uses. An epoch of coloring takes
    0.13 s in place of 0.31 on an H200 (``python -m benchmarks.training --gpu``, and with
    ``--without at-once``).
    """
    maps = [part for part in module.modules() if isinstance(part, Linear | Bias)]
    for part in maps:
        part.shared = Shared(part)
    try:
        yield
    finally:
        for part in maps:
            part.shared = None


class Shared:
    """The weights of an affine map, and its uses: inputs (None of a bias alone) and gradients."""

    def __init__(self, of: Linear | Bias) -> None:
        self.uses: list[tuple[Tensor | None, Tensor]] = []
        weight = of.weight if isinstance(of, Linear) else None
        self.weight, self.bias = _Sum.apply(weight, of.bias, self.uses)


class _Sum(torch.autograd.Function):
    """A weight [S, inputs, outputs] and a bias as they are; gradients are those of all uses."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor | None, bias: Tensor | None, uses: list[Any]) -> Any:
        ctx.uses = uses
        return tuple(None if part is None else part.view_as(part) for part in (weight, bias))

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> tuple[Tensor | None, ...]:
        if not ctx.uses:
            return None, None, None
        inputs, grads = zip(*ctx.uses, strict=True)
        ctx.uses.clear()
        grad = torch.cat(grads, 1)
        of_weight = weight_gradient(torch.cat(inputs, 1), grad) if ctx.needs_input_grad[0] else None
        of_bias = None
        if ctx.needs_input_grad[1]:
            of_bias = torch.bmm(grad.new_ones(1, 1, 1).expand(len(grad), 1, grad.shape[1]), grad)
        return of_weight, of_bias, None


class _Use(torch.autograd.Function):
    """x @ weight + bias, or x + bias, whose gradients by weight and bias are left to ``_Sum``."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor | None, bias: Any, uses: list[Any]) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.uses = uses
        if weight is None:
            return x + bias
        return torch.bmm(x, weight) if bias is None else torch.baddbmm(bias, x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        ctx.uses.append((None if weight is None else x, grad))
        if weight is not None and ctx.needs_input_grad[0]:
            grad = torch.bmm(grad, weight.mT)
        return grad, None, None, None


def weight_gradient(x: Tensor, grad: Tensor) -> Tensor:
    """[S, inputs, outputs] x.mT @ grad, of x [S, N, inputs] and grad [S, N, outputs].

    A few products over many rows leave most of a GPU idle: there they are summed in pieces (on an
    H200, 200,000 rows of 32 values take 0.1 ms in place of 6.8).
    """
    return in_pieces(x, grad, PIECE) if x.is_cuda else torch.bmm(x.mT, grad)


def in_pieces(x: Tensor, grad: Tensor, size: int) -> Tensor:
    """x.mT @ grad, as the sum over pieces of so many rows."""
    seeds, rows = x.shape[:2]
    pieces = rows // size
    if pieces < 2:
        return torch.bmm(x.mT, grad)
    whole = pieces * size
    some, other = (part[:, :whole].reshape(seeds * pieces, size, -1) for part in (x, grad))
    total = torch.bmm(some.mT, other).view(seeds, pieces, x.shape[-1], -1).sum(1)
    if whole < rows:
        total.baddbmm_(x[:, whole:].mT, grad[:, whole:])
    return total


class Norm(Seeded):
    """Layer normalisation (Ba et al. 2016), with a scale and a shift for each seed."""

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


class GRU(nn.Module):
    """A gated recurrent unit (Cho et al. 2014): input and state, both [S, N, width], to a state."""

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.from_input = Linear(seeds, width, 3 * width)
        self.from_state = Linear(seeds, width, 3 * width)

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        if x.is_cuda:  # one kernel in place of ten
            gates = (
                of(y).flatten(0, 1) for of, y in ((self.from_input, x), (self.from_state, state))
            )
            new, _ = torch.ops.aten._thnn_fused_gru_cell(*gates, state.flatten(0, 1))
            return new.view_as(x)
        reset_x, update_x, new_x = self.from_input(x).chunk(3, -1)
        reset_h, update_h, new_h = self.from_state(state).chunk(3, -1)
        update = torch.sigmoid(update_x + update_h)
        new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
        return new + update * (state - new)


def draw_all(module: nn.Module, seeds: Sequence[int]) -> None:
    """Draw every seed's first weights from the seed alone: the same alone and among others."""
    for place, seed in enumerate(seeds):
        draw(module, place, torch.Generator().manual_seed(seed))


def draw(module: nn.Module, place: int, generator: torch.Generator) -> None:
    """Draw the first weights of the seed at a place, part after part."""
    for part in module.modules():
        if isinstance(part, Seeded):
            part.draw(place, generator)


def rows_of(x: Tensor, index: Tensor) -> Tensor:
    """[S, M, ...] some rows of x [S, N, ...]."""
    # taken as rows of one matrix, whose backward PyTorch computes several times faster
    seeds, n = x.shape[:2]
    flat = x.reshape(seeds * n, -1).index_select(0, in_one_matrix(index, seeds, n))
    return flat.view(seeds, -1, *x.shape[2:])


def in_one_matrix(index: Tensor, seeds: int, n: int) -> Tensor:
    """An index of rows of [S, N, F] as one of rows of [S * N, F]."""
    if seeds == 1:
        return index
    return (torch.arange(seeds, device=index.device)[:, None] * n + index).view(-1)
