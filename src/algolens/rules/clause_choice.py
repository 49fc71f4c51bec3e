"""Which clauses describe the data best: a pool of conjunctions, and a choice among them that is
improved step by step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from algolens.logic.clause_search import Clauses, ClauseSearch, clause_bits

PATIENCE = 3  # clauses that are added in vain before the search ends
MAX_POOL = 600  # conjunctions that a formula is chosen from
MAX_SHAKEN = 12  # ways to leave out a clause or two, and to find others, that are tried in vain
PURER = 4.0  # what an error counts, to find clauses that err less
THRIFTS = (0.1, 0.2, 0.4, 0.7, 1.0)  # what a bit of a clause counts, while a choice settles
ROUNDS = 4  # in which other clauses are looked for, at each of those
MAX_SETTLED = 1_500  # patterns on which a choice settles
MAX_PURE = 16  # clauses that a choice begins with, at most, before it settles
SMALLEST_CHANGE = 1e-3  # bits


@dataclass(frozen=True)
class Point:
    """A formula as clauses, and what it costs."""

    clauses: Clauses
    errors: float  # the weight of the samples that it gets wrong
    bits: float  # that write down the clauses, and then which samples are exceptions to them

    @classmethod
    def of(cls, clauses: Clauses, errors: float, total: float) -> Point:
        """The clauses, and the weight of the samples that they get wrong, of ``total``."""
        return cls(
            clauses,
            errors,
            description_bits(errors, total, clauses.num_literals, clauses.care.shape[1]),
        )


def description_bits(errors: float, total: float, literals: np.ndarray, num_concepts: int) -> float:
    """Bits that write down clauses of so many literals each, how many of ``total`` samples are
    exceptions, and which.

    >>> round(description_bits(10, 1000, np.array([2, 3]), 8), 1)
    108.2
    """
    few = min(errors, total / 2)  # a formula that is wrong on more than half tells nothing
    which = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1)
    return (
        float(clause_bits(literals, num_concepts).sum())
        + math.log2(total + 1)
        + which / math.log(2)
    )


class ClauseChoice:
    """A pool of conjunctions, and the choice among them that is being improved."""

    def __init__(
        self, patterns: np.ndarray, true: np.ndarray, false: np.ndarray, deadline: float
    ) -> None:
        self.patterns, self.deadline = patterns, deadline
        self.thrift = 1.0  # as how many bits of exceptions a bit of a clause counts
        self.saved = (true - false).astype(np.float64)
        self.all_true, self.total = float(true.sum()), float(true.sum() + false.sum())
        self.fewest = float(np.minimum(true, false).sum())  # errors that every formula makes
        self.search = ClauseSearch(patterns)
        self.num_concepts = patterns.shape[1]
        self.pool, self.known = Clauses.none(self.num_concepts), set[bytes]()
        self.held = np.zeros((0, len(patterns)), np.float32)
        self.costs = np.zeros(0)
        self.in_time = True
        self.is_growing = True  # its clauses only become more

    def run(self, known: Clauses | None = None) -> Iterator[Point]:
        """Ever more clauses, until more of them are not supported; then, where it errs, other ways
        to begin.

        known: a choice that came before, from which it goes on. Of many patterns no choice settles:
        that takes long, and clauses that are added one by one are rarely wrong there.
        """
        best = self.taken(known)
        self.is_growing = known is None
        is_right = self.errors(best) <= self.fewest
        for taken in self.grown(best if known is None or is_right else self.improved(best)):
            yield self.point(taken)
            best = min(best, taken, key=self.bits)
        self.is_growing = False
        other = (
            self.settled(best)
            if len(self.patterns) < MAX_SETTLED and known is None
            else self.shaken(best)
        )
        while other is not None:
            for taken in self.grown(other):
                yield self.point(taken)
                best = min(best, taken, key=self.bits)
            other = self.shaken(best)
        for taken in self.thinned(best):
            yield self.point(taken)
        self.in_time = time.monotonic() < self.deadline

    def taken(self, known: Clauses | None) -> list[int]:
        """Clauses as a choice from the pool."""
        if known is None or not len(known):
            return []
        self.add(known)
        return list(range(len(self.pool)))

    def settled(self, known: list[int]) -> list[int] | None:
        """A choice that begins with many clauses that err little, and loses clauses as they come to
        cost more.

        Of clauses that are added one by one, a broad one that errs stands in the way of several
        that do not.
        """
        if self.errors(known) <= self.fewest:
            return None  # nothing is left to find
        taken: list[int] = []
        for self.thrift in THRIFTS:
            taken = self.improved(taken or self.purely(), rounds=ROUNDS)
        return min(known, taken, key=self.bits)

    def purely(self) -> list[int]:
        """Clauses that err little, those first that save most."""
        taken: list[int] = []
        while len(taken) < MAX_PURE and time.monotonic() < self.deadline:
            left, price = self.pure(self.left(taken)), self.price(self.errors(taken))
            self.add(self.search.best(left, price))
            gains = price * self.sums(left) - self.costs
            gains[taken] = -np.inf
            if gains.max() <= 0:
                break
            taken = [*taken, int(gains.argmax())]
        return taken

    def thinned(self, taken: list[int]) -> Iterator[list[int]]:
        """The same choice with ever fewer clauses, always without the one that is missed least."""
        while taken:
            taken = min(
                ([other for other in taken if other != clause] for clause in taken), key=self.errors
            )
            yield taken

    def pure(self, left: np.ndarray) -> np.ndarray:
        return np.where(left < 0, PURER * left, left)

    def grown(self, taken: list[int]) -> Iterator[list[int]]:
        """The same choice, then ever larger ones, until some clauses more have not made the
        description shorter.
        """
        best, idle = self.point(taken), 0
        yield taken
        while idle < PATIENCE and best.errors > self.fewest and time.monotonic() < self.deadline:
            before = len(taken)
            taken = self.improved(self.with_one_more(taken))
            yield taken
            point = self.point(taken)
            idle = 0 if point.bits < best.bits - SMALLEST_CHANGE else idle + 1
            best = min(best, point, key=lambda each: each.bits)
            if len(taken) <= before and idle:
                return

    def shaken(self, taken: list[int]) -> list[int] | None:
        """A shorter description, from the same one with a clause or two left out and others found;
        None where there is none.
        """
        now = self.point(taken)
        if now.errors <= self.fewest:
            return None
        ways = [*combinations(taken, 1), *combinations(taken, 2)]
        for left_out in ways[:MAX_SHAKEN]:
            if time.monotonic() > self.deadline:
                return None
            trial = [clause for clause in taken if clause not in left_out]
            # clauses that err less, and cover less
            self.add(self.search.best(self.pure(self.left(trial)), self.price(now.errors)))
            for _ in left_out:
                trial = self.with_one_more(trial)
            trial = self.improved(trial)
            if self.bits(trial) < now.bits - SMALLEST_CHANGE:
                return trial
        return None

    def point(self, taken: list[int]) -> Point:
        return Point.of(self.pool[np.array(taken, int)], self.errors(taken), self.total)

    def bits(self, taken: list[int]) -> float:
        return self.point(taken).bits

    def errors(self, taken: list[int]) -> float:
        return self.all_true - float(self.saved[self.held[taken].any(0)].sum())

    def price(self, errors: float) -> float:
        """Bits that a formula may take for one exception less."""
        errors = max(0.25, min(errors, self.total / 2 - 0.5))
        return max(0.1, math.log2(max(self.total - errors, errors) / errors)) / self.thrift

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

    def improved(self, taken: list[int], rounds: int = 1000) -> list[int]:
        """With clauses exchanged and dropped, one at a time, for what is in the pool or found,
        while that costs less.
        """
        for _ in range(rounds):
            if time.monotonic() > self.deadline:
                break
            price = self.price(self.errors(taken))
            for clause in taken:
                self.add(
                    self.search.best(
                        self.left([other for other in taken if other != clause]), price
                    )
                )
            changed = self.exchanged(taken, price)
            if changed == taken:
                return taken
            taken = changed
        return taken

    def exchanged(self, taken: list[int], price: float) -> list[int]:
        """By the exchanges within the pool that cost less, the best one first, until there is
        none.
        """
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
        self.costs = np.concatenate(
            [self.costs, clause_bits(fresh.num_literals, self.num_concepts)]
        )
