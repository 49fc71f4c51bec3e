"""Clauses grown from patterns: a sound cover where listing all prime implicants would take too
long.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from algolens.logic.clause_search import clause_bits
from algolens.logic.covering import Effort, greedy_cover, smallest_cover
from algolens.logic.cubes import Cubes
from algolens.logic.patterns import spread, unpack

AT_ONCE = 64  # seeds that grow side by side
PATIENCE = 12  # rounds that find no better cover, after which it stops
MAX_POOL = 1000  # clauses to choose a cover from; with more, there is no looking for better ones
WORK = 2**23  # seeds x patterns at a time
QUICK = Effort(max_nodes=1, max_table=1e4)  # for choosing a cover again and again


def grown_covers(
    on: np.ndarray, off: np.ndarray, num_concepts: int, *, deadline: float = math.inf
) -> Iterator[Cubes]:
    """Ever smaller sets of prime implicants that cover ``on`` and nothing of ``off`` ([M] and [F]
    packed patterns, distinct).

    Seeds are patterns of ``on``. Each grows literal by literal, always the one that keeps most of
    ``on`` for what it leaves of ``off``, until it covers nothing of ``off``; literals that turn out
    idle are dropped. First seeds are taken where nothing is covered yet; then anywhere, with
    patterns weighted at random, until nothing better is found for a while. After ``deadline`` (by
    ``time.monotonic``) nothing grows any more: patterns that are left stand for themselves.

    >>> on, off = np.array([4, 5, 6], np.uint64), np.array([0, 1, 2], np.uint64)
    >>> [cover.formulas(["a", "b", "c"]) for cover in grown_covers(on, off, 3)]
    [(Formula('a'),)]
    """
    grower = _Grower(on, off, num_concepts)
    pool = _first_pool(grower, deadline)
    random = np.random.default_rng(0)
    best, idle_rounds = _best_cover(on, pool), 0
    yield best
    while idle_rounds < PATIENCE and len(pool) < MAX_POOL and time.monotonic() < deadline:
        seeds = np.sort(random.choice(len(on), min(grower.at_once, len(on)), replace=False))
        weights = random.exponential(size=len(on)).astype(np.float32)
        pool = Cubes.join([pool, grower.grow(seeds, weights)]).in_order()
        found = _best_cover(on, pool)
        idle_rounds += 1
        if found.size < best.size:
            best, idle_rounds = found, 0
            yield best


def cover_exceeds(
    on: np.ndarray, off: np.ndarray, num_concepts: int, bits: float, *, deadline: float
) -> bool:
    """Whether a cover of ``on`` that holds nothing of ``off``, as it is grown, takes more than so
    many bits to write down.

    It grows no further than that takes, and to ``deadline`` at most: what is not known then counts
    as more.
    """
    grower = _Grower(on, off, num_concepts)
    uncovered, taken = np.ones(len(on), bool), 0.0
    while uncovered.any() and time.monotonic() < deadline:
        found = grower.grow(
            spread(np.flatnonzero(uncovered), grower.at_once), uncovered.astype(np.float32)
        )
        hits = found.covers(on[uncovered])
        chosen = greedy_cover(hits[hits.any(1)], found.num_literals)
        taken += float(clause_bits(found.num_literals[chosen], num_concepts).sum())
        uncovered[uncovered] = ~hits.any(1)
        if taken > bits:
            return True
    return bool(uncovered.any())


def _first_pool(grower: _Grower, deadline: float) -> Cubes:
    """Prime implicants that cover everything."""
    on, uncovered, pool = (
        grower.on,
        np.ones(len(grower.on), bool),
        Cubes.empty(0, grower.num_concepts),
    )
    while uncovered.any():
        if time.monotonic() > deadline and len(pool):
            return Cubes.join(
                [pool, Cubes.of_patterns(on[uncovered], grower.num_concepts)]
            ).in_order()
        found = grower.grow(
            spread(np.flatnonzero(uncovered), grower.at_once), uncovered.astype(np.float32)
        )
        hits = found.covers(on[uncovered])
        uncovered[uncovered] = ~hits.any(1)
        # the first round is kept whole: among those clauses there is most to choose from
        if len(pool):
            found = found[greedy_cover(hits[hits.any(1)], found.num_literals)]
        pool = Cubes.join([pool, found])
    return pool.in_order()


def _best_cover(on: np.ndarray, pool: Cubes) -> Cubes:
    return pool[smallest_cover(pool.covers(on), pool.num_literals, QUICK).chosen]


class _Grower:
    """Patterns as tables of zeros and ones, so that counting for many seeds at once is one product
    of matrices.
    """

    def __init__(self, on: np.ndarray, off: np.ndarray, num_concepts: int) -> None:
        self.on, self.num_concepts = on, num_concepts
        self.on_bits, self.off_bits = (
            unpack(patterns, num_concepts).astype(np.float32) for patterns in (on, off)
        )
        # a literal is a must where the pattern that differs from the seed in it alone is forbidden
        flips = np.uint64(1) << np.arange(num_concepts, dtype=np.uint64)[::-1]
        self.musts = np.stack([np.isin(on ^ flip, off) for flip in flips], 1)
        self.at_once = int(np.clip(WORK // (len(on) + len(off)), 1, AT_ONCE))

    def grow(self, seeds: np.ndarray, weights: np.ndarray) -> Cubes:
        """A prime implicant from each seed ([S] places in ``on``), ``weights`` [M] saying what is
        worth covering.
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
        return Cubes.from_bits(signs, self._without_idle(signs, care, weights)).in_order()

    def _most_telling(
        self, signs: np.ndarray, care: np.ndarray, left_on: np.ndarray, left_off: np.ndarray
    ) -> np.ndarray:
        """[S] the literal that tells most: patterns to cover that stay, times the bits by which
        what stays is purer.
        """
        on, off = _counts(signs, left_on, self.on_bits), _counts(signs, left_off, self.off_bits)
        all_on, all_off = left_on.sum(1, keepdims=True), left_off.sum(1, keepdims=True)
        tiny = np.float32(1e-9)
        gain = (on + tiny) * (
            np.log2((on + tiny) / (on + off + tiny))
            - np.log2((all_on + tiny) / (all_on + all_off + tiny))
        )
        return np.where((off < all_off) & ~care, gain, -np.inf).argmax(1)

    def _without_idle(self, signs: np.ndarray, care: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """[S, C] care with literals dropped, one after the other, that keep nothing of ``off``
        out.
        """
        while True:
            keeps_out = _counts(
                signs,
                (_misses(signs, care, self.off_bits) == 1).astype(np.float32),
                self.off_bits,
                agree=False,
            )
            idle = care & (keeps_out == 0)
            rows = np.flatnonzero(idle.any(1))
            if len(rows) == 0:
                return care
            missed = weights * (_misses(signs[rows], care[rows], self.on_bits) == 1)
            gain = np.where(idle[rows], _counts(signs[rows], missed, self.on_bits, agree=False), -1)
            care[rows, gain.argmax(1)] = False


def _counts(
    signs: np.ndarray, weights: np.ndarray, bits: np.ndarray, agree: bool = True
) -> np.ndarray:
    """[S, C] the weight of the patterns ([S, M]) that agree, or disagree, with each seed in each
    concept.
    """
    ones = weights @ bits
    return np.where(signs == agree, ones, weights.sum(1, keepdims=True) - ones)


def _misses(signs: np.ndarray, care: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """[S, M] in how many of its literals each seed's cube misses each pattern."""
    return np.where(care, np.where(signs, -1, 1), 0).astype(np.float32) @ bits.T + (
        signs & care
    ).sum(1, keepdims=True)
