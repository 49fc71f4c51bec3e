"""Features: what an atom of a look tells apart, of an element or of one in view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from algolens.errors import DefinitionError
from algolens.fields import Number
from algolens.graphs import Location
from algolens.limits import BITS
from algolens.logic.formula import Formula
from algolens.looks.language import Comparison, Order, Test, statement_text
from algolens.looks.scope import NUMBER, Scope
from algolens.looks.terms import Term, Whose

LOWER, EQUAL, HIGHER = 0, 1, 2
MOST_BITS = BITS.most


class _Feature(ABC):
    """A property with finitely many values, numbered from 0."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of its values."""

    @property
    @abstractmethod
    def sides(self) -> tuple[tuple[Term, ...], ...]:
        """The terms it speaks of; a comparison has two sides."""

    @abstractmethod
    def words(self, value: int) -> str:
        """What a value says, in words."""

    @property
    def of_another(self) -> bool:
        """Whether it speaks of one in view, and not of the element alone."""
        return any(side[0].whose is Whose.ITS for side in self.sides)

    @property
    def crosses(self) -> bool:
        """Whether it compares one in view with the element that looks."""
        return len({side[0].whose for side in self.sides}) == 2


@final
@dataclass(frozen=True)
class Label(_Feature):
    """The class of a mask or a category."""

    term: Term
    labels: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def sides(self) -> tuple[tuple[Term, ...], ...]:
        return ((self.term,),)

    def words(self, value: int) -> str:
        if self.labels == ("false", "true"):
            return f"{'' if value else 'not '}{self.term.bare}"
        return f"{self.term.bare} {self.labels[value]}"


@final
@dataclass(frozen=True)
class Compared(_Feature):
    """How numbers of the one compare with numbers of the other: lower, equal or higher."""

    left: tuple[Term, ...]
    right: tuple[Term, ...]
    kinds: tuple[Number, ...]  # of each
    distinct: bool  # never equal, of different elements of one graph

    size = 3

    @property
    def sides(self) -> tuple[tuple[Term, ...], ...]:
        return self.left, self.right

    @property
    def bits(self) -> int:
        """Of all numbers of one side together."""
        return sum(kind.bits for kind in self.kinds)

    def words(self, value: int) -> str:
        its, mine = (f"({', '.join(map(str, side))})" for side in self.sides)
        if value == EQUAL:
            return f"{mine} met"
        return f"{its} {'lower' if value == LOWER else 'higher'} than {mine}"


@final
@dataclass(frozen=True)
class Meeting(_Feature):
    """Whether two pointers lead to one element."""

    left: Term
    right: Term

    size = 2

    @property
    def sides(self) -> tuple[tuple[Term, ...], ...]:
        return (self.left,), (self.right,)

    def words(self, value: int) -> str:
        return f"{self.left} {'is' if value else 'is not'} {self.right}"


Feature = Label | Compared | Meeting


def feature_of(
    atom: Formula, scope: Scope, own: Location, other: Location | None
) -> tuple[Feature, frozenset[int]]:
    """The feature that an atom goes by, and the values of it for which the atom holds."""
    match atom:
        case Test():
            return _label(atom, scope, own, other)
        case Comparison():
            return _comparison(atom, scope, own, other)
    raise DefinitionError(f"'{atom}' is no statement of a look.")


def _label(
    test: Test, scope: Scope, own: Location, other: Location | None
) -> tuple[Feature, frozenset[int]]:
    term, label = test.term, test.label
    resolved = scope.resolve(term, own, other)
    labels = () if resolved.kind is None else resolved.kind.labels
    is_mask = labels == ("false", "true")
    wrong = None
    if not labels:
        wrong = "is no mask and no category: compare it, or name one"
    elif label is None and not is_mask:
        wrong = f"is a category: write '{term} is {labels[0]}'"
    elif label is not None and is_mask:
        wrong = f"is a mask: write '{term}' alone"
    elif label is not None and label not in labels:
        wrong = f"has no class '{label}': it has {', '.join(labels)}"
    if wrong is not None:
        raise DefinitionError(f"'{statement_text(test)}': {term} {wrong}.")
    return Label(term, labels), frozenset({labels.index(label or "true")})


def _comparison(
    comparison: Comparison, scope: Scope, own: Location, other: Location | None
) -> tuple[Feature, frozenset[int]]:
    text = statement_text(comparison)
    if any(len({term.whose for term in side}) > 1 for side in comparison.sides):
        raise DefinitionError(
            f"'{text}': each side speaks of one element: all 'its' here, all 'my' there."
        )
    # the one in view comes first, so that both ways to write a comparison are one feature
    if comparison.left[0].whose is Whose.MY and comparison.right[0].whose is Whose.ITS:
        comparison = comparison.reversed
    left, right, order = comparison.left, comparison.right, comparison.order
    pairs = [
        (scope.resolve(a, own, other), scope.resolve(b, own, other)) for a, b in comparison.pairs
    ]
    if all(a.kind is None and b.kind is None for a, b in pairs):
        a, b = pairs[0]
        if len(pairs) > 1 or a.at is not b.at or order not in (Order.EQUAL, Order.DIFFERENT):
            raise DefinitionError(
                f"'{text}': two pointers are compared by = or !=, one pair, of one location."
            )
        return Meeting(left[0], right[0]), frozenset({int(order is Order.EQUAL)})
    kinds = []
    for a, b in pairs:
        if not isinstance(a.kind, Number) or not isinstance(b.kind, Number):
            raise DefinitionError(
                f"'{text}': a number is compared with a number; classes are told by 'is'."
            )
        signed = a.kind.signed or b.kind.signed
        # next to a signed number, an unsigned one needs a bit more
        bits = max(kind.bits + (signed and not kind.signed) for kind in (a.kind, b.kind))
        if bits > MOST_BITS:
            raise DefinitionError(
                f"'{text}': a signed number and one of {MOST_BITS} bits that is not have no room "
                "side by side: declare one bit less."
            )
        kinds.append(Number(bits, signed=signed))
    a, b = pairs[-1]
    alike = a.field == b.field and not a.steps and not b.steps and a.at is b.at
    is_distinct = a.field == NUMBER and a.at is not Location.LINK
    is_distinct |= isinstance(a.kind, Number) and a.kind.distinct == "graph"
    crosses = left[0].whose is not right[0].whose
    return Compared(left, right, tuple(kinds), alike and is_distinct and crosses), order.outcomes
