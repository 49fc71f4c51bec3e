"""What an exact network is made of: comparators of numbers, and a stage for each observation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import msgspec
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.algorithms import Declaration
from algolens.language import ir
from algolens.language.finite import Compared, Feature, Statement, statements
from algolens.models.architecture import GOES_ON
from algolens.models.layers import Linear, Seeded, leaky

# how much faster than other weights the logarithms of the places' weights move: they have further
# to go
SPREAD = 10.0
MARGIN = 6.0  # of the hinge loss
RATE, BATCH, CHECK_EVERY = 1e-2, 256, 25
# a comparison that is not in order after so many batches begins anew; of numbers of 155 bits, three
# of four get there the first time
PATIENCE, ATTEMPTS = 2_500, 8
EQUAL_SHARE = 0.2  # of the pairs it is taught by


class Comparator(Seeded):
    """Two numbers side by side: is the one lower, or higher, than the other?

    Two bits for a pair of numbers x, y: lower = hard(-d - b), higher = hard(d - b), with d = w .
    (bits of x - bits of y). Where bits agree, nothing is added, so rounding is relative to the
    first place that differs, and numbers of any length are told apart. The weights w = sinh(theta)
    can span many powers of two; learnt is by how much theta changes from place to place, so that no
    place's weight has to be found against all the others'. Both bits share one offset b > 0: of
    equal numbers neither is set, whatever is learnt.
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
        """[S, A] 0 where the first number [A, bits] is lower, 1 where neither, 2 where higher."""
        difference = self.difference(first, second)
        return 1 + (difference > self.threshold).long() - (difference < -self.threshold).long()

    def margins(self) -> Tensor:
        """[S, bits] how far a difference that begins at a place exceeds the threshold, at least.

        At the first place where two numbers differ, that place's weight stands against all lower
        ones, which can take away no more than their sum; what rounding can change, in any order of
        adding, is taken away besides.
        """
        weights = self.weights
        lower = weights.abs().flip(1).cumsum(1).flip(1) - weights.abs()
        unit = 4 * (self.bits + 3) * torch.finfo(torch.float64).eps
        return (weights - lower) - self.threshold - unit * (weights.abs() + lower + self.threshold)

    def in_order(self) -> Tensor:
        """[S] bools: a proof, on the weights, that all different numbers are told apart rightly."""
        margins = self.margins()
        return (margins > 0).all(1) & margins.isfinite().all(1)


def teach(comparison: Comparator, seed: int) -> int:
    """Teach a comparison on pairs that are hard to tell apart; gives the number of batches.

    A seed that is not in order for long begins anew from other weights.
    """
    generator = torch.Generator().manual_seed(seed)
    done = torch.zeros(len(comparison.change), dtype=torch.bool, device=comparison.change.device)
    batches = _teach_once(comparison, done, generator)
    for _ in range(1, ATTEMPTS):
        for place in (~done).nonzero()[:, 0].tolist():
            comparison.draw(place, generator)
        batches += _teach_once(comparison, done, generator)
    return batches


def _teach_once(comparison: Comparator, done: Tensor, generator: torch.Generator) -> int:
    """Teach the seeds that are not in order yet; those that get there are marked in `done` [S]."""
    adam = torch.optim.Adam(comparison.parameters(), RATE)
    weights = [parameter.data for parameter in comparison.parameters()]
    # of the seeds that are in order: further steps could undo it
    kept = [value.clone() for value in weights]
    one = torch.asinh(torch.ones((), dtype=torch.float64, device=done.device))
    batch = 0
    while batch < PATIENCE:
        if batch % CHECK_EVERY == 0:
            newly = comparison.in_order() & ~done
            for proven, value in zip(kept, weights, strict=True):
                proven[newly] = value[newly]
            done |= newly
            if bool(done.all()):
                break
        first, second, order = (
            values.to(done.device) for values in _pairs(comparison.bits, BATCH, generator)
        )
        difference = comparison.difference(first, second) / comparison.threshold
        # asinh: a pair that lies far on the wrong side pulls as much as one that lies near
        loss = F.relu(MARGIN - order * torch.asinh(difference) / one)
        adam.zero_grad()
        (loss * (order != 0)).sum(1).div(BATCH).sum().backward()
        adam.step()
        batch += 1
    for proven, value in zip(kept, weights, strict=True):
        value[done] = proven[done]
    return batch


