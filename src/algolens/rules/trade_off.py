"""Formulas that may err: the fewest errors that each number of clauses leaves, and how many clauses
the data support.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.logic.clause_search import Clauses
from algolens.rules.clause_choice import ClauseChoice, Point

FIRST_SEARCHED = 1_500  # patterns that clauses are looked for on first
MAX_SEARCHED = 20_000  # and then; of more, as many at random
MAX_CELLS = 2_000_000  # patterns x concepts that clauses are looked for on
# of the errors that one formula leaves, what its opposite is expected to leave at least
LEFT_AT_LEAST = 0.8


@dataclass(frozen=True)
class TradeOff:
    """For each number of clauses the best formula that was found; errors fall from point to
    point.
    """

    points: tuple[Point, ...]
    in_time: bool  # the search came to its end, not to its deadline

    @property
    def best(self) -> Point:
        """The simplest formula that the data support: the shortest description of formula and
        exceptions together.
        """
        return min(self.points, key=lambda point: point.bits)

    def at(self, num_clauses: int) -> Point:
        """The best with at most so many clauses."""
        return [point for point in self.points if len(point.clauses) <= num_clauses][-1]


def trade_off(
    patterns: np.ndarray, true: np.ndarray, false: np.ndarray, *, deadline: float = math.inf
) -> TradeOff:
    """The fewest errors for each number of clauses, as far as the data support more of them.

    patterns: [M, C] bools, distinct; true and false: [M] the weight of the samples with which each
    came so. Of many patterns clauses are looked for on some, drawn at random, then on more; they
    are measured on all. After ``deadline`` (by ``time.monotonic``) nothing better is looked for.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns = all_patterns(3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> found = trade_off(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))
    >>> [(len(point.clauses), point.errors) for point in found.points]
    [(0, 88.0), (1, 16.0)]
    >>> found.best.clauses.num_literals.tolist()
    [2]
    """
    return _trade_offs(patterns, [(true, false)], deadline)[0]


def trade_offs_of_two(
    patterns: np.ndarray, true: np.ndarray, false: np.ndarray, *, deadline: float = math.inf
) -> tuple[TradeOff, TradeOff]:
    """The same for a formula and for its opposite; the one that turns out longer is not followed to
    its end.
    """
    first, second = _trade_offs(patterns, [(true, false), (false, true)], deadline)
    return first, second


def _trade_offs(
    patterns: np.ndarray, sides: Sequence[tuple[np.ndarray, np.ndarray]], deadline: float
) -> list[TradeOff]:
    """For each side, or for the one that turns out shorter, on ever more patterns."""
    found: list[list[Clauses]] = [[] for _ in sides]
    for drawn, share in _samples(*patterns.shape):
        until = time.monotonic() + share * (deadline - time.monotonic())
        table = patterns[drawn]
        curves = [
            _Curve(table, on[drawn], off[drawn], known, until)
            for (on, off), known in zip(sides, found, strict=True)
        ]
        is_going = [True]
        while any(is_going):
            is_going = [
                curve.go_on(*curves[:k], *curves[k + 1 :]) for k, curve in enumerate(curves)
            ]
        found = [[curve.found[size].clauses for size in sorted(curve.found)] for curve in curves]
    return [
        TradeOff(_falling(_measured(patterns, on, off, known)), curve.search.in_time)
        for (on, off), known, curve in zip(sides, found, curves, strict=True)
    ]


def _samples(num_patterns: int, num_concepts: int) -> Iterator[tuple[np.ndarray | slice, float]]:
    """Patterns to look at, and the share of the time that is left for it."""
    at_most = max(FIRST_SEARCHED, min(MAX_SEARCHED, MAX_CELLS // max(1, num_concepts)))
    order = (
        np.random.default_rng(0).permutation(num_patterns)
        if num_patterns > FIRST_SEARCHED
        else None
    )
    if order is not None:
        yield np.sort(order[:FIRST_SEARCHED]), 0.5
    yield slice(None) if order is None or num_patterns <= at_most else np.sort(order[:at_most]), 1.0


def _measured(
    patterns: np.ndarray, true: np.ndarray, false: np.ndarray, found: Sequence[Clauses]
) -> list[Point]:
    """Formulas with what they cost on all patterns. Each clause is looked at once, and each concept
    that one speaks of.
    """
    every = Clauses.join([Clauses.none(patterns.shape[1]), *found])
    used = np.flatnonzero(every.care.any(0))
    columns = np.ascontiguousarray(patterns[:, used].T).T
    _, first, kind = np.unique(every.keys, axis=0, return_index=True, return_inverse=True)
    holds = Clauses(every.value[first][:, used], every.care[first][:, used]).hold(columns)
    total, all_true, saved = float(true.sum() + false.sum()), float(true.sum()), true - false
    points, begin, kind = [], 0, kind.ravel()
    for clauses in found:
        held = holds[kind[begin : begin + len(clauses)]].any(0)
        points.append(Point.of(clauses, all_true - float(saved[held].sum()), total))
        begin += len(clauses)
    return points


def _falling(points: Sequence[Point]) -> tuple[Point, ...]:
    """Those that err less than every one of fewer clauses."""
    kept: list[Point] = []
    for point in points:
        if not kept or point.errors < kept[-1].errors:
            kept.append(point)
    return tuple(kept)


class _Curve:
    """A search, and the best formula of each number of clauses that it came by. known: formulas
    that came before.
    """

    def __init__(
        self,
        patterns: np.ndarray,
        true: np.ndarray,
        false: np.ndarray,
        known: Sequence[Clauses],
        deadline: float,
    ) -> None:
        self.search = ClauseChoice(patterns, true, false, deadline)
        self.found = {
            len(point.clauses): point for point in _measured(patterns, true, false, known)
        }
        self.steps = self.search.run(self.best.clauses if known else None)

    def go_on(self, *rivals: _Curve) -> bool:
        """A step further; False at the end, or where what it has to write down already is more than
        what a rival takes.
        """
        if any(self.found and rival.found and self._is_beaten_by(rival) for rival in rivals):
            return False
        point = next(self.steps, None)
        if point is None:
            return False
        size = len(point.clauses)
        if size not in self.found or point.bits < self.found[size].bits:
            self.found[size] = point
        return True

    def _is_beaten_by(self, rival: _Curve) -> bool:
        best = rival.best
        if best.errors <= rival.search.fewest and best.bits < self.best.bits:
            return True
        last = self.found[max(self.found)]
        least = Point.of(last.clauses, LEFT_AT_LEAST * best.errors, self.search.total)
        return self.search.is_growing and least.bits > best.bits

    @property
    def best(self) -> Point:
        return min(self.found.values(), key=lambda point: point.bits)
