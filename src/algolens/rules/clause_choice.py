"""Which clauses describe the labels best: a pool of clauses, and a choice that is improved."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from algolens.logic.clause_search import ClauseSearch
from algolens.logic.clauses import Clauses, clause_bits
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, pack

IDLE_ADDITIONS = 3  # clauses that are added in vain before the search ends
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
        bits = description_bits(errors, total, clauses.num_literals, clauses.num_concepts)
        return cls(clauses, errors, bits)


def description_bits(errors: float, total: float, literals: np.ndarray, num_concepts: int) -> float:
    """Bits that write down clauses of so many literals each, and which samples are exceptions.

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


@dataclass(frozen=True, eq=False)
class Target:
    """What a formula is to describe: distinct patterns, and what they were labelled."""

    patterns: np.ndarray  # [M, C] bools
    true: np.ndarray  # [M] the weight of the samples on which it should hold
    false: np.ndarray  # [M] the weight of those on which it should not

    @cached_property
    def saved(self) -> np.ndarray:
        """[M] the errors that covering each pattern saves, or adds."""
        return (self.true - self.false).astype(np.float64)

    @cached_property
    def all_true(self) -> float:
        """The errors of a formula that holds nowhere."""
        return float(self.true.sum())

    @cached_property
    def total(self) -> float:
        """The weight of all samples."""
        return float(self.true.sum() + self.false.sum())

    @cached_property
    def fewest(self) -> float:
        """The errors that every formula makes."""
        return float(np.minimum(self.true, self.false).sum())

    def errors(self, held: np.ndarray) -> float:
        """Those of a formula; held: [K, M] where each of its clauses holds."""
        return self.all_true - float(self.saved[held.any(0)].sum())

    def at(self, rows: np.ndarray | slice) -> Target:
        """Some of the patterns."""
        return Target(self.patterns[rows], self.true[rows], self.false[rows])

    def points(self, formulas: Sequence[Clauses]) -> list[Point]:
        """Formulas with what they cost; each clause, and each concept it needs, is read once."""
        every = Clauses.join([Clauses.empty(0, self.patterns.shape[1]), *formulas])
        used = np.flatnonzero(every.care.any(0))
        _, first, place = np.unique(every.keys, axis=0, return_index=True, return_inverse=True)
        distinct = Clauses(every.value[first][:, used], every.care[first][:, used])
        holds = distinct.hold(np.ascontiguousarray(self.patterns[:, used].T).T)
        ends = np.cumsum([len(clauses) for clauses in formulas])
        return [
            Point.of(clauses, self.errors(holds[chosen]), self.total)
            for clauses, chosen in zip(formulas, np.split(place.ravel(), ends)[:-1], strict=True)
        ]


