"""What statements, terms, products and starts are in JSON, for the published schema."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from algolens.looks.language import MOST_COUNTED

# a field, or what it was in the step before
FieldName = Annotated[str, Meta(pattern=r"^(last )?[^\W\d]\w*$", max_length=200)]
LABEL = {"type": "string", "pattern": r"^(?:[^\W\d]\w*|\d+)$"}
STATEMENT, TERM = {"$ref": "#/$defs/statement"}, {"$ref": "#/$defs/term"}


def _list(*first: Any, rest: Any = False, least: int | None = None) -> dict[str, Any]:
    """A list that begins so, and then has any number of others, or none."""
    return {
        "type": "array",
        "prefixItems": list(first),
        "items": rest,
        "minItems": len(first) if least is None else least,
    }


def _object(**properties: Any) -> dict[str, Any]:
    """An object of just these."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


DEFINITIONS: dict[str, Any] = {
    "term": {
        "description": 'Of whom it speaks, and a path of fields: ["its", "sender", "number"].',
        **_list(
            {"enum": ["my", "its"]},
            rest={"type": "string", "pattern": r"^(last )?[^\W\d]\w*$"},
        ),
    },
    "product": {
        "description": "A term, or a whole number times terms.",
        "anyOf": [
            TERM,
            _object(
                factor={"type": "integer"}, terms={"type": "array", "items": TERM, "minItems": 1}
            ),
        ],
    },
    "statement": {
        "description": 'true, false, ["not", s], ["and", s, s, ...], ["or", s, s, ...], ["is", '
        'term, class or null], ["some", relation, s], ["every", relation, s], ["at least", k, '
        "relation, s], or [order, [term, ...], [term, ...]].",
        "anyOf": [
            {"type": "boolean"},
            _list({"const": "not"}, STATEMENT),
            _list({"enum": ["and", "or"]}, rest=STATEMENT, least=3),
            _list({"const": "is"}, {**TERM, "minItems": 2}, {"anyOf": [{"type": "null"}, LABEL]}),
            _list({"enum": ["some", "every"]}, {"type": "string"}, STATEMENT),
            _list(
                {"const": "at least"},
                {"type": "integer", "minimum": 1, "maximum": MOST_COUNTED},
                {"type": "string"},
                STATEMENT,
            ),
            _list(
                {"enum": ["<", "=", ">", "<=", "!=", ">="]},
                *2 * [{"type": "array", "items": TERM, "minItems": 1}],
            ),
        ],
    },
    "start": {
        "description": "A mask's statement, a category's class or statements, a path, a number.",
        "anyOf": [
            _object(where=STATEMENT),
            _object(**{"class": {"type": "string"}}),
            _object(classes={"type": "array", "items": _list({"type": "string"}, STATEMENT)}),
            _object(path=TERM),
            _object(value={"type": "integer"}),
        ],
    },
}
