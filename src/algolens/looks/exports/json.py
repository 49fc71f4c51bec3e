"""Looks from JSON and as JSON; what is no look is refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError, FormulaError
from algolens.fields import Category, Field, Observed
from algolens.graphs import Location
from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction, disjunction
from algolens.looks.language import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Term,
    Test,
    Whose,
    atoms,
    statement_text,
)
from algolens.looks.moves import Move
from algolens.looks.parsing import Parser
from algolens.looks.start import FieldStart, Start
from algolens.looks.sums import Product, Sum

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
        case ["at least", int() as count, str() as phrase, body] if _is_count(count, 1):
            return _quantified(Quantity.AT_LEAST, phrase, body, count)
        case [str() as order, [*left], [*right]] if order in ORDERS:
            return Comparison(
                tuple(map(term_from_json, left)), ORDERS[order], tuple(map(term_from_json, right))
            )
    raise FormulaError(f"{value!r} is no statement of a look in JSON: {WRITE}.")


def term_from_json(value: Any) -> Term:
    """The term that ``to_json`` wrote."""
    match value:
        case ["my" | "its" as whose, *path] if all(isinstance(word, str) for word in path):
            for word in path:
                if Parser(word).whole(Parser.field) != word:
                    raise FormulaError(f"{word!r} is no name of a field.")
            return Term(Whose(whose), tuple(path))
    raise FormulaError(
        f"{value!r} is no term of a look in JSON: write ['my', 'weight'] or ['its', 'sender', "
        "'number']."
    )


def move_from_json(value: Any) -> Move:
    """The move that ``to_json`` wrote."""
    match value:
        case {"value": term, "relation": None, "mark": None, "guard": guard}:
            return Move(term_from_json(term), None, None, _formula_or_none(guard))
        case {"value": term, "relation": str() as phrase, "mark": mark, "guard": guard} if (
            mark is not None
        ):
            return Move(
                term_from_json(term),
                Parser(phrase).whole(Parser.relation),
                formula_from_json(mark),
                _formula_or_none(guard),
            )
    raise FormulaError(f"{value!r} is no move in JSON: {WRITE}.")


def sum_from_json(value: Any) -> Sum:
    """The sum that ``to_json`` wrote."""
    match value:
        case {"terms": [*terms], "constant": int() as constant} if not isinstance(constant, bool):
            return Sum(tuple(map(_product_from_json, terms)), constant)
    raise FormulaError(f"{value!r} is no sum in JSON: {WRITE}.")


def _product_from_json(value: Any) -> Product:
    match value:
        case {"factor": int() as factor, "terms": [_, *_] as terms} if not isinstance(factor, bool):
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
    try:
        moves: dict[str, list[str]] = {}
        for move in value["moves"]:
            parts = {key: part for key, part in move.items() if key != "name"}
            moves.setdefault(move["name"], []).append(str(move_from_json(parts)))
        sums = {}
        for name, total in value["sums"].items():
            parts = {key: part for key, part in total.items() if key != "at"}
            sums[name] = Observed(Location(total["at"]), str(sum_from_json(parts)))
        return {
            "observed": {
                seen["name"]: Observed(
                    Location(seen["at"]), statement_text(formula_from_json(seen["formula"]))
                )
                for seen in value["observed"]
            },
            **{
                part: {name: Field.from_json(field) for name, field in value[part].items()}
                for part in ("fields", "starting", "state")
            },
            "start": {name: _start_from_json(start) for name, start in value["start"].items()},
            "moves": moves,
            "sums": sums,
        }
    except AlgoLensError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise FormulaError(
            f"this is no look in JSON ({type(problem).__name__}: {problem}): {WRITE}."
        ) from problem


def _quantified(quantity: Quantity, phrase: str, body: Any, count: int) -> Quantified:
    inner = formula_from_json(body)
    if any(isinstance(atom, Quantified) for atom in atoms(inner)):
        raise FormulaError(
            f"'{inner}' stands inside another quantifier; a look goes one step far: declare it as "
            "an observation of its own."
        )
    return Quantified(quantity, Parser(phrase).whole(Parser.relation), inner, count)


def _is_count(value: int, least: int) -> bool:
    return value >= least and not isinstance(value, bool)


def _formula_or_none(value: Any) -> Formula | None:
    return None if value is None else formula_from_json(value)


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
        case {"where": formula}:
            return statement_text(formula_from_json(formula))
        case {"class": str() as label}:
            return label
        case {"classes": [*classes]} if len({str(label) for label, _ in classes}) == len(classes):
            return {str(label): statement_text(formula_from_json(case)) for label, case in classes}
        case {"path": path}:
            term = term_from_json(path)
            return term.bare or str(term)
        case {"value": int() as number}:
            return number
    raise FormulaError(f"{value!r} is no start in JSON: {WRITE}.")
