"""Candidates: all statements up to a price, one for each behaviour in the situations seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.bits import BitTable, column_hashes
from algolens.discovery.literals import Literal, relations
from algolens.discovery.situations import Situations
from algolens.language.fields import Location
from algolens.language.ir import Compare, Expr, Quantified, conjunction
from algolens.language.relations import Relation

MOST_COUNTED = 4  # "at least 4"
MOST_LITERALS = 3
MOST_BODIES = 8_000  # of one relation and one price
CELLS = 8_000_000  # bools that are looked at together


@dataclass(frozen=True, eq=False)
class Observation:
    """A statement, its price, and where it holds."""

    # both are made when they are asked for: few of thousands are
    saying: Expr | Callable[[], Expr]
    cost: int
    holds: np.ndarray | Callable[[], np.ndarray]

    @cached_property
    def said(self) -> Expr:
        """What it says."""
        return self.saying() if callable(self.saying) else self.saying

    @cached_property
    def column(self) -> np.ndarray:
        """[N] bools: where it holds, of all elements at its location."""
        return self.holds if isinstance(self.holds, np.ndarray) else self.holds()


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
        self.bits = BitTable(np.zeros((situations.count(location), 0), bool))
        self.prices = np.zeros(0)  # [K] of each
        self._seen: set[int] = set()
        self._views: dict[str, RelationView | None] = {}

    def up_to(self, bound: int, until: float) -> list[Observation]:
        """All of up to a price. until: a time of the process, when it ends."""
        while self.bound < bound:
            self._add_own(self.bound + 1)
            for relation, cost in self._relations:
                if time.process_time() > until:
                    self.complete = False
                    break
                if cost <= self.bound + 1 and (view := self._view(relation, cost)) is not None:
                    self._add_in_view(view, self.bound + 1, until)
            self.bound += 1
        return self.all

    def _add_own(self, price: int) -> None:
        rows = self.situations.own_rows(self.location.value)
        some = [row for row in rows if self.situations.price(row.literal) == price]
        if some:
            said = [row.literal.said for row in some]
            self._add(np.stack([row.holds for row in some], 1), price, said.__getitem__)

    @cached_property
    def _relations(self) -> list[tuple[Relation, int]]:
        directed = any(block.graph.directed for block in self.situations.blocks)
        return list(relations(self.situations.fields, self.location.value, directed=directed))

    def _view(self, relation: Relation, cost: int) -> RelationView | None:
        """How a relation is seen; None where nobody sees anyone."""
        key = relation.phrase(1)
        if key not in self._views:
            self._views[key] = RelationView.of(self.situations, relation, cost)
        return self._views[key]

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
                ) -> Expr:
                    return view.statement(chunk[place], count)

                self._add(columns, price, said)

    def _add(self, columns: np.ndarray, price: int, said: Callable[[int], Expr]) -> None:
        """Adds observations, where none before them behaves alike or is the opposite."""
        self.tried += columns.shape[1]
        if not len(columns):
            return
        hashes = column_hashes(columns ^ columns[0])
        nothing = int(column_hashes(np.zeros((len(columns), 1), bool))[0])
        kept = []
        for place, key in enumerate(hashes.tolist()):
            if key not in self._seen and key != nothing:
                self._seen.add(key)
                kept.append(place)
        if not kept:
            return
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
        looks, _ = situations.pairs(relation)
        if not len(looks):
            return None
        rows = situations.rows_in_view(relation)
        prices = [situations.price(row.literal) for row in rows]
        kept, known = [], set()
        for place in sorted(range(len(rows)), key=prices.__getitem__):
            if rows[place].key is not None and rows[place].key not in known:
                known.add(rows[place].key)
                kept.append(place)
        literals = [rows[place].literal for place in kept]
        table = [rows[place].holds for place in kept]
        whole = column_hashes(np.array(table, bool).reshape(-1, len(looks)))
        _, first, kind = np.unique(whole, return_index=True, return_inverse=True)
        masks = np.array([row[first] for row in table], bool).reshape(len(kept), len(first))
        counts = csr_array(
            (np.ones(len(looks), np.float32), (looks, kind.reshape(-1))),
            shape=(situations.count(relation.own), len(first)),
        )
        names = {literal.feature: number for number, literal in enumerate(literals)}
        return cls(
            relation,
            cost,
            literals,
            np.array([prices[place] for place in kept], np.int64),
            np.array([names[literal.feature] for literal in literals], np.int64),
            np.packbits(masks, axis=1),
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
                    return combos, _stacked(masks, everyone)
        return combos, _stacked(masks, everyone)

    def _is_taken(self, number: int, combo: tuple[int, ...]) -> bool:
        return any(self.features[number] == self.features[other] for other in combo)

    def statement(self, combo: tuple[int, ...], count: int) -> Expr:
        """That so many in view satisfy all of some literals."""
        return so_many(self.relation, (self.literals[number] for number in sorted(combo)), count)


def so_many(relation: Relation, literals: Iterable[Literal], count: int) -> Quantified:
    """That so many in view satisfy all of some literals."""
    body = conjunction(*(literal.said for literal in literals))
    return Quantified("some" if count == 1 else "at least", relation.view, body, count)


def better_pairs(
    situations: Situations, relation: Relation
) -> Iterator[tuple[Literal, np.ndarray, np.ndarray]]:
    """Comparisons of one in view with the element that looks: who looks, and who comes first."""
    looks, others = situations.pairs(relation)
    for row in situations.rows_in_view(relation):
        said = row.literal.said
        if row.literal.crosses and isinstance(said, Compare) and said.op in ("<", ">"):
            yield row.literal, looks[row.holds], others[row.holds]


def _stacked(masks: list[np.ndarray], like: np.ndarray) -> np.ndarray:
    """[len(masks), width]; also where the time was over before the first of them."""
    return np.array(masks, np.uint8).reshape(len(masks), like.shape[1])
