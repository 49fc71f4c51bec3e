"""Decisions to be settled, and what settled them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from algolens.discovery.moving import Source
from algolens.errors import AlgoLensError
from algolens.fields import Location
from algolens.logic import minimal_rules
from algolens.logic.formula import FALSE, TRUE, Concept, Formula
from algolens.looks.language import holds


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
    formulas: tuple[Formula, ...]
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

    def column(self, label: int, count: int) -> np.ndarray:
        """[count] bools: where it is decided so, of all elements."""
        names = tuple(f"c{number}" for number in range(len(self.formulas)))
        values = dict(zip(names, self.columns, strict=True))
        formula = self._formula(label, names)
        return np.broadcast_to(
            holds(formula, lambda atom: values[atom.name] if isinstance(atom, Concept) else atom),
            count,
        ).copy()

    def _formula(self, label: int, names: tuple[str, ...]) -> Formula:
        if not self.formulas:
            return TRUE if len(self.decided) and self.decided[0] == label else FALSE
        on, off = self.patterns[self.decided == label], self.patterns[self.decided != label]
        return minimal_rules(names, on, off, seconds=2.0).formula


@dataclass(frozen=True, eq=False)
class SettledMove:
    """Where a field is taken from, who is marked and where it applies."""

    source: Source
    mark: str | None  # names of observations
    guard: str | None


@dataclass(eq=False)
class Script:
    """What one search settled, in order; the next begins with what still holds of it."""

    decisions: dict[str, SettledDecision] = field(default_factory=dict)
    moves: dict[str, list[SettledMove]] = field(default_factory=dict)
    # what is observed, in order
    look: dict[str, tuple[Location, Formula]] = field(default_factory=dict)
    decided: set[str] = field(default_factory=set)  # of these, what a step decides
    made_for: dict[str, str] = field(default_factory=dict)  # and the field that each was first for

    @property
    def marks(self) -> list[str]:
        """The observations that moves go by."""
        moves = [move for moves in self.moves.values() for move in moves]
        return [name for move in moves for name in (move.mark, move.guard) if name is not None]


class UnsettledError(AlgoLensError):
    """Where no observations within the bounds settle a decision."""
