"""Which numbers of a look are counted in one unit, and which are only put in order.

Numbers that are added, moved or compared with one another have one unit: if one of them is given in
halves, all are counted in halves. A number that is compared with nothing but itself, at other
elements, may be replaced by its rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from algolens.fields import Field, Mask, Number
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.looks.language import Comparison, Quantified, Term, Whose, atoms
from algolens.looks.look import Look
from algolens.looks.moves import Sum
from algolens.looks.parsing import Parser, parse_look
from algolens.looks.scope import NUMBER, Scope

ONE = "1"  # a constant, or a place in the graph: it cannot be counted in other units


@dataclass(frozen=True)
class Unit:
    """Numbers that are counted alike."""

    members: frozenset[str]

    @property
    def is_whole(self) -> bool:
        """Whether they are counted in ones, and in nothing finer: a constant is added to them or
        compared with them.
        """
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
    for name, each in look.sums.items():
        total = Sum.parse(each.text)
        yield from ((name, _name(look.scope, term, each.location)) for term in total.terms)
        if total.constant:
            yield name, ONE
    for mover in look.movers:
        if isinstance(mover.field.kind, Number):
            yield mover.name, _known(mover.value.field)
    for reading in look.readings:
        other = None if reading.relation is None else reading.relation.others
        yield from _compared(
            reading.observation.formula, reading.scope, reading.observation.location, other
        )
    for name, field in look.state.items():
        yield from _at_start(look, name, field)


def _at_start(look: Look, name: str, field: Field) -> Iterator[tuple[str, str]]:
    scope, start = Scope(look.starting), look.start[name]
    match field.kind, start:
        case Number(), int():
            if start:
                yield name, ONE
        case Number(), str():
            yield (
                name,
                _name(
                    scope, Parser(start).whole(lambda parser: parser.term(Whose.MY)), field.location
                ),
            )
        case Mask(), str():
            yield from _compared(parse_look(start), scope, field.location, None)
        case _, Mapping():
            for text in start.values():
                yield from _compared(parse_look(text), scope, field.location, None)


def _compared(
    formula: Formula, scope: Scope, own: Location, other: Location | None
) -> Iterator[tuple[str, str]]:
    """Numbers that a formula compares, inside quantifiers too."""
    for atom in atoms(formula):
        if isinstance(atom, Quantified):
            yield from _compared(atom.body, scope, own, other)
        elif isinstance(atom, Comparison):
            for pair in atom.pairs:
                first, second = (scope.resolve(term, own, other) for term in pair)
                if first.kind is not None:  # else they are elements, which meet or do not
                    yield _known(first.field), _known(second.field)


def _name(scope: Scope, term: Term, location: Location) -> str:
    return _known(scope.resolve(term, location, None).field)


def _known(field: str | None) -> str:
    return ONE if field is None or field == NUMBER else field
