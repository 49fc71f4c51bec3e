"""Formulas from what a user types."""

from __future__ import annotations

from collections.abc import Iterator

from algolens.errors import FormulaError
from algolens.logic.formula import Concept, Constant, Formula, Not, conjunction, disjunction

AND = frozenset({"&", "and", "∧"})
OR = frozenset({"|", "or", "∨"})
NOT = frozenset({"~", "not", "!", "¬"})
CONSTANTS = {"True": True, "true": True, "False": False, "false": False}


def parse(text: str) -> Formula:
    """Read a formula: names, ``~ & |`` (or not, and, or), parentheses, True and False.

    Raises
    ------
    FormulaError
        If the text is no formula; it names the character.

    Examples
    --------
    >>> parse("~has_been_visited & has_visited_neighbours").names
    ('has_been_visited', 'has_visited_neighbours')
    >>> parse("not a and (b or c)") == parse("~a & (b | c)")
    True
    """
    parser = FormulaParser(text)
    formula = parser.alternatives()
    parser.expect_end()
    return formula


class FormulaParser:
    """Recursive descent: or binds loosest, then and, then not. Looks have atoms of their own."""

    language = "formula"

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self.read_tokens()
        self.position = 0

    def read_tokens(self) -> list[tuple[str, int]]:
        """What the text consists of, and where each part begins."""
        return list(_tokens(self.text))

    def expect_end(self) -> None:
        """Refuses anything that is left."""
        if self.token:
            raise self.complaint("an operator or the end")

    def alternatives(self) -> Formula:
        terms = [self.conjuncts()]
        while self.take(OR):
            terms.append(self.conjuncts())
        return disjunction(*terms)

    def conjuncts(self) -> Formula:
        terms = [self.literal()]
        while self.take(AND):
            terms.append(self.literal())
        return conjunction(*terms)

    def literal(self) -> Formula:
        return Not(self.literal()) if self.take(NOT) else self.atom()

    def atom(self) -> Formula:
        token = self.token
        if self.take({"("}):
            result = self.alternatives()
            if not self.take({")"}):
                raise self.complaint("')'")
            return result
        if token.isidentifier() and token not in AND | OR | NOT:
            self.position += 1
            return Constant(CONSTANTS[token]) if token in CONSTANTS else Concept(token)
        raise self.complaint("a concept, '~', '(', True or False")

    @property
    def token(self) -> str:
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def take(self, wanted: frozenset[str] | set[str]) -> bool:
        is_wanted = bool(self.token) and self.token in wanted
        self.position += is_wanted
        return is_wanted

    @property
    def place(self) -> int:
        """The character at which the next token begins, from 1 on."""
        rest = self.tokens[self.position :]
        return (rest[0][1] if rest else len(self.text)) + 1

    def complaint(self, wanted: str) -> FormulaError:
        said = f"{self.language} {self.text!r}"
        if not self.token:
            return FormulaError(f"{said} ends where {wanted} should follow.")
        return FormulaError(
            f"{said}, character {self.place}: {wanted} should stand where '{self.token}' is."
        )


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Names, as Python has them, and single marks; and where each begins."""
    place = 0
    while place < len(text):
        end = place + 1
        while end < len(text) and text[place : end + 1].isidentifier():
            end += 1
        if not text[place].isspace():
            yield text[place:end], place
        place = end
