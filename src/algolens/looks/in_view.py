"""Which kinds of others are in view where many elements look at the same group, without going through all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import torch
from torch import Tensor

from algolens.looks.reading import EQUAL, HIGHER, LOWER, Compared, Feature
from algolens.looks.relations import View

MOST = torch.iinfo(torch.int64).max


class InView:
    """The kinds of others that each element sees, of one observation whose others share groups.

    Those in view are told apart by their label (the combination of what they are by themselves) and by one comparison with
    the element that looks. The least and the largest number of a label in a group say whether a lower or a higher is there.
    """

    def __init__(
        self,
        view: View,
        count: int,
        features: Sequence[Feature],
        crossing: Feature | None,
        label: Tensor,
        numbers: tuple[Tensor, Tensor] | None,
    ) -> None:
        """label: [I] of every entry. numbers: [I] of every entry, and [N] of every element that looks, to be compared."""
        self.view, self.count, self.crossing, self.label = view, count, crossing, label
        self.sizes = [each.size for each in features]
        self.place = list(features).index(crossing) if crossing is not None else None
        self.num_labels = 1
        for place, size in enumerate(self.sizes):
            self.num_labels *= 1 if place == self.place else size
        if numbers is not None:
            self.its, self.mine = numbers

    def present(self, kind: int) -> Tensor:
        """[N] bools: is another of this kind in view?"""
        label, outcome = self._split(kind)
        found = torch.zeros(self.count, dtype=torch.bool, device=self.label.device)
        assert self.view.own_groups is not None
        for groups in self.view.own_groups:
            found |= self._in_group(groups, label, outcome)
        return found

    def _split(self, kind: int) -> tuple[int, int | None]:
        """The label and the outcome of the comparison that a kind stands for."""
        label, outcome, scale = 0, None, 1
        for place in range(len(self.sizes) - 1, -1, -1):
            kind, value = divmod(kind, self.sizes[place])
            if place == self.place:
                outcome = value
            else:
                label += value * scale
                scale *= self.sizes[place]
        return label, outcome

    def _in_group(self, groups: Tensor, label: int, outcome: int | None) -> Tensor:
        key = groups * self.num_labels + label
        if outcome is None:
            return self._count(self._counts, key) > self._itself(label, None)
        if isinstance(self.crossing, Compared):
            if outcome == LOWER:
                return self._least.index_select(0, key) < self.mine
            if outcome == HIGHER:
                return self._largest.index_select(0, key) > self.mine
            if self.crossing.distinct and self.view.others_only:
                return torch.zeros(self.count, dtype=torch.bool, device=key.device)
        alike = self._alike(key)
        equal = alike > self._itself(label, True)
        if isinstance(self.crossing, Compared) or outcome == 1:
            return equal
        return self._count(self._counts, key) - alike > self._itself(label, False)

    @cached_property
    def _entries(self) -> Tensor:
        """[I] group and label of every entry, as one number."""
        return self.view.group * self.num_labels + self.label

    @cached_property
    def _counts(self) -> Tensor:
        return torch.bincount(self._entries, minlength=self.view.num_groups * self.num_labels)

    @cached_property
    def _least(self) -> Tensor:
        found = torch.full((self.view.num_groups * self.num_labels,), MOST, device=self.label.device)
        return found.scatter_reduce_(0, self._entries, self.its, "amin")

    @cached_property
    def _largest(self) -> Tensor:
        found = torch.full((self.view.num_groups * self.num_labels,), -MOST, device=self.label.device)
        return found.scatter_reduce_(0, self._entries, self.its, "amax")

    @cached_property
    def _exact(self) -> tuple[Tensor, Tensor]:
        """Every combination of entry and number that is there, in order, and how many of it are there."""
        pairs, counts = torch.stack([self._entries, self.its]).unique(dim=1, return_counts=True)
        return pairs, counts

    def _alike(self, key: Tensor) -> Tensor:
        """[N] how many of a group and label have the very number of the one who looks."""
        pairs, counts = self._exact
        both = torch.cat([pairs, torch.stack([key, self.mine])], 1)
        _, here = both.unique(dim=1, return_inverse=True)
        known = torch.zeros(int(here.max()) + 1 if len(here) else 0, dtype=torch.int64, device=key.device)
        known.scatter_(0, here[: pairs.shape[1]], counts)
        return known[here[pairs.shape[1] :]]

    def _count(self, counts: Tensor, key: Tensor) -> Tensor:
        return counts.index_select(0, key)

    def _itself(self, label: int, equal: bool | None) -> Tensor:
        """[N] how often an element finds itself among those of a label in a group it looks at, so as not to be counted.

        equal: of those whose number is the own one, or is not; None: where no number is asked for.
        """
        if not self.view.others_only:
            return torch.zeros(self.count, dtype=torch.int64, device=self.label.device)
        if self._own_label is None:
            return torch.zeros(self.count, dtype=torch.int64, device=self.label.device)
        is_it = self._own_label == label
        if equal is not None:
            is_it &= self._own_equal == equal
        return is_it.long()

    @cached_property
    def _own_label(self) -> Tensor | None:
        """[N] the label that an element has as an entry; others_only: those who look are those who are seen."""
        found = torch.full((self.count,), -1, device=self.label.device)
        return found.scatter_(0, self.view.others, self.label)

    @cached_property
    def _own_equal(self) -> Tensor:
        """[N] whether an element's number as an entry is the one it compares with."""
        found = torch.zeros(self.count, dtype=torch.bool, device=self.label.device)
        return found.scatter_(0, self.view.others, self.its == self.mine.index_select(0, self.view.others))


def single(its: Sequence[Tensor], mine: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One number for several that compare as words in a dictionary do; the order stays."""
    if len(its) == 1:
        return its[0], mine[0]
    if not len(its[0]) or not len(mine[0]):
        return its[0], mine[0]
    least = [min(int(a.min()), int(b.min())) for a, b in zip(its, mine, strict=True)]
    spans = [1 + max(int(a.max()), int(b.max())) - low for a, b, low in zip(its, mine, least, strict=True)]
    if prod(spans) < 2**62:  # all in one number
        left, right = its[0] - least[0], mine[0] - least[0]
        for a, b, low, span in zip(its[1:], mine[1:], least[1:], spans[1:], strict=True):
            left, right = left * span + (a - low), right * span + (b - low)
        return left, right
    both = torch.cat([torch.stack(list(its)), torch.stack(list(mine))], 1)
    _, ranks = both.unique(dim=1, return_inverse=True)  # in dictionary order
    return ranks[: len(its[0])], ranks[len(its[0]) :]


def ordered(left: Sequence[Tensor], right: Sequence[Tensor]) -> Tensor:
    """[...] 0 where the left is lower, 1 where both are equal, 2 where it is higher; the first that differs decides."""
    found = torch.full_like(left[0], EQUAL, dtype=torch.int64)
    for a, b in zip(left, right, strict=True):
        found = torch.where(found == EQUAL, torch.sign(a - b).long() + 1, found)
    return found
