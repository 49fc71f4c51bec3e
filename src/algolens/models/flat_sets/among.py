"""Everyone against everyone else of the same graph: as pairs, or from places in the order of learnt scores."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.models.memoryless.comparison import CHANNELS, Comparison

FIRST, SECOND = 1, 2  # the bits of a comparison as numbers, as in ``Cases.combinations``


def pairs(left: Tensor, right: Tensor) -> Tensor:
    """[2, A] every member of a left group with every member of the right group of the same number. left, right: [G] sizes."""
    owner = torch.repeat_interleave(torch.arange(len(left), device=left.device), left)
    start = (right.cumsum(0) - right)[owner]
    many = right[owner]
    ones = torch.repeat_interleave(torch.arange(len(owner), device=left.device), many)
    others = torch.arange(len(ones), device=left.device) - torch.repeat_interleave(many.cumsum(0) - many - start, many)
    return torch.stack([ones, others])


def pairs_apart(sizes: Tensor) -> Tensor:
    """[2, A] every member of a group with every other one of it."""
    both = pairs(sizes, sizes)
    return both[:, both[0] != both[1]]


@dataclass(frozen=True, eq=False)
class Ranks:
    """Which kinds of others a member hears, without going through all pairs.

    The bits of a comparison are monotone in the difference of two scores. So, in the order of scores, those heard with the
    first bit stand before a member's one bound, those with the second from its other bound on. Both bounds stay while a graph
    is worked on, and counting classes up to them says who is there. The same as going through all pairs, in less time.
    """

    order: Tensor  # [N] the members, group by group, by rising score
    place: Tensor  # [N] where each member stands in this order
    bounds: Tensor  # [4, N] places in the order: the group's start, where the first and second part end, the group's end
    between: Tensor  # [N] the bits, as a number, of those in the second part

    @classmethod
    def of(cls, scores: Tensor, sizes: Tensor, comparison: Comparison) -> Ranks:
        """Members of groups of these sizes [G], by their scores [N] under one seed's comparison."""
        owner = torch.repeat_interleave(torch.arange(len(sizes), device=sizes.device), sizes)
        order = scores.argsort(stable=True)
        order = order[owner[order].argsort(stable=True)]
        place = torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device=order.device))
        end = sizes.cumsum(0)[owner]
        start = end - sizes[owner]
        sorted_scores = scores[order]
        first = _bound(sorted_scores, scores, start, end, comparison, 0)
        second = _bound(sorted_scores, scores, start, end, comparison, 1)
        bounds = torch.stack([start, torch.minimum(first, second), torch.maximum(first, second), end])
        return cls(order, place, bounds, torch.where(second < first, FIRST + SECOND, 0))

    def present(self, classes: Tensor, num_classes: int) -> Tensor:
        """[num_classes x 4, N] bools: does a member hear another of this class and with these bits? classes: [N]."""
        is_class = classes == torch.arange(num_classes, device=classes.device)[:, None]  # [C, N]
        counts = torch.zeros(num_classes, len(classes) + 1, dtype=torch.int32, device=classes.device)
        torch.cumsum(is_class[:, self.order], 1, dtype=torch.int32, out=counts[:, 1:])
        start, low, high, end = (counts.index_select(1, bound) for bound in self.bounds)
        itself = [(self.bounds[i] <= self.place) & (self.place < self.bounds[i + 1]) for i in range(3)]
        parts = (low - start, high - low, end - high)
        before, middle, after = (part > (is_class & own) for part, own in zip(parts, itself, strict=True))
        # by the bits as a number: none, the first, the second, both
        return torch.stack([middle & (self.between == 0), before, after, middle & (self.between > 0)], 1).flatten(0, 1)


def _bound(ordered: Tensor, scores: Tensor, start: Tensor, end: Tensor, comparison: Comparison, channel: int) -> Tensor:
    """[N] up to which place the first bit is set, or the second is not: by halving, for all members at once."""
    assert channel < CHANNELS
    low, high = start, end
    while bool((low < high).any()):
        middle = (low + high) // 2
        bits = comparison((scores - ordered[middle.clamp(max=max(len(ordered) - 1, 0))])[None])[0]
        before = (bits[:, channel] > 0) == (channel == 0)
        searching = low < high
        low, high = torch.where(searching & before, middle + 1, low), torch.where(searching & ~before, middle, high)
    return low
