"""Decisions to be explained, and what a search has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.discovery.candidates import Observation
from algolens.errors import AlgoLensError
from algolens.graphs import At
from algolens.language.ir import Case, Const, Expr, Field, Get
from algolens.language.relations import Relation
from algolens.language.rules import as_expr
from algolens.logic import minimal_rules, pack
from algolens.logic.formula import FALSE, TRUE, Formula


@dataclass(frozen=True, eq=False)
class Decision:
    """A decision to be explained: elements, and what was decided at each."""

    name: str
    location: At
    rows: ndarray
    decided: ndarray
    judged_later: bool = False  # by what follows from it: a choice, or a move

    @property
    def key(self) -> tuple[object, ...]:
        """By which it is told from others, but for its name."""
        return self.location, self.rows.tobytes(), self.decided.tobytes()


@dataclass(frozen=True, eq=False)
class Explanation:
    """The observations that explain a decision."""

    name: str
    location: At
    chosen: tuple[Observation, ...]
    patterns: ndarray  # packed, each once
    decided: ndarray  # of each pattern
    cost: float
    told: tuple[Expr, ...] = ()  # what the observations say, where inner ones have names
    concepts: tuple[str, ...] = ()  # the names of the observations
    proven: bool = True  # of all observations up to the bound, none costs less
    bound: int = 0  # the price up to which observations were tried
    others: tuple[Explanation, ...] = ()  # what explains it for the same price

    @classmethod
    def of(
        cls, decision: Decision, chosen: Sequence[Observation], cost: float, **known: Any
    ) -> Explanation:
        """What is decided on each pattern of some observations. known: whether it is proven."""
        packed = np.zeros(len(decision.rows), np.uint64)
        if chosen:
            packed = pack(np.stack([some.column[decision.rows] for some in chosen], 1))
        patterns, first = np.unique(packed, return_index=True)
        name, location, chosen = decision.name, decision.location, tuple(chosen)
        return cls(name, location, chosen, patterns, decision.decided[first], cost, **known)

    @property
    def said(self) -> tuple[Expr, ...]:
        """What the observations say; of a choice, what it says once it is observed."""
        return self.told or tuple(one.said for one in self.chosen)

    def says(self, label: int) -> Expr:
        """Where it is decided so, by the names of the observations: the smallest formula, whatever
        it says elsewhere.
        """
        return as_expr(self._formula(label, self.concepts), self.location)

    def becomes(self, field: Field) -> Expr:
        """What a mask or a category becomes, of what is observed by these names."""
        if field.kind == "mask":
            return self.says(1)
        last = len(field.labels) - 1
        cases = [(self.says(number), Const(number)) for number in range(last)]
        return Case(tuple(cases), Const(last))

    def column(self, label: int, count: int) -> ndarray:
        """[count] bools: where it is decided so, of all elements."""
        columns = {f"c{number}": one.column for number, one in enumerate(self.chosen)}
        holds = self._formula(label, tuple(columns)).evaluate(columns)
        return np.broadcast_to(holds, count).copy()

    def _formula(self, label: int, names: tuple[str, ...]) -> Formula:
        if not self.chosen:
            return TRUE if len(self.decided) and self.decided[0] == label else FALSE
        on, off = self.patterns[self.decided == label], self.patterns[self.decided != label]
        return minimal_rules(names, on, off, seconds=2.0).formula


@dataclass(frozen=True, eq=False)
class Move:
    """Where a field is taken from, who is marked and where it applies."""

    relation: Relation | None  # None: a value of the element's own
    said: Expr  # of the one that it is taken from
    mark: Get | None  # observations
    guard: Get | None


@dataclass(eq=False)
class Script:
    """What one search found, in order; the next begins with what still holds of it."""

    decisions: dict[str, Explanation] = field(default_factory=dict)
    moves: dict[str, list[Move]] = field(default_factory=dict)
    # what is observed, in order
    look: dict[str, tuple[At, Expr]] = field(default_factory=dict)
    decided: set[str] = field(default_factory=set)  # of these, what a step decides

    @property
    def told(self) -> dict[str, Explanation]:
        """The decisions as they are told, without the tables that they were found in."""
        return {name: replace(made, chosen=(), others=()) for name, made in self.decisions.items()}

    @property
    def marks(self) -> set[str]:
        """The observations that moves go by."""
        moves = [move for moves in self.moves.values() for move in moves]
        return {one.column for move in moves for one in (move.mark, move.guard) if one is not None}


def after_name(name: str) -> str:
    """What is called so that a step makes of a field."""
    return f"next_{name}"


class UnexplainedError(AlgoLensError):
    """Where no observations within the bounds explain a decision."""
