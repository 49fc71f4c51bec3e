"""Running stages by their tables: what elements have in view is looked up, and nothing goes through the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.looks import Batch, Compared, Observer, Reading, View
from algolens.looks.in_view import ordered, split
from algolens.looks.observer import marked_kinds
from algolens.looks.on_graph import Compare, ReadingOnGraph
from algolens.looks.reading import EQUAL

if TYPE_CHECKING:
    from algolens.models.exact.exact import Exact
    from algolens.models.exact.table import StageTable

PAIRS_AT_ONCE = 2**22
LARGEST_TABLE = 2**12  # of an own class and the kinds in view; beyond it, one kind follows the other
FEW_KINDS = 2  # that are looked for one by one rather than all marked at once


class Running:
    """The stages of one seed on one batch of graphs.

    A comparison that is in order tells numbers as they are, so they are compared themselves; any other is asked pair by pair.
    """

    def __init__(self, perceiver: Exact, tables: Mapping[str, StageTable], observer: Observer) -> None:
        self.perceiver, self.observer = perceiver, observer
        self.in_order = {width: bool(each.in_order().all()) for width, each in perceiver.comparisons.items()}
        self.stages = {
            name: StageOnGraph(ReadingOnGraph(reading, observer.graph, self._comparing), tables[name], observer)
            for name, reading in perceiver.readings.items()
        }

    def observe(self, reading: Reading, batch: Batch) -> Tensor:
        """[N] bools: what a stage concludes of every element."""
        return self.stages[reading.observation.name].conclude(batch)

    def _comparing(self, feature: Compared) -> Compare:
        if self.in_order[str(feature.bits)]:
            return ordered

        def learnt(*sides: Sequence[Tensor]) -> Tensor:
            left, right = (
                torch.cat([kind.encode(each) for each, kind in zip(side, feature.kinds, strict=True)], -1) for side in sides
            )
            return self.perceiver.comparison(feature).outcome(left, right)[0].to(torch.uint8)

        return learnt


class StageOnGraph:
    """One stage on one batch of graphs: its table, and the quickest way to know the kinds in view that make a difference."""

    def __init__(self, plan: ReadingOnGraph, table: StageTable, observer: Observer) -> None:
        self.plan, self.observer, self.device = plan, observer, plan.graph.device
        self.reading, self.count = plan.reading, plan.count
        self.matters = table.matters() if self.reading.relation is not None else []
        self.first, self.after, self.concluded = (each.to(self.device) for each in (table.first, table.after, table.concluded))
        is_small = self.reading.num_own * 2 ** len(self.matters) <= LARGEST_TABLE
        self.alone = Answers(self.concluded[self.first])  # by own class, where nobody in view makes a difference
        # by own class and whether each of the kinds is in view
        self.answers = Answers(self._combinations()) if is_small and self.reading.most == 1 else None

    def conclude(self, batch: Batch) -> Tensor:
        """[N] bools: what is concluded of every element."""
        own = self.plan.own_class(batch)
        if self.reading.relation is None or not self.matters:
            return self.alone.of(own)
        present = self._present(batch, self.observer.view(self.reading.relation, batch))
        if self.answers is None:
            return self._one_after_the_other(own, present)
        own = own if self.answers.fit_bytes else own.int()
        for kind in self.matters:
            own = torch.add(present(kind).view(torch.uint8), own, alpha=2)
        return self.answers.of(own)

    def _combinations(self) -> Tensor:
        case = self.first
        for kind in self.matters:
            case = torch.stack([case, self.after[case, kind]], 1).flatten()
        return self.concluded[case]

    def _one_after_the_other(self, own: Tensor, present: Callable[[int], Tensor]) -> Tensor:
        """From case to case: what follows when another of a kind is in view."""
        case = self.first.index_select(0, own.int())
        for kind in self.matters:
            there, after = present(kind), self.after[:, kind].contiguous()
            for number in range(1, self.reading.most + 1):  # where others are counted, one for each
                case = torch.where(there >= number, after.index_select(0, case), case)
        return self.concluded.index_select(0, case)

    def _present(self, batch: Batch, view: View) -> Callable[[int], Tensor]:
        """By kind, [N] whether one of it is in view; or how many are, where others are counted."""
        plan = self.plan
        if self.reading.most > 1:
            return self._counted(batch, view)
        if plan.goes_without_pairs(view) and (view.own_groups is not None or self._only_beyond):
            return plan.in_view(batch, view).present
        if plan.labels_alone and view.own_groups is None:
            shared = self.observer.shared_kinds(self.reading)
            if shared is None and len(self.matters) <= FEW_KINDS:
                kinds = plan.kinds(batch)
                return lambda kind: self._some(kinds, kind, view)
            return marked_kinds(plan, -1 if shared is None else shared, view, batch).__getitem__
        found = torch.zeros(self.reading.num_kinds, self.count, dtype=torch.bool, device=self.device)
        for looks, others in self._pairs(view):
            found.view(-1).scatter_(0, self._kinds(batch, looks, others) * self.count + looks, True)
        return found.__getitem__

    @cached_property
    def _only_beyond(self) -> bool:
        """Whether one comparison crosses, and every kind that makes a difference is lower or higher by it."""
        crossing = self.plan.crossing
        if len(crossing) != 1 or not isinstance(crossing[0].feature, Compared):
            return False
        sizes, place = [each.size for each in self.plan.other], self.plan.other.index(crossing[0])
        return all(split(kind, sizes, place)[1] != EQUAL for kind in self.matters)

    def _some(self, kinds: Tensor, kind: int, view: View) -> Tensor:
        """[N] bools: is one of a kind in view? Bytes are handed along."""
        is_kind = kinds if self.reading.num_kinds == 2 and kind == 1 else (kinds == kind).view(torch.uint8)
        if not view.each_once:
            is_kind = is_kind.index_select(0, view.others)
        if self.count == 1:
            return is_kind.any().view(1).view(torch.bool)
        found = torch.zeros(self.count, dtype=torch.uint8, device=self.device)
        return found.scatter_reduce_(0, view.group, is_kind, "amax").view(torch.bool)

    def _counted(self, batch: Batch, view: View) -> Callable[[int], Tensor]:
        found = torch.zeros(self.reading.num_kinds * self.count, dtype=torch.int64, device=self.device)
        for looks, others in self._pairs(view):
            found.index_add_(0, self._kinds(batch, looks, others) * self.count + looks, torch.ones_like(looks))
        return found.view(self.reading.num_kinds, self.count).__getitem__

    def _kinds(self, batch: Batch, looks: Tensor, others: Tensor) -> Tensor:
        return self.plan.kinds_of_pairs(batch, looks, others).long()

    def _pairs(self, view: View) -> Iterator[tuple[Tensor, Tensor]]:
        looks, others = view.pairs(self.count)
        return zip(looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True)


class Answers:
    """A table of bools, looked up by a whole number."""

    def __init__(self, table: Tensor) -> None:
        self.table, entries = table, table.tolist()
        self.fit_bytes = len(entries) <= 256
        self._is_bit, self._is_opposite, self._is_alike = (
            entries == [False, True],
            entries == [True, False],
            len(set(entries)) == 1,
        )

    def of(self, number: Tensor) -> Tensor:
        """[N] what is found for numbers [N]."""
        if self._is_bit:
            return number.view(torch.bool)
        if self._is_opposite:
            return ~number.view(torch.bool)
        if self._is_alike:
            return self.table[:1].expand(len(number)).contiguous()
        return self.table.index_select(0, number.int())
