"""Looks from JSON and as JSON; what is no look is refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct

from algolens.errors import FormulaError, brief
from algolens.fields import Category, Field, Observed
from algolens.fields.records import AnyField
from algolens.graphs import Location
from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction, disjunction
from algolens.looks.exports.json_schema import DEFINITIONS, FieldName
from algolens.looks.language import (
    MOST_COUNTED,
    Comparison,
    Order,
    Quantified,
    Quantity,
    Test,
    atoms,
    statement_text,
)
from algolens.looks.moves import Move
from algolens.looks.parsing import Parser
from algolens.looks.start import FieldStart, Start
from algolens.looks.sums import MOST, Product, Sum
from algolens.looks.terms import Term, Whose
from algolens.reading import Name, Word, WrittenTree, as_record

if TYPE_CHECKING:
    from algolens.looks.look import Look


ORDERS = {order.value: order for order in Order}
WRITE = "write what to_json gives"


def formula_from_json(value: Any) -> Formula:
    """The statement that ``to_json`` wrote.

    >>> from algolens.looks import parse_look
    >>> formula_from_json(parse_look("some neighbour (visited)").to_json())
    Formula('some neighbour (visited)')
    """
    match value:
        case bool():
            return TRUE if value else FALSE
        case ["not", term]:
            return Not(formula_from_json(term))
        case ["and", first, second, *rest]:
            return conjunction(*map(formula_from_json, (first, second, *rest)))
        case ["or", first, second, *rest]:
            return disjunction(*map(formula_from_json, (first, second, *rest)))
        case ["is", [_, _, *_] as term, (str() | None) as label]:
            if label is not None and not (label.isidentifier() or label.isdecimal()):
                raise FormulaError(f"{label!r} is no class: write letters, digits and underscores.")
            return Test(term_from_json(term), label)
        case ["some" | "every" as word, str() as phrase, body]:
            return _quantified(Quantity(word), phrase, body, 1)
        case ["at least", int() as count, str() as phrase, body] if (
            not isinstance(count, bool) and 1 <= count <= MOST_COUNTED
        ):
            return _quantified(Quantity.AT_LEAST, phrase, body, count)
        case [str() as order, [_, *_] as left, [_, *_] as right] if order in ORDERS:
            return Comparison(
                tuple(map(term_from_json, left)), ORDERS[order], tuple(map(term_from_json, right))
            )
    raise FormulaError(f"{brief(repr(value))} is no statement of a look in JSON: {WRITE}.")


def term_from_json(value: Any) -> Term:
    """The term that ``to_json`` wrote."""
    match value:
        case ["my" | "its" as whose, *path] if all(isinstance(word, str) for word in path):
            for word in path:
                if Parser(word).whole(Parser.field) != word:
                    raise FormulaError(f"{word!r} is no name of a field.")
            return Term(Whose(whose), tuple(path))
    raise FormulaError(
        f"{brief(repr(value))} is no term of a look in JSON: write ['my', 'weight'] or "
        "['its', 'sender', 'number']."
    )


def move_from_json(value: Any) -> Move:
    """The move that ``to_json`` wrote."""
    return as_record(value, MoveRecord, "the move").move()


def sum_from_json(value: Any) -> Sum:
    """The sum that ``to_json`` wrote."""
    return as_record(value, SumRecord, "the sum").sum()


def _product_from_json(value: Any) -> Product:
    match value:
        case {"factor": int() as factor, "terms": [_, *_] as terms, **rest} if (
            not isinstance(factor, bool) and not rest
        ):
            return Product(factor, tuple(map(term_from_json, terms)))
    return Product(1, (term_from_json(value),))


def look_to_json(look: Look) -> dict[str, Any]:
    """A whole look, its statements taken apart: two that say the same are written alike."""
    return {
        "fields": {name: field.to_json() for name, field in look.fields.items()},
        "starting": {name: field.to_json() for name, field in look.starting.items()},
        "state": {name: field.to_json() for name, field in look.state.items()},
        "start": {name: _start_to_json(look.starts[name]) for name in look.start},
        "sums": {
            name: {"at": look.sums[name].location.value, **total.to_json()}
            for name, total in look.totals.items()
        },
        "observed": [statement.to_json() for statement in look.statements],
        "moves": [{"name": mover.name, **mover.move.to_json()} for mover in look.movers],
    }


def look_from_json(value: Any) -> dict[str, Any]:
    """What a look is made of, that ``look_to_json`` wrote."""
    return as_record(value, LookRecord, "the look").parts()


def _quantified(quantity: Quantity, phrase: str, body: Any, count: int) -> Quantified:
    inner = formula_from_json(body)
    if any(isinstance(atom, Quantified) for atom in atoms(inner)):
        raise FormulaError(
            f"'{inner}' stands inside another quantifier; a statement looks only one step: declare "
            "it as an observation of its own."
        )
    return Quantified(quantity, Parser(phrase).whole(Parser.relation), inner, count)


def _start_to_json(start: FieldStart) -> Any:
    """A mask's statement, a category's class or statements, a path, or a number."""
    kind = start.field.kind
    if start.term is not None:
        return {"path": start.term.to_json()}
    if start.value is not None:
        is_class = isinstance(kind, Category)
        return {"class": kind.labels[start.value]} if is_class else {"value": start.value}
    if kind.is_truth_value:
        return {"where": start.cases[0][1].formula.to_json()}
    # pairs, for their order counts, and an object of JSON has none
    return {
        "classes": [[kind.labels[number], case.formula.to_json()] for number, case in start.cases]
    }


def _start_from_json(value: Any) -> Start:
    match value:
        case {"where": formula, **rest} if not rest:
            return statement_text(formula_from_json(formula))
        case {"class": str() as label, **rest} if not rest:
            return label
        case {"classes": [*classes], **rest} if not rest:
            return _starting_classes(classes)
        case {"path": path, **rest} if not rest:
            term = term_from_json(path)
            return term.bare or str(term)
        case {"value": int() as number, **rest} if not isinstance(number, bool) and not rest:
            return number
    raise FormulaError(f"{brief(repr(value))} is no start in JSON: {WRITE}.")


def _starting_classes(classes: list[Any]) -> Start:
    cases: dict[str, str] = {}
    for pair in classes:
        match pair:
            case [str() as label, formula] if label not in cases:
                cases[label] = statement_text(formula_from_json(formula))
            case _:
                raise FormulaError(f"{brief(repr(pair))} is no class and its statement: {WRITE}.")
    return cases


# ---- records


class StatementTree(WrittenTree[Formula]):
    """A statement about an element."""

    name = "statement"
    definitions = DEFINITIONS
    read = staticmethod(formula_from_json)


class TermTree(WrittenTree[Term]):
    """A value of an element, by a path of fields."""

    name = "term"
    definitions = DEFINITIONS
    read = staticmethod(term_from_json)


class ProductTree(WrittenTree[Product]):
    """A whole number times terms."""

    name = "product"
    definitions = DEFINITIONS
    read = staticmethod(_product_from_json)


class StartTree(WrittenTree[Start]):
    """How a field begins."""

    name = "start"
    definitions = DEFINITIONS
    read = staticmethod(_start_from_json)


class MoveRecord(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A move."""

    value: TermTree
    relation: Word | None
    mark: StatementTree | None
    guard: StatementTree | None

    def move(self) -> Move:
        """The move that it is."""
        if (self.relation is None) != (self.mark is None):
            raise FormulaError(f"a move has a relation and a mark, or neither: {WRITE}.")
        return Move(
            self.value.made,
            None if self.relation is None else Parser(self.relation).whole(Parser.relation),
            None if self.mark is None else self.mark.made,
            None if self.guard is None else self.guard.made,
        )


