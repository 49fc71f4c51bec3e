"""Candidates: all statements up to a price, one for each behaviour in the examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy import ndarray
from scipy.sparse import csr_array

from algolens.discovery.examples import Examples
from algolens.discovery.fit import BitTable, column_hashes
from algolens.discovery.limits import Limits
from algolens.discovery.literals import Literal, relations
from algolens.graphs import At
from algolens.language.ir import Expr, Quantified, conjunction
from algolens.language.relations import Relation

Combo = tuple[int, ...]  # numbers of literals


@dataclass(frozen=True, eq=False)
class Observation:
    """A statement, its price, and where it holds; both are made when they are asked for, for few
    of thousands are.
    """

    says: Callable[[], Expr]
    cost: int
    holds: Callable[[], ndarray]

    @cached_property
    def said(self) -> Expr:
        """What it says."""
        return self.says()

    @cached_property
    def column(self) -> ndarray:
        """[N] bools: where it holds, of all elements at its location."""
        return self.holds()


class Candidates:
    """All statements about the elements of a location, cheapest first.

    Parameters
    ----------
    examples : Examples
        Where they are told apart by.
    location : At
        Of the elements that they speak of.
    """

    def __init__(self, examples: Examples, location: At) -> None:
        self.examples, self.location = examples, location
        self.bound = 0  # all statements of up to this price are there
        self.complete = True  # nothing was left out up to the bound
        self.all: list[Observation] = []
        nothing = np.zeros((examples.count(location), 1), bool)
        self.bits = BitTable(nothing[:, :0])
        self.prices = np.zeros(0)  # [K] of each
        self._seen = {*column_hashes(nothing).tolist()}
        known = relations(examples.fields, location, directed=examples.directed)
        self._relations = list(known)
        self._views: dict[str, RelationView | None] = {}

    def up_to(self, limits: Limits) -> Candidates:
        """With all of up to a price, as far as there is time."""
        while self.bound < limits.price:
            price = self.bound + 1
            rows = self.examples.rows(self.location)
            some = [(said, holds) for said, holds in rows if self.examples.price(said) == price]
            if some:
                said = [literal.said for literal, _ in some]
                self._add(np.stack([holds for _, holds in some], 1), price, said.__getitem__)
            for relation, cost in self._relations:
                if limits.is_late:
                    self.complete = False
                    break
                key = relation.phrase(1)
                if cost <= price and key not in self._views:
                    self._views[key] = RelationView.of(self.examples, relation, cost)
                if cost <= price and (view := self._views[key]) is not None:
                    self._add_in_view(view, price, limits)
            self.bound = price
        return self

    def _add_in_view(self, view: RelationView, price: int, limits: Limits) -> None:
        """Adds those of one relation and one price, counting to 1, 2, 3 and 4."""
        for count in range(1, min(limits.counted, view.relation.exactly or limits.counted) + 1):
            wanted = price - view.cost - (count - 1)
            if wanted < 0:
                continue
            bodies, masks = view.bodies(wanted, limits)
            self.complete &= view.complete
            size = max(1, limits.cells // max(*view.counts.shape, 1))
            for start in range(0, len(bodies), size):
                if limits.is_late:
                    self.complete = False
                    return
                chunk = bodies[start : start + size]
                kinds = np.unpackbits(masks[start : start + size], axis=1, count=view.num_kinds)
                columns = (view.counts @ kinds.T.astype(np.float32)) >= count
                self._add(columns, price, partial(view.statement, chunk, count))

    def _add(self, columns: ndarray, price: int, said: Callable[[int], Expr]) -> None:
        """Adds observations, where none before them behaves alike or is the opposite."""
        self.examples.tried += columns.shape[1]
        if not len(columns):
            return
        kept = []
        for place, key in enumerate(column_hashes(columns ^ columns[0]).tolist()):
            if key not in self._seen:
                self._seen.add(key)
                kept.append(place)
        if kept:
            first = len(self.bits)
            self.bits.add(columns[:, kept])
            self.prices = np.append(self.prices, np.full(len(kept), float(price)))
            self.all += [
                Observation(partial(said, place), price, partial(self.bits.column, first + number))
                for number, place in enumerate(kept)
            ]


@dataclass(eq=False)
class RelationView:
    """One relation: kinds of those in view, and how many of each every element sees."""

    relation: Relation
    cost: int
    literals: list[Literal]
    prices: ndarray  # [L]
    masks: ndarray  # [L, K / 8] packed bools: the kinds of which a literal holds
    num_kinds: int
    counts: csr_array  # [N, K]
    complete: bool = True
    _bodies: dict[int, tuple[list[Combo], ndarray]] = field(default_factory=dict)
    _known: set[bytes] = field(default_factory=set)  # sets of kinds that were looked for

    @classmethod
    def of(cls, examples: Examples, relation: Relation, cost: int) -> RelationView | None:
        """Who sees whom by a relation, as kinds and counts; None where nobody sees anyone."""
        looks, _ = examples.pairs(relation)
        if not len(looks):
            return None
        rows = sorted(
            examples.rows(relation.others, relation), key=lambda row: examples.price(row[0])
        )
        table = np.array([holds for _, holds in rows], bool).reshape(len(rows), len(looks))
        # literals that tell no more than cheaper ones are left out
        known = {np.packbits(np.full(len(looks), one)).tobytes() for one in (False, True)}
        kept = []
        for place, row in enumerate(np.packbits(table, axis=1)):
            if row.tobytes() not in known:
                known.add(row.tobytes())
                kept.append(place)
        literals, table = [rows[place][0] for place in kept], table[kept]
        _, where, kind = np.unique(column_hashes(table), return_index=True, return_inverse=True)
        counts = csr_array(
            (np.ones(len(looks), np.float32), (looks, kind)),
            shape=(examples.count(relation.own), len(where)),
        )
        prices = np.array([examples.price(literal) for literal in literals], np.int64)
        masks = np.packbits(table[:, where], axis=1)
        return cls(relation, cost, literals, prices, masks, len(where), counts)

    def bodies(self, price: int, limits: Limits) -> tuple[list[Combo], ndarray]:
        """Sets of literals of one price that hold of other kinds, and these kinds, packed."""
        if price not in self._bodies:
            self._bodies[price] = self._made(price, limits)
        return self._bodies[price]

    def _made(self, price: int, limits: Limits) -> tuple[list[Combo], ndarray]:
        everyone = np.packbits(np.ones((1, self.num_kinds), bool), axis=1)
        if price == 0:
            return [()], everyone
        combos: list[Combo] = []
        masks = [everyone[:0]]
        for cost in sorted({int(cost) for cost in self.prices if cost <= price}):
            smaller, kinds = self.bodies(price - cost, limits)
            for number in np.flatnonzero(self.prices == cost).tolist():
                both = kinds & self.masks[number]
                for place in np.flatnonzero(both.any(1)).tolist():
                    combo, key = smaller[place], both[place].tobytes()
                    if key in self._known or not self._may_grow(combo, number, limits):
                        continue
                    self._known.add(key)
                    combos.append((*combo, number))
                    masks.append(both[place : place + 1])
                if len(combos) > limits.bodies or limits.is_late:
                    self.complete = False
                    return combos, np.concatenate(masks)
        return combos, np.concatenate(masks)

    def _may_grow(self, combo: Combo, number: int, limits: Limits) -> bool:
        """Whether a literal may be added: of one feature at most one is taken."""
        features = {self.literals[other].feature for other in combo}
        return len(combo) < limits.literals and self.literals[number].feature not in features

    def statement(self, bodies: list[Combo], count: int, place: int) -> Expr:
        """That so many in view satisfy all literals of one of some sets."""
        return so_many(self.relation, (self.literals[one] for one in sorted(bodies[place])), count)


def so_many(relation: Relation, literals: Iterable[Literal], count: int) -> Quantified:
    """That so many in view satisfy all of some literals."""
    body = conjunction(*(literal.said for literal in literals))
    return Quantified("some" if count == 1 else "at least", relation.view, body, count)
