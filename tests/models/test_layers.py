"""Layers of several seeds, against PyTorch's own of one."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from algolens.models.layers import (
    GRU,
    Bias,
    Linear,
    draw_all,
    gradients_at_once,
    in_pieces,
    leaky,
    rows_of,
)
from tests.models.networks import gru_cell, numbers, patient, several

counts = st.integers(1, 4)
# narrow ones and others: a CPU computes their products in different ways
widths = st.sampled_from([1, 2, 5, 16, 19])
seed_lists = st.lists(st.integers(0, 1000), min_size=1, max_size=4, unique=True)


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def affine(layer: Linear, x: Tensor) -> Tensor:
    """The layer by operations that PyTorch differentiates itself."""
    return x @ layer.weight if layer.bias is None else x @ layer.weight + layer.bias


@patient
@given(counts, st.integers(0, 6), widths, widths, st.booleans(), numbers)
def test_a_linear_layer_is_pytorchs_for_each_seed(seeds, rows, inputs, outputs, bias, seed):
    layer = Linear(seeds, inputs, outputs, bias=bias).double()
    draw_all(layer, range(seeds))
    x = normal(seed, seeds, rows, inputs)
    found = layer(x)
    for place in range(seeds):
        own = None if layer.bias is None else layer.bias[place, 0]
        assert_close(found[place], F.linear(x[place], layer.weight[place].T, own))


@several
@given(counts, st.integers(1, 4), widths, widths, st.booleans(), numbers)
def test_gradients_after_several_uses_are_those_of_plain_autograd(
    seeds, uses, inputs, outputs, bias, seed
):
    """A layer is used at every step: its gradient is the sum over all uses."""
    layer, back = (
        Linear(seeds, inputs, outputs, bias=bias).double(),
        Linear(seeds, outputs, inputs).double(),
    )
    draw_all(nn.ModuleList([layer, back]), range(seeds))
    x = normal(seed, seeds, 5, inputs).requires_grad_()

    def forward(apply: Callable[[Linear, Tensor], Tensor]) -> Tensor:
        y = x
        for _ in range(uses):
            y = leaky(apply(back, leaky(apply(layer, y))))
        # as L1 and L2 add to losses
        return (y * normal(seed + 1, seeds, 5, inputs)).sum() + layer.weight.square().sum()

    parameters = [*layer.parameters(), *back.parameters()]
    expected = torch.autograd.grad(forward(affine), [x, *parameters])
    found = torch.autograd.grad(forward(Linear.forward), [x, *parameters])
    for ours, right in zip(found, expected, strict=True):
        assert_close(ours, right)


@patient
@given(counts, widths, st.integers(1, 6), numbers)
def test_the_gated_unit_is_pytorchs(seeds, width, rows, seed):
    gru = GRU(seeds, width).double()
    draw_all(gru, range(seeds))
    x, state = normal(seed, seeds, rows, width), normal(seed + 1, seeds, rows, width)
    found = gru(x, state)
    for place in range(seeds):
        assert_close(found[place], gru_cell(gru, width, place)(x[place], state[place]))


@patient
@given(seed_lists)
def test_a_seed_draws_the_same_alone_and_among_others(seeds):
    def module(count: int) -> nn.Module:
        return nn.ModuleList([Linear(count, 3, 2), Bias(count, 4, fan_in=4), GRU(count, 2)])

    together = module(len(seeds))
    draw_all(together, seeds)
    for place, seed in enumerate(seeds):
        alone = module(1)
        draw_all(alone, [seed])
        for one, many in zip(alone.parameters(), together.parameters(), strict=True):
            assert torch.equal(one[0], many[place])


@patient
@given(numbers, st.integers(1, 50))
def test_first_weights_lie_where_pytorch_draws_them(seed, fan_in):
    layer = Linear(1, 4, 30, fan_in=fan_in)
    draw_all(layer, [seed])
    bound = 1 / math.sqrt(fan_in)
    for parameter in layer.parameters():
        assert parameter.abs().max() <= bound
    assert layer.weight.abs().max() > 0.8 * bound  # of 120 weights


@several
@given(counts, st.lists(st.integers(0, 6), max_size=9), numbers)
def test_rows_and_their_gradient_are_pytorchs(seeds, index, seed):
    x, chosen = normal(seed, seeds, 7, 2).requires_grad_(), torch.tensor(index, dtype=torch.int64)
    weight = normal(seed + 1, seeds, len(index), 2)
    assert torch.equal(rows_of(x, chosen), x.index_select(1, chosen))
    found, right = (
        torch.autograd.grad((e * weight).sum(), x)[0]
        for e in (rows_of(x, chosen), x.index_select(1, chosen))
    )
    assert_close(found, right)


@given(numbers, counts, st.integers(0, 40), widths, widths, st.integers(1, 9))
@several
def test_a_sum_in_pieces_is_the_whole_sum(seed, seeds, rows, inputs, outputs, size):
    x, grad = normal(seed, seeds, rows, inputs), normal(seed + 1, seeds, rows, outputs)
    assert_close(in_pieces(x, grad, size), x.mT @ grad)


@given(numbers, counts, widths, st.integers(1, 4))
@several
def test_gradients_at_once_are_those_of_each_use(seed, seeds, width, uses):
    module = nn.ModuleList(
        [Linear(seeds, width, width), Linear(seeds, width, 4, bias=False), Bias(seeds, 4, fan_in=1)]
    ).double()
    draw_all(module, range(seeds))
    inputs = [normal(seed + use, seeds, 3 + use, width) for use in range(uses)]
    found = []
    for scope in (gradients_at_once(module), nullcontext()):
        with scope:
            first, last, bias = module
            results = [bias(last(first(x).sigmoid())) for x in inputs]
        total = sum((result.square().sum() for result in results), torch.zeros(()))
        found.append(torch.autograd.grad(total, list(module.parameters())))
    for one, other in zip(*found, strict=True):
        assert_close(one, other)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("layer", [Linear(3, 19, 19), Linear(3, 5, 16, bias=False), GRU(3, 19)])
def test_a_gpu_computes_what_a_cpu_does(layer):
    draw_all(layer, (0, 1, 2))
    x = normal(0, 3, 300, layer.weight.shape[1] if isinstance(layer, Linear) else 19).float()
    found = []
    for device in ("cpu", "cuda"):
        there, given = layer.to(device), x.to(device).requires_grad_()
        result = there(given) if isinstance(layer, Linear) else there(given, given.sin())
        wanted = [given, *there.parameters()]
        grads = torch.autograd.grad(result.square().sum(), wanted)
        found.append([part.detach().cpu() for part in (result, *grads)])
    for cpu, gpu in zip(*found, strict=True):
        assert_close(gpu, cpu, rtol=1e-4, atol=1e-4)
