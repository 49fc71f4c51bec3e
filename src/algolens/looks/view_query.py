"""Which elements have others of some kinds in view: for all at once, by the fewest operations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.language.relations import Relation
from algolens.logic.formula import Formula
from algolens.logic.tensors import Has, circuit, table_as_formula
from algolens.looks.adjacency import Adjacency
from algolens.looks.compiled import (
    BY_OUTCOMES,
    Bools,
    CompiledFeature,
    combined_class,
    compared_numbers,
    one_of,
)
from algolens.looks.features import EQUAL, LOWER, Compared
from algolens.looks.state import GraphState

MOST = torch.iinfo(torch.int64).max
PAIRS_AT_ONCE = 2**22


class ViewQuery:
    """Asks of those in view by a relation which kinds are among them, and how many.

    A kind is a combination of the values of features; a set of kinds comes as bools, an axis for
    each feature.

    Parameters
    ----------
    relation : Relation
        Which others are in view.
    features : sequence of CompiledFeature
        What tells them apart.
    is_shared : bool
        Whether several observations tell those in view apart so.
    """

    def __init__(
        self, relation: Relation, features: Sequence[CompiledFeature], *, is_shared: bool = False
    ) -> None:
        self.relation, self.features, self.is_shared = relation, features, is_shared
        self.num_kinds = prod(feature.size for feature in features)
        fields = {field for feature in features for field in feature.fields}
        self.fields = tuple(sorted(fields | set(relation.pointers)))

    def _key(self, what: str) -> Hashable:
        """Whichever statement asks, the answer follows from the relation and the features."""
        return (what, self.relation, *(feature.key for feature in self.features))

    def some(self, kinds: np.ndarray) -> Bools | bool:
        """[N] whether one in view is of these kinds."""
        if not kinds.any():
            return False
        crossing = [
            axis
            for axis, feature in enumerate(self.features)
            if feature.crosses and bool((kinds != kinds.take([0], axis)).any())
        ]
        if not crossing:
            return self._some_by_label(kinds)
        if len(crossing) == 1 and self._goes_without_pairs(self.features[crossing[0]]):
            return self._some_by_comparison(kinds, crossing[0])
        return lambda batch: self._count_pairs(batch, kinds) > 0

    def at_least(self, kinds: np.ndarray, least: int) -> Bools:
        """[N] whether so many in view are of these kinds."""
        count = self.counted(kinds)
        return lambda batch: count(batch) >= least

    def counted(self, kinds: np.ndarray) -> Callable[[GraphState], Tensor]:
        """[N] how many in view are of these kinds."""
        crosses = any(feature.crosses for feature in self.features)
        mask = None if crosses else self._mask(self.features, kinds)

        def count(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            if mask is None or view.own_groups is not None:
                return self._count_pairs(batch, kinds)
            return _counts(view, self._marked(mask, batch))

        return count

    def _goes_without_pairs(self, crosses: CompiledFeature) -> bool:
        """Whether numbers compare as they are, and no element counts itself as lower or higher."""
        if crosses.compare is not compared_numbers:
            return False
        is_number = isinstance(crosses.feature, Compared)
        return not self.relation.others_only or crosses.is_alike or not is_number

    def _mask(self, features: Sequence[CompiledFeature], labels: np.ndarray) -> Bools | bool:
        """[M] whether an element has some labels: kinds that do not depend on who sees it."""

        def of_atom(atom: Formula) -> Bools:
            assert isinstance(atom, Has)
            return features[atom.variable].has(atom.values)

        return circuit(table_as_formula(labels), of_atom)

    def _marked(self, mask: Bools | bool, batch: GraphState) -> Tensor:
        if callable(mask):
            return mask(batch)
        count = batch.graph.count(self.relation.others)
        return torch.full((count,), mask, device=batch.graph.device)

    # ---- by labels alone

    def _some_by_label(self, kinds: np.ndarray) -> Bools:
        features = list(self.features)
        for axis in range(len(features) - 1, -1, -1):  # comparisons that make no difference
            if features[axis].crosses:
                kinds = kinds.take(0, axis)
                del features[axis]
        mask = self._mask(features, kinds)
        marks_all = self.is_shared and len(features) == len(self.features)

        def some(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            if marks_all and view.own_groups is None:
                rows = [self._marks(batch, view)[kind] for kind in np.flatnonzero(kinds)]
                return rows[0] if len(rows) == 1 else torch.stack(rows).any(0)
            marked = self._marked(mask, batch)
            if view.own_groups is None or not view.others_only:
                there = _any(view.group, _of_entries(view, marked), view.num_groups)
                if view.own_groups is None:
                    return there
                return _any_group(view, lambda groups: there.index_select(0, groups))
            counts, itself = _counts(view, marked), _standing(view, marked).long()
            return _any_group(view, lambda groups: counts.index_select(0, groups) > itself)

        return some

    def _marks(self, batch: GraphState, view: Adjacency) -> Tensor:
        """[kinds, N] bools: is one of a kind in view? Each element is a group of its own."""
        count = view.num_groups

        def mark() -> Tensor:
            marks = torch.zeros(self.num_kinds * count, dtype=torch.bool, device=batch.graph.device)
            # writing True twice is the same as once, so all kinds are marked in one pass
            rows = combined_class(batch, self.features, view.others).long().mul_(count)
            marks.scatter_(0, rows.index_select(0, view.others).add_(view.group), True)
            return marks.view(self.num_kinds, count)

        return batch.recall(self._key("marks"), self.fields, mark)

    # ---- by one comparison with the element that looks

    def _some_by_comparison(self, kinds: np.ndarray, axis: int) -> Bools | bool:
        crosses = self.features[axis]
        others = [feature for place, feature in enumerate(self.features) if place != axis]
        feature = crosses.feature
        never_equal = isinstance(feature, Compared) and feature.distinct
        alike: dict[bytes, list[int]] = {}  # outcomes with the same labels
        for outcome in range(crosses.size):
            labels = kinds.take(outcome, axis)
            if outcome == EQUAL and never_equal and self.relation.others_only:
                continue
            if labels.any():
                alike.setdefault(labels.tobytes(), []).append(outcome)
        parts = [
            (frozenset(outcomes), self._mask(others, kinds.take(outcomes[0], axis)))
            for outcomes in alike.values()
        ]
        if not parts:
            return False

        def some(batch: GraphState) -> Tensor:
            view = batch.view(self.relation)
            there = [self._compared(batch, view, crosses, *part) for part in parts]
            return there[0] if len(there) == 1 else torch.stack(there).any(0)

        return some

    def _compared(
        self,
        batch: GraphState,
        view: Adjacency,
        crosses: CompiledFeature,
        outcomes: frozenset[int],
        mask: Bools | bool,
    ) -> Tensor:
        """[N] whether one in view is marked and compares so."""
        if view.own_groups is None and batch.lasts(crosses.fields):
            others, group = batch.recall(
                ("entries", self.relation, crosses.key, outcomes),
                (*crosses.fields, *self.relation.pointers),
                lambda: _entries(batch, view, crosses, outcomes),
            )
            return _any(group, self._marked(mask, batch).index_select(0, others), view.num_groups)
        its, mine = crosses.numbers(batch)
        is_number = isinstance(crosses.feature, Compared)
        if view.own_groups is None and (not is_number or EQUAL in outcomes):
            differs = torch.eq if outcomes == {EQUAL} else torch.ne
            fits = BY_OUTCOMES[outcomes] if is_number else differs
            there = fits(its.index_select(0, view.others), mine.index_select(0, view.group))
            there &= self._marked(mask, batch).index_select(0, view.others)
            return _any(view.group, there, view.num_groups)
        parts = [
            self._beyond(batch, view, its, mine, outcome, mask)
            if is_number and outcome != EQUAL
            else _meets(view, its, mine, self._marked(mask, batch), outcome == EQUAL)
            for outcome in outcomes
        ]
        return parts[0] if len(parts) == 1 else torch.stack(parts).any(0)

    def _beyond(
        self,
        batch: GraphState,
        view: Adjacency,
        its: Tensor,
        mine: Tensor,
        outcome: int,
        mask: Bools | bool,
    ) -> Tensor:
        """[N] whether a marked one has a lower (or higher) number: the lowest (highest) of them."""
        nothing, compare = (MOST, torch.lt) if outcome == LOWER else (-MOST, torch.gt)
        values = its
        if mask is not True:  # a tensor is faster here than a number
            beyond = batch.recall(
                (ViewQuery, nothing), (), lambda: torch.tensor(nothing, device=its.device)
            )
            values = torch.where(self._marked(mask, batch), its, beyond)
        values = _of_entries(view, values)
        if view.num_groups == 1 and len(values):
            return compare(values.min() if outcome == LOWER else values.max(), mine)
        extreme = torch.full((view.num_groups,), nothing, device=its.device)
        extreme.scatter_reduce_(0, view.group, values, "amin" if outcome == LOWER else "amax")
        if view.own_groups is None:
            return compare(extreme, mine)
        return _any_group(view, lambda groups: compare(extreme.index_select(0, groups), mine))

    # ---- pair by pair

    def _count_pairs(self, batch: GraphState, kinds: np.ndarray) -> Tensor:
        """[N] how many in view are of these kinds, by going through all pairs."""
        counts = batch.recall(
            self._key("counts of pairs"), self.fields, lambda: self._counts_of_pairs(batch)
        )
        return counts[torch.from_numpy(kinds.flatten()).to(counts.device)].sum(0)

    def _counts_of_pairs(self, batch: GraphState) -> Tensor:
        """[kinds, N] how many of a kind are in view."""
        count = batch.graph.count(self.relation.own)
        counts = torch.zeros(self.num_kinds * count, dtype=torch.int64, device=batch.graph.device)
        looks, others = batch.view(self.relation).pairs(count)
        for here, there in zip(
            looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True
        ):
            kinds = combined_class(batch, self.features, here, here, there).long()
            counts.index_add_(0, kinds * count + here, torch.ones_like(here))
        return counts.view(self.num_kinds, count)


def _entries(
    batch: GraphState, view: Adjacency, crosses: CompiledFeature, outcomes: frozenset[int]
) -> tuple[Tensor, Tensor]:
    """The entries of a view that compare so: who is seen, and by whom."""
    value = crosses.value(batch, view.group, view.others)
    chosen = one_of(value, crosses.size, outcomes).nonzero().flatten()
    return view.others.index_select(0, chosen), view.group.index_select(0, chosen)


def _meets(view: Adjacency, its: Tensor, mine: Tensor, marked: Tensor, is_equal: bool) -> Tensor:
    """[N] whether a marked one has (or has not) the very number of the element that looks."""
    entries = _of_entries(view, marked).nonzero().flatten()
    group = view.group.index_select(0, entries)
    here = _of_entries(view, its).index_select(0, entries)
    _, ranks = torch.cat([here, mine]).unique(return_inverse=True)
    room = len(ranks) + 1
    known = (group * room + ranks[: len(here)]).sort().values
    totals = torch.bincount(group, minlength=view.num_groups)
    itself = torch.zeros_like(mine)
    if view.others_only:  # those who look are those who are seen
        itself = (_standing(view, marked) & ((its == mine) == is_equal)).long()

    def of(groups: Tensor) -> Tensor:
        wanted = groups * room + ranks[len(here) :]
        first = torch.searchsorted(known, wanted)
        alike = torch.searchsorted(known, wanted, right=True) - first
        return (alike if is_equal else totals.index_select(0, groups) - alike) > itself

    return _any_group(view, of)


def _any(group: Tensor, marked: Tensor, count: int) -> Tensor:
    """[groups] whether an entry of a group is marked."""
    if count == 1:
        return marked.any().view(1)
    there = torch.zeros(count, dtype=torch.bool, device=group.device)
    # "or" as a maximum of bytes: scatter_reduce knows no bools
    there.view(torch.uint8).scatter_reduce_(0, group, marked.view(torch.uint8), "amax")
    return there


def _counts(view: Adjacency, marked: Tensor) -> Tensor:
    """[groups] how many entries of a group are marked."""
    counts = torch.zeros(view.num_groups, dtype=torch.int64, device=marked.device)
    return counts.index_add_(0, view.group, _of_entries(view, marked).long())


def _standing(view: Adjacency, marked: Tensor) -> Tensor:
    """[M] whether an element is marked and has an entry."""
    if view.each_once:
        return marked
    return marked & torch.zeros_like(marked).index_fill_(0, view.others, True)


def _of_entries(view: Adjacency, values: Tensor) -> Tensor:
    return values if view.each_once else values.index_select(0, view.others)


def _any_group(view: Adjacency, of: Callable[[Tensor], Tensor]) -> Tensor:
    """[N] whether it is so in one of the groups that an element looks at."""
    assert view.own_groups is not None
    there = [of(groups) for groups in view.own_groups]
    return there[0] if len(there) == 1 else torch.stack(there).any(0)
