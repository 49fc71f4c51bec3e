"""Where a pointer or a number can come from: a value of the element's own, or of one in view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from algolens.discovery.literals import EVERYONE, HOP, Fields, elements, numbers, relations_of
from algolens.discovery.schema import as_column
from algolens.discovery.situations import Situations
from algolens.language.fields import Location
from algolens.language.ir import Arith, At, Const, Expr, Field
from algolens.language.relations import Relation

SUM = 1  # what it costs to add
INDEX = 3  # and to take the index of an element as a value


@dataclass(frozen=True)
class Source:
    """A value that a field may be taken from."""

    relation: Relation | None  # None: a value of the element's own
    said: Expr  # of the one that it is taken from
    cost: int

    @property
    def at(self) -> Location | None:
        """Where the one sits that it is taken from; None: the element itself."""
        return None if self.relation is None else self.relation.others

    @property
    def is_sum(self) -> bool:
        """Whether the value is a sum."""
        return isinstance(self.said, Arith)

    @property
    def sees_everyone(self) -> bool:
        """Whether all elements of the graph are in view."""
        if self.relation is None or self.relation.own is Location.GRAPH:
            return False
        return self.relation.phrase(1) in EVERYONE

    def values(self, situations: Situations, own: Location) -> np.ndarray:
        """[N] the value of every element that it may be taken from."""
        return situations.value(self.said, (self.at or own).value)


def sources(situations: Situations, name: str) -> list[Source]:
    """All that a pointer or a number of the state may be taken from, cheapest first.

    That are the black box's own fields: sums that other fields are taken from are no parts of sums.
    """
    declared = as_column(situations.schema.state[name])
    given = {name: as_column(field) for name, field in situations.schema.before.items()}
    own = [Source(None, said, cost) for said, cost in _values(given, declared, declared.at)]
    seen = []
    directed = any(block.graph.directed for block in situations.blocks)
    for relation in relations_of(situations.fields, declared.at):
        if not directed and relation.phrase(1) in ("predecessor", "successor", "outgoing link"):
            continue  # neighbours and incoming links say as much
        price = 1 + (HOP if relation.pointer else 0)
        values = _values(given, declared, relation.others.value)
        some = [Source(relation, said, price + cost) for said, cost in values]
        seen += [replace(one, cost=one.cost + one.sees_everyone) for one in some]
    # a link is marked for one receiver, a neighbour for all that see it
    return sorted([*own, *seen], key=lambda source: (source.cost, source.at is not Location.LINK))


def _values(given: Fields, declared: Field, at: At) -> Iterator[tuple[Expr, int]]:
    """Values of the elements of a table that are of the kind of a field, and their prices."""
    if declared.kind == "pointer":
        for element in elements(given, at):
            if element.at == declared.to:
                yield element.end, element.cost
        return
    known = list(numbers(given, at))
    for number in known:
        yield number.said, number.cost + (0 if number.unit == "field" else INDEX)
    summands = [number.said for number in known if number.unit == "field" and not number.cost]
    for one in summands:
        yield Arith(one, "+", Const(1)), SUM
    for one, other in combinations_with_replacement(summands, 2):
        yield Arith(one, "+", other), SUM


@dataclass(frozen=True, eq=False)
class Reach:
    """How far a source explains what a field becomes."""

    source: Source
    values: np.ndarray
    looks: np.ndarray  # [A] who takes a value; of an own value, everyone once
    others: np.ndarray  # [A] from whom
    is_right: np.ndarray  # [A] bools: the value is what the field became
    covers: np.ndarray  # [N] bools: some value in view is right

    @classmethod
    def of(cls, source: Source, situations: Situations, own: Location, after: np.ndarray) -> Reach:
        """Of a field at a location that became ``after``."""
        values = source.values(situations, own)
        if source.relation is None:
            looks = others = np.arange(len(after))
        else:
            looks, others = situations.pairs(source.relation)
        is_right = values[others] == after[looks]
        covers = np.zeros(len(after), bool)
        covers[looks[is_right]] = True
        return cls(source, values, looks, others, is_right, covers)

    def marks(
        self,
        must: np.ndarray,
        considered: np.ndarray,
        *,
        mark_all: bool = False,
        share: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Who is to be marked: elements, and 1 or 0 for each; None where one would be both.

        Where there are exceptions, those are marked whom more take the value of than would take a
        wrong one.

        must, considered: [N] bools of those that take a value, and of those that take no wrong one.
        mark_all: whether all are marked that offer it, or those alone that are the only one.
        share: of elements that may be exceptions.
        """
        count, takes = len(self.values), self.is_right & must[self.looks]
        wrong = np.bincount(self.others[considered[self.looks] & ~self.is_right], minlength=count)
        right = np.bincount(self.others[takes], minlength=count)
        refused = wrong > (right if share else 0)
        offers = takes & ~refused[self.others]
        num_offers = np.bincount(self.looks[offers], minlength=len(must))
        if (must & (num_offers == 0)).sum() > share * considered.sum():
            return None
        marked = np.zeros(count, bool)
        marked[self.others[offers & (mark_all | (num_offers[self.looks] == 1))]] = True
        rows = np.flatnonzero(marked | refused)
        return rows, marked[rows].astype(np.int64)
