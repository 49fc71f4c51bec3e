"""Candidates: all statements up to a price, one for each behaviour in the situations seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.literals import Literal, crossing_literals, own_literals, relations
from algolens.discovery.situations import Situations
from algolens.fields import Location
from algolens.logic.formula import TRUE, Formula, Not, conjunction
from algolens.looks import Comparison, Quantified, Quantity, Relation, Term, Test, Whose
from algolens.looks.language import with_atoms

MOST_COUNTED = 3  # "at least 3"
MOST_LITERALS = 3
MOST_BODIES = 8_000  # of one relation and one price
CELLS = 8_000_000  # bools that are looked at together


@dataclass(frozen=True, eq=False)
class Observation:
    """A statement, its price, and where it holds."""

    said: Formula | Callable[[], Formula]  # made when it is asked for: few of thousands are
    cost: int
    column: np.ndarray  # [N] bools, of all elements at its location

    @cached_property
    def formula(self) -> Formula:
        """What it says."""
        return self.said if isinstance(self.said, Formula) else self.said()


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

    def up_to(self, bound: int, until: float) -> list[Observation]:
        """All of up to a price. until: a time of the process, when it ends."""
        while self.bound < bound:
            self._add_own(self.bound + 1)
            for view in self._views if self.bound else ():
                self._add_in_view(view, self.bound + 1, until)
            self.bound += 1
        return self.all

    def _add_own(self, price: int) -> None:
        for literal in own_literals(self.situations.scope, self.location):
            if self.situations.price(literal) == price:
                column = own_column(self.situations, literal, self.location)
                self._add(column[:, None], price, [literal.formula].__getitem__)

    @cached_property
    def _views(self) -> list[RelationView]:
        directed = any(block.graph.directed for block in self.situations.blocks)
        made = (
            RelationView.of(self.situations, relation, cost)
            for relation, cost in relations(self.situations.scope, self.location, directed=directed)
        )
        return [view for view in made if view is not None]

    def _add_in_view(self, view: RelationView, price: int, until: float) -> None:
        """Those of one relation and one price, counting to 1, 2 and 3."""
        for count in range(1, MOST_COUNTED + 1):
            wanted = price - view.cost - (count - 1)
            if wanted < 0 or (view.relation.exactly and count > view.relation.exactly):
                continue
            bodies, masks = view.bodies(wanted, until)
            self.complete &= view.complete
            size = max(1, CELLS // max(view.num_kinds, view.counts.shape[0], 1))
            for start in range(0, len(bodies), size):
                if time.process_time() > until:
                    self.complete = False
                    return
                chunk = bodies[start : start + size]
                kinds = np.unpackbits(masks[start : start + size], axis=1, count=view.num_kinds)
                columns = (view.counts @ kinds.T.astype(np.float32)) >= count

                def said(
                    place: int, chunk: list[tuple[int, ...]] = chunk, count: int = count
                ) -> Formula:
                    return view.statement(chunk[place], count)

                self._add(columns, price, said)

    def _add(self, columns: np.ndarray, price: int, said: Callable[[int], Formula]) -> None:
        """Adds observations, where none before them behaves alike or is the opposite."""
        self.tried += columns.shape[1]
        if not len(columns):
            return
        turned = columns ^ columns[0]
        keys = np.packbits(turned, axis=0).T
        for place in np.flatnonzero(turned.any(0)).tolist():
            key = keys[place].tobytes()
            if key not in self._seen:
                self._seen.add(key)
                column = np.ascontiguousarray(columns[:, place])
                self.all.append(Observation(partial(said, place), price, column))


@dataclass(eq=False)
class RelationView:
    """One relation: kinds of those in view, and how many of each every element sees."""

    relation: Relation
    cost: int
    literals: list[Literal]
    prices: np.ndarray  # [L]
    features: np.ndarray  # [L] of one feature at most one literal is taken
    masks: np.ndarray  # [L, K / 8] packed bools: the kinds of which a literal holds
    num_kinds: int
    counts: csr_array  # [N, K]
    complete: bool = True
    _bodies: dict[int, tuple[list[tuple[int, ...]], np.ndarray]] = field(default_factory=dict)
    _known: set[bytes] = field(default_factory=set)  # sets of kinds that were looked for

    @classmethod
    def of(cls, situations: Situations, relation: Relation, cost: int) -> RelationView | None:
        """Who sees whom by a relation, as kinds and counts; None where nobody sees anyone."""
        looks, others = situations.pairs(relation)
        if not len(looks):
            return None
        literals, rows = [], []
        for literal in own_literals(situations.scope, relation.others, Whose.ITS):
            mine = Literal(_about(literal.formula), literal.cost, literal.feature)
            literals.append(literal)
            rows.append(own_column(situations, mine, relation.others)[others])
        for literal in crossing_literals(situations.scope, relation):
            literals.append(literal)
            rows.append(situations.crossing(literal.formula, relation))
        prices = [situations.price(literal) for literal in literals]
        kept, known = [], set()
        for place in sorted(range(len(literals)), key=prices.__getitem__):
            key = np.packbits(rows[place]).tobytes()
            if key not in known and rows[place].any() and not rows[place].all():
                known.add(key)
                kept.append(place)
        table = np.array([rows[place] for place in kept], bool).reshape(len(kept), len(looks))
        packed = np.packbits(table, axis=0).T if kept else np.zeros((len(looks), 1), np.uint8)
        packed = np.ascontiguousarray(packed)
        whole = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
        _, first, kind = np.unique(whole, return_index=True, return_inverse=True)
        counts = csr_array(
            (np.ones(len(looks), np.float32), (looks, kind.reshape(-1))),
            shape=(situations.count(relation.own), len(first)),
        )
        names = {literals[place].feature: number for number, place in enumerate(kept)}
        return cls(
            relation,
            cost,
            [literals[place] for place in kept],
            np.array([prices[place] for place in kept], np.int64),
            np.array([names[literals[place].feature] for place in kept], np.int64),
            np.packbits(table[:, first], axis=1),
            len(first),
            counts,
        )

    def bodies(self, price: int, until: float) -> tuple[list[tuple[int, ...]], np.ndarray]:
        """Sets of literals of one price that hold of other kinds, and these kinds, packed."""
        if price not in self._bodies:
            self._bodies[price] = self._made(price, until)
        return self._bodies[price]

    def _made(self, price: int, until: float) -> tuple[list[tuple[int, ...]], np.ndarray]:
        everyone = np.packbits(np.ones((1, self.num_kinds), bool), axis=1)
        if price == 0:
            return [()], everyone
        combos: list[tuple[int, ...]] = []
        masks: list[np.ndarray] = []
        for cost in sorted({int(cost) for cost in self.prices if cost <= price}):
            smaller, kinds = self.bodies(price - cost, until)
            for number in np.flatnonzero(self.prices == cost).tolist():
                both = kinds & self.masks[number]
                for place in np.flatnonzero(both.any(1)).tolist():
                    combo = smaller[place]
                    if len(combo) >= MOST_LITERALS or self._is_taken(number, combo):
                        continue
                    key = both[place].tobytes()
                    if key in self._known:
                        continue
                    self._known.add(key)
                    combos.append((*combo, number))
                    masks.append(both[place])
                if len(combos) > MOST_BODIES or time.process_time() > until:
                    self.complete = False
                    return combos, np.array(masks, np.uint8)
        return combos, np.array(masks, np.uint8).reshape(len(masks), everyone.shape[1])

    def _is_taken(self, number: int, combo: tuple[int, ...]) -> bool:
        return any(self.features[number] == self.features[other] for other in combo)

    def statement(self, combo: tuple[int, ...], count: int) -> Formula:
        """That so many in view satisfy all of some literals."""
        formulas = [self.literals[number].formula for number in sorted(combo)]
        body = conjunction(*formulas) if formulas else TRUE
        if count == 1:
            return Quantified(Quantity.SOME, self.relation, body)
        return Quantified(Quantity.AT_LEAST, self.relation, body, count)


def own_column(situations: Situations, literal: Literal, location: Location) -> np.ndarray:
    """Where a literal holds of the element itself."""
    is_not = isinstance(literal.formula, Not)
    atom = literal.formula.term if isinstance(literal.formula, Not) else literal.formula
    return situations.own(atom, location) ^ is_not


def _about(formula: Formula) -> Formula:
    """What is said of one in view, as it says it of itself."""
    return turned_to(formula, Whose.MY)


def turned_to(formula: Formula, whose: Whose) -> Formula:
    """What is said of an element alone, said of oneself or of one in view."""

    def said(atom: Formula) -> Formula:
        if isinstance(atom, Test):
            return Test(Term(whose, atom.term.path), atom.label)
        assert isinstance(atom, Comparison)
        left, right = (tuple(Term(whose, term.path) for term in side) for side in atom.sides)
        return Comparison(left, atom.order, right)

    return with_atoms(formula, said)


def better_pairs(
    situations: Situations, relation: Relation
) -> Iterator[tuple[Literal, np.ndarray, np.ndarray]]:
    """Comparisons of one in view with the element that looks: who looks, and who comes first."""
    looks, others = situations.pairs(relation)
    for literal in crossing_literals(situations.scope, relation):
        if isinstance(literal.formula, Comparison) and literal.formula.order.value in "<>":
            first = situations.crossing(literal.formula, relation)
            yield literal, looks[first], others[first]
