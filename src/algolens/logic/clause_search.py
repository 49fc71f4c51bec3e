"""The search for single clauses: those that save most errors, and those that hold on seeds."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from algolens.logic.clauses import Clauses, clause_bits, over_all_clauses
from algolens.logic.patterns import pack, unpack

MAX_TABLE_CONCEPTS = 11  # of so many, every conjunction is weighed: 3**11 is 177 thousand
BEAM = 48  # conjunctions of one size that grow further; of more, the most telling
IDLE_LEVELS = 4  # literals more that make no conjunction better, after which none grows
KEPT = 12  # of the best conjunctions of a search, which later choices are made from
MAX_SEEDS = 64  # that grow side by side
WORK = 2**23  # seeds x patterns at a time


class ClauseSearch:
    """Looks for the clauses that save most errors, on patterns [M, C] (bools, distinct).

    All clauses are weighed where there are few concepts; of more, the best are found by a beam.
    """

    def __init__(self, patterns: np.ndarray) -> None:
        self.num_concepts = patterns.shape[1]
        self.is_listed = self.num_concepts <= MAX_TABLE_CONCEPTS
        self.rows = pack(patterns) if self.is_listed else np.zeros(0, int)
        self.table = patterns.astype(np.float32)
        self.bits = clause_bits(np.arange(self.num_concepts + 1), self.num_concepts)
        self.marks = np.random.default_rng(0).integers(
            0, 2**64, (2, self.num_concepts), dtype=np.uint64
        )

    def best(self, saved: np.ndarray, price: float) -> Clauses:
        """The best clauses, the best one first; saved: [M] errors that covering a pattern saves.

        A clause is as good as ``price`` times the errors that it saves, less the bits it takes.
        """
        return self._listed(saved, price) if self.is_listed else self._by_beam(saved, price)

    def _listed(self, saved: np.ndarray, price: float) -> Clauses:
        sums = np.bincount(self.rows, weights=saved, minlength=2**self.num_concepts)
        sums = over_all_clauses(sums.astype(np.float32), self.num_concepts, np.add)
        gains = np.float32(price) * sums - _bits_of_all_clauses(self.num_concepts)
        best = np.argpartition(-gains, min(KEPT, len(gains) - 1))[:KEPT]
        best = best[np.argsort(-gains[best], kind="stable")]
        return Clauses.numbered(best, self.num_concepts)

    def _by_beam(self, saved: np.ndarray, price: float) -> Clauses:
        """Literal by literal; what cannot become better than the best is left."""
        matters = np.flatnonzero(saved)
        table, saved = self.table[matters], saved[matters].astype(np.float32)
        gain, loss = np.maximum(saved, 0), np.maximum(-saved, 0)
        all_gain, all_loss = float(gain.sum()), float(loss.sum())
        share = all_gain / max(all_gain + all_loss, 1e-9)
        level, held = Clauses.empty(1, self.num_concepts), np.ones((1, len(matters)), np.float32)
        marks, idle_levels = np.zeros(1, np.uint64), 0
        levels, scores = [level], [np.array([price * (all_gain - all_loss) - self.bits[0]])]
        for size in range(1, self.num_concepts + 1):
            ones = np.concatenate([(held * gain) @ table, (held * loss) @ table], 0).reshape(
                2, len(level), -1
            )
            totals = np.stack([held @ gain, held @ loss])[:, :, None]
            # [2, B, 2, C]: gain and loss of each with one literal more, the opposite first
            grown_gain, grown_loss = np.stack([totals - ones, ones], 2)
            score = price * (grown_gain - grown_loss) - self.bits[size]
            best = max(float(of_level.max()) for of_level in scores)
            hopeful = price * grown_gain - self.bits[size] > best
            # a literal that keeps nothing wrong out is idle, in whatever it grows into too
            hopeful &= ~level.care[:, None, :] & (grown_loss < totals[1][:, :, None])
            telling = np.where(hopeful, grown_gain * (1 - share) - share * grown_loss, -np.inf)
            chosen = _largest(telling.reshape(-1), 4 * BEAM)
            chosen = chosen[telling.reshape(-1)[chosen] > -np.inf]
            if not len(chosen):
                break
            parent, sign, place = np.unravel_index(chosen, telling.shape)
            # conjunctions of the same literals have the same mark, in whatever order they grew
            mark = marks[parent] + self.marks[sign, place]
            first = np.sort(np.unique(mark, return_index=True)[1])[:BEAM]
            parent, sign, place, marks = parent[first], sign[first], place[first], mark[first]
            level = level[parent]
            level.value[np.arange(len(level)), place] = sign == 1
            level.care[np.arange(len(level)), place] = True
            held = held[parent] * (sign[:, None] == table[:, place].T)
            levels.append(level)
            scores.append(score[parent, sign, place])
            idle_levels = 0 if scores[-1].max() > best else idle_levels + 1
            if best > 0 and idle_levels == IDLE_LEVELS:
                break
        order = np.argsort(-np.concatenate(scores), kind="stable")
        return Clauses.join(levels)[order[:KEPT]]


@lru_cache(maxsize=2)
def _bits_of_all_clauses(num_concepts: int) -> np.ndarray:
    """[3**C] by the numbers of the clauses."""
    num_literals = Clauses.numbered(np.arange(3**num_concepts), num_concepts).num_literals
    return clause_bits(num_literals, num_concepts).astype(np.float32)


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """The places of the largest values, the largest first."""
    if len(values) > count:
        places = np.sort(np.argpartition(-values, count)[:count])
        return places[np.argsort(-values[places], kind="stable")]
    return np.argsort(-values, kind="stable")


class ClauseGrower:
    """Grows prime implicants from seeds: patterns of ``on``, against patterns of ``off`` (packed).

    Patterns are tables of zeros and ones, so that counting for many seeds is one matrix product.
    """

    def __init__(self, on: np.ndarray, off: np.ndarray, num_concepts: int) -> None:
        self.on, self.num_concepts = on, num_concepts
        self.on_bits, self.off_bits = (
            unpack(patterns, num_concepts).astype(np.float32) for patterns in (on, off)
        )
        # a literal is a must where the pattern that differs from the seed in it alone is forbidden
        flips = np.uint64(1) << np.arange(num_concepts, dtype=np.uint64)[::-1]
        self.musts = np.stack([np.isin(on ^ flip, off) for flip in flips], 1)
        self.num_seeds = int(np.clip(WORK // (len(on) + len(off)), 1, MAX_SEEDS))

    def grow(self, seeds: np.ndarray, weights: np.ndarray) -> Clauses:
        """A prime implicant from each seed ([S] places in ``on``).

        weights: [M] what covering each pattern of ``on`` is worth.
        """
        signs, care = self.on_bits[seeds] > 0, self.musts[seeds].copy()
        left_on = weights * (_misses(signs, care, self.on_bits) == 0)
        left_off = (_misses(signs, care, self.off_bits) == 0).astype(np.float32)
        growing = np.flatnonzero(left_off.any(1))
        left_on, left_off = left_on[growing], left_off[growing]
        while len(growing):
            chosen = self._most_telling(signs[growing], care[growing], left_on, left_off)
            care[growing, chosen] = True
            sign = signs[growing, chosen][:, None]
            left_on = left_on * (sign == (self.on_bits[:, chosen] > 0).T)
            left_off = left_off * (sign == (self.off_bits[:, chosen] > 0).T)
            more = left_off.any(1)
            growing, left_on, left_off = growing[more], left_on[more], left_off[more]
        care = self._without_idle(signs, care, weights)
        return Clauses(signs & care, care).in_order()

    def _most_telling(
        self, signs: np.ndarray, care: np.ndarray, left_on: np.ndarray, left_off: np.ndarray
    ) -> np.ndarray:
        """[S] the literal by which most of ``on`` stays, times the bits of purity that it gains."""
        on, off = _counts(signs, left_on, self.on_bits), _counts(signs, left_off, self.off_bits)
        all_on, all_off = left_on.sum(1, keepdims=True), left_off.sum(1, keepdims=True)
        tiny = np.float32(1e-9)
        gain = (on + tiny) * (
            np.log2((on + tiny) / (on + off + tiny))
            - np.log2((all_on + tiny) / (all_on + all_off + tiny))
        )
        return np.where((off < all_off) & ~care, gain, -np.inf).argmax(1)

    def _without_idle(self, signs: np.ndarray, care: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """[S, C] care with literals dropped one by one that keep nothing of ``off`` out."""
        while True:
            almost = (_misses(signs, care, self.off_bits) == 1).astype(np.float32)
            idle = care & (_counts(~signs, almost, self.off_bits) == 0)
            rows = np.flatnonzero(idle.any(1))
            if len(rows) == 0:
                return care
            missed = weights * (_misses(signs[rows], care[rows], self.on_bits) == 1)
            gain = np.where(idle[rows], _counts(~signs[rows], missed, self.on_bits), -1)
            care[rows, gain.argmax(1)] = False


def _counts(signs: np.ndarray, weights: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """[S, C] the weight of the patterns ([S, M]) that agree with each seed's sign of a concept."""
    ones = weights @ bits
    return np.where(signs, ones, weights.sum(1, keepdims=True) - ones)


def _misses(signs: np.ndarray, care: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """[S, M] in how many of its literals each seed's clause misses each pattern."""
    return np.where(care, np.where(signs, -1, 1), 0).astype(np.float32) @ bits.T + (
        signs & care
    ).sum(1, keepdims=True)
