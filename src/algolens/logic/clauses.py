"""Clauses: conjunctions of literals, what they cost, where they occur, and their search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.logic.formula import Formula, Not, concepts, conjunction
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, pack, packed_type, unpack

AT_ONCE = 2**18  # comparisons at a time, so that intermediate results stay in the cache


@dataclass(frozen=True)
class Clauses:
    """K conjunctions of literals over any number of concepts.

    >>> clauses = Clauses(np.array([[True, False, False]]), np.array([[True, False, True]]))
    >>> clauses.formulas(["a", "b", "c"])
    (Formula('a & ~c'),)
    >>> clauses.hold(np.array([4, 6, 7])).tolist()
    [[True, True, False]]
    """

    value: ndarray  # [K, C] bools: the signs of the literals; false outside care
    care: ndarray  # [K, C] bools: the concepts that each speaks of

    @classmethod
    def empty(cls, count: int, num_concepts: int) -> Clauses:
        """So many conjunctions without a literal, which hold everywhere."""
        return cls(*np.zeros((2, count, num_concepts), bool))

    @classmethod
    def of_patterns(cls, patterns: ndarray, num_concepts: int) -> Clauses:
        """A conjunction of all concepts for each packed pattern."""
        value = unpack(patterns, num_concepts)
        return cls(value, np.ones_like(value))

    @classmethod
    def numbered(cls, numbers: ndarray, num_concepts: int) -> Clauses:
        """By number; to base 3, a concept's digit is 0 (opposite), 1 (itself) or 2 (absent)."""
        digits = numbers[:, None] // 3 ** np.arange(num_concepts - 1, -1, -1) % 3
        return cls(digits == 1, digits < 2)

    @classmethod
    def join(cls, parts: Sequence[Clauses]) -> Clauses:
        """All of them, one after the other."""
        return cls(
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.care for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.care)

    def __getitem__(self, chosen: Any) -> Clauses:
        return Clauses(self.value[chosen], self.care[chosen])

    @property
    def num_concepts(self) -> int:
        """C."""
        return self.care.shape[1]

    @property
    def num_literals(self) -> ndarray:
        """[K] how many concepts each speaks of."""
        return self.care.sum(1)

    @property
    def size(self) -> tuple[int, int]:
        """How many clauses, and how many literals in all: minimising lowers them in this order."""
        return len(self), int(self.care.sum())

    @property
    def keys(self) -> ndarray:
        """[K, bytes] equal where the clauses are; lower where earlier concepts are spoken of."""
        return np.packbits(~np.concatenate([self.care, self.value], 1), axis=1)

    def in_order(self) -> Clauses:
        """Without repeats: fewer literals first, then fewer opposites, then earlier concepts."""
        keys, opposites = self.keys, (self.care & ~self.value).sum(1)
        order = np.lexsort((*keys.T[::-1], opposites, self.num_literals))
        is_new = np.ones(len(self), bool)
        is_new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(1)
        return self[order[is_new]]

    def with_literal(self, place: int, sign: ndarray | bool) -> Clauses:
        """Each with one literal more; sign: [K] bools, or one for all."""
        value, care = self.value.copy(), self.care.copy()
        value[:, place], care[:, place] = sign, True
        return Clauses(value, care)

    def hold(self, patterns: ndarray) -> ndarray:
        """[K, M] does the clause hold on the pattern? patterns: [M, C] bools, or [M] packed."""
        result = np.ones((len(self), len(patterns)), bool)
        if self.num_concepts > MAX_PACKED_CONCEPTS:
            for clause, place in zip(*np.nonzero(self.care), strict=True):
                result[clause] &= patterns[:, place] == self.value[clause, place]
            return result
        # the shortest numbers are compared fastest
        is_packed = patterns.ndim == 1
        packed = patterns.astype(packed_type(self.num_concepts)) if is_packed else pack(patterns)
        value, care = pack(self.value)[:, None], pack(self.care)[:, None]
        for rows in portions(len(self), len(packed)):
            np.equal(packed & care[rows], value[rows], out=result[rows])
        return result

    def formulas(self, names: Sequence[str]) -> tuple[Formula, ...]:
        """A conjunction for each, concepts in the order of ``names``."""
        known = concepts(*names)
        return tuple(
            conjunction(
                *(
                    known[place] if value[place] else Not(known[place])
                    for place in np.flatnonzero(care)
                )
            )
            for value, care in zip(self.value, self.care, strict=True)
        )


