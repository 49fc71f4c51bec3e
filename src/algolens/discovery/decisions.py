"""Decisions to be settled, and what settled them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from algolens.discovery.moving import Source
from algolens.errors import AlgoLensError
from algolens.language.fields import Location
from algolens.language.ir import Case, Const, Expr, Field, Get
from algolens.language.rules import as_expr
from algolens.logic import minimal_rules
from algolens.logic.formula import FALSE, TRUE, Formula


@dataclass(frozen=True, eq=False)
class Decision:
    """A decision to be settled: elements, and what was decided at each."""

    name: str
    location: Location
    rows: np.ndarray
    decided: np.ndarray
    judged_later: bool = False  # by what follows from it: a choice, or a move

    @property
    def key(self) -> tuple[object, ...]:
        """By which it is told from others, but for its name."""
        return self.location, hash(self.rows.tobytes()), hash(self.decided.tobytes())


@dataclass(frozen=True, eq=False)
class SettledDecision:
    """What settles a decision."""

    name: str
    location: Location
    said: tuple[Expr, ...]
    columns: tuple[np.ndarray, ...]  # where these hold
    concepts: tuple[str, ...]  # the names of these
    patterns: np.ndarray  # packed, each once
    decided: np.ndarray  # of each pattern
    cost: float
    proven: bool = True  # of all observations up to the bound, none costs less
    bound: int = 0  # the price up to which observations were tried
    others: tuple[SettledDecision, ...] = ()  # what settles it for the same price

    def formula(self, label: int) -> Formula:
        """Where it is decided so, over names: the smallest formula, whatever it says elsewhere."""
        return self._formula(label, self.concepts)

    def says(self, label: int) -> Expr:
        """The same, of what is observed by these names."""
        return as_expr(self.formula(label), self.location.value)

    def becomes(self, field: Field) -> Expr:
        """What a mask or a category becomes, of what is observed by these names."""
        if field.kind == "mask":
            return self.says(1)
        last = len(field.labels) - 1
        return Case(
            tuple((self.says(number), Const(number)) for number in range(last)), Const(last)
        )

    def column(self, label: int, count: int) -> np.ndarray:
        """[count] bools: where it is decided so, of all elements."""
        names = tuple(f"c{number}" for number in range(len(self.said)))
        holds = self._formula(label, names).evaluate(dict(zip(names, self.columns, strict=True)))
        return np.broadcast_to(holds, count).copy()

    def _formula(self, label: int, names: tuple[str, ...]) -> Formula:
        if not self.said:
            return TRUE if len(self.decided) and self.decided[0] == label else FALSE
        on, off = self.patterns[self.decided == label], self.patterns[self.decided != label]
        return minimal_rules(names, on, off, seconds=2.0).formula


@dataclass(frozen=True, eq=False)
class SettledMove:
    """Where a field is taken from, who is marked and where it applies."""

    source: Source
    mark: Get | None  # observations
    guard: Get | None


@dataclass(eq=False)
class Script:
    """What one search settled, in order; the next begins with what still holds of it."""

    decisions: dict[str, SettledDecision] = field(default_factory=dict)
    moves: dict[str, list[SettledMove]] = field(default_factory=dict)
    # what is observed, in order
    look: dict[str, tuple[Location, Expr]] = field(default_factory=dict)
    decided: set[str] = field(default_factory=set)  # of these, what a step decides

    @property
    def marks(self) -> list[str]:
        """The observations that moves go by."""
        moves = [move for moves in self.moves.values() for move in moves]
        said = [one for move in moves for one in (move.mark, move.guard)]
        return [one.column for one in said if one is not None]


def after_name(name: str) -> str:
    """What is called so that a step makes of a field."""
    return f"next_{name}"


class UnsettledError(AlgoLensError):
    """Where no observations within the bounds settle a decision."""
