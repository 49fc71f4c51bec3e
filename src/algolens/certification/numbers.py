"""That numbers are compared rightly: by the weights of their places, so that it holds for any number of bits."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.sure import SINGLE
from algolens.data import Setting
from algolens.fields import Number
from algolens.models.memoryless.comparison import CHANNELS, SPREAD, Comparison

ALL_PAIRS = 10  # bits up to which every pair is tried as well
PAIRS_AT_ONCE = 2**20
DOUBLE_EPS = torch.finfo(torch.float64).eps
SINGLE_EPS = 4 * SINGLE.eps  # by how much rounding to single precision changes a number, and more


def order_of_numbers(comparison: Comparison, kind: Number, name: str, show: Callable[[tuple[int, int]], Setting]) -> Finding:
    """Whether comparing two numbers depends on which is the larger alone. show: a setting in which a pair is compared.

    The difference of two scores is decided at the first place where the numbers differ: it is that place's weight, of which all
    lower places together can take away no more than the sum of theirs. Where the rest is larger than every offset of the
    comparison, and than any rounding, the order of the numbers settles each bit.
    """
    weights = comparison.weights[0].detach()
    weights = weights * weights.sum().sign()  # scores may as well fall where numbers rise
    below = weights.abs().flip(0).cumsum(0).flip(0) - weights.abs()
    rounding = _rounding(comparison, weights)
    least = torch.asinh(weights - below - rounding) - SINGLE.tiny
    offset = comparison.offset[0, 0].detach().double().abs()
    holds = least[:, None] * (1 - SINGLE_EPS) > offset * (1 + SINGLE_EPS) + SINGLE.tiny  # [bits, channels]
    if not kind.distinct:  # equal numbers: the offset alone decides
        holds = torch.cat([holds, (offset > torch.asinh(rounding) + 2 * SINGLE.tiny)[None]])
    failures = (~holds).any(1).nonzero().flatten().tolist()
    pairs = [_nearest(kind, weights, place) for place in failures if place < kind.bits]
    equal = [] if len(pairs) == len(failures) else [(kind.low, kind.low)]
    check = Check(
        name=f"order of {name}",
        basis=Basis.PROOF,
        cases=holds.numel(),
        failures=int((~holds).sum()),
        says=f"Of two numbers of {kind.bits} bits, which {name} is the larger settles each bit of their comparison: the weight "
        "of every place exceeds those of all lower places together.",
        counterexample=None if not failures else f"{(pairs + equal)[0][0]} and {(pairs + equal)[0][1]} are too near to tell",
    )
    return Finding(check, [show(pair) for pair in pairs + equal])


def every_pair(comparison: Comparison, kind: Number, name: str) -> Check | None:
    """The same, tried on every pair of numbers; None where there are too many."""
    if kind.bits > ALL_PAIRS:
        return None
    numbers = torch.arange(kind.low, 2**kind.bits)
    scores = comparison.scores(kind.encode(numbers))[0].detach()
    larger_first, smaller_first = _compared(comparison, torch.stack([scores[1] - scores[0], scores[0] - scores[1]]))
    wrong = 0
    rows = max(1, PAIRS_AT_ONCE // len(numbers))
    for own in torch.arange(len(numbers)).split(rows):
        found = _compared(comparison, (scores[own, None] - scores[None]).flatten()).view(len(own), len(numbers), CHANNELS)
        larger = own[:, None] > torch.arange(len(numbers))
        right = (found == torch.where(larger[..., None], larger_first, smaller_first)).all(-1)
        wrong += int((~right & (own[:, None] != torch.arange(len(numbers)))).sum())
    return Check(
        name=f"every pair of {name}",
        basis=Basis.EXHAUSTIVE,
        cases=len(numbers) * (len(numbers) - 1),
        failures=wrong,
        says=f"Every ordered pair of different numbers from {kind.low} to {2**kind.bits - 1} is compared rightly.",
    )


def _rounding(comparison: Comparison, weights: Tensor) -> Tensor:
    """By how much the difference of two scores may be off: scores are sums of weights, and weights are sinh of sums.

    A machine may also take those numbers of single precision that are too small for 0: what the sums are made of, each.
    """
    bits, change = len(weights), SPREAD * comparison.change[0].detach().double().abs()
    theta = 2 * bits * (DOUBLE_EPS * change.sum() + SPREAD * SINGLE.tiny)
    cosh = torch.sqrt(1 + weights**2)  # by which an error of theta grows
    return (theta * cosh + 4 * bits * DOUBLE_EPS * weights.abs()).sum()


@torch.no_grad()
def _compared(comparison: Comparison, differences: Tensor) -> Tensor:
    """[A, channels] the bits for differences of scores [A]."""
    return comparison(differences.reshape(1, -1))[0]


def _nearest(kind: Number, weights: Tensor, place: int) -> tuple[int, int]:
    """Of the pairs that first differ at a place, the one whose scores are the nearest, the larger number first."""
    worth = 2 ** torch.arange(kind.bits - 1, -1, -1)
    lower = torch.arange(kind.bits) > place
    larger = int(worth[place] + (worth * (lower & (weights < 0))).sum())
    smaller = int((worth * (lower & (weights > 0))).sum())
    common = 0 if smaller >= kind.low else int(worth[0]) * (place > 0)  # a beginning that both share
    return larger + common, smaller + common
