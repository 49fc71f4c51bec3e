"""Running stages by their tables: elements are counted by what they have in view, and nothing goes through the layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.looks import Batch, Compared, Feature, Label, Observer, Reading, Term, View, Whose
from algolens.looks.observer import feature_value, in_view, marked_kinds, other_kinds, value_of
from algolens.looks.reading import combine

if TYPE_CHECKING:
    from algolens.models.exact.perceiver import Exact
    from algolens.models.exact.table import StageTable

PAIRS_AT_ONCE = 2**22


class Running:
    """The stages of one seed on one batch of graphs.

    A comparison that is in order tells numbers as they are, so they are compared themselves; any other is asked pair by pair.
    """

    def __init__(self, perceiver: Exact, tables: Mapping[str, StageTable], graph: Graph) -> None:
        self.perceiver, self.graph = perceiver, graph
        device = graph.device
        self.in_order = {width: bool(each.in_order().all()) for width, each in perceiver.comparisons.items()}
        self.first = {name: table.first.to(device) for name, table in tables.items()}
        self.after = {name: table.after.T.contiguous().to(device) for name, table in tables.items()}  # [kinds, cases]
        self.concluded = {name: table.concluded.to(device) for name, table in tables.items()}
        self.matters = {name: table.matters() for name, table in tables.items()}

    def observe(self, reading: Reading, observer: Observer, batch: Batch) -> Tensor:
        """[N] bools: what a stage concludes of every element."""
        name = reading.observation.name
        count = self.graph.count(reading.observation.location)
        case = self._own(reading, batch, count)
        if reading.relation is not None and self.matters[name]:
            view = observer.view(reading.relation, batch)
            case = self._with_others(reading, batch, view, case)
        return self.concluded[name].index_select(0, case)

    def _own(self, reading: Reading, batch: Batch, count: int) -> Tensor:
        """[N] the case of every element that has nobody in view."""
        first = self.first[reading.observation.name]
        if not reading.own:
            return first.expand(count)
        values = [self._value(each, lambda term: value_of(reading, term, batch), reading) for each in reading.own]
        return first.index_select(0, combine(values, [each.size for each in reading.own], values[0]))

    def _with_others(self, reading: Reading, batch: Batch, view: View, case: Tensor) -> Tensor:
        name, after = reading.observation.name, self.after[reading.observation.name]
        present = self._present(reading, batch, view, len(case))
        for kind in self.matters[name]:
            there = present(kind)
            following = after[kind].index_select(0, case)
            if there.dtype == torch.bool:
                case = torch.where(there, following, case)
                continue
            for number in range(1, reading.most + 1):
                case = torch.where(there >= number, after[kind].index_select(0, case), case)
        return case

    def _present(self, reading: Reading, batch: Batch, view: View, count: int) -> Callable[[int], Tensor]:
        """By kind, [N] whether one of it is in view; or how many are, where others are counted."""
        plain = all(self._is_plain(each) for each in reading.other)
        if reading.most > 1:
            return self._counted(reading, batch, view, count)
        if plain and view.own_groups is not None:
            shared = in_view(reading, batch, view, count)
            if shared is not None:
                return shared.present
        if all(isinstance(each, Label) for each in reading.other) and view.own_groups is None:
            key = (reading.relation, reading.other)
            if len(self.matters[reading.observation.name]) == 1 and key not in batch.marks:
                return self._one_kind(reading, batch, view, count)
            if key not in batch.marks:
                batch.marks[key] = marked_kinds(reading, view, count, other_kinds(reading, batch), self.graph.device)
            return batch.marks[key].__getitem__
        found = torch.zeros(reading.num_kinds, count, dtype=torch.bool, device=self.graph.device)
        for looks, others in self._pairs(view, count):
            found.view(-1).scatter_(0, self._kinds(reading, batch, looks, others) * count + looks, True)
        return found.__getitem__

    def _one_kind(self, reading: Reading, batch: Batch, view: View, count: int) -> Callable[[int], Tensor]:
        """Where one kind alone makes a difference, bytes are handed along instead of kinds."""
        kinds = other_kinds(reading, batch)

        def present(kind: int) -> Tensor:
            is_kind = (kinds == kind).view(torch.uint8)
            found = torch.zeros(count, dtype=torch.uint8, device=self.graph.device)
            found.scatter_reduce_(0, view.group, is_kind.index_select(0, view.others), "amax")
            return found.view(torch.bool)

        return present

    def _counted(self, reading: Reading, batch: Batch, view: View, count: int) -> Callable[[int], Tensor]:
        found = torch.zeros(reading.num_kinds * count, dtype=torch.int64, device=self.graph.device)
        for looks, others in self._pairs(view, count):
            kinds = self._kinds(reading, batch, looks, others)
            found.index_add_(0, kinds * count + looks, torch.ones_like(looks))
        return found.view(reading.num_kinds, count).__getitem__

    def _pairs(self, view: View, count: int) -> Sequence[tuple[Tensor, Tensor]]:
        looks, others = view.pairs(count)
        return list(zip(looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True))

    def _kinds(self, reading: Reading, batch: Batch, looks: Tensor, others: Tensor) -> Tensor:
        """[A] the kind of the one in view, of every pair."""

        def of_term(term: Term) -> Tensor:
            return value_of(reading, term, batch).index_select(0, others if term.whose is Whose.ITS else looks)

        values = [self._value(each, of_term, reading) for each in reading.other]
        return combine(values, [each.size for each in reading.other], looks)

    def _is_plain(self, feature: Feature) -> bool:
        return not isinstance(feature, Compared) or self.in_order[str(feature.bits)]

    def _value(self, feature: Feature, of_term: Callable[[Term], Tensor], reading: Reading) -> Tensor:
        """What a feature is; numbers are compared by the comparison that was learnt, unless it is known to be in order."""
        if self._is_plain(feature):
            return feature_value(feature, of_term)
        assert isinstance(feature, Compared)
        left, right = (
            torch.cat([kind.encode(of_term(term)) for term, kind in zip(side, feature.kinds, strict=True)], -1)
            for side in (feature.left, feature.right)
        )
        return self.perceiver.comparison(feature).outcome(left, right)[0]
