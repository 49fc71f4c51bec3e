"""Where a pointer or a number can come from: a value of the element's own, or of one in view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from algolens.discovery.literals import EVERYONE, HOP, elements, numbers
from algolens.discovery.situations import Situations
from algolens.fields import Field, Location, Number, Pointer
from algolens.looks import RELATIONS, Relation, Scope, Sum, Term, Whose
from algolens.looks.sums import Product

SUM = 1  # what it costs to add
INDEX = 3  # and to take the index of an element as a value


@dataclass(frozen=True)
class Source:
    """A value that a field may be taken from."""

    relation: Relation | None  # None: a value of the element's own
    path: tuple[str, ...]  # to the value; empty: the element itself
    total: Sum | None  # where the value is a sum
    cost: int

    @property
    def at(self) -> Location | None:
        """Where the one sits that it is taken from; None: the element itself."""
        return None if self.relation is None else self.relation.others

    @property
    def sees_everyone(self) -> bool:
        """Whether all elements of the graph are in view."""
        if self.relation is None or self.relation.own is Location.GRAPH:
            return False
        return self.relation.phrase(1) in EVERYONE

    def values(self, situations: Situations, own: Location) -> np.ndarray:
        """[N] the value of every element that it may be taken from."""
        at = own if self.at is None else self.at
        if self.total is None:
            return situations.value(Term(Whose.MY, self.path), at)
        return summed(situations, self.total, at)


def summed(situations: Situations, total: Sum, at: Location) -> np.ndarray:
    """[N] a sum of numbers of every element at a location."""
    terms = [situations.value(term, at) for term in total.terms]
    made: np.ndarray = np.sum([*terms, np.full(situations.count(at), total.constant)], axis=0)
    return made


def sources(situations: Situations, declared: Field) -> list[Source]:
    """All that a pointer or a number may be taken from, cheapest first."""
    own = [
        Source(None, path, total, cost)
        for path, total, cost in _values(situations, declared, declared.location)
    ]
    pointers = [
        name
        for name, field in situations.fields.items()
        if field.location is Location.NODE
        and isinstance(field.kind, Pointer)
        and field.kind.to is Location.NODE
    ]
    seen = []
    directed = any(block.graph.directed for block in situations.blocks)
    for general in RELATIONS:
        if general.own is not declared.location:
            continue
        if not directed and general.phrase(1) in ("predecessor", "successor", "outgoing link"):
            continue  # neighbours and incoming links say as much
        for relation in [general] if general.pointer is None else map(general.by, pointers):
            price = 1 + (HOP if relation.pointer else 0)
            values = _values(situations, declared, relation.others)
            some = [Source(relation, path, total, price + cost) for path, total, cost in values]
            seen += [replace(one, cost=one.cost + one.sees_everyone) for one in some]
    # a link is marked for one receiver, a neighbour for all that see it
    return sorted([*own, *seen], key=lambda source: (source.cost, source.at is not Location.LINK))


def _values(
    situations: Situations, declared: Field, at: Location
) -> Iterator[tuple[tuple[str, ...], Sum | None, int]]:
    """Values of elements at a location that are of the kind of a field: path, sum and price.

    They are the black box's own fields: sums that other fields are taken from are no parts of sums.
    """
    scope = Scope(situations.schema.before)
    if isinstance(declared.kind, Pointer):
        for element in elements(scope, at):
            if element.at is declared.kind.to:
                yield element.steps, None, element.cost
        return
    assert isinstance(declared.kind, Number)
    known = list(numbers(scope, at))
    for path, cost, unit in known:
        yield path, None, cost + (0 if unit == "field" else INDEX)
    summands = [(path, cost) for path, cost, unit in known if unit == "field" and not cost]
    for path, cost in summands:
        yield (), Sum((Product(1, (Term(Whose.MY, path),)),), 1), cost + SUM
    for (one, first), (other, second) in combinations_with_replacement(summands, 2):
        terms = tuple(Product(1, (Term(Whose.MY, path),)) for path in (one, other))
        yield (), Sum(terms, 0), first + second + SUM


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
        self, must: np.ndarray, considered: np.ndarray, *, mark_all: bool = False
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Who is to be marked: elements, and 1 or 0 for each; None where one would be both.

        must, considered: [N] bools of those that take a value, and of those that take no wrong one.
        mark_all: whether all are marked that offer it, or those alone that are the only one.
        """
        count = len(self.values)
        refused = np.zeros(count, bool)
        refused[self.others[considered[self.looks] & ~self.is_right]] = True
        offers = self.is_right & must[self.looks] & ~refused[self.others]
        num_offers = np.bincount(self.looks[offers], minlength=len(must))
        if (num_offers[must] == 0).any():
            return None
        marked = np.zeros(count, bool)
        alone = mark_all | (num_offers[self.looks] == 1)
        marked[self.others[offers & alone]] = True
        rows = np.flatnonzero(marked | refused)
        return rows, marked[rows].astype(np.int64)