class NamedMove(MoveRecord, frozen=True, kw_only=True):
    """A move of a field."""

    name: Name


class SumRecord(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sum."""

    terms: list[ProductTree]
    constant: Annotated[int, Meta(ge=-MOST, le=MOST)]

    def sum(self) -> Sum:
        """The sum that it is."""
        return Sum(tuple(product.made for product in self.terms), self.constant)


class LocatedSum(SumRecord, frozen=True, kw_only=True):
    """A sum, and where it is."""

    at: Location


class ObservedRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement that is observed everywhere at a location."""

    name: Name
    at: Location
    formula: StatementTree


class LookRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A look."""

    fields: dict[FieldName, AnyField]
    starting: dict[Name, AnyField]
    state: dict[Name, AnyField]
    start: dict[Name, StartTree]
    sums: dict[Name, LocatedSum]
    observed: list[ObservedRecord]
    moves: list[NamedMove]

    def parts(self) -> dict[str, Any]:
        """What the look is made of."""
        moves: dict[str, list[str]] = {}
        for named in self.moves:
            moves.setdefault(named.name, []).append(str(named.move()))
        return {
            "observed": {
                seen.name: Observed(seen.at, statement_text(seen.formula.made))
                for seen in self.observed
            },
            "fields": {name: Field.of(field) for name, field in self.fields.items()},
            "starting": {name: Field.of(field) for name, field in self.starting.items()},
            "state": {name: Field.of(field) for name, field in self.state.items()},
            "start": {name: start.made for name, start in self.start.items()},
            "moves": moves,
            "sums": {
                name: Observed(total.at, str(total.sum())) for name, total in self.sums.items()
            },
        }
