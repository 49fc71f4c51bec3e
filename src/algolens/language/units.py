"""Which numbers of a program are counted in one unit, and which are only put in order.

Numbers that are added, moved or compared with one another have one unit: if one of them is given in
halves, all are counted in halves, and products of two of them in quarters. A number that is
compared with nothing but itself, at other elements, may be replaced by its rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from algolens.language.ir import (
    NUMBER,
    Arith,
    Case,
    Compare,
    Const,
    Expr,
    Get,
    Program,
    The,
    parts_of,
)
from algolens.language.words import named_fields

ONE = "1"  # a constant, or a place in the graph: it cannot be counted in other units
Groups = dict[str, set[str]]  # of each number, those that have its unit
Terms = list[tuple[int, tuple[str, ...]]]  # of a sum: products of numbers, each with its factor
Products = list[tuple[str, tuple[str, ...]]]  # sums, and the numbers of a product in them


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


def units(program: Program) -> dict[str, Unit]:
    """The unit of each number, by its name: inputs, state and sums."""
    fields = named_fields(program)
    numbers = [name for name, field in fields.items() if field.kind == "number"]
    group = {name: {name} for name in (*numbers, ONE)}
    meets_zero, products = set[str](), Products()
    for name, terms in _counted_with(program, {*numbers}):
        group.setdefault(name, {name})
        for factor, factors in terms:
            if len(factors) > 1:
                products.append((name, factors))
            elif factors or factor:
                _join(group, name, factors[0] if factors else ONE)
            else:
                meets_zero.add(name)
    products = _derived(group, products, {*program.inputs})
    made = {name: _bases(group, name, products) or () for name in group}
    degree = dict.fromkeys(group, 1)
    for factors in made.values():
        for name in (name for factor in factors for name in group[factor]):
            degree[name] = max(degree[name], len(factors))
    return {
        name: Unit(
            frozenset(group[name] & {*numbers, ONE}),
            made[name] if len(made[name]) > 1 else (),
            degree[name],
            not meets_zero.isdisjoint(group[name]),
        )
        for name in numbers
    }


def _counted_with(program: Program, numbers: set[str]) -> Iterator[tuple[str, Terms]]:
    """Numbers by name, and sums that each is counted with: what it becomes, or is compared with."""
    lets = (*program.lets, *program.becomes, *program.start)
    for let in lets:
        if let.name in numbers:
            begins_at_zero = let in program.start and let.value == Const(0)
            yield let.name, [] if begins_at_zero else _terms(let.value, numbers)
        for place, compared in enumerate(parts_of(let.value, Compare)):
            for one, other in zip(compared.left, compared.right, strict=True):
                sides = _terms(one, numbers), _terms(other, numbers)
                if any(names for side in sides for _, names in side):  # else they are no numbers
                    single = [each[0][1][0] for each in sides if len(each) == 1 == len(each[0][1])]
                    name = single[0] if single else f"{let.name} {place}"  # of what both are
                    yield from ((name, side) for side in sides)


def _terms(node: Expr, numbers: set[str]) -> Terms:
    """A number as a sum of products; of several cases, all of them."""
    match node:
        case Const(value) if not isinstance(value, bool):
            return [(value, ())]
        case Get(column) if column in numbers or column == NUMBER:
            return [(1, (ONE if column == NUMBER else column,))]
        case Arith(a, "*", b):
            right = _terms(b, numbers)
            return [(m * n, x + y) for m, x in _terms(a, numbers) for n, y in right]
        case Arith(a, _, b):
            return _terms(a, numbers) + _terms(b, numbers)
        case The(value=value):
            return _terms(value, numbers)
        case Case(cases, otherwise):
            return [
                term for _, value in (*cases, (None, otherwise)) for term in _terms(value, numbers)
            ]
    return []


def _join(group: Groups, first: str, second: str) -> None:
    """Gives two numbers one unit."""
    group[first] |= group[second]
    for name in group[second]:
        group[name] = group[first]


def _derived(group: Groups, products: Products, given: set[str]) -> Products:
    """The products that have a unit of their own, after those are joined that have not.

    A product of one number with whole ones has the unit of that number. Where a product is counted
    with a number that is given, or has two units, all its factors are counted in ones.
    """
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
            if not group[name].isdisjoint({*given, ONE}) or _bases(group, name, kept) is None
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
