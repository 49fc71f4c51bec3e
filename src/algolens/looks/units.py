"""Which numbers of a look are counted in one unit, and which are only put in order.

Numbers that are added, moved or compared with one another have one unit: if one of them is given in
halves, all are counted in halves, and products of two of them in quarters. A number that is
compared with nothing but itself, at other elements, may be replaced by its rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from algolens.fields import Number
from algolens.looks.language import Comparison
from algolens.looks.look import Look
from algolens.looks.scope import NUMBER, ResolvedTerm, Scope
from algolens.looks.statement import Statement

ONE = "1"  # a constant, or a place in the graph: it cannot be counted in other units
ZERO = "constant_0"
Groups = dict[str, set[str]]  # of each number, those that have its unit
Products = list[tuple[str, tuple[str, ...]]]  # sums, and the factors of a product in them


@dataclass(frozen=True)
class Unit:
    """Numbers that are counted alike."""

    members: frozenset[str]
    factors: tuple[str, ...] = ()  # of a product, one number of each unit that it is made of
    degree: int = 1  # of the longest product that one of them is a factor of
    meets_zero: bool = False  # whether one is compared with 0, which is the same in all units

    @property
    def is_whole(self) -> bool:
        """Whether they are counted in ones: a constant is added to them or compared with them."""
        return ONE in self.members

    @property
    def only_order_counts(self) -> bool:
        """Whether a number is only compared with itself, at other elements."""
        return len(self.members) == 1 and self.degree == 1 and not self.meets_zero


def units(look: Look) -> dict[str, Unit]:
    """The unit of each number, by its name: inputs, state and sums."""
    group = {
        name: {name}
        for name, field in {**look.scope.fields, **look.starting}.items()
        if isinstance(field.kind, Number)
    }
    group[ONE] = {ONE}
    meets_zero = set()
    for first, second in _alike(look):
        if ZERO in (first, second):
            meets_zero |= {first, second}
        else:
            _join(group, first, second)
    products = _derived(group, look)
    made = {name: _bases(group, name, products) or () for name in group}
    degree = dict.fromkeys(group, 1)
    for factors in made.values():
        for name in (name for factor in factors for name in group[factor]):
            degree[name] = max(degree[name], len(factors))
    return {
        name: Unit(
            frozenset(members),
            made[name] if len(made[name]) > 1 else (),
            degree[name],
            not meets_zero.isdisjoint(members),
        )
        for name, members in group.items()
        if name != ONE
    }


def _join(group: Groups, first: str, second: str) -> bool:
    """Gives two numbers one unit; whether they had two."""
    if group[first] is group[second]:
        return False
    group[first] |= group[second]
    for name in group[second]:
        group[name] = group[first]
    return True


def _derived(group: Groups, look: Look) -> Products:
    """The products that have a unit of their own, after those are joined that have not.

    A product of one number with whole ones has the unit of that number. Where a product is counted
    with a number that is given, or has two units, all its factors are counted in ones.
    """
    products = [
        (name, tuple(_known(term) for term in summand.terms))
        for name, summands in look.summands.items()
        for summand in summands
        if len(summand.terms) > 1
    ]
    while True:
        kept = []
        for name, factors in products:
            rest = [factor for factor in factors if ONE not in group[factor]]
            if len(rest) > 1:
                kept.append((name, factors))
            else:
                _join(group, name, rest[0] if rest else ONE)
        contradicts = [
            (name, factors)
            for name, factors in kept
            if not group[name].isdisjoint((*look.starting, ONE))
            or _bases(group, name, kept) is None
        ]
        for name, factors in contradicts:
            for one in (name, *factors):
                _join(group, one, ONE)
        if kept == products and not contradicts:
            return kept
        products = kept


def _bases(
    group: Groups, name: str, products: Products, above: tuple[str, ...] = ()
) -> tuple[str, ...] | None:
    """One number of each unit that a unit is made of; None where it contradicts itself."""
    if ONE in group[name]:
        return ()
    base, ways = min(group[name]), set()
    for product, factors in products:
        if group[product] is group[name]:
            parts = [_bases(group, factor, products, (*above, base)) for factor in factors]
            if base in above or None in parts:
                return None
            ways.add(tuple(sorted(one for part in parts for one in part or ())))
    if len(ways) > 1:
        return None
    return ways.pop() if ways else (base,)


def _alike(look: Look) -> Iterator[tuple[str, str]]:
    """Pairs of numbers that have one unit."""
    for name, summands in look.summands.items():
        yield from ((name, _known(one.terms[0])) for one in summands if len(one.terms) == 1)
        if look.totals[name].constant:
            yield name, ONE
    for mover in look.movers:
        if isinstance(mover.field.kind, Number):
            yield mover.name, _known(mover.value)
    for statement in look.statements:
        yield from _compared(statement)
    for name, start in look.starts.items():
        if isinstance(start.field.kind, Number):
            if start.term is not None:
                yield name, _known(start.resolved(Scope(look.starting)))
            elif start.value:
                yield name, ONE
        for _, case in start.cases:
            yield from _compared(case)


def _compared(statement: Statement) -> Iterator[tuple[str, str]]:
    """Numbers that a statement compares, inside quantifiers too."""
    for atom in statement.features:
        if isinstance(atom, Comparison):
            for pair in atom.pairs:
                first, second = map(statement.resolve, pair)
                if first.kind is not None:  # else they are elements, which meet or do not
                    yield _known(first), _known(second)


def _known(term: ResolvedTerm) -> str:
    return ONE if term.field is None or term.field == NUMBER else term.field
