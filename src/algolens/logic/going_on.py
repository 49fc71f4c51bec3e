"""The rule for going on (of some, every or no element of a graph), and rules as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from algolens.errors import FormulaError
from algolens.logic.formula import Formula, Not, from_json
from algolens.logic.names import WORDS
from algolens.logic.parsing import parse
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


class Quantifier(StrEnum):
    """Of how many elements a formula must hold."""

    EXISTS = "exists"
    EVERY = "every"
    NO = "no"

    @property
    def in_latex(self) -> str:
        """Its sign, and the variable."""
        return {"exists": r"\exists n.\; ", "every": r"\forall n.\; ", "no": r"\nexists n.\; "}[
            self
        ]


@dataclass(frozen=True)
class GoOn:
    """Go on while the formula holds of some element (or of every one, or of none) after a step.

    In a graph without elements "exists" is false, "every" and "no" are true.

    Examples
    --------
    >>> str(GoOn.parse("~is_colored")), str(GoOn.parse("every n: waits"))
    ('exists n: ~is_colored', 'every n: waits')
    """

    formula: Formula
    quantifier: Quantifier = Quantifier.EXISTS

    @classmethod
    def parse(cls, text: str) -> GoOn:
        """Read a rule: ``exists n:`` (or nothing), ``every n:`` or ``no n:``, then a formula."""
        word, colon, rest = text.partition(":")
        parts = word.split()
        if not colon:
            return cls(parse(text))
        if len(parts) != 2 or parts[0] not in set(Quantifier) or parts[1] != "n":
            raise FormulaError(
                "a rule for going on begins with 'exists n:', 'every n:' or 'no n:'; it begins "
                f"with '{word.strip()}:'."
            )
        return cls(parse(rest), Quantifier(parts[0]))

    @property
    def names(self) -> tuple[str, ...]:
        """The concepts it speaks of."""
        return self.formula.names

    @property
    def witness(self) -> Formula:
        """What one element must be to settle it: to go on (exists), or to stop (every, no)."""
        return Not(self.formula) if self.quantifier is Quantifier.EVERY else self.formula

    @property
    def negates(self) -> bool:
        """Whether it stops, and does not go on, where there is a witness."""
        return self.quantifier is not Quantifier.EXISTS

    def equivalent(self, other: GoOn) -> bool:
        """Whether both say the same of every graph."""
        return self.negates is other.negates and self.witness.equivalent(other.witness)

    def to_json(self) -> list[Any]:
        """Itself as JSON: the quantifier, and the formula as a tree."""
        return [self.quantifier.value, self.formula.to_json()]

    @classmethod
    def of(cls, record: GoOnRecord) -> GoOn:
        """The rule that a record holds."""
        quantifier, tree = record
        return cls(tree.made, Quantifier(quantifier))

    @property
    def as_typed(self) -> str:
        """As a user types it: "exists" need not be said."""
        return str(self.formula) if self.quantifier is Quantifier.EXISTS else str(self)

    def __str__(self) -> str:
        return f"{self.quantifier} n: {self.formula}"
