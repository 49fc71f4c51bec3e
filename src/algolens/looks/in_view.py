"""Who of those in view is of some kinds: the quickest way to know it for every element at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.logic.formula import Formula
from algolens.logic.tensors import Has, circuit, table_as_formula
from algolens.looks.compiled import (
    BY_OUTCOMES,
    Bools,
    CompiledFeature,
    combined_class,
    compared_numbers,
)
from algolens.looks.relations import Adjacency, Relation
from algolens.looks.scope import GraphState
from algolens.looks.statement import EQUAL, HIGHER, LOWER, Compared

MOST = torch.iinfo(torch.int64).max
PAIRS_AT_ONCE = 2**22


class ViewQuery:
    """Those whom elements have in view by a relation, told apart by some features. A kind is a
    combination of their values.
    """

    def __init__(
        self,
        relation: Relation,
        features: Sequence[CompiledFeature],
        *,
        is_shared: bool = False,
    ) -> None:
        """is_shared: whether several observations tell those in view apart so."""
        self.relation, self.features, self.is_shared = relation, features, is_shared
        self.sizes = [each.size for each in features]
        fields = {field for each in features for field in each.fields}
        self.fields = tuple(sorted(fields | set(relation.pointers)))

    def _key(self, what: str) -> Hashable:
        """What is found of those in view follows from the relation and from every feature,
        whichever reading asks.
        """
        return (what, self.relation, *(each.key for each in self.features))

    def some(self, kinds: np.ndarray) -> Bools | bool:
        """[N] whether some one in view is of these kinds. kinds: bools, an axis for each
        feature.
        """
        if not kinds.any():
            return False
        crossing = [
            place
            for place, each in enumerate(self.features)
            if each.crosses and _tells(kinds, place)
        ]
        if not crossing:
            return self._some_by_label(kinds)
        if len(crossing) == 1 and self._goes_without_pairs(self.features[crossing[0]]):
            (place,) = crossing
            labels = {
                outcome: kinds.take(outcome, place)
                for outcome in range(self.sizes[place])
                if kinds.take(outcome, place).any()
            }
            crosses = self.features[place]
            if (
                isinstance(crosses.feature, Compared)
                and crosses.feature.distinct
                and self.relation.others_only
            ):
                labels.pop(EQUAL, None)
            if labels:
                return self._some_by_comparison(crosses, self._without(place), labels)
            return False
        return lambda batch: _rows(self._marks_of_pairs(batch), kinds)

    def counted(self, kinds: np.ndarray) -> Callable[[GraphState], Tensor]:
        """[N] how many in view are of these kinds."""
        mask = (
            None
            if any(each.crosses for each in self.features)
            else self._mask(self.features, kinds)
        )

        def count(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            if mask is None or view.own_groups is not None:
                counts = self._counts_of_pairs(batch)
                return counts[torch.from_numpy(kinds.flatten()).to(counts.device)].sum(0)
            return _counts(view, self._marked(mask, batch))

        return count

    def _without(self, place: int) -> list[CompiledFeature]:
        return [each for number, each in enumerate(self.features) if number != place]

    def _goes_without_pairs(self, crosses: CompiledFeature) -> bool:
        """Whether numbers compare as numbers do, and nobody takes itself for another who is lower
        or higher.
        """
        if crosses.compare is not compared_numbers:
            return False
        return (
            not self.relation.others_only
            or crosses.is_alike
            or not isinstance(crosses.feature, Compared)
        )

    def _mask(self, features: Sequence[CompiledFeature], labels: np.ndarray) -> Bools | bool:
        """[M] whether an element that can be seen is of some labels, which are kinds without a look
        at who sees it.
        """

        def of_atom(atom: Formula) -> Bools:
            assert isinstance(atom, Has)
            return features[atom.variable].has(atom.values)

        return circuit(table_as_formula(labels), of_atom)

    def _marked(self, mask: Bools | bool, batch: GraphState) -> Tensor:
        if isinstance(mask, bool):
            return torch.full(
                (batch.graph.count(self.relation.others),), mask, device=batch.graph.device
            )
        return mask(batch)

    # ---- by what they are by themselves

    def _some_by_label(self, kinds: np.ndarray) -> Bools:
        features = list(self.features)
        for place in range(len(features) - 1, -1, -1):  # comparisons that make no difference
            if features[place].crosses:
                kinds = kinds.take(0, place)
                del features[place]
        mask = self._mask(features, kinds)

        def some(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            if self.is_shared and view.own_groups is None and len(features) == len(self.features):
                return _rows(self._marks(batch, view), kinds)
            marked = self._marked(mask, batch)
            if view.own_groups is None or not view.others_only:
                there = _any(view.group, _of_entries(view, marked), view.num_groups)
                return (
                    there
                    if view.own_groups is None
                    else _any_group(view, lambda groups: there.index_select(0, groups))
                )
            counts, itself = _counts(view, marked), _standing(view, marked).long()
            return _any_group(view, lambda groups: counts.index_select(0, groups) > itself)

        return some

    def _marks(self, batch: GraphState, view: Adjacency) -> Tensor:
        """[kinds, N] bools: is one of a kind in view? Kinds are labels alone; each element is a
        group of its own.
        """
        count, num_kinds = view.num_groups, prod(self.sizes)

        def find() -> Tensor:
            found = torch.zeros(num_kinds * count, dtype=torch.bool, device=batch.graph.device)
            # writing True twice is the same as once, so all kinds are marked in one pass
            rows = (
                combined_class(
                    self.features, [each.value(batch) for each in self.features], view.others
                )
                .long()
                .mul_(count)
            )
            found.scatter_(0, rows.index_select(0, view.others).add_(view.group), True)
            return found.view(num_kinds, count)

        return batch.recall(self._key("marks"), self.fields, find)

    # ---- by one comparison with the element that looks

    def _some_by_comparison(
        self,
        crosses: CompiledFeature,
        features: Sequence[CompiledFeature],
        labels: dict[int, np.ndarray],
    ) -> Bools:
        """labels: for each outcome of the comparison, which labels count."""
        alike: dict[bytes, list[int]] = {}  # outcomes with the same labels
        for outcome, each in labels.items():
            alike.setdefault(each.tobytes(), []).append(outcome)
        parts = [
            (frozenset(outcomes), self._mask(features, labels[outcomes[0]]))
            for outcomes in alike.values()
        ]

        def some(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            found: Tensor | None = None
            for outcomes, mask in parts:
                here = self._compared(batch, view, crosses, outcomes, mask)
                found = here if found is None else found | here
            assert found is not None
            return found

        return some

    def _compared(
        self,
        batch: GraphState,
        view: Adjacency,
        crosses: CompiledFeature,
        outcomes: frozenset[int],
        mask: Bools | bool,
    ) -> Tensor:
        """[N] whether some one in view is marked and compares so."""
        if view.own_groups is None and batch.lasts(crosses.fields):
            others, group = batch.recall(
                ("entries", self.relation, crosses.key, outcomes),
                (*crosses.fields, *self.relation.pointers),
                lambda: self._entries(batch, view, crosses, outcomes),
            )
            return _any(group, self._marked(mask, batch).index_select(0, others), view.num_groups)
        its, mine = crosses.numbers(batch)
        is_number = isinstance(crosses.feature, Compared)
        if view.own_groups is None and not (is_number and EQUAL not in outcomes):
            looks, others = view.group, view.others
            fits = (
                BY_OUTCOMES[outcomes] if is_number else (torch.eq if outcomes == {1} else torch.ne)
            )
            there = fits(its.index_select(0, others), mine.index_select(0, looks))
            return _any(
                looks, there & self._marked(mask, batch).index_select(0, others), view.num_groups
            )
        parts = []
        if is_number:
            parts += [
                self._beyond(batch, view, its, mine, each, mask)
                for each in (LOWER, HIGHER)
                if each in outcomes
            ]
        if not is_number or EQUAL in outcomes:
            parts += [
                self._meets(batch, view, its, mine, outcome == 1, mask)
                for outcome in outcomes
                if not is_number or outcome == EQUAL
            ]
        return parts[0] if len(parts) == 1 else torch.stack(parts).any(0)

    def _entries(
        self, batch: GraphState, view: Adjacency, crosses: CompiledFeature, outcomes: frozenset[int]
    ) -> tuple[Tensor, Tensor]:
        """The entries of a view whose comparison has one of some outcomes: who is seen, and by
        whom.
        """
        outcome = crosses.value(batch, view.group, view.others)
        fits = torch.zeros_like(outcome, dtype=torch.bool)
        for each in outcomes:
            fits |= outcome == each
        chosen = fits.nonzero().flatten()
        return view.others.index_select(0, chosen), view.group.index_select(0, chosen)

    def _beyond(
        self,
        batch: GraphState,
        view: Adjacency,
        its: Tensor,
        mine: Tensor,
        outcome: int,
        mask: Bools | bool,
    ) -> Tensor:
        """Whether one who is marked has a lower (or higher) number: the lowest (highest) of them
        has.
        """
        nothing, compare = (MOST, torch.lt) if outcome == LOWER else (-MOST, torch.gt)
        if mask is not True:  # a tensor is faster here than a number
            beyond = batch.recall(
                (ViewQuery, nothing), (), lambda: torch.tensor(nothing, device=its.device)
            )
            values = torch.where(self._marked(mask, batch), its, beyond)
        else:
            values = its
        values = _of_entries(view, values)
        if view.num_groups == 1 and len(values):
            return compare(values.min() if outcome == LOWER else values.max(), mine)
        extreme = torch.full((view.num_groups,), nothing, device=its.device)
        extreme.scatter_reduce_(0, view.group, values, "amin" if outcome == LOWER else "amax")
        if view.own_groups is None:
            return compare(extreme, mine)
        return _any_group(view, lambda groups: compare(extreme.index_select(0, groups), mine))

    def _meets(
        self,
        batch: GraphState,
        view: Adjacency,
        its: Tensor,
        mine: Tensor,
        is_equal: bool,
        mask: Bools | bool,
    ) -> Tensor:
        """Whether one who is marked has (or has not) the very number of the element that looks, in
        the groups it looks at.
        """
        marked = self._marked(mask, batch)
        entries = _of_entries(view, marked).nonzero().flatten()
        group = view.group.index_select(0, entries)
        here = its.index_select(
            0, entries if view.each_once else view.others.index_select(0, entries)
        )
        _, ranks = torch.cat([here, mine]).unique(return_inverse=True)
        room = len(ranks) + 1
        known = (group * room + ranks[: len(here)]).sort().values
        totals = torch.bincount(group, minlength=view.num_groups)
        itself = torch.zeros_like(mine)
        if view.others_only:  # those who look are those who are seen
            itself = (_standing(view, marked) & ((its == mine) == is_equal)).long()

        def of(groups: Tensor) -> Tensor:
            wanted = groups * room + ranks[len(here) :]
            alike = torch.searchsorted(known, wanted, right=True) - torch.searchsorted(
                known, wanted
            )
            return (alike if is_equal else totals.index_select(0, groups) - alike) > itself

        return _any_group(view, of)

    # ---- pair by pair

    def _pairs(self, batch: GraphState, count: int) -> Iterator[Tensor]:
        """Kind and element that looks, as one number, of every pair; many at once."""
        looks, others = batch.view(self.relation).pairs(count)
        for here, there in zip(
            looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True
        ):
            values = [each.value(batch, here, there) for each in self.features]
            yield combined_class(self.features, values, here).long() * count + here

    def _marks_of_pairs(self, batch: GraphState) -> Tensor:
        """[kinds, N] bools: is one of a kind in view?"""

        def find() -> Tensor:
            count = batch.graph.count(self.relation.own)
            found = torch.zeros(
                prod(self.sizes) * count, dtype=torch.bool, device=batch.graph.device
            )
            for places in self._pairs(batch, count):
                found.scatter_(0, places, True)
            return found.view(prod(self.sizes), count)

        return batch.recall(self._key("marks of pairs"), self.fields, find)

    def _counts_of_pairs(self, batch: GraphState) -> Tensor:
        """[kinds, N] how many of a kind are in view."""

        def find() -> Tensor:
            count = batch.graph.count(self.relation.own)
            found = torch.zeros(
                prod(self.sizes) * count, dtype=torch.int64, device=batch.graph.device
            )
            for places in self._pairs(batch, count):
                found.index_add_(0, places, torch.ones_like(places))
            return found.view(prod(self.sizes), count)

        return batch.recall(self._key("counts of pairs"), self.fields, find)


def _rows(marks: Tensor, kinds: np.ndarray) -> Tensor:
    """[N] bools: is one of these kinds marked? marks: [kinds, N]."""
    rows = [marks[kind] for kind in np.flatnonzero(kinds)]
    return rows[0] if len(rows) == 1 else torch.stack(rows).any(0)


def _any(group: Tensor, marked: Tensor, count: int) -> Tensor:
    """[groups] whether an entry of a group is marked."""
    if count == 1:
        return marked.any().view(1)
    found = torch.zeros(count, dtype=torch.bool, device=group.device)
    # "or" as a maximum of bytes: scatter_reduce knows no bools
    found.view(torch.uint8).scatter_reduce_(0, group, marked.view(torch.uint8), "amax")
    return found


def _counts(view: Adjacency, marked: Tensor) -> Tensor:
    """[groups] how many entries of a group are marked."""
    counts = torch.zeros(view.num_groups, dtype=torch.int64, device=marked.device)
    return counts.index_add_(0, view.group, _of_entries(view, marked).long())


def _standing(view: Adjacency, marked: Tensor) -> Tensor:
    """[M] whether an element is marked and has an entry."""
    return (
        marked
        if view.each_once
        else marked & torch.zeros_like(marked).index_fill_(0, view.others, True)
    )


def _tells(kinds: np.ndarray, place: int) -> bool:
    """Whether a feature makes a difference."""
    return bool((kinds != kinds.take([0], place)).any())


def _of_entries(view: Adjacency, values: Tensor) -> Tensor:
    return values if view.each_once else values.index_select(0, view.others)


def _any_group(view: Adjacency, of: Callable[[Tensor], Tensor]) -> Tensor:
    """[N] whether it is so in one of the groups that an element looks at."""
    assert view.own_groups is not None
    if len(view.own_groups) == 1:
        return of(view.own_groups[0])
    return torch.stack([of(groups) for groups in view.own_groups]).any(0)
