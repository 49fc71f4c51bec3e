"""The terms of statements: words for a value, or for an element."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import final

from algolens.errors import FormulaError
from algolens.logic.parsing import AND, CONSTANTS, NOT, OR

LAST = "last "  # before the name of a concept that is carried over: its value before the step
MOST_DIGITS = 18  # of a number that is typed: 62 bits hold it
# the sum at the graph that is a constant
CONSTANT = re.compile(rf"constant_(0|[1-9][0-9]{{0,{MOST_DIGITS - 1}}})")
# words of looks, which name no field
WORDS = (
    AND
    | OR
    | NOT
    | {
        *(
            "my",
            "its",
            "me",
            "it",
            "is",
            "some",
            "every",
            "no",
            "at",
            "least",
            "last",
            "where",
            "the",
        ),
    }
)


class Whose(Enum):
    """Of whom a term speaks."""

    MY = "my"  # the element that looks
    ITS = "its"  # the other one, which a quantifier speaks of


@final
@dataclass(frozen=True)
class Term:
    """Words for a value: ``my weight``, ``its sender's number``; or for an element: ``me``, ``it``.

    Each step of the path but the last is a pointer, or leads from a link or an edge to its ends; so
    may the last one.
    """

    whose: Whose
    path: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for step in self.path:
            name = step.removeprefix(LAST)
            if not name.isidentifier() or name in WORDS or name in CONSTANTS:
                raise FormulaError(f"{step!r} is no name of a field, and no step of a path.")

    def __str__(self) -> str:
        if not self.path:
            return "me" if self.whose is Whose.MY else "it"
        return self.bare if self.constant is not None else f"{self.whose.value} {self.bare}"

    @property
    def bare(self) -> str:
        """Its path alone: ``sender's number``; a constant is its number."""
        return "'s ".join(self.path) if self.constant is None else str(self.constant)

    @property
    def constant(self) -> int | None:
        """The number that it is, the same for every element; None where it is a path."""
        match = CONSTANT.fullmatch(self.path[-1]) if self.path else None
        return None if match is None else int(match[1])

    def to_json(self) -> list[str]:
        """Of whom it speaks, and its path."""
        return [self.whose.value, *self.path]
