"""Which numbers of a look are counted in one unit, and which are only put in order.

Numbers that are added, moved or compared with one another have one unit: if one of them is given in
halves, all are counted in halves. A number that is compared with nothing but itself, at other
elements, may be replaced by its rank.
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


@dataclass(frozen=True)
class Unit:
    """Numbers that are counted alike."""

    members: frozenset[str]

    @property
    def is_whole(self) -> bool:
        """Whether they are counted in ones: a constant is added to them or compared with them."""
        return ONE in self.members

    @property
    def only_order_counts(self) -> bool:
        """Whether a number is only compared with itself, at other elements."""
        return len(self.members) == 1


def units(look: Look) -> dict[str, Unit]:
    """The unit of each number, by its name: inputs, state and sums."""
    group = {
        name: {name}
        for name, field in {**look.scope.fields, **look.starting}.items()
        if isinstance(field.kind, Number)
    }
    group[ONE] = {ONE}
    for first, second in _alike(look):
        if group[first] is not group[second]:
            group[first] |= group[second]
            for name in group[second]:
                group[name] = group[first]
    return {name: Unit(frozenset(members)) for name, members in group.items() if name != ONE}


def _alike(look: Look) -> Iterator[tuple[str, str]]:
    """Pairs of numbers that have one unit."""
    for name, summands in look.summands.items():
        yield from ((name, _known(term)) for term in summands)
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
