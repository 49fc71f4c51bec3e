"""Formulas that may err: the fewest errors of each number of clauses, and how many to take."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.logic.clauses import Clauses
from algolens.rules.clause_choice import ClauseChoice, Point, Target

FIRST_SEARCHED = 1_500  # patterns that clauses are looked for on first
MAX_SEARCHED = 20_000  # and then; of more, as many at random
MAX_CELLS = 2_000_000  # patterns x concepts that clauses are looked for on
# of the errors that one formula leaves, what its opposite is expected to leave at least
LEFT_AT_LEAST = 0.8


@dataclass(frozen=True)
class TradeOff:
    """For each number of clauses the best formula found; errors fall from point to point."""

    points: tuple[Point, ...]
    in_time: bool  # the search came to its end, not to its deadline

    @property
    def best(self) -> Point:
        """The formula that the data support: the shortest description, with its exceptions."""
        return _shortest_of(self.points)

    def at(self, num_clauses: int) -> Point:
        """The best with at most so many clauses."""
        return [point for point in self.points if len(point.clauses) <= num_clauses][-1]


def trade_offs(targets: Sequence[Target], *, deadline: float = math.inf) -> list[TradeOff]:
    """For each target the fewest errors by number of clauses, as far as the data support more.

    Of several, those that turn out longer than another are not followed to their end. Of many
    patterns clauses are looked for on some, drawn at random, then on more; they are measured on
    all. After ``deadline`` (by ``time.monotonic``) nothing better is looked for.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns = all_patterns(3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> (curve,) = trade_offs([Target(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))])
    >>> [(len(point.clauses), point.errors) for point in curve.points]
    [(0, 88.0), (1, 16.0)]
    >>> curve.best.clauses.num_literals.tolist()
    [2]
    """
    formulas: list[list[Clauses]] = [[] for _ in targets]
    for drawn, share in _samples(*targets[0].patterns.shape):
        until = time.monotonic() + share * (deadline - time.monotonic())
        curves = [
            _Curve(target.at(drawn), known, until)
            for target, known in zip(targets, formulas, strict=True)
        ]
        is_going = [True]
        while any(is_going):
            is_going = [
                curve.go_on(*curves[:k], *curves[k + 1 :]) for k, curve in enumerate(curves)
            ]
        formulas = [
            [curve.points[size].clauses for size in sorted(curve.points)] for curve in curves
        ]
    return [
        TradeOff(_falling(target.points(known)), curve.choice.ended_in_time)
        for target, known, curve in zip(targets, formulas, curves, strict=True)
    ]


def _samples(num_patterns: int, num_concepts: int) -> Iterator[tuple[np.ndarray | slice, float]]:
    """Patterns to look at, and the share of the time that is left for it."""
    at_most = max(FIRST_SEARCHED, min(MAX_SEARCHED, MAX_CELLS // max(1, num_concepts)))
    order = np.random.default_rng(0).permutation(num_patterns)
    if num_patterns > FIRST_SEARCHED:
        yield np.sort(order[:FIRST_SEARCHED]), 0.5
    yield slice(None) if num_patterns <= at_most else np.sort(order[:at_most]), 1.0


def _falling(points: Sequence[Point]) -> tuple[Point, ...]:
    """Those that err less than every one of fewer clauses."""
    kept: list[Point] = []
    for point in points:
        if not kept or point.errors < kept[-1].errors:
            kept.append(point)
    return tuple(kept)


def _shortest_of(points: Sequence[Point]) -> Point:
    return min(points, key=lambda point: point.bits)


class _Curve:
    """A search, and the best formula of each number of clauses that it came by."""

    def __init__(self, target: Target, known: Sequence[Clauses], deadline: float) -> None:
        self.target, self.choice = target, ClauseChoice(target, deadline)
        self.points = {len(point.clauses): point for point in target.points(known)}
        self.steps = self.choice.run(self.best.clauses if known else None)

    def go_on(self, *rivals: _Curve) -> bool:
        """A step further; False at the end, or where a rival's description will be shorter."""
        if any(self.points and rival.points and self._is_beaten_by(rival) for rival in rivals):
            return False
        point = next(self.steps, None)
        if point is None:
            return False
        size = len(point.clauses)
        if size not in self.points or point.bits < self.points[size].bits:
            self.points[size] = point
        return True

    def _is_beaten_by(self, rival: _Curve) -> bool:
        best = rival.best
        if best.errors <= rival.target.fewest and best.bits < self.best.bits:
            return True
        last = self.points[max(self.points)]
        least = Point.of(last.clauses, LEFT_AT_LEAST * best.errors, self.target.total)
        return self.choice.is_growing and least.bits > best.bits

    @property
    def best(self) -> Point:
        return _shortest_of(list(self.points.values()))
