"""The search for single clauses: all are weighed, or some grow from patterns that they hold on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy import ndarray

from algolens.logic.clauses import Clauses, clause_bits, over_all_clauses
from algolens.logic.patterns import pack

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
