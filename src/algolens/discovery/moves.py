"""How pointers and numbers move: sources that explain all changes, and marks that are explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
from numpy import ndarray

from algolens.discovery.choices import observe_choice
from algolens.discovery.decisions import Decision, Explanation, Move, UnexplainedError
from algolens.discovery.examples import Examples
from algolens.discovery.limits import Limits
from algolens.discovery.literals import EVERYONE, HOP, Fields, numbers, relations_of, values_of
from algolens.language.ir import Arith, At, Const, Expr, Field, Get, Let
from algolens.language.relations import Relation
from algolens.language.text import Text

if TYPE_CHECKING:
    from algolens.discovery.search import Search

SUM = 1  # what it costs to add


@dataclass(frozen=True)
class Source:
    """A value that a field may be taken from."""

    relation: Relation | None  # None: a value of the element's own
    said: Expr  # of the one that it is taken from
    cost: int
    at: At  # where that one sits

    @property
    def sees_everyone(self) -> bool:
        """Whether all elements of the graph are in view."""
        if self.relation is None or self.relation.own == "graph":
            return False
        return self.relation.phrase(1) in EVERYONE


def sources(examples: Examples, name: str) -> list[Source]:
    """All that a pointer or a number of the state may be taken from, cheapest first.

    That are the black box's own fields: sums that other fields are taken from are no parts of sums.
    """
    declared, given = examples.schema.state[name], examples.schema.before
    made = [
        Source(None, said, cost, declared.at)
        for said, cost in _values(given, declared, declared.at)
    ]
    for relation in relations_of(examples.fields, declared.at):
        if not examples.directed and relation.phrase(1) in (
            "predecessor",
            "successor",
            "outgoing link",
        ):
            continue  # neighbours and incoming links say as much
        price = 1 + (HOP if relation.pointer else 0)
        for said, cost in _values(given, declared, relation.others):
            one = Source(relation, said, price + cost, relation.others)
            made.append(replace(one, cost=one.cost + one.sees_everyone))
    # a link is marked for one receiver, a neighbour for all that see it
    return sorted(
        made,
        key=lambda one: (one.cost, one.relation is None or one.at != "link"),
    )


def _values(given: Fields, declared: Field, at: At) -> Iterator[tuple[Expr, int]]:
    """What a field may be taken from at an element, and its price: values of its kind, and sums."""
    yield from values_of(given, declared, at)
    if declared.to is None:
        known = numbers(given, at)
        summands = [one.end for one in known if one.unit == "field" and not one.cost]
        for one in summands:
            yield Arith(one, "+", Const(1)), SUM
        for one, other in combinations_with_replacement(summands, 2):
            yield Arith(one, "+", other), SUM


@dataclass(frozen=True, eq=False)
class Coverage:
    """How far a source explains what a field becomes."""

    source: Source
    values: ndarray  # [M] of every element that it may be taken from
    looks: ndarray  # [A] who takes a value; of an own value, everyone once
    others: ndarray  # [A] from whom
    is_right: ndarray  # [A] bools: the value is what the field became
    covers: ndarray  # [N] bools: some value in view is right

    @classmethod
    def of(cls, source: Source, examples: Examples, after: ndarray) -> Coverage:
        """Of a field that became ``after``."""
        values = examples.value(source.said, source.at)
        looks = others = np.arange(len(after))
        if source.relation is not None:
            looks, others = examples.pairs(source.relation)
        is_right = values[others] == after[looks]
        covers = np.zeros(len(after), bool)
        covers[looks[is_right]] = True
        return cls(source, values, looks, others, is_right, covers)

    def marks(
        self, must: ndarray, considered: ndarray, limits: Limits
    ) -> tuple[ndarray, ndarray] | None:
        """Who is to be marked: elements, and 1 or 0 for each; None where one would be both.

        Where there are exceptions, those are marked whom more take the value of than would take a
        wrong one.

        must, considered: [N] bools of those that take a value, and of those that take no wrong one.
        limits: whether all are marked that offer it, or those alone that are the only one; and the
        share of elements that may be exceptions.
        """
        count, takes = len(self.values), self.is_right & must[self.looks]
        wrong = np.bincount(self.others[considered[self.looks] & ~self.is_right], minlength=count)
        right = np.bincount(self.others[takes], minlength=count)
        refused = wrong > (right if limits.allowed else 0)
        offers = takes & ~refused[self.others]
        num_offers = np.bincount(self.looks[offers], minlength=len(must))
        if (must & (num_offers == 0)).sum() > limits.allowed * considered.sum():
            return None
        marked = np.zeros(count, bool)
        marked[self.others[offers & (limits.mark_all | (num_offers[self.looks] == 1))]] = True
        rows = np.flatnonzero(marked | refused)
        return rows, marked[rows].astype(np.int64)

    def marked(self, mark: Explanation) -> ndarray:
        """[A] bools: of which pairs the one that is seen is marked."""
        return mark.column(1, len(self.values))[self.others]


Plan = tuple[Coverage, ...]


@dataclass(frozen=True, eq=False)
class _Part:
    """A move that is explained, where it applies, and the value that each would take."""

    source: Source
    mark: Explanation | None
    guard: Explanation | None
    applies: ndarray  # [N] bools
    taken: ndarray  # [N]


class MoveSearch:
    """The moves of one field.

    Parameters
    ----------
    search : Search
        Where marks and guards are explained.
    name : str
        The field.
    limits : Limits
        Of plans, and the share of exceptions that may be allowed.
    """

    def __init__(self, search: Search, name: str, limits: Limits) -> None:
        self.search, self.name = search, name
        self.declared = search.schema.state[name]
        examples = search.examples
        self.after = examples.after(name)
        self.steps = examples.has_step(self.declared.at)
        self.changed = self.steps & (self.after != examples.earlier(name))
        made = [Coverage.of(source, examples, self.after) for source in sources(examples, name)]
        # the sources that have some of the values, cheapest first
        self.coverages = [some for some in made if (some.covers & self.changed).any()]
        self.mixed: list[Plan] = []  # plans for when no other is explained
        self.plans: list[Plan] = []
        self.find_plans(limits)
        if self.changed.any() and not self.plans:
            raise UnexplainedError(
                f"nothing in view has the values that '{name}' takes: the language cannot say "
                f"where they come from, or more than {limits.moves} moves are needed."
            )

    def is_explained(self, limits: Limits) -> bool:
        """Whether its moves are explained by observations of up to a price; they are then kept."""
        if limits.allowed:  # fewer exceptions may need other sources
            self.find_plans(limits)
        plans = (self.mixed if limits.phase.mixed else self.plans) if self.changed.any() else [()]
        # where there are exceptions and several have the value, none of them is marked at first,
        # then all: who is never marked where another has the same value looks as if it must not be
        for plan in plans:
            for mark_all in (False, True) if limits.allowed else (limits.mark_all,):
                parts = self._explained_plan(plan, replace(limits, mark_all=mark_all))
                if parts is not None:
                    self.search.script.moves[self.name] = list(map(self._kept_part, parts))
                    return True
        return False

    def find_plans(self, limits: Limits) -> None:
        """Finds ways to explain all changes, but for exceptions."""
        if self.changed.any():
            self.plans = list((self._likely_plans if limits.allowed else self._plans)(limits))
            for plan in (*self.plans, *self.mixed):
                for coverage in plan:
                    self._said(coverage.source)

    def _num_odd(self, plan: Plan) -> int:
        """How many changes no source explains."""
        covers = np.logical_or.reduce([coverage.covers for coverage in plan])
        return int((self.changed & ~covers).sum())

    def _plans(self, limits: Limits) -> Iterator[Plan]:
        """Ways to explain all changes: by one source or by several, cheapest first."""
        whole = [some for some in self.coverages if not self._num_odd((some,))]
        partial = [some for some in self.coverages if self._num_odd((some,))]
        # a mark that needs no guard says more than one that does
        alone = [
            some
            for some in whole
            if some.source.relation is None or some.marks(self.changed, self.steps, limits)
        ]
        for one in (alone or whole)[: limits.plans]:
            if one.source.cost <= (alone or whole)[0].source.cost + limits.dearer_plans:
                yield (one,)
        if whole:
            # one in view may explain what a value of one's own explains more simply
            own = [some for some in partial if some.source.relation is None]
            seen = [some for some in whole if some.source.relation is not None]
            few = limits.mixed_sources
            self.mixed = [(one, other) for other in own[:few] for one in seen[:few]]
            # who sees everyone sees whatever a pointer may become, which explains nothing
            if not all(some.source.sees_everyone for some in whole):
                return
        plans = sorted(self._covering(partial[: limits.partial_sources], limits.moves), key=_price)
        for plan in plans[: limits.plans // 2]:
            if _price(plan) > _price(plans[0]) + limits.dearer_plans:
                return
            ordered = _own_last(plan)
            yield ordered
            yield ordered[::-1]

    def _covering(self, partial: Sequence[Coverage], most: int) -> Iterator[Plan]:
        """Sets of sources that explain all changes, of which none is needless."""
        smaller: list[set[Coverage]] = []
        for size in range(2, most + 1):
            for chosen in combinations(partial, size):
                if not self._num_odd(chosen) and not any(some <= {*chosen} for some in smaller):
                    smaller.append({*chosen})
                    yield chosen

    # ---- with exceptions

    def _likely_plans(self, limits: Limits) -> Iterator[Plan]:
        """Ways to explain all changes but for exceptions, the shortest descriptions first."""
        most = limits.allowed * self.steps.sum()

        def bits(plan: Plan) -> float:
            return self._bits(plan, limits)

        plans: list[Plan] = [(one,) for one in self.coverages if self._num_odd((one,)) <= most]
        if not plans:  # where one source is enough, a second explains exceptions by chance
            likely = sorted(self.coverages, key=lambda one: bits((one,)))
            pairs = combinations(likely[: limits.likely_sources], 2)
            plans = [pair for pair in pairs if self._num_odd(pair) <= most]
        for plan in sorted(plans, key=bits)[: limits.plans // 2]:
            yield _own_last(plan)

    def _bits(self, plan: Plan, limits: Limits) -> float:
        """What it takes to say where each change comes from: which of those in view, or the value.

        Sources with much in view have wrong values by chance; these bits tell them from the true
        ones, which have few in view.
        """
        bits = np.full(len(self.changed), limits.odd_bits)
        for some in plan:
            in_view = np.log2(np.bincount(some.looks, minlength=len(bits)).clip(1))
            bits = np.where(some.covers, np.minimum(bits, in_view), bits)
        return float(bits[self.changed].sum()) + limits.price_bits * _price(plan)

    # ---- explaining a plan

    def _explained_plan(self, plan: Plan, limits: Limits) -> list[_Part] | None:
        """Marks and guards of a plan, where what moves by them is right but for exceptions; None
        where one is not explained yet.
        """
        covers = np.logical_or.reduce([some.covers for some in plan]) if plan else self.steps
        changed, steps = self.changed & covers, self.steps & (covers | ~self.changed)
        parts: list[_Part] = []
        moved = np.zeros(len(changed), bool)
        became = self.search.examples.earlier(self.name).copy()
        for number, coverage in enumerate(plan):
            name = self.name if len(plan) == 1 else f"{self.name}_{number + 1}"
            must = changed & ~moved
            for later in plan[number + 1 :]:
                must = must & ~later.covers
            part = self._explained_part(name, coverage, must, steps & ~moved, limits)
            if part is None:
                return None
            applies = part.applies & ~moved
            became[applies] = part.taken[applies]
            parts.append(part)
            moved |= applies
        wrong = (became != self.after)[self.steps]
        return parts if not len(wrong) or wrong.mean() <= limits.allowed else None

    def _explained_part(
        self,
        name: str,
        some: Coverage,
        must: ndarray,
        considered: ndarray,
        limits: Limits,
    ) -> _Part | None:
        """The mark alone, or a guard with it; of an own value, the guard.

        must, considered: [N] bools of those that take a value, and of those that take no wrong one.
        """
        relation, taken = some.source.relation, some.values
        applies, mark, guard = np.ones(len(must), bool), None, None
        harmful = considered & ~must
        if relation is None:
            harmful = harmful & ~some.covers
            needs_guard = bool(harmful.any())
        else:
            marks = some.marks(must, considered, limits)
            needs_guard = marks is None
            if marks is None:
                marks = some.marks(must, must, limits)
            if marks is None:
                return None
            mark = self._explained(Decision(f"gives_{name}", relation.others, *marks, True), limits)
            if mark is None:
                return None
            marked = some.marked(mark)
            applies = np.zeros(len(must), bool)
            applies[some.looks[marked]] = True
            taken = np.zeros(len(must), some.values.dtype)
            taken[some.looks[marked]] = some.values[some.others[marked]]
        if needs_guard:
            rows = np.flatnonzero(must | harmful)
            decided = must[rows].astype(np.int64)
            wanted = Decision(f"moves_{name}", self.declared.at, rows, decided, True)
            guard = self._explained(wanted, limits)
            if guard is None:
                return None
            applies = applies & guard.column(1, len(must))
        return _Part(some.source, mark, guard, applies, taken)

    def _explained(self, decision: Decision, limits: Limits) -> Explanation | None:
        """What explains a decision; where it is a choice, that is observed first."""
        choose = limits.phase.choose
        if choose and limits.allowed:
            self.search.offer_choice(decision, limits)
        made = self.search.explain(decision, limits)
        is_choice = made is None and choose and not limits.allowed
        if is_choice and observe_choice(self.search, decision, limits):
            return self.search.explain(decision, replace(limits, price=1))
        return made

    # ---- what was explained

    def _kept_part(self, part: _Part) -> Move:
        mark, guard = (
            None if made is None else self._kept(made) for made in (part.mark, part.guard)
        )
        return Move(part.source.relation, self._said(part.source), mark, guard)

    def _kept(self, made: Explanation) -> Get:
        said = self.search.keep(made).says(1)
        if isinstance(said, Get):  # another field goes by the same
            return said
        name = self.search.free_name(made.name)  # an earlier search may have named it so
        self.search.observe(name, made.location, said)
        return Get(name, made.location)

    def _said(self, source: Source) -> Expr:
        """What a source says; a sum is declared under a name, for statements to speak of."""
        if not isinstance(source.said, Arith):
            return source.said
        at: At = source.at
        name = Text({})(source.said).replace("'s ", "_").replace(" + ", "_plus_")
        known = self.search.sums
        if name in known and known[name].at != at:
            name = f"{name}_at_{at}"
        if name not in known:
            self.search.add_sum(Let(name, at, source.said))
        return Get(name, at)


def _price(plan: Plan) -> int:
    return sum(some.source.cost + 1 for some in plan)


def _own_last(plan: Plan) -> Plan:
    """Marks say where a move applies; where none is marked, a value of one's own is taken."""
    return tuple(sorted(plan, key=lambda some: some.source.relation is None))
