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
    """The kinds of others that each element sees, of one observation.

    Those in view are told apart by their label (the combination of what they are by themselves) and by one comparison with
    the element that looks. The least and the largest number of a label in a group say whether a lower or a higher is there.
    """

    def __init__(
        self,
        view: View,
        count: int,
        sizes: Sequence[int],
        place: int | None,
        crossing: Feature | None,
        label: Tensor,
        numbers: tuple[Tensor, Tensor] | None,
    ) -> None:
        """sizes: of the features that make up a kind. place: of the crossing one. label: [M] of every element that can be seen.

        numbers: [M] of every element that can be seen, and [N] of every one that looks, to be compared.
        """
        self.view, self.count, self.crossing, self.label = view, count, crossing, label
        self.sizes, self.place = sizes, place
        self.num_labels = prod(size for number, size in enumerate(sizes) if number != place)
        if numbers is not None:
            self.its, self.mine = numbers

    def present(self, kind: int) -> Tensor:
        """[N] bools: is another of this kind in view?"""
        label, outcome = split(kind, self.sizes, self.place)
        if isinstance(self.crossing, Compared):
            if outcome in (LOWER, HIGHER):
                return self._beyond(label, outcome)
            if self.crossing.distinct and self.view.others_only:
                return torch.zeros(self.count, dtype=torch.bool, device=self.label.device)
        assert self.view.own_groups is not None
        found = [self._in_group(groups, label, outcome) for groups in self.view.own_groups]
        return found[0] if len(found) == 1 else torch.stack(found).any(0)

    def _beyond(self, label: int, outcome: int) -> Tensor:
        """Whether one of a label has a lower (or higher) number: the lowest (highest) of them has."""
        nothing = MOST if outcome == LOWER else -MOST
        values = self.its if self.num_labels == 1 else torch.where(self._has(label), self.its, nothing)
        if not self.view.each_once:
            values = values.index_select(0, self.view.others)
        compare = torch.lt if outcome == LOWER else torch.gt
        if self.view.num_groups == 1 and len(values):
            return compare(values.amin() if outcome == LOWER else values.amax(), self.mine)
        extreme = torch.full((self.view.num_groups,), nothing, device=values.device)
        extreme.scatter_reduce_(0, self.view.group, values, "amin" if outcome == LOWER else "amax")
        if self.view.own_groups is None:
            return compare(extreme, self.mine)
        found = [compare(extreme.index_select(0, groups), self.mine) for groups in self.view.own_groups]
        return found[0] if len(found) == 1 else torch.stack(found).any(0)

    def _has(self, label: int) -> Tensor:
        """[M] bools: who is of a label?"""
        return self.label.view(torch.bool) if self.num_labels == 2 and label == 1 else self.label == label

    def _in_group(self, groups: Tensor, label: int, outcome: int | None) -> Tensor:
        key = groups * self.num_labels + label
        if outcome is None:
            return self._counts.index_select(0, key) > self._itself(label, None)
        alike = self._alike(key)
        equal = alike > self._itself(label, True)
        if isinstance(self.crossing, Compared) or outcome == 1:
            return equal
        return self._counts.index_select(0, key) - alike > self._itself(label, False)

    def _of_entries(self, values: Tensor) -> Tensor:
        return values if self.view.each_once else values.index_select(0, self.view.others)

    @cached_property
    def _entries(self) -> Tensor:
        """[I] group and label of every entry, as one number."""
        return torch.add(self._of_entries(self.label), self.view.group, alpha=self.num_labels)

    @cached_property
    def _counts(self) -> Tensor:
        return torch.bincount(self._entries, minlength=self.view.num_groups * self.num_labels)

    @cached_property
    def _exact(self) -> tuple[Tensor, Tensor]:
        """Every combination of entry and number that is there, in order, and how many of it are there."""
        pairs, counts = torch.stack([self._entries, self._of_entries(self.its)]).unique(dim=1, return_counts=True)
        return pairs, counts

    def _alike(self, key: Tensor) -> Tensor:
        """[N] how many of a group and label have the very number of the one who looks."""
        pairs, counts = self._exact
        both = torch.cat([pairs, torch.stack([key, self.mine])], 1)
        _, here = both.unique(dim=1, return_inverse=True)
        known = torch.zeros(int(here.max()) + 1 if len(here) else 0, dtype=torch.int64, device=key.device)
        known.scatter_(0, here[: pairs.shape[1]], counts)
        return known[here[pairs.shape[1] :]]

    def _itself(self, label: int, equal: bool | None) -> Tensor:
        """[N] how often an element finds itself among those of a label in a group it looks at, so as not to be counted.

        equal: of those whose number is the own one, or is not; None: where no number is asked for.
        """
        if not self.view.others_only:
            return torch.zeros(self.count, dtype=torch.int64, device=self.label.device)
        is_it = self._stands_there & (self.label == label)  # those who look are those who are seen
        if equal is not None:
            is_it &= (self.its == self.mine) == equal
        return is_it.long()

    @cached_property
    def _stands_there(self) -> Tensor:
        """[N] whether an element has an entry."""
        found = torch.zeros(self.count, dtype=torch.bool, device=self.label.device)
        return found.index_fill_(0, self.view.others, True)


def split(kind: int, sizes: Sequence[int], crossing: int | None) -> tuple[int, int | None]:
    """The label that a kind stands for, and the outcome of the comparison at the place ``crossing``."""
    label, outcome, scale = 0, None, 1
    for place in range(len(sizes) - 1, -1, -1):
        kind, value = divmod(kind, sizes[place])
        if place == crossing:
            outcome = value
        else:
            label += value * scale
            scale *= sizes[place]
    return label, outcome


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
    found = _order(left[0], right[0])
    for a, b in zip(left[1:], right[1:], strict=True):
        found = torch.where(found == EQUAL, _order(a, b), found)
    return found


def _order(a: Tensor, b: Tensor) -> Tensor:
    return (a >= b).view(torch.uint8) + (a > b).view(torch.uint8)