class ClauseChoice:
    """A pool of clauses, and the choice among them that is being improved.

    A choice is a list of places in the pool.
    """

    def __init__(self, target: Target, deadline: float) -> None:
        self.target, self.deadline = target, deadline
        self.thrift = 1.0  # as how many bits of exceptions a bit of a clause counts
        self.num_concepts = target.patterns.shape[1]
        self.search = ClauseSearch(target.patterns)
        is_packed = self.num_concepts <= MAX_PACKED_CONCEPTS
        self.patterns = pack(target.patterns) if is_packed else target.patterns
        self.pool, self.known = Clauses.empty(0, self.num_concepts), set[bytes]()
        self.held = np.zeros((0, len(self.patterns)), np.float32)
        self.costs = np.zeros(0)
        self.is_growing = True  # its clauses only become more
        self.ended_in_time = True

    @property
    def in_time(self) -> bool:
        return time.monotonic() < self.deadline

    def run(self, known: Clauses | None = None) -> Iterator[Point]:
        """Ever more clauses while they are supported; then, where it errs, other ways to begin.

        known: a choice that came before, from which it goes on. Of many patterns no choice settles:
        that takes long, and clauses that are added one by one are rarely wrong there.
        """
        best: list[int] = []
        if known is not None:
            self.add(known)
            best = list(range(len(self.pool)))
        self.is_growing = known is None
        start = best if known is None or self.is_right(best) else self.improved(best)
        for taken in self.grown(start):
            yield self.point(taken)
            best = min(best, taken, key=self.bits)
        self.is_growing = False
        settles = len(self.patterns) < MAX_SETTLED and known is None
        other = self.settled(best) if settles else self.shaken(best)
        while other is not None:
            for taken in self.grown(other):
                yield self.point(taken)
                best = min(best, taken, key=self.bits)
            other = self.shaken(best)
        while best:  # ever fewer clauses, always without the one that is missed least
            best = min((without(best, clause) for clause in best), key=self.errors)
            yield self.point(best)
        self.ended_in_time = self.in_time

    def settled(self, known: list[int]) -> list[int] | None:
        """A choice that begins with many clauses, and loses some as they come to cost more.

        Of clauses that are added one by one, a broad one that errs stands in the way of several
        that do not.
        """
        if self.is_right(known):
            return None
        taken: list[int] = []
        for self.thrift in THRIFTS:
            taken = self.improved(taken or self.purely(), rounds=ROUNDS)
        return min(known, taken, key=self.bits)

    def purely(self) -> list[int]:
        """Clauses that err little, those first that save most."""
        taken: list[int] = []
        while len(taken) < MAX_PURE and self.in_time:
            clause, gain = self.best_addition(taken, self.pure(self.left(taken)))
            if gain <= 0:
                break
            taken = [*taken, clause]
        return taken

    def pure(self, left: np.ndarray) -> np.ndarray:
        return np.where(left < 0, PURER * left, left)

    def grown(self, taken: list[int]) -> Iterator[list[int]]:
        """The same choice, then larger ones, until more clauses make no description shorter."""
        best, idle = self.point(taken), 0
        yield taken
        while idle < IDLE_ADDITIONS and best.errors > self.target.fewest and self.in_time:
            before = len(taken)
            taken = self.improved(self.with_one_more(taken))
            yield taken
            point = self.point(taken)
            idle = 0 if point.bits < best.bits - SMALLEST_CHANGE else idle + 1
            best = min(best, point, key=lambda point: point.bits)
            if len(taken) <= before and idle:
                return

    def shaken(self, taken: list[int]) -> list[int] | None:
        """A shorter description, with a clause or two left out and others found; or None."""
        now = self.point(taken)
        if now.errors <= self.target.fewest:
            return None
        ways = [*combinations(taken, 1), *combinations(taken, 2)]
        for left_out in ways[:MAX_SHAKEN]:
            if not self.in_time:
                return None
            trial = without(taken, *left_out)
            # clauses that err less, and cover less
            self.add(self.search.best(self.pure(self.left(trial)), self.price(now.errors)))
            for _ in left_out:
                trial = self.with_one_more(trial)
            trial = self.improved(trial)
            if self.bits(trial) < now.bits - SMALLEST_CHANGE:
                return trial
        return None

    def with_one_more(self, taken: list[int]) -> list[int]:
        return [*taken, self.best_addition(taken, self.left(taken))[0]]

    def best_addition(self, taken: list[int], left: np.ndarray) -> tuple[int, float]:
        """The clause that gains most, and the bits; left: [M] what covering a pattern saves."""
        price = self.price(self.errors(taken))
        self.add(self.search.best(left, price))
        gains = price * self.sums(left) - self.costs
        gains[taken] = -np.inf
        return int(gains.argmax()), float(gains.max())

    def improved(self, taken: list[int], rounds: int = 1000) -> list[int]:
        """With clauses exchanged or dropped, for known ones or new ones, while that costs less."""
        for _ in range(rounds):
            if not self.in_time:
                break
            price = self.price(self.errors(taken))
            for clause in taken:
                self.add(self.search.best(self.left(without(taken, clause)), price))
            changed = self.exchanged(taken, price)
            if changed == taken:
                break
            taken = changed
        return taken

    def exchanged(self, taken: list[int], price: float) -> list[int]:
        """By exchanges within the pool that cost less, the best first, until there is none."""
        now = price * self.errors(taken) + self.costs[taken].sum()
        while True:
            best, choice = now - SMALLEST_CHANGE, taken
            for clause in taken:
                rest = without(taken, clause)
                base = price * self.errors(rest) + self.costs[rest].sum()
                if base < best:
                    best, choice = base, rest
                costs = base + self.costs - price * self.sums(self.left(rest))
                costs[rest] = np.inf
                if costs.min() < best:
                    best, choice = float(costs.min()), [*rest, int(costs.argmin())]
            after = price * self.errors(choice) + self.costs[choice].sum()
            # sums of large weights are rounded: by them alone, exchanges would go round in circles
            if after > now - SMALLEST_CHANGE:
                return taken
            taken, now = choice, after

    def point(self, taken: list[int]) -> Point:
        return Point.of(self.pool[np.array(taken, int)], self.errors(taken), self.target.total)

    def bits(self, taken: list[int]) -> float:
        return self.point(taken).bits

    def errors(self, taken: list[int]) -> float:
        return self.target.errors(self.held[taken])

    def is_right(self, taken: list[int]) -> bool:
        return self.errors(taken) <= self.target.fewest

    def price(self, errors: float) -> float:
        """Bits that a formula may take for one exception less."""
        total = self.target.total
        errors = max(0.25, min(errors, total / 2 - 0.5))
        return max(0.1, math.log2(max(total - errors, errors) / errors)) / self.thrift

    def left(self, taken: list[int]) -> np.ndarray:
        """[M] what covering each pattern saves beyond what the clauses taken cover."""
        return np.where(self.held[taken].any(0), 0, self.target.saved)

    def sums(self, saved: np.ndarray) -> np.ndarray:
        """[K] what each clause of the pool saves."""
        return (self.held @ saved.astype(np.float32)).astype(np.float64)

    def add(self, clauses: Clauses) -> None:
        """To the pool, those that are not in it yet."""
        keys = [key.tobytes() for key in clauses.keys]
        new = [i for i, key in enumerate(keys) if key not in self.known]
        if not new or len(self.pool) > MAX_POOL:
            return
        self.known.update(keys)
        fresh = clauses[np.array(new)]
        self.pool = Clauses.join([self.pool, fresh])
        self.held = np.concatenate([self.held, fresh.hold(self.patterns).astype(np.float32)])
        self.costs = np.append(self.costs, clause_bits(fresh.num_literals, self.num_concepts))


def without(taken: list[int], *left_out: int) -> list[int]:
    """A choice without some of its clauses."""
    return [clause for clause in taken if clause not in left_out]
