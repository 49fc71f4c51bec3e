"""Looks as JSON, there and back. ``from_json(to_json(f)) == f``; what is no look is refused in one
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError, FormulaError
from algolens.fields import Category, Field, Mask, Observed
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
from algolens.looks.moves import Move, Sum
from algolens.looks.parsing import TOKEN, Parser, parse_look
from algolens.looks.relations import RELATIONS, Relation

if TYPE_CHECKING:
    from algolens.looks.look import Look, Start


ORDERS = {order.value: order for order in Order}
WRITE = "write what to_json gives"


def formula_from_json(value: Any) -> Formula:
    """The statement that ``to_json`` wrote.

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
        case ["at least", int() as count, str() as phrase, body] if count >= 1 and not isinstance(
            count, bool
        ):
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


def relation_from_words(phrase: str) -> Relation:
    """The relation that a phrase, and nothing but it, names."""
    tokens = [match[match.lastgroup or ""] for match in TOKEN.finditer(phrase)]
    for kind in RELATIONS:
        for relation, used in kind.read(tokens):
            if used == len(tokens):
                return relation
    raise FormulaError(
        f"no relation is called {phrase!r}; there are: "
        f"{', '.join(sorted(kind.example() for kind in RELATIONS))}."
    )


def move_to_json(move: Move) -> dict[str, Any]:
    """A move as JSON."""
    return {
        "value": move.value.to_json(),
        "relation": None if move.relation is None else move.relation.phrase(1),
        "mark": None if move.mark is None else move.mark.to_json(),
        "guard": None if move.guard is None else move.guard.to_json(),
    }


def move_from_json(value: Any) -> Move:
    """The move that ``move_to_json`` wrote."""
    match value:
        case {"value": term, "relation": None, "mark": None, "guard": guard}:
            return Move(term_from_json(term), None, None, _formula_or_none(guard))
        case {"value": term, "relation": str() as phrase, "mark": mark, "guard": guard} if (
            mark is not None
        ):
            return Move(
                term_from_json(term),
                relation_from_words(phrase),
                formula_from_json(mark),
                _formula_or_none(guard),
            )
    raise FormulaError(f"{value!r} is no move in JSON: {WRITE}.")


def sum_to_json(total: Sum) -> dict[str, Any]:
    """A sum as JSON."""
    return {"terms": [term.to_json() for term in total.terms], "constant": total.constant}


def sum_from_json(value: Any) -> Sum:
    """The sum that ``sum_to_json`` wrote."""
    match value:
        case {"terms": [*terms], "constant": int() as constant} if constant >= 0 and not isinstance(
            constant, bool
        ):
            return Sum(tuple(map(term_from_json, terms)), constant)
    raise FormulaError(f"{value!r} is no sum in JSON: {WRITE}.")


def look_to_json(look: Look) -> dict[str, Any]:
    """A whole look as JSON: its statements taken apart, so that two that say the same are written
    alike.
    """
    return {
        "fields": _fields(look.fields),
        "starting": _fields(look.starting),
        "state": _fields(look.state),
        "start": {
            name: _start_to_json(look.state[name], start) for name, start in look.start.items()
        },
        "sums": {
            name: {"at": each.location.value, **sum_to_json(Sum.parse(each.text))}
            for name, each in look.sums.items()
        },
        "observed": [
            {"name": each.name, "at": each.location.value, "formula": each.formula.to_json()}
            for each in (reading.observation for reading in look.readings)
        ],
        "moves": [{"name": mover.name, **move_to_json(mover.move)} for mover in look.movers],
    }


def look_from_json(value: Any) -> Look:
    """The look that ``look_to_json`` wrote; refused where it contradicts itself."""
    from algolens.looks.look import Look

    try:
        moves: dict[str, list[str]] = {}
        for each in value["moves"]:
            moves.setdefault(each["name"], []).append(
                str(move_from_json({k: v for k, v in each.items() if k != "name"}))
            )
        return Look(
            observed={
                each["name"]: Observed(
                    Location(each["at"]), statement_text(formula_from_json(each["formula"]))
                )
                for each in value["observed"]
            },
            fields={name: Field.from_json(each) for name, each in value["fields"].items()},
            starting={name: Field.from_json(each) for name, each in value["starting"].items()},
            state={name: Field.from_json(each) for name, each in value["state"].items()},
            start={name: _start_from_json(each) for name, each in value["start"].items()},
            moves=moves,
            sums={
                name: Observed(
                    Location(each["at"]),
                    str(sum_from_json({k: v for k, v in each.items() if k != "at"})),
                )
                for name, each in value["sums"].items()
            },
        )
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
    return Quantified(quantity, relation_from_words(phrase), inner, count)


def _formula_or_none(value: Any) -> Formula | None:
    return None if value is None else formula_from_json(value)


def _fields(fields: Mapping[str, Field]) -> dict[str, Any]:
    return {name: field.to_json() for name, field in fields.items()}


def _start_to_json(field: Field, start: Start) -> Any:
    """A mask's statement, a category's class or statements, a number, or a path."""
    match field.kind, start:
        case Mask(), str():
            return {"where": parse_look(start).to_json()}
        case Category(), str():
            return {"class": start}
        case Category(), Mapping():
            # pairs, for their order counts, and an object of JSON has none
            return {
                "classes": [[label, parse_look(text).to_json()] for label, text in start.items()]
            }
        case _, str():
            return {"path": Parser(start).whole(lambda parser: parser.term(Whose.MY)).to_json()}
    return {"value": start}


def _start_from_json(value: Any) -> Start:
    match value:
        case {"where": formula}:
            return statement_text(formula_from_json(formula))
        case {"class": str() as label}:
            return label
        case {"classes": [*classes]} if len({str(label) for label, _ in classes}) == len(classes):
            return {str(label): statement_text(formula_from_json(each)) for label, each in classes}
        case {"path": path}:
            term = term_from_json(path)
            return "'s ".join(term.path) if term.path else str(term)
        case {"value": int() as number}:
            return number
    raise FormulaError(f"{value!r} is no start in JSON: {WRITE}.")