def portions(num_rows: int, num_columns: int) -> list[slice]:
    """Rows of a large table, some at a time."""
    step = max(1, AT_ONCE // max(1, num_columns))
    return [slice(start, start + step) for start in range(0, num_rows, step)]


def clause_bits(num_literals: ndarray, num_concepts: int) -> ndarray:
    """[K] bits that write clauses down: a literal is one of 2 C in any order; two bits end each.

    >>> clause_bits(np.array([0, 1, 2, 3]), 8).round(1).tolist()
    [2.0, 6.0, 9.0, 11.4]
    """
    orders = np.array([math.lgamma(k + 1) / math.log(2) for k in range(num_concepts + 1)])
    return 2 + num_literals * math.log2(2 * max(1, num_concepts)) - orders[num_literals]


def over_all_clauses(values: ndarray, num_concepts: int, join: np.ufunc) -> ndarray:
    """[2**C] values of patterns to [3**C]: joined over the patterns on which each clause holds."""
    for i in range(num_concepts):
        halves = values.reshape(3**i, 2, -1)
        values = np.concatenate([halves, join(halves[:, :1], halves[:, 1:])], axis=1)
    return values.reshape(-1)


def prime_implicants(on: ndarray, off: ndarray, num_concepts: int) -> Clauses:
    """All that hold on a pattern of ``on`` and on none of ``off``, and can lose no literal.

    Every conjunction over the concepts is looked at, 3**C in all.

    >>> prime_implicants(np.array([2, 3]), np.array([0]), 2).formulas(["a", "b"])
    (Formula('a'), Formula('b'))
    """
    tables = np.zeros((2, 2**num_concepts), bool)
    tables[0, on] = tables[1, off] = True
    hits_on, hits_off = (over_all_clauses(table, num_concepts, np.logical_or) for table in tables)
    is_prime = hits_on & ~hits_off
    for i in range(num_concepts):
        # a literal is needed where the clause without it would hold on a forbidden pattern
        axes = (3**i, 3, -1)
        is_prime.reshape(axes)[:, :2] &= hits_off.reshape(axes)[:, 2:]
    return Clauses.numbered(np.flatnonzero(is_prime), num_concepts).in_order()


MAX_TABLE_CONCEPTS = 11  # of so many, every conjunction is weighed: 3**11 is 177 thousand
KEPT = 12  # of the best conjunctions of a search, which later choices are made from
MAX_SEEDS = 64  # patterns that conjunctions grow from, side by side
WORK = 2**23  # seeds x patterns at a time
FEW_SEEDS, DRAWN = 12, 120_000  # seeds that are drawn: so few at least, more on few patterns
TINY = np.float32(1e-9)


class ClauseSearch:
    """Looks for the clauses that save most errors, on patterns [M, C] (bools, distinct).

    Patterns are tables of zeros and ones, so that counting for many seeds is one matrix product.
    """

    def __init__(self, patterns: ndarray) -> None:
        self.num_concepts = patterns.shape[1]
        self.is_listed = self.num_concepts <= MAX_TABLE_CONCEPTS
        self.rows = pack(patterns) if self.is_listed else np.zeros(0, int)
        self.table = patterns.astype(np.float32)
        self.bits = clause_bits(np.arange(self.num_concepts + 1), self.num_concepts)
        self.num_seeds = int(np.clip(WORK // max(1, len(patterns)), 1, MAX_SEEDS))
        self.random = np.random.default_rng(0)

    def best(self, saved: ndarray, price: float) -> Clauses:
        """The best clauses, the best one first; saved: [M] errors that covering a pattern saves.

        A clause is as good as ``price`` times the errors that it saves, less the bits it takes. All
        clauses are weighed where there are few concepts; of more, some grow from random patterns.
        """
        if self.is_listed:
            sums = np.bincount(self.rows, weights=saved, minlength=2**self.num_concepts)
            sums = over_all_clauses(sums.astype(np.float32), self.num_concepts, np.add)
            scores = np.float32(price) * sums - _bits_of_all_clauses(self.num_concepts)
            places = np.argpartition(-scores, min(KEPT, len(scores) - 1))[:KEPT]
            places = places[np.argsort(-scores[places], kind="stable")]
            return Clauses.numbered(places, self.num_concepts)
        worth = np.cumsum(np.maximum(saved, 0), dtype=float)
        num_drawn = int(np.clip(DRAWN // len(worth), FEW_SEEDS, MAX_SEEDS))
        drawn = worth[-1] * self.random.random(num_drawn)
        seeds = np.unique(np.searchsorted(worth[:-1], drawn, "right"))
        clauses, scores = self.grown(seeds, saved, price)
        return clauses[np.argsort(-scores, kind="stable")[:KEPT]]

    def grown(
        self, seeds: ndarray, saved: ndarray, price: float = 1.0, purity: float = 1.0
    ) -> tuple[Clauses, ndarray]:
        """A clause from each seed ([S] places of patterns), and how good each is.

        It grows by the literal that leaves most of what saves errors, times the bits of purity that
        it gains, until it adds no error; the best of its lengths is kept.

        purity: how many errors saved an error counts that is added.
        """
        matters = np.flatnonzero(saved)
        signs, table = self.table[seeds] > 0, self.table[matters]
        weights = np.maximum([saved[matters], -saved[matters]], 0).astype(np.float32)
        left = np.ones((len(seeds), len(matters)), np.float32)
        totals = np.repeat(weights.sum(1)[:, None], len(seeds), 1)  # [2, S] right and wrong
        care = np.zeros_like(signs)
        best, score = care.copy(), np.full(len(seeds), -np.inf)
        growing = np.arange(len(seeds))
        for bits in self.bits:
            now = price * (totals[0] - purity * totals[1]) - bits
            better = growing[now[growing] > score[growing]]
            best[better], score[better] = care[better], now[better]
            # what it grows into is right in no more
            is_open = (totals[1] > 0) & (price * totals[0] - bits > score)
            growing = growing[is_open[growing]]
            if not len(growing):
                break
            right, wrong = _agreeing(weights, left[growing], table, signs[growing])
            all_right, all_wrong = totals[:, growing, None]
            purer = np.log2((right + TINY) / (right + wrong + TINY)) - np.log2(
                (all_right + TINY) / (all_right + all_wrong + TINY)
            )
            # a literal that keeps nothing wrong out is idle
            is_idle = care[growing] | (wrong >= all_wrong)
            telling = np.where(is_idle, -np.inf, (right + TINY) * purer)
            chosen, keeps = telling.argmax(1), telling.max(1) > -np.inf
            rows, growing, chosen = np.flatnonzero(keeps), growing[keeps], chosen[keeps]
            care[growing, chosen] = True
            totals[:, growing] = right[rows, chosen], wrong[rows, chosen]
            left[growing] *= (table[:, chosen].T > 0) == signs[growing, chosen][:, None]
        self._shorten(signs, best, score, weights, table, price, purity)
        _, first = np.unique(np.concatenate([signs & best, best], 1), axis=0, return_index=True)
        return Clauses(signs & best, best)[first], score[first]

    def _shorten(
        self,
        signs: ndarray,
        care: ndarray,
        score: ndarray,
        weights: ndarray,
        table: ndarray,
        price: float,
        purity: float,
    ) -> None:
        """Literals are dropped from [S, C] care one by one while that makes a clause better."""
        active = np.flatnonzero(care.any(1))
        while len(active):
            sign, cares = signs[active], care[active]
            literals = np.where(cares, np.where(sign, -1, 1), 0).astype(np.float32)
            misses = literals @ table.T + (sign & cares).sum(1, keepdims=True)
            # what misses one literal alone is held without it
            almost = (misses == 1).astype(np.float32)
            right, wrong = _agreeing(weights, almost, table, ~sign)
            size = cares.sum(1)
            change = (
                price * (right - purity * wrong) + (self.bits[size] - self.bits[size - 1])[:, None]
            )
            change[~cares] = -np.inf
            place, gain = change.argmax(1), change.max(1)
            active, place, gain = active[gain > 0], place[gain > 0], gain[gain > 0]
            care[active, place] = False
            score[active] += gain
            active = active[care[active].any(1)]


@lru_cache(maxsize=2)
def _bits_of_all_clauses(num_concepts: int) -> ndarray:
    """[3**C] by the numbers of the clauses."""
    num_literals = Clauses.numbered(np.arange(3**num_concepts), num_concepts).num_literals
    return clause_bits(num_literals, num_concepts).astype(np.float32)


def _agreeing(weights: ndarray, left: ndarray, table: ndarray, signs: ndarray) -> ndarray:
    """[2, S, C] the weight ([2, M]) of the patterns left ([S, M]) that have a sign ([S, C])."""
    both = (left * weights[:, None]).reshape(-1, len(table))
    ones, totals = both @ table, both.sum(1)
    shape = 2, len(left), -1
    return np.where(signs, ones.reshape(shape), (totals[:, None] - ones).reshape(shape))


# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_PATTERNS, FIRST_GROUPS = 256, 2


def plainest_first(clauses: Clauses) -> Clauses:
    """In order: fewer literals, then earlier concepts, then fewer opposites."""
    opposites = (clauses.care & ~clauses.value).sum(1)
    care, value = pack(~clauses.care), pack(~clauses.value)
    return clauses[np.lexsort((value, opposites, care, clauses.num_literals))]


def grown_by_later(level: Clauses) -> Clauses:
    """Every combination with one more literal, of a concept after its last: each is made once."""
    grown = [level[:0]]
    for place in reversed(range(level.num_concepts)):
        free = level[~level.care[:, place:].any(1)]
        grown += [free.with_literal(place, sign) for sign in (False, True)]
    return Clauses.join(grown)


def implicants(
    on: Occurrences, off: ndarray, most: int, deadline: float
) -> Iterator[tuple[Clauses, bool]]:
    """The prime implicants that occur in every group of ``on`` and not in ``off``, by size.

    What occurs in ``off`` ([F] packed) must grow by a literal that fails there: only those are
    tried, and every prime implicant is still reached. A level of more than ``most`` is cut; with
    each level comes whether none was cut before. After ``deadline`` none grows.

    >>> on = Occurrences(np.array([2, 3]), np.zeros(2, int), 1, 2)
    >>> levels = implicants(on, np.array([0]), 9, float("inf"))
    >>> [clauses.formulas(["a", "b"]) for clauses, _ in levels]
    [(), (Formula('a'), Formula('b'))]
    """
    level, is_complete = Clauses.empty(1, on.num_concepts), True
    while len(level):
        for groups in on.parts():
            level = level[groups.table(level).all(1)]
        culprits = _first_match(level, off)
        found = level[culprits < 0]
        for place in range(on.num_concepts):  # without any literal, it must occur in off
            shorter = Clauses(found.value.copy(), found.care.copy())
            shorter.value[:, place] = shorter.care[:, place] = False
            found = found[~found.care[:, place] | (_first_match(shorter, off) >= 0)]
        yield found, is_complete
        level = _grown_against(level[culprits >= 0], off[culprits[culprits >= 0]])
        if len(level) > most or time.monotonic() > deadline:
            level, is_complete = level[: 0 if time.monotonic() > deadline else most], False
    if not is_complete:
        yield level[:0], False


def _first_match(cubes: Clauses, patterns: ndarray) -> ndarray:
    """[K] the place of a packed pattern that each combination matches; -1 where it matches none."""
    places, begin, step = np.full(len(cubes), -1), 0, FIRST_PATTERNS
    while begin < len(patterns):
        left, some = np.flatnonzero(places < 0), patterns[begin : begin + step]
        for rows in portions(len(left), len(some)):
            hits = cubes[left[rows]].hold(some)
            places[left[rows]] = np.where(hits.any(1), begin + hits.argmax(1), -1)
        begin, step = begin + step, 4 * step
    return places


def _grown_against(level: Clauses, culprits: ndarray) -> Clauses:
    """Every conjunction with one more literal, one that its culprit fails."""
    fails = ~unpack(culprits, level.num_concepts)
    grown = [level[:0]]
    for place in range(level.num_concepts):
        is_free = ~level.care[:, place]
        grown.append(level[is_free].with_literal(place, fails[is_free, place]))
    return Clauses.join(grown).in_order()


@dataclass(frozen=True)
class Occurrences:
    """Distinct patterns in groups: those of the elements of a step, say.

    >>> patterns, owner = np.array([2, 3, 3], np.uint64), np.array([0, 0, 2])
    >>> groups = Occurrences(patterns, owner, num_groups=3, num_concepts=2)
    >>> a_or_not_b = Clauses(np.array([[1, 0], [0, 0]]) > 0, np.eye(2) > 0)
    >>> groups.table(a_or_not_b).tolist()
    [[True, False, True], [True, False, False]]
    """

    patterns: ndarray  # [P] packed
    owner: ndarray  # [P] the group of each
    num_groups: int
    num_concepts: int

    def take(self, chosen: ndarray) -> Occurrences:
        """The groups where ``chosen`` ([groups] bools) is true, numbered anew."""
        stays = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        return Occurrences(
            self.patterns[stays],
            number[self.owner[stays]],
            int(chosen.sum()),
            self.num_concepts,
        )

    def table(self, cubes: Clauses) -> ndarray:
        """[K, groups] does the combination match a pattern of the group?"""
        order = np.argsort(self.owner, kind="stable")
        filled, starts = np.unique(self.owner[order], return_index=True)
        table = np.zeros((len(cubes), self.num_groups), bool)
        if len(filled):
            for rows in portions(len(cubes), len(order)):
                hits = cubes[rows].hold(self.patterns[order])
                table[rows, filled] = np.logical_or.reduceat(hits, starts, axis=1)
        return table

    def parts(self) -> Iterator[Occurrences]:
        """The same groups, small ones first, in ever larger parts."""
        counts = np.bincount(self.owner, minlength=self.num_groups)
        place, begin = np.argsort(counts, kind="stable").argsort(), 0
        while begin < self.num_groups:
            end = 4 * begin + FIRST_GROUPS
            yield self.take((begin <= place) & (place < end))
            begin = end
