"""The words of a look: statements about an element and those in view, as immutable formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, final

from algolens.errors import FormulaError
from algolens.limits import in_few_digits
from algolens.logic.formula import And, Constant, Formula, Not, Or, as_formula, set_depth
from algolens.looks.terms import Term, Whose

if TYPE_CHECKING:
    from algolens.language.relations import Relation


class Atom(Formula):
    """A statement that the logical connectives do not take apart."""

    __slots__ = ()

    def __str__(self) -> str:
        return statement_text(self)

    @property
    def names(self) -> tuple[str, ...]:
        return (str(self),)

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        raise FormulaError(
            f"'{self}' is looked up in a graph: use algolens.looks.Observer, not evaluate()."
        )


@final
@dataclass(frozen=True, repr=False)
class Test(Atom):
    """That a mask holds (``visited``), or that a category is of a class (``color is 3``)."""

    term: Term
    label: str | None = None

    def __post_init__(self) -> None:
        if not self.term.path or self.term.constant is not None:
            raise FormulaError(f"'{self.term}' is no mask and no category: name a field.")
        label = self.label
        if label is not None and (
            label == "not" or not (label.isidentifier() or label.isdecimal())
        ):
            raise FormulaError(f"{label!r} is no class: it is a name or a number.")

    def to_json(self) -> Any:
        return ["is", self.term.to_json(), self.label]


class Order(Enum):
    """How one value compares with another."""

    LOWER = "<"
    EQUAL = "="
    HIGHER = ">"
    NOT_HIGHER = "<="
    DIFFERENT = "!="
    NOT_LOWER = ">="

    @property
    def outcomes(self) -> frozenset[int]:
        """Of the three outcomes (0 lower, 1 equal, 2 higher), those that it allows."""
        return _OUTCOMES[self]

    @property
    def opposite(self) -> Order:
        """What holds where it does not."""
        return _ORDERS[frozenset({0, 1, 2}) - self.outcomes]

    @property
    def reversed(self) -> Order:
        """The same with both sides exchanged."""
        return _ORDERS[frozenset(2 - outcome for outcome in self.outcomes)]


_OUTCOMES = {
    Order.LOWER: frozenset({0}),
    Order.EQUAL: frozenset({1}),
    Order.HIGHER: frozenset({2}),
    Order.NOT_HIGHER: frozenset({0, 1}),
    Order.DIFFERENT: frozenset({0, 2}),
    Order.NOT_LOWER: frozenset({1, 2}),
}
_ORDERS = {outcomes: order for order, outcomes in _OUTCOMES.items()}


@final
@dataclass(frozen=True, repr=False)
class Comparison(Atom):
    """How numbers compare (``its weight < my weight``), or whether pointers meet (``it = me``).

    Several numbers compare as words in a dictionary do: ``(its weight, its number) < (my weight, my
    number)``.
    """

    left: tuple[Term, ...]
    order: Order
    right: tuple[Term, ...]

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right) or not self.left:
            raise FormulaError(
                f"{len(self.left)} values are compared with {len(self.right)}: give as many on "
                "both sides."
            )
        for side, opposite in (self.sides, self.sides[::-1]):
            spoken = [term.whose for term in (*side, *opposite) if term.constant is None]
            if not spoken:
                raise FormulaError(
                    "numbers are compared with one another: name a field on one side, as in height "
                    "> 3."
                )
            for term in side:
                is_own = term.path[:-1] == () and term.whose is Whose.MY  # of the graph itself
                if term.constant is not None and (
                    term.whose is not spoken[0] or not (is_own or term.path[:-1] == ("graph",))
                ):
                    raise FormulaError(
                        f"the number {term} is said of {term.whose.value}, and the values beside "
                        f"it of {spoken[0].value}: a number is the graph's own."
                    )

    @property
    def sides(self) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """What stands left and right."""
        return self.left, self.right

    @property
    def reversed(self) -> Comparison:
        """The same statement with both sides exchanged."""
        return Comparison(self.right, self.order.reversed, self.left)

    @property
    def pairs(self) -> tuple[tuple[Term, Term], ...]:
        """What is compared with what, the first that differs deciding."""
        return tuple(zip(self.left, self.right, strict=True))

    def to_json(self) -> Any:
        return [
            self.order.value,
            [term.to_json() for term in self.left],
            [term.to_json() for term in self.right],
        ]


MOST_COUNTED = 1_000_000  # of 'at least k'


class Quantity(Enum):
    """Of how many others a statement is to hold."""

    SOME = "some"
    EVERY = "every"
    AT_LEAST = "at least"


@final
@dataclass(frozen=True, repr=False)
class Quantified(Atom):
    """That some, every or at least so many of those in view are so: ``some neighbour (visited)``.

    All three count: "every" says that fewer than one is otherwise.
    """

    quantity: Quantity
    relation: Relation
    body: Formula
    count: int = 1  # of "at least"

    def __post_init__(self) -> None:
        most = MOST_COUNTED if self.quantity is Quantity.AT_LEAST else 1
        if not 1 <= self.count <= most:
            raise FormulaError(
                f"'{self.quantity.value}' counts {in_few_digits(self.count)}: give 1 to {most:,}."
            )
        if any(isinstance(atom, Quantified) for atom in atoms(self.body)):
            raise FormulaError(
                "a quantifier stands inside another; a statement looks only one step: declare "
                "the inner statement as an observation of its own."
            )
        set_depth(self, self.body)

    @property
    def counted(self) -> Formula:
        """What is true of those that are counted: the body; of "every", its opposite."""
        return Not(self.body) if self.quantity is Quantity.EVERY else self.body

    @property
    def order(self) -> Order:
        """How the number of those that are counted compares with ``count`` where it holds."""
        return Order.LOWER if self.quantity is Quantity.EVERY else Order.NOT_LOWER

    def holds(self, met: Any) -> Any:
        """Whether it holds where so many are counted: a number, or arrays or tensors alike."""
        return met < self.count if self.quantity is Quantity.EVERY else met >= self.count

    def to_json(self) -> Any:
        how = (
            [self.quantity.value]
            if self.quantity is not Quantity.AT_LEAST
            else [self.quantity.value, self.count]
        )
        return [*how, self.relation.phrase(1), self.body.to_json()]


def holds(formula: Formula, of_atom: Callable[[Formula], Any]) -> Any:
    """The truth of a formula, given that of its atoms: bools, arrays or tensors alike."""
    match formula:
        case Constant(value):
            return value
        case Not(term):
            value = holds(term, of_atom)
            return not value if isinstance(value, bool) else ~value
        case And(terms) | Or(terms):
            result = holds(terms[0], of_atom)
            for term in terms[1:]:
                value = holds(term, of_atom)
                result = result & value if isinstance(formula, And) else result | value
            return result
    return of_atom(formula)


def with_atoms(formula: Formula, changed: Callable[[Formula], Formula]) -> Formula:
    """The same formula, each atom changed."""
    return as_formula(holds(formula, changed))


def with_terms(formula: Formula, changed: Callable[[Term], Term]) -> Formula:
    """The same formula, each term changed, those inside quantifiers too."""

    def said(atom: Formula) -> Formula:
        match atom:
            case Test(term, label):
                return Test(changed(term), label)
            case Comparison(left, order, right):
                return Comparison(tuple(map(changed, left)), order, tuple(map(changed, right)))
            case Quantified(body=body):
                return replace(atom, body=with_atoms(body, said))
        return atom

    return with_atoms(formula, said)


def atoms(formula: Formula) -> Iterator[Formula]:
    """Its atoms, as often as they stand there; a quantified statement is one."""
    match formula:
        case Constant():
            return
        case Not(term):
            yield from atoms(term)
        case And(terms) | Or(terms):
            for term in terms:
                yield from atoms(term)
        case _:
            yield formula


def terms(formula: Formula) -> Iterator[Term]:
    """All terms of a formula, those inside quantifiers too."""
    for atom in atoms(formula):
        match atom:
            case Test(term):
                yield term
            case Comparison(left, _, right):
                yield from (*left, *right)
            case Quantified():
                yield from terms(atom.body)


def statement_text(formula: Formula, subject: Whose = Whose.MY) -> str:
    """The text that ``parse_look`` reads back. subject: of whom bare names speak."""
    match formula:
        case Constant(value):
            return str(value)
        case Not(Quantified(quantity=Quantity.SOME) as inner):
            return f"no {_quantified(inner)}"
        case Not(Test(term, label)) if label is not None:
            return f"{_tested(term, subject)} is not {label}"
        case Not(term):
            text = statement_text(term, subject)
            return f"~({text})" if isinstance(term, And | Or | Comparison) else f"~{text}"
        case And(terms):
            return " & ".join(_enclosed(term, subject, Or) for term in terms)
        case Or(terms):
            return " | ".join(_enclosed(term, subject, And) for term in terms)
        case Test(term, label):
            return _tested(term, subject) + (f" is {label}" if label is not None else "")
        case Comparison(left, order, right):
            return f"{_compared(left, subject)} {order.value} {_compared(right, subject)}"
        case Quantified(quantity, _, _, count):
            many = f" {count}" if quantity is Quantity.AT_LEAST else ""
            return f"{quantity.value}{many} {_quantified(formula)}"
    raise TypeError(f"{type(formula).__name__} is no part of a look")


def _quantified(atom: Quantified) -> str:
    return f"{atom.relation.phrase(atom.count)} ({statement_text(atom.body, Whose.ITS)})"


def _enclosed(term: Formula, subject: Whose, kind: type[Formula]) -> str:
    text = statement_text(term, subject)
    return f"({text})" if isinstance(term, kind) else text


def _tested(term: Term, subject: Whose) -> str:
    """The subject's own fields stand bare."""
    return term.bare if term.whose is subject else str(term)


def _compared(terms: tuple[Term, ...], subject: Whose) -> str:
    """Where there are two elements, each side says of whom it speaks."""
    bare = subject is Whose.MY
    texts = [_tested(term, subject) if bare and term.path else str(term) for term in terms]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
