"""Candidates: all statements up to a price, one for each behaviour in the situations seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from algolens.discovery.literals import (
    Literal,
    crossing_literals,
    own_literals,
    relations,
)
from algolens.discovery.situations import Situations
from algolens.fields import Location
from algolens.logic.formula import TRUE, Formula, Not, conjunction
from algolens.looks import Comparison, Quantified, Quantity, Relation, Whose

MOST_COUNTED = 3  # "at least 3"
MOST_LITERALS = 3
MOST_TRIPLES = 20_000  # of one relation at one price
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Observation:
    """A statement, its price, and where it holds."""

    formula: Formula
    cost: int
    column: np.ndarray  # [N] bools, of all elements at its location


@dataclass(eq=False)
class _View:
    """One relation: kinds of those in view, and how many of each every element sees."""

    relation: Relation
    cost: int
    literals: list[Literal]
    masks: np.ndarray  # [L, K] bools: the kinds of which a literal holds
    counts: np.ndarray  # [N, K]
    known: set[bytes] = field(default_factory=set)  # sets of kinds that were looked for


class Candidates:
    """All statements about the elements of a location, cheapest first.

    Parameters
    ----------
    situations : Situations
        Where they are told apart by.
    location : Location
        Of the elements that they speak of.
    """

    def __init__(self, situations: Situations, location: Location) -> None:
        self.situations, self.location = situations, location
        self.bound = 0  # all statements of up to this price are there
        self.tried = 0
        self.complete = True  # nothing was left out up to the bound
        self.all: list[Observation] = []
        self._seen: set[bytes] = set()
        self._views: list[_View] | None = None

    def up_to(self, bound: int, until: float) -> list[Observation]:
        """All of up to a price. until: a time of the process, when it ends."""
        while self.bound < bound:
            for observation in self._of_price(self.bound + 1, until):
                self.all.append(observation)
            self.bound += 1
        return self.all

    def _of_price(self, price: int, until: float) -> Iterator[Observation]:
        situations = self.situations
        for literal in own_literals(situations.scope, self.location):
            if literal.cost == price:
                yield from self._new(
                    literal.formula,
                    price,
                    situations.own(_atom(literal), self.location)
                    ^ isinstance(literal.formula, Not),
                )
        if self._views is None:
            directed = any(block.graph.directed for block in situations.blocks)
            self._views = [
                view
                for relation, cost in relations(situations.scope, self.location, directed=directed)
                if (view := self._view(relation, cost)) is not None
            ]
        for view in self._views:
            if price > 1:
                yield from self._in_view(view, price, until)

    def _view(self, relation: Relation, cost: int) -> _View | None:
        """Who sees whom by a relation, as kinds and counts."""
        situations = self.situations
        looks, others = situations.pairs(relation)
        if not len(looks):
            return None
        literals, rows = [], []
        for literal in own_literals(situations.scope, relation.others, Whose.ITS):
            as_own = _about(literal.formula)
            column = situations.own(_bare(as_own), relation.others) ^ isinstance(as_own, Not)
            literals.append(literal)
            rows.append(column[others])
        for literal in crossing_literals(situations.scope, relation):
            literals.append(literal)
            rows.append(situations.crossing(literal.formula, relation))
        kept, known = [], set()
        for place in sorted(range(len(literals)), key=lambda place: literals[place].cost):
            row = rows[place]
            key = np.packbits(row).tobytes()
            if key in known or not row.any():
                continue
            known.add(key)
            if not row.all():
                kept.append(place)
        table = np.array([rows[place] for place in kept], bool).reshape(len(kept), len(looks))
        packed = np.packbits(table, axis=0).T if len(kept) else np.zeros((len(looks), 1), np.uint8)
        _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        kind = kind.reshape(-1)
        number = situations.count(self.location)
        flat = np.bincount(looks * len(first) + kind, minlength=number * len(first))
        counts = np.minimum(flat, 255).reshape(number, len(first)).astype(np.float32)
        return _View(relation, cost, [literals[place] for place in kept], table[:, first], counts)

    def _in_view(self, view: _View, price: int, until: float) -> Iterator[Observation]:
        """Those of one relation and one price."""
        for left, combos, masks in self._combinations(view, price - view.cost, until):
            met = view.counts @ masks.T.astype(np.float32)
            for place, combo in enumerate(combos):
                body = (
                    conjunction(*(view.literals[number].formula for number in combo))
                    if combo
                    else TRUE
                )
                count = left + 1
                column = met[:, place] >= count
                self.tried += 1
                quantified = (
                    Quantified(Quantity.SOME, view.relation, body)
                    if count == 1
                    else Quantified(Quantity.AT_LEAST, view.relation, body, count)
                )
                yield from self._new(quantified, price, column)

    def _combinations(
        self, view: _View, price: int, until: float
    ) -> Iterator[tuple[int, list[tuple[int, ...]], np.ndarray]]:
        """Sets of literals of one price: by how much is left for counting, and their kinds."""
        num_kinds = view.counts.shape[1]
        for left in range(MOST_COUNTED):
            wanted = price - left
            if wanted < 0 or (view.relation.exactly and left + 1 > view.relation.exactly):
                continue
            combos: list[tuple[int, ...]] = []
            masks: list[np.ndarray] = []
            for combo in self._sets(view, wanted):
                mask = np.ones(num_kinds, bool)
                for number in combo:
                    mask &= view.masks[number]
                if not mask.any():
                    continue
                key = bytes([left]) + np.packbits(mask).tobytes()
                if key in view.known:
                    continue
                view.known.add(key)
                combos.append(combo)
                masks.append(mask)
                if len(combos) == CHUNK:
                    yield left, combos, np.array(masks)
                    combos, masks = [], []
                    if time.process_time() > until:
                        self.complete = False
                        return
            if combos:
                yield left, combos, np.array(masks)

    def _sets(self, view: _View, price: int) -> Iterator[tuple[int, ...]]:
        literals = view.literals
        if price == 0:
            yield ()
        by_cost: dict[int, list[int]] = {}
        for number, literal in enumerate(literals):
            by_cost.setdefault(literal.cost, []).append(number)
        for number in by_cost.get(price, ()):
            yield (number,)
        for first, second in combinations(range(len(literals)), 2):
            if literals[first].cost + literals[second].cost == price and _apart(
                literals, first, second
            ):
                yield first, second
        triples = 0
        for first, second in combinations(range(len(literals)), 2):
            left = price - literals[first].cost - literals[second].cost
            if left <= 0 or not _apart(literals, first, second):
                continue
            for third in by_cost.get(left, ()):
                if (
                    third > second
                    and _apart(literals, first, third)
                    and _apart(literals, second, third)
                ):
                    triples += 1
                    if triples > MOST_TRIPLES:
                        self.complete = False
                        return
                    yield first, second, third

    def _new(self, formula: Formula, cost: int, column: np.ndarray) -> Iterator[Observation]:
        """An observation, where none before it behaves alike or is its opposite."""
        self.tried += 1
        turned = column ^ column[0] if len(column) else column
        if not turned.any():
            return
        key = np.packbits(turned).tobytes()
        if key not in self._seen:
            self._seen.add(key)
            yield Observation(formula, cost, column)


def _apart(literals: list[Literal], one: int, other: int) -> bool:
    return literals[one].feature != literals[other].feature


def _atom(literal: Literal) -> Formula:
    return _bare(literal.formula)


def _bare(formula: Formula) -> Formula:
    return formula.term if isinstance(formula, Not) else formula


def _about(formula: Formula) -> Formula:
    """What is said of one in view, as it says it of itself."""
    from algolens.looks.language import Term, Test, with_atoms

    def turned(atom: Formula) -> Formula:
        if isinstance(atom, Test):
            return Test(Term(Whose.MY, atom.term.path), atom.label)
        assert isinstance(atom, Comparison)
        sides = (tuple(Term(Whose.MY, term.path) for term in side) for side in atom.sides)
        left, right = sides
        return Comparison(left, atom.order, right)

    return with_atoms(formula, turned)
