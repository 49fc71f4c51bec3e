"""Rules as records of JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from algolens.logic.formula import Formula, from_json
from algolens.logic.names import WORDS
from algolens.reading import Name, Text, Word, WrittenTree

WRITTEN_NAME = rf"^(?!(?:{'|'.join(sorted(WORDS))})$)[^\W\d]\w*$"
A_RULE = {"$ref": "#/$defs/rule"}


RULE_DEFINITION: dict[str, Any] = {
    "rule": {
        "description": 'true, false, a concept, ["not", r], ["and", r, r, ...] or '
        '["or", r, r, ...].',
        "anyOf": [
            {"type": "boolean"},
            {"type": "string", "pattern": WRITTEN_NAME},
            {"type": "array", "prefixItems": [{"const": "not"}, A_RULE], "items": False}
            | {"minItems": 2},
            {"type": "array", "prefixItems": [{"enum": ["and", "or"]}], "items": A_RULE}
            | {"minItems": 3},
        ],
    }
}


class RuleTree(WrittenTree[Formula]):
    """A formula of concepts."""

    name = "rule"
    definitions = RULE_DEFINITION

    @staticmethod
    def read(value: Any) -> Formula:
        return from_json(value)


GoOnRecord = tuple[Literal["exists", "every", "no"], RuleTree]
Names = Annotated[list[Name], Meta(max_length=1_000, extra_json_schema={"uniqueItems": True})]
# an output without a class decides nothing
RulesByClass = dict[Name, Annotated[dict[Word, RuleTree], Meta(min_length=1)]]


class RuleSetRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule set."""

    concepts: Names
    rules: RulesByClass
    continues: GoOnRecord | None
    remarks: list[Text] = []
