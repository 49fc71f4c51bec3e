"""The bound on rounding where numbers are very small or very large."""

from __future__ import annotations

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from algolens.models.layers import Linear, leaky
from algolens.proofs.network import two_layers
from tests.models.networks import few, numbers
from tests.proofs.test_proof import in_fractions, one_by_one


def layers(scales: tuple[int, int], seed: int) -> tuple[Linear, Linear, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    first, last = Linear(1, 6, 5), Linear(1, 5, 3)
    with torch.no_grad():
        for layer, scale in zip((first, last), scales, strict=True):
            for parameter in layer.parameters():
                parameter.copy_(
                    torch.randn(parameter.shape, generator=generator).double() * 2.0**scale
                )
    return first, last, (torch.rand(4, 6, generator=generator) < 0.5).float()


@few
@given(st.tuples(st.integers(-140, 20), st.integers(-140, 20)), numbers)
@example((15, -131), 0)  # small weights behind large values
def test_small_numbers_that_are_taken_for_0_stay_within_the_bound(
    scales: tuple[int, int], seed: int
) -> None:
    first, last, features = layers(scales, seed)
    values, reach = (each.detach() for each in two_layers(first, last, features))
    exact = in_fractions(first, last, features)
    if not torch.set_flush_denormal(True):
        pytest.skip("this machine keeps all small numbers")
    try:
        assert first.bias is not None
        assert last.bias is not None
        middle = leaky(one_by_one(features, first.weight[0], first.bias[0]))
        found = one_by_one(middle, last.weight[0], last.bias[0])
    finally:
        torch.set_flush_denormal(False)
    assert bool(((found.double() - exact).abs() <= reach).all())
    assert bool(((values - exact).abs() <= reach).all())


def test_a_sum_that_single_precision_cannot_hold_is_never_settled() -> None:
    first, last, features = layers((66, 66), 0)
    _, reach = two_layers(first, last, features)
    assert bool(reach.isinf().all())
    _, reach = two_layers(*layers((50, 50), 0))
    assert bool(reach.isfinite().all())
