"""Two numbers side by side: is the one lower, or higher, than the other?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.models.layers import Seeded

# how much faster than other weights the logarithms of the places' weights move: they have further
# to go
SPREAD = 10.0
MARGIN = 6.0  # of the hinge loss
RATE, BATCH, MOST_BATCHES, CHECK_EVERY = 1e-2, 256, 4_000, 25
EQUAL_SHARE = 0.2  # of the pairs it is taught by


class Comparator(Seeded):
    """Two bits for a pair of numbers x, y: lower = hard(-d - b), higher = hard(d - b), with d = w .
    (bits of x - bits of y).

    Where bits agree, nothing is added, so rounding is relative to the first place that differs, and
    numbers of any length are told apart. The weights w = sinh(theta) can span many powers of two;
    learnt is by how much theta changes from place to place, so that no place's weight has to be
    found against all the others'. Both bits share one offset b > 0: of equal numbers neither is
    set, whatever is learnt.
    """

    def __init__(self, seeds: int, bits: int) -> None:
        super().__init__()
        self.bits = bits
        # of theta, from each place to the one before it
        self.change = nn.Parameter(torch.empty(seeds, bits))
        self.offset = nn.Parameter(torch.zeros(seeds, 1))

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            self.change[place] = (
                0.3 + 0.1 * torch.randn(self.change[place].shape, generator=generator)
            ) / SPREAD
            self.offset[place] = 0.0

    @property
    def weights(self) -> Tensor:
        """[S, bits] what each place counts, the highest first."""
        return torch.sinh((SPREAD * self.change.double()).flip(1).cumsum(1).flip(1))

    @property
    def threshold(self) -> Tensor:
        """[S, 1] what a difference must exceed: always positive."""
        return F.softplus(self.offset.double())

    def difference(self, first: Tensor, second: Tensor) -> Tensor:
        """[S, A] of numbers that come as their bits, [A, bits] each."""
        return self.weights @ (first - second).double().T

    def outcome(self, first: Tensor, second: Tensor) -> Tensor:
        """[S, A] 0 where the first number is lower, 1 where neither is, 2 where it is higher;
        numbers as bits [A, bits].
        """
        difference = self.difference(first, second)
        return 1 + (difference > self.threshold).long() - (difference < -self.threshold).long()

    def margins(self) -> Tensor:
        """[S, bits] by how much a difference that begins at a place exceeds the threshold, at the
        least.

        At the first place where two numbers differ, that place's weight stands against all lower
        ones, which can take away no more than their sum; what rounding can change, in any order of
        adding, is taken away besides.
        """
        weights = self.weights
        lower = weights.abs().flip(1).cumsum(1).flip(1) - weights.abs()
        unit = 4 * (self.bits + 3) * torch.finfo(torch.float64).eps
        return (weights - lower) - self.threshold - unit * (weights.abs() + lower + self.threshold)

    def in_order(self) -> Tensor:
        """[S] bools: does it tell every pair of different numbers rightly? A proof: on the weights,
        for all pairs at once.
        """
        margins = self.margins()
        return (margins > 0).all(1) & margins.isfinite().all(1)


def teach(comparison: Comparator, seed: int) -> int:
    """Teaches a comparison on pairs that are hard to tell apart, each seed until it is in order;
    gives the batches.
    """
    generator = torch.Generator().manual_seed(seed)
    device = comparison.change.device
    adam = torch.optim.Adam(comparison.parameters(), RATE)
    weights = [each.data for each in comparison.parameters()]
    # of the seeds that are in order: further steps could undo it
    kept = [each.clone() for each in weights]
    done = torch.zeros(len(comparison.change), dtype=torch.bool, device=device)
    batch = 0
    while batch < MOST_BATCHES:
        if batch % CHECK_EVERY == 0:
            newly = comparison.in_order() & ~done
            for each, value in zip(kept, weights, strict=True):
                each[newly] = value[newly]
            done |= newly
            if bool(done.all()):
                break
        first, second, order = (
            each.to(device) for each in _pairs(comparison.bits, BATCH, generator)
        )
        difference = comparison.difference(first, second) / comparison.threshold
        # asinh: a pair that lies far on the wrong side pulls as much as one that lies near
        loss = F.relu(
            MARGIN
            - order
            * torch.asinh(difference)
            / torch.asinh(torch.ones((), dtype=torch.float64, device=device))
        )
        adam.zero_grad()
        (loss * (order != 0)).sum(1).div(BATCH).sum().backward()
        adam.step()
        batch += 1
    for each, value in zip(kept, weights, strict=True):
        value[done] = each[done]
    return batch


def _pairs(bits: int, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers as bits [count, bits] twice, and whether the first is higher (1), lower (-1), or
    neither (0).

    Two numbers agree up to a place, differ there, and are then either random, or as near to each
    other as can be.
    """
    first = torch.randint(0, 2, (count, bits), generator=generator)
    second = torch.randint(0, 2, (count, bits), generator=generator)
    place = torch.randint(0, bits, (count, 1), generator=generator)
    columns = torch.arange(bits)
    before, at, after = columns < place, columns == place, columns > place
    second = torch.where(before, first, second)
    second = torch.where(at, 1 - first, second)
    higher = first.gather(1, place) == 1
    close = torch.rand(count, 1, generator=generator) < 0.5
    first = torch.where(after & close, 1 - higher.long(), first)
    second = torch.where(after & close, higher.long(), second)
    equal = torch.rand(count, 1, generator=generator) < EQUAL_SHARE
    second = torch.where(equal, first, second)
    order = torch.where(equal, 0, torch.where(higher, 1, -1)).squeeze(1)
    return first, second, order