def _pairs(bits: int, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Pairs of numbers [count, bits], and whether the first is higher (1), lower (-1), neither (0).

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


@dataclass(frozen=True)
class Star:
    """An element of an own class, and the neighbour classes of those in view."""

    own: int
    kinds: tuple[int, ...]


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


SILENCE = -5.0  # the logit of a bit that nobody sends


class Stage(nn.Module):
    """Bits from everyone in view, joined; then a head on the own class and the joined bits.

    A message is hard(M(own class, kind of other)). M and the head are two layers each. Bits are
    joined by "or"; where others are counted, by a sum that stops at the largest count that is asked
    for, which the head sees as a thermometer of bits. So what is concluded is settled by the own
    class and by how many of each kind are in view (one, or none, where nothing is counted):
    finitely many cases, whatever the graph. What a stage knows of its observation is which features
    it reads, and how far it counts; never the formula.
    """

    own_features: Tensor  # [own classes, features] each own class as the layers see it
    kind_features: Tensor  # [kinds, features] each kind of other likewise

    def __init__(self, seeds: int, statement: Statement, *, width: int, bits: int) -> None:
        super().__init__()
        self.most = statement.most
        self.looks_at_others = statement.view is not None
        self.register_buffer("own_features", _encoded(statement.own), persistent=False)
        self.register_buffer("kind_features", _encoded(statement.others), persistent=False)
        own, kind = self.own_features.shape[1], self.kind_features.shape[1]
        self.bits = num_bits(statement, bits)
        if self.looks_at_others:
            self.message_first = Linear(seeds, own + kind, width)
            self.message_last = Linear(seeds, width, self.bits)
        self.head_first = Linear(seeds, own + self.bits * self.most, width)
        self.head_last = Linear(seeds, width, 1)

    def messages(self, own: Tensor, kinds: Tensor) -> Tensor:
        """[S, A, bits] logits of what others of kinds [A] send to elements of own classes [A]."""
        features = torch.cat([self.own_features[own], self.kind_features[kinds]], -1)
        seeds = len(self.message_first.weight)
        return self.message_last(leaky(self.message_first(features.expand(seeds, -1, -1))))

    def join(self, sent: Tensor, there: Tensor) -> Tensor:
        """[S, M, bits x most] what elements receive, from logits [S, M, others, bits].

        there: [M, others] who is there.
        """
        silent = ~there[None, :, :, None]
        if self.most == 1:
            return harden(sent.masked_fill(silent, SILENCE).amax(2))
        counts = harden(sent).masked_fill(silent, 0).sum(2)
        steps = torch.arange(self.most, device=sent.device) + 0.5
        return harden(counts[..., None] - steps).flatten(2)

    def conclude(self, own: Tensor, joined: Tensor) -> Tensor:
        """[S, M] logits of elements of own classes [M] that receive [S, M, bits x most]."""
        features = self.own_features[own].expand(len(joined), -1, -1)
        return self.head_last(leaky(self.head_first(torch.cat([features, joined], -1)))).squeeze(-1)

    def nothing(self, count: int) -> Tensor:
        """[S, count, 0] what is received where nobody is looked at."""
        weight = self.head_first.weight
        return weight.new_zeros(len(weight), count, 0)

    def forward(self, own: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        """[S, M] logits of elements of own classes [M] with kinds [M, others] in view, if there."""
        if not self.looks_at_others:
            return self.conclude(own, self.nothing(len(own)))
        count, others = kinds.shape
        sent = self.messages(own.repeat_interleave(others), kinds.flatten())
        return self.conclude(own, self.join(sent.view(len(sent), count, others, -1), there))


def num_bits(statement: Statement, message_bits: int) -> int:
    """Bits of a stage's messages: twice as many where others are counted, none without others."""
    return 0 if statement.view is None else message_bits * (2 if statement.most > 1 else 1)


def _encoded(features: tuple[Feature, ...]) -> Tensor:
    """[combinations, width] all values as a network sees them: classes one-hot, orders two bits."""
    parts = [
        COMPARED if isinstance(feature, Compared) else torch.eye(feature.size)
        for feature in features
    ]
    rows = [torch.cat([torch.zeros(0), *row]) for row in product(*parts)]
    return torch.stack(rows)


COMPARED = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # lower, equal, higher


def all_statements(declaration: Declaration) -> dict[str, Statement]:
    """What each stage is to find, by the stage's name: last, where that is seen, going on."""
    found = statements(declaration.program)
    asked = found.pop(ir.GOES_ON, None)
    if asked is not None:
        let = msgspec.structs.replace(asked.let, name=GOES_ON)
        found[GOES_ON] = replace(asked, let=let)
    return found


def comparisons_of(statement: Statement) -> list[Compared]:
    """The comparisons of numbers that a statement reads."""
    features = (*statement.own, *statement.others)
    return [feature for feature in features if isinstance(feature, Compared)]
