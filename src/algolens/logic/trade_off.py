"""Formulas that may err: the fewest errors that each number of clauses leaves, and how many clauses the data support."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algolens.logic.clause_search import Clauses, ClauseSearch, clause_bits

PATIENCE = 3  # clauses that are added in vain before the search ends
MAX_POOL = 600  # conjunctions that a formula is chosen from
MAX_SEARCHED = 20_000  # patterns that clauses are looked for on; of more, as many at random
LEFT_AT_LEAST = 0.8  # of the errors that one formula leaves, what its opposite is expected to leave at least
SMALLEST_CHANGE = 1e-3  # bits


@dataclass(frozen=True)
class Point:
    """A formula as clauses, and what it costs."""

    clauses: Clauses
    errors: float  # the weight of the samples that it gets wrong
    bits: float  # that write down the clauses, and then which samples are exceptions to them


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


def description_bits(errors: float, total: float, literals: np.ndarray, num_concepts: int) -> float:
    """Bits that write down clauses of so many literals each, how many of ``total`` samples are exceptions, and which.

    >>> round(description_bits(10, 1000, np.array([2, 3]), 8), 1)
    107.7
    """
    few = min(errors, total / 2)  # a formula that is wrong on more than half tells nothing
    which = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1)
    return float(clause_bits(literals, num_concepts).sum()) + math.log2(total + 1) + which / math.log(2)


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
        self.search = _Search(patterns[drawn], true[drawn], false[drawn], deadline)
        self.steps, self.found = self.search.run(), dict[int, Point]()

    def to_the_end(self) -> TradeOff:
        while self.go_on():
            pass
        return self.measured()

    def go_on(self, rival: _Curve | None = None) -> bool:
        """A step further; False at the end, or where what it has to write down already is more than what the rival takes."""
        if rival is not None and self.found and rival.found:
            best, last = rival.best, self.found[max(self.found)]
            errors = LEFT_AT_LEAST * best.errors
            if self.search.description(errors, last.clauses) > best.bits:
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
                point = Point(
                    point.clauses,
                    errors,
                    description_bits(errors, total, point.clauses.num_literals, self.patterns.shape[1]),
                )
            if not points or point.errors < points[-1].errors:
                points.append(point)
        return TradeOff(tuple(points), self.search.in_time)


class _Search:
    """A pool of conjunctions, and the choice among them that is being improved."""

    def __init__(self, patterns: np.ndarray, true: np.ndarray, false: np.ndarray, deadline: float) -> None:
        self.patterns, self.deadline = patterns, deadline
        self.saved = (true - false).astype(np.float64)
        self.all_true, self.total = float(true.sum()), float(true.sum() + false.sum())
        self.fewest = float(np.minimum(true, false).sum())  # errors that every formula makes
        self.search = ClauseSearch(patterns)
        self.num_concepts = patterns.shape[1]
        self.pool, self.known = Clauses.none(self.num_concepts), set[bytes]()
        self.held = np.zeros((0, len(patterns)), np.float32)
        self.costs = np.zeros(0)
        self.in_time = True

    def run(self) -> Iterator[Point]:
        """Ever more clauses, until more of them are not supported; then once more, from the best."""
        taken: list[int] = []
        best = self.point(taken)
        yield best
        idle = 0
        while idle < PATIENCE and best.errors > self.fewest and time.monotonic() < self.deadline:
            before = len(taken)
            taken = self.improved(self.with_one_more(taken))
            point = self.point(taken)
            yield point
            idle = 0 if point.bits < best.bits - SMALLEST_CHANGE else idle + 1
            best = min(best, point, key=lambda each: each.bits)
            if len(taken) <= before and idle:
                break
        self.in_time = time.monotonic() < self.deadline

    def point(self, taken: list[int]) -> Point:
        errors = self.errors(taken)
        clauses = self.pool[np.array(taken, int)]
        return Point(clauses, errors, self.description(errors, clauses))

    def description(self, errors: float, clauses: Clauses) -> float:
        """Bits of the clauses and of so many exceptions."""
        return description_bits(errors, self.total, clauses.num_literals, self.num_concepts)

    def errors(self, taken: list[int]) -> float:
        return self.all_true - float(self.saved[self.held[taken].any(0)].sum())

    def price(self, errors: float) -> float:
        """Bits that one exception less saves."""
        errors = max(0.25, min(errors, self.total / 2 - 0.5))
        return max(0.1, math.log2(max(self.total - errors, errors) / errors))

    def left(self, taken: list[int]) -> np.ndarray:
        """[M] what covering each pattern saves beyond what the clauses taken cover."""
        return np.where(self.held[taken].any(0), 0, self.saved)

    def sums(self, saved: np.ndarray) -> np.ndarray:
        """[K] what each conjunction of the pool saves."""
        return (self.held @ saved.astype(np.float32)).astype(np.float64)

    def with_one_more(self, taken: list[int]) -> list[int]:
        price = self.price(self.errors(taken))
        left = self.left(taken)
        self.add(self.search.best(left, price))
        gains = price * self.sums(left) - self.costs
        gains[taken] = -np.inf
        return [*taken, int(gains.argmax())]

    def improved(self, taken: list[int]) -> list[int]:
        """With clauses exchanged and dropped, one at a time, for what is in the pool or found, while that costs less."""
        while time.monotonic() < self.deadline:
            price = self.price(self.errors(taken))
            for clause in taken:
                self.add(self.search.best(self.left([other for other in taken if other != clause]), price))
            changed = self.exchanged(taken, price)
            if changed == taken:
                return taken
            taken = changed
        return taken

    def exchanged(self, taken: list[int], price: float) -> list[int]:
        """By the exchanges within the pool that cost less, the best one first, until there is none."""
        while True:
            now = price * self.errors(taken) + self.costs[taken].sum()
            best, choice = now - SMALLEST_CHANGE, taken
            for clause in taken:
                rest = [other for other in taken if other != clause]
                left = self.left(rest)
                base = price * self.errors(rest) + self.costs[rest].sum()
                if base < best:
                    best, choice = base, rest
                costs = base + self.costs - price * self.sums(left)
                costs[rest] = np.inf
                if costs.min() < best:
                    best, choice = float(costs.min()), [*rest, int(costs.argmin())]
            if choice is taken:
                return taken
            taken = choice

    def add(self, found: Clauses) -> None:
        """To the pool, what is not in it yet."""
        keys = [key.tobytes() for key in found.keys]
        new = [i for i, key in enumerate(keys) if key not in self.known]
        if not new or len(self.pool) > MAX_POOL:
            return
        self.known.update(keys)
        fresh = found[np.array(new)]
        self.pool = Clauses.join([self.pool, fresh])
        self.held = np.concatenate([self.held, fresh.hold(self.patterns).astype(np.float32)])
        self.costs = np.concatenate([self.costs, clause_bits(fresh.num_literals, self.num_concepts)])
