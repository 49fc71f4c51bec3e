"""Formulas from what a user types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from algolens.errors import MOST_SHOWN, FormulaError
from algolens.logic.formula import (
    MOST_DEEP,
    Concept,
    Constant,
    Formula,
    Not,
    conjunction,
    disjunction,
)

AND = frozenset({"&", "and", "∧"})
OR = frozenset({"|", "or", "∨"})
NOT = frozenset({"~", "not", "!", "¬"})
# as in Python; marks that belong to letters of other scripts are sorted out by str.isidentifier
NAME = r"[^\W\d](?:\w|[^\x00-\x9f\s∧∨¬])*"
MOST_CHARACTERS = 100_000  # of a text that is read
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
    formula: Formula = parser.statement()
    parser.expect_end()
    return formula


class FormulaParser:
    """Or binds loosest, then and, then not. Looks have atoms of their own.

    It calls itself for what stands in parentheses, which are nested to a bound.
    """

    # what joins terms, and denies one
    all_of: ClassVar[Callable[..., Any]] = staticmethod(conjunction)
    any_of: ClassVar[Callable[..., Any]] = staticmethod(disjunction)
    opposite: ClassVar[Callable[..., Any]] = Not
    language = "formula"
    marks: tuple[str, ...] = ()  # of several characters

    def __init__(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            raise FormulaError(
                f"a {self.language} has {len(text):,} characters, and {MOST_CHARACTERS:,} are the "
                "most that is read: write it in parts."
            )
        self.text = text
        every = re.compile("|".join((NAME, r"\d+", *map(re.escape, self.marks), r"\S")))
        self.tokens = [(match[0], match.start()) for match in every.finditer(text)]
        self.position = 0
        self.nested = 0

    def expect_end(self) -> None:
        """Refuses anything that is left."""
        if self.token:
            raise self.complaint("an operator or the end")

    def statement(self) -> Any:
        """Whatever the language joins by or, and and not."""
        self.nested += 1
        self.bound(self.nested)
        terms = [self._conjuncts()]
        while self.take(OR):
            terms.append(self._conjuncts())
        self.nested -= 1
        return self.any_of(*terms)

    def _conjuncts(self) -> Any:
        terms = [self._literal()]
        while self.take(AND):
            terms.append(self._literal())
        return self.all_of(*terms)

    def _literal(self) -> Any:
        negations = 0
        while self.take(NOT):
            negations += 1
        self.bound(self.nested + negations)
        term = self.atom()
        for _ in range(negations):
            term = self.opposite(term)
        return term

    def bound(self, many: int) -> None:
        """Refuses what is nested so often."""
        if many > MOST_DEEP:
            raise FormulaError(
                f"{self.language} {self.text[:MOST_SHOWN]!r}, character {self.place}: this is "
                f"nested more than {MOST_DEEP} deep: declare a part as a feature of its own, and "
                "name that."
            )

    def atom(self) -> Any:
        token = self.token
        if self.take({"("}):
            result = self.statement()
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
        is_left = self.position < len(self.tokens)
        return (self.tokens[self.position][1] if is_left else len(self.text)) + 1

    def complaint(self, wanted: str) -> FormulaError:
        said = f"{self.language} {self.text!r}"
        if not self.token:
            return FormulaError(f"{said} ends where {wanted} should follow.")
        return FormulaError(
            f"{said}, character {self.place}: {wanted} should stand where '{self.token}' is."
        )
