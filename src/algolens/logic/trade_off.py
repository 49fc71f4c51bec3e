"""Formulas that may err: the fewest errors that each number of clauses leaves, and how many clauses the data support."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from algolens.logic.clause_choice import ClauseChoice, Point

MAX_SEARCHED = 20_000  # patterns that clauses are looked for on; of more, as many at random
LEFT_AT_LEAST = 0.8  # of the errors that one formula leaves, what its opposite is expected to leave at least


@dataclass(frozen=True)
class TradeOff:
    """For each number of clauses the best formula that was found; errors fall from point to point."""

    points: tuple[Point, ...]
    in_time: bool  # the search came to its end, not to its deadline

    @property
    def best(self) -> Point:
        """The simplest formula that the data support: the shortest description of formula and exceptions together."""
        return min(self.points, key=lambda point: point.bits)

    def at(self, num_clauses: int) -> Point:
        """The best with at most so many clauses."""
        return [point for point in self.points if len(point.clauses) <= num_clauses][-1]


def trade_off(patterns: np.ndarray, true: np.ndarray, false: np.ndarray, *, deadline: float = math.inf) -> TradeOff:
    """The fewest errors for each number of clauses, as far as the data support more of them.

    patterns: [M, C] bools, distinct; true and false: [M] the weight of the samples with which each came so. Of more than
    20,000 patterns clauses are looked for on so many, drawn at random, and measured on all. After ``deadline`` (by
    ``time.monotonic``) nothing better is looked for.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns = all_patterns(3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> found = trade_off(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))
    >>> [(len(point.clauses), point.errors) for point in found.points], found.best.clauses.num_literals.tolist()
    ([(0, 88.0), (1, 16.0)], [2])
    """
    return _Curve(patterns, true, false, deadline).to_the_end()


def trade_offs_of_two(
    patterns: np.ndarray, true: np.ndarray, false: np.ndarray, *, deadline: float = math.inf
) -> tuple[TradeOff, TradeOff]:
    """The same for a formula and for its opposite; the one that turns out longer is not followed to its end."""
    curves = _Curve(patterns, true, false, deadline), _Curve(patterns, false, true, deadline)
    is_going = [True, True]
    while any(is_going):
        is_going = [curve.go_on(rival) for curve, rival in zip(curves, curves[::-1], strict=True)]
    return curves[0].measured(), curves[1].measured()


class _Curve:
    """A search, and the best formula of each number of clauses that it came by."""

    def __init__(self, patterns: np.ndarray, true: np.ndarray, false: np.ndarray, deadline: float) -> None:
        self.patterns, self.true, self.false = patterns, true, false
        drawn = np.arange(len(patterns))
        if len(patterns) > MAX_SEARCHED:
            drawn = np.sort(np.random.default_rng(0).choice(len(patterns), MAX_SEARCHED, replace=False))
        self.search = ClauseChoice(patterns[drawn], true[drawn], false[drawn], deadline)
        self.steps, self.found = self.search.run(), dict[int, Point]()

    def to_the_end(self) -> TradeOff:
        while self.go_on():
            pass
        return self.measured()

    def go_on(self, rival: _Curve | None = None) -> bool:
        """A step further; False at the end, or where what it has to write down already is more than what the rival takes."""
        if rival is not None and self.found and rival.found:
            best = rival.best
            if best.errors <= rival.search.fewest and best.bits < self.best.bits:
                return False
            last = self.found[max(self.found)]
            least = Point.of(last.clauses, LEFT_AT_LEAST * best.errors, self.search.total)
            if self.search.is_growing and least.bits > best.bits:
                return False
        point = next(self.steps, None)
        if point is None:
            return False
        size = len(point.clauses)
        if size not in self.found or point.bits < self.found[size].bits:
            self.found[size] = point
        return True

    @property
    def best(self) -> Point:
        return min(self.found.values(), key=lambda point: point.bits)

    def measured(self) -> TradeOff:
        """On all patterns."""
        points: list[Point] = []
        total = float(self.true.sum() + self.false.sum())
        for size in sorted(self.found):
            point = self.found[size]
            if len(self.patterns) > MAX_SEARCHED:
                holds = point.clauses.hold(self.patterns).any(0)
                errors = float(self.false[holds].sum() + self.true[~holds].sum())
                point = Point.of(point.clauses, errors, total)
            if not points or point.errors < points[-1].errors:
                points.append(point)
        return TradeOff(tuple(points), self.search.in_time)
