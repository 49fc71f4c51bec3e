"""Formulas that may err: the fewest errors of each number of clauses, and the shortest."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from algolens.logic.clauses import Clauses, clause_bits
from algolens.rules.clause_choice import ClauseChoice, Point, Target, description_bits

FIRST_SEARCHED = 1_500  # patterns that clauses are looked for on first
MAX_SEARCHED = 20_000  # and then; of more, as many at random
MAX_CELLS = 2_000_000  # patterns x concepts that clauses are looked for on
# of the errors that one formula leaves, what its opposite is expected to leave at least
LEFT_AT_LEAST = 0.8
MAX_CONCEPTS = 10  # of more, there are too many conjunctions to choose among: 3**10 is 59,049
MAX_ENTRIES = 3e5  # conjunctions x patterns that a program may speak of
WITHIN = 0.01  # bits to which a proof goes


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


@dataclass(frozen=True)
class Shortest:
    """The shortest description that was found, and what every one takes at least."""

    point: Point
    at_least: float  # bits

    @property
    def is_proven(self) -> bool:
        """No formula has a shorter description."""
        return self.point.bits - self.at_least <= WITHIN


def shortest(target: Target, known: Point, *, seconds: float) -> Shortest | None:
    """The formula whose description is shortest; None where there are too many clauses.

    The bits that exceptions take grow with the errors, ever more slowly. Between two numbers of
    errors they lie above the straight line between their ends. With that line a shortest formula is
    an integer program, and its value a bound. The interval with the lowest bound is cut in two,
    until no bound is below what was found. known: a formula to begin with.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns, nothing = all_patterns(3), Clauses.empty(0, 3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> target = Target(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))
    >>> proof = shortest(target, Point.of(nothing, 88, 320), seconds=20)
    >>> proof.point.errors, proof.is_proven
    (16.0, True)
    """
    if target.patterns.shape[1] > MAX_CONCEPTS:
        return None
    program = _Program(target)
    if program.held.sum() > MAX_ENTRIES:
        return None
    deadline = time.monotonic() + seconds
    # a formula that errs on more than half takes no fewer bits than one of no clauses
    nothing = Point.of(program.clauses[:0], target.all_true, target.total)
    best = min(known, nothing, key=lambda point: point.bits)
    ticket, low, high = count(), target.fewest, min(target.all_true, target.total / 2)
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
            is_inside = point is not None and low < point.errors < high
            middle = point.errors if point is not None and is_inside else (low + high) / 2
            if high - low < 1e-6:
                middle = high
            for begin, end in ((low, middle), (middle, high)):
                if begin < end or begin == low == high:
                    heapq.heappush(open_intervals, (bound, next(ticket), begin, end))
        if not open_intervals:
            at_least = best.bits
    return Shortest(best, max(0.0, min(at_least, best.bits)))


class _Program:
    """Which clauses to take: a variable for each, and one for each pattern: is it covered?"""

    def __init__(self, target: Target) -> None:
        self.target, num_concepts = target, target.patterns.shape[1]
        every = Clauses.numbered(np.arange(3**num_concepts), num_concepts)
        every = every[np.argsort(every.num_literals, kind="stable")]
        held, bits = every.hold(target.patterns), clause_bits(every.num_literals, num_concepts)
        # taken away from a shortest description, a conjunction must be missed: at most all it is
        # right to cover comes to be an exception, each for at most the bits that the first one
        # takes
        steepest = self.exceptions(target.fewest + 1) - self.exceptions(target.fewest)
        pays = np.flatnonzero(steepest * (held @ np.maximum(target.saved, 0)) > bits)
        # of those that hold on the same patterns, the first is shortest
        _, first = np.unique(np.packbits(held[pays], axis=1), axis=0, return_index=True)
        chosen = pays[np.sort(first)]
        self.clauses, self.held, self.bits = every[chosen], held[chosen], bits[chosen]

    def exceptions(self, errors: float) -> float:
        """Bits that say how many samples are exceptions, and which."""
        return description_bits(errors, self.target.total, np.zeros(0, int), 1)

    def solve(self, low: float, high: float, seconds: float) -> tuple[Point | None, float]:
        """The best formula by the straight line between two numbers of errors, and a bound."""
        # here, for it takes most of a second to load
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, eye_array, hstack

        all_true, saved = self.target.all_true, self.target.saved
        at_low, at_high = self.exceptions(low), self.exceptions(high)
        slope = (at_high - at_low) / (high - low) if high > low else 0.0
        matters = np.flatnonzero(saved)
        gain, held = saved[matters], self.held[:, matters]
        right, wrong = np.flatnonzero(gain > 0), np.flatnonzero(gain < 0)
        num_clauses, num_patterns = len(self.clauses), len(matters)
        covered = eye_array(num_patterns, format="csr")
        # a pattern that is right to cover is covered by a conjunction at most; one that is wrong to
        # cover by each at least
        by_some = hstack([csr_array(held[:, right].T.astype(float)), -covered[right]])
        place, clause = np.nonzero(held[:, wrong].T)
        rows = np.arange(len(place))
        takes = csr_array((np.ones(len(place)), (rows, clause)), shape=(len(place), num_clauses))
        errors = np.concatenate([np.zeros(num_clauses), -gain])  # plus all_true
        limits: list[Any] = [
            LinearConstraint(errors, low - all_true - 1e-6, high - all_true + 1e-6)
        ]
        if len(right):
            limits.append(LinearConstraint(by_some, lb=0))
        if len(place):
            limits.append(LinearConstraint(hstack([-takes, covered[wrong[place]]]), lb=0))
        solved = milp(
            np.concatenate([self.bits, -slope * gain]),
            integrality=np.concatenate([np.ones(num_clauses), np.zeros(num_patterns)]),
            bounds=Bounds(0, 1),
            constraints=limits,
            options={"time_limit": max(0.1, seconds), "mip_rel_gap": 0.0},
        )
        if solved.status == 2:  # no formula makes so many errors
            return None, math.inf
        line = at_low - slope * low + slope * all_true
        # without a clause to take it is no integer program, and its optimum is the bound
        is_solved = solved.mip_dual_bound is None and solved.status == 0
        proven = solved.fun if is_solved else solved.mip_dual_bound
        bound = -math.inf if proven is None else float(proven) + line
        if solved.x is None:
            return None, bound
        taken = np.flatnonzero(solved.x[:num_clauses] > 0.5)
        errs = self.target.errors(self.held[taken])
        return Point.of(self.clauses[taken], errs, self.target.total), bound


def draw_trade_offs(curves: Mapping[Any, TradeOff], chosen: Mapping[Any, int], ax: Any) -> Any:
    """Errors by number of clauses, a line for each class; a dot where the chosen rule is."""
    for label, curve in curves.items():
        sizes = [len(point.clauses) for point in curve.points]
        (line,) = ax.plot(sizes, [point.errors for point in curve.points], ".-", label=str(label))
        point = curve.at(chosen[label])
        ax.plot([len(point.clauses)], [point.errors], marker="o", color=line.get_color())
    ax.set_xlabel("clauses")
    ax.set_ylabel("errors")
    ax.legend(title="class")
    return ax
