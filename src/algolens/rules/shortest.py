"""The formula with the shortest description, errors allowed: found by integer programs, with a
bound where time ends first.
"""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from algolens.logic.clause_search import Clauses, clause_bits
from algolens.rules.clause_choice import Point

MAX_CONCEPTS = 10  # of more, there are too many conjunctions to choose among: 3**10 is 59,049
MAX_ENTRIES = 3e5  # conjunctions x patterns that a program may speak of
WITHIN = 0.01  # bits to which a proof goes


@dataclass(frozen=True)
class Shortest:
    """The shortest description that was found, and what every one takes at least."""

    point: Point
    at_least: float  # bits
    # conjunctions that can be part of a shortest description, among which was chosen
    num_clauses: int

    @property
    def is_proven(self) -> bool:
        """No formula has a shorter description."""
        return self.point.bits - self.at_least <= WITHIN


def shortest(
    patterns: np.ndarray, true: np.ndarray, false: np.ndarray, known: Point, *, seconds: float
) -> Shortest | None:
    """The formula whose description is shortest; None where there are too many conjunctions to say
    anything.

    patterns: [M, C] bools, distinct; true and false: [M] the weight of the samples with which each
    came so. known: a formula.

    The bits that exceptions take grow with the errors, ever more slowly. Between two numbers of
    errors they lie above the straight line between their ends. With that line a shortest formula is
    an integer program, and its value a bound. The interval with the lowest bound is cut in two,
    until no bound is below what was found.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns, none = all_patterns(3), Clauses.none(3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> true, false = np.where(holds, 38, 2), np.where(holds, 2, 38)
    >>> found = shortest(patterns, true, false, Point.of(none, 88, 320), seconds=20)
    >>> found.point.errors, found.is_proven
    (16.0, True)
    """
    num_concepts = patterns.shape[1]
    if num_concepts > MAX_CONCEPTS:
        return None
    program = _Program(patterns, true, false)
    if program.held.sum() > MAX_ENTRIES:
        return None
    return _branched(program, known, time.monotonic() + seconds)


def _branched(program: _Program, best: Point, deadline: float) -> Shortest:
    """Intervals of errors, the one with the lowest bound first."""
    # a formula that errs on more than half takes no fewer bits than one of no clauses
    best = min(
        best,
        Point.of(program.clauses[:0], program.all_true, program.total),
        key=lambda point: point.bits,
    )
    ticket, low, high = count(), program.fewest, min(program.all_true, program.total / 2)
    open_intervals = [(-math.inf, next(ticket), low, max(low, high))]
    at_least = -math.inf
    while open_intervals:
        at_least = min(best.bits, open_intervals[0][0])
        if at_least >= best.bits - WITHIN or time.monotonic() > deadline:
            break
        _, _, low, high = heapq.heappop(open_intervals)
        point, bound = program.solve(low, high, deadline - time.monotonic())
        if point is not None and point.bits < best.bits:
            best = point
        if bound < best.bits - WITHIN:
            middle = (
                (low + high) / 2 if point is None or not low < point.errors < high else point.errors
            )
            if high - low < 1e-6:
                middle = high
            for begin, end in ((low, middle), (middle, high)):
                if begin < end or begin == low == high:
                    heapq.heappush(open_intervals, (bound, next(ticket), begin, end))
        if not open_intervals:
            at_least = best.bits
    return Shortest(best, max(0.0, min(at_least, best.bits)), len(program.clauses))


class _Program:
    """Which conjunctions to take: a variable for each, and one for each pattern that says whether
    it is covered.
    """

    def __init__(self, patterns: np.ndarray, true: np.ndarray, false: np.ndarray) -> None:
        self.saved = (true - false).astype(np.float64)
        self.all_true, self.total = float(true.sum()), float(true.sum() + false.sum())
        self.fewest = float(np.minimum(true, false).sum())
        every = _all_clauses(patterns.shape[1])
        held = every.hold(patterns)
        bits = clause_bits(every.num_literals, patterns.shape[1])
        # taken away from a shortest description, a conjunction must be missed: at most all it is
        # right to cover comes to be an exception, each for at most the bits that the first one
        # takes
        steepest = _exceptions(self.fewest + 1, self.total) - _exceptions(self.fewest, self.total)
        pays = np.flatnonzero(steepest * (held @ np.maximum(self.saved, 0)) > bits)
        _, first = np.unique(
            np.packbits(held[pays], axis=1), axis=0, return_index=True
        )  # hold on the same: the first is shortest
        chosen = pays[np.sort(first)]
        self.clauses, self.held, self.bits = every[chosen], held[chosen], bits[chosen]

    def solve(self, low: float, high: float, seconds: float) -> tuple[Point | None, float]:
        """The best formula by the straight line from ``low`` to ``high`` errors, and a bound for
        all with errors between.
        """
        # here, for it takes most of a second to load
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, eye_array, hstack

        at_low, at_high = _exceptions(low, self.total), _exceptions(high, self.total)
        slope = (at_high - at_low) / (high - low) if high > low else 0.0
        matters = np.flatnonzero(self.saved)
        gain, held = self.saved[matters], self.held[:, matters]
        right, wrong = np.flatnonzero(gain > 0), np.flatnonzero(gain < 0)
        num_clauses, num_patterns = len(self.clauses), len(matters)
        covered = eye_array(num_patterns, format="csr")
        # a pattern that is right to cover is covered by a conjunction at most; one that is wrong to
        # cover by each at least
        by_some = hstack([csr_array(held[:, right].T.astype(float)), -covered[right]])
        place, clause = np.nonzero(held[:, wrong].T)
        rows = np.arange(len(place))
        takes = csr_array((np.ones(len(place)), (rows, clause)), shape=(len(place), num_clauses))
        by_each = hstack([-takes, covered[wrong[place]]]) if len(place) else None
        errors = np.concatenate([np.zeros(num_clauses), -gain])  # plus all_true
        limits: list[Any] = [
            LinearConstraint(errors, low - self.all_true - 1e-6, high - self.all_true + 1e-6)
        ]
        limits += [LinearConstraint(by_some, lb=0)] if len(right) else []
        limits += [LinearConstraint(by_each, lb=0)] if by_each is not None else []
        costs = np.concatenate([self.bits, -slope * gain])
        whole = np.concatenate([np.ones(num_clauses), np.zeros(num_patterns)])
        solved = milp(
            costs,
            integrality=whole,
            bounds=Bounds(0, 1),
            constraints=limits,
            options={"time_limit": max(0.1, seconds), "mip_rel_gap": 0.0},
        )
        if solved.status == 2:  # no formula makes so many errors
            return None, math.inf
        line = at_low - slope * low + slope * self.all_true
        bound = -math.inf if solved.mip_dual_bound is None else float(solved.mip_dual_bound) + line
        if solved.x is None:
            return None, bound
        taken = np.flatnonzero(solved.x[:num_clauses] > 0.5)
        is_covered = self.held[taken].any(0)
        return Point.of(
            self.clauses[taken], self.all_true - float(self.saved[is_covered].sum()), self.total
        ), bound


def _all_clauses(num_concepts: int) -> Clauses:
    """Every conjunction, those of fewer literals first."""
    digits = np.arange(3**num_concepts)[:, None] // 3 ** np.arange(num_concepts - 1, -1, -1) % 3
    digits = digits[np.argsort((digits < 2).sum(1), kind="stable")]
    return Clauses(digits == 1, digits < 2)


def _exceptions(errors: float, total: float) -> float:
    """Bits that say how many samples are exceptions, and which."""
    return Point.of(Clauses.none(1), errors, total).bits
