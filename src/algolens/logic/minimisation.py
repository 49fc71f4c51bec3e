"""Minimisation: the smallest formula that holds where it must and not where it must not."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.errors import FormulaError
from algolens.logic.clause_search import ClauseGrower
from algolens.logic.clauses import Clauses, clause_bits, prime_implicants, prime_implicants_of_few
from algolens.logic.covering import (
    Effort,
    fewest_literals,
    greedy_cover,
    smallest_cover,
    witnesses,
)
from algolens.logic.formula import FALSE, TRUE, Formula, disjunction
from algolens.logic.names import check_names
from algolens.logic.patterns import pack, packed_type, pattern_in_words, spread, telling, unpack

MAX_LISTED_CONCEPTS = 14  # 3**14 is 5 million conjunctions, which takes a tenth of a second
QUICKLY_LISTED = 11  # concepts, of which listing takes no time to speak of
LISTING_SECONDS = 1.0  # that must be left to list those of more, where a right formula is known
MAX_FEW = 150  # forbidden patterns, up to which prime implicants of more concepts are listed too
MAX_LISTED = 20_000  # prime implicants of more concepts
MAX_WEIGHED = 5e7  # prime implicants x patterns that are weighed against each other
IDLE_ROUNDS = 12  # rounds that grow no better cover, after which it stops
MAX_GROWN = 1000  # clauses to choose a cover from; with more, there is no looking for better ones
QUICK = Effort(max_nodes=1, max_table=1e4)  # for choosing a cover again and again


@dataclass(frozen=True)
class Minimised:
    """A formula in disjunctive normal form, and what is known of its size."""

    formula: Formula
    # one conjunction each: fewer literals first, then in the order of the concepts
    clauses: tuple[Formula, ...]
    proven: bool  # no formula has fewer clauses, and of those with as few none has fewer literals
    how: str  # a sentence: how it was found

    def __str__(self) -> str:
        return str(self.formula)


def minimise(
    names: Sequence[str],
    true: np.ndarray,
    false: np.ndarray | None,
    *,
    seconds: float = 10.0,
    known: Clauses | None = None,
) -> Minimised:
    """Find the formula with the fewest clauses, then literals, that fits true and false patterns.

    Parameters
    ----------
    names
        The concepts.
    true, false
        Packed patterns (see ``pack``) on which the formula must hold, and must not. What it says
        elsewhere does not matter. With None for ``false``, it is false on all but the true ones.
    seconds
        About how long a proof that none is smaller may take. Without one, the formula is as small
        as was found, and just as right.
    known
        A right formula, as clauses over ``names``, which a proof may find to be smallest.

    Raises
    ------
    FormulaError
        If a pattern is both true and false, or is no pattern of so many concepts.

    Examples
    --------
    >>> minimise(["a", "b", "c"], np.array([4, 5, 7]), np.array([0, 3])).formula
    Formula('a')
    >>> smallest = minimise(["a", "b", "c"], np.array([4, 5, 7]), None)
    >>> smallest.clauses, smallest.proven
    ((Formula('a & c'), Formula('a & ~b')), True)
    """
    names = tuple(names)
    check_names(names, "a concept")
    packed_type(len(names))  # refuses too many
    on = _checked_patterns("true", true, names)
    off = _checked_patterns("false", () if false is None else false, names)
    _refuse_overlap(names, on, off)
    if len(on) == 0:
        return Minimised(FALSE, (), True, "It is to hold nowhere.")
    if false is None:
        off = _surroundings(on, len(names))
    if len(off) == 0:
        return Minimised(TRUE, (TRUE,), True, "It is to fail nowhere.")
    places = telling(unpack(np.concatenate([on, off]), len(names)))
    on, off = (
        pack(unpack(patterns, len(names))[:, places]).astype(np.uint64) for patterns in (on, off)
    )
    if known is not None:
        speaks_of_others = np.delete(known.care, places, axis=1).any()
        known = None if speaks_of_others else Clauses(known.value[:, places], known.care[:, places])
    problem = _Problem(on, off, len(places), time.monotonic() + seconds)
    cover = problem.smallest(known)
    clauses = cover.clauses.in_order().formulas([names[i] for i in places])
    return Minimised(disjunction(*clauses), clauses, cover.is_smallest, cover.how)


@dataclass(frozen=True)
class _Cover:
    """Clauses that hold on all true patterns and no false one, and what is proven of them."""

    clauses: Clauses
    is_fewest: bool
    is_smallest: bool
    way: str  # in which they were found

    @property
    def how(self) -> str:
        """A sentence: how they were found, and what is proven."""
        if self.is_smallest:
            return f"{self.way}; it is proven that none is smaller."
        if self.is_fewest:
            return f"{self.way}; no formula has fewer clauses, though one may have fewer literals."
        return f"{self.way}; a smaller one may exist."


@dataclass(frozen=True)
class _Problem:
    """Which clauses hold on every pattern of ``on`` and on none of ``off``."""

    on: np.ndarray  # [M] packed, distinct
    off: np.ndarray  # [F] packed, distinct
    num_concepts: int
    deadline: float  # by time.monotonic

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def smallest(self, known: Clauses | None) -> _Cover:
        """The cover that came, if that is proven; else the smaller of that and one searched for."""
        if known is None:
            return self.searched()
        came = self.judged(known, "Clauses were added and exchanged")
        is_slow = self.num_concepts > QUICKLY_LISTED and self.seconds_left < LISTING_SECONDS
        if came.is_smallest or self.seconds_left <= 0 or is_slow:
            return came
        searched = self.searched()
        return searched if searched.is_smallest or searched.clauses.size < known.size else came

    def searched(self) -> _Cover:
        """From all prime implicants where they can be listed and weighed, else grown."""
        if self.num_concepts <= MAX_LISTED_CONCEPTS:
            listed = self.chosen(prime_implicants(self.on, self.off, self.num_concepts))
            if listed is not None and (listed.is_fewest or self.seconds_left < 0):
                return listed
            grown = self.grown()
        else:
            grown = self.grown()
            if grown.is_smallest or len(self.off) > MAX_FEW:
                return grown
            primes = prime_implicants_of_few(
                self.on, self.off, self.num_concepts, at_most=MAX_LISTED, deadline=self.deadline
            )
            listed = None if primes is None else self.chosen(primes)
        if listed is None:
            return grown
        is_better = listed.is_smallest or listed.clauses.size <= grown.clauses.size
        return listed if is_better else grown

    def chosen(self, primes: Clauses) -> _Cover | None:
        """A cover chosen from all prime implicants; None where they are too many."""
        if len(primes) * len(self.on) > MAX_WEIGHED:
            return None
        best = smallest_cover(
            primes.hold(self.on).T, primes.num_literals, Effort(self.seconds_left)
        )
        way = f"Chosen from all {len(primes)} prime implicants"
        return _Cover(primes[best.chosen], best.is_fewest, best.is_cheapest, way)

    def grown(self) -> _Cover:
        """Grown until it is proven smallest, or no smaller one turns up, or time is over."""
        for clauses in grown_covers(self.on, self.off, self.num_concepts, deadline=self.deadline):
            cover = self.judged(clauses, "Clauses were grown from the patterns")
            if cover.is_smallest or self.seconds_left < 0:
                break
        return cover

    def judged(self, clauses: Clauses, way: str) -> _Cover:
        """The clauses, with what witnesses prove of them."""
        return _Cover(clauses, *proven_size(clauses, self.on, self.off, self.deadline), way)


def proven_size(
    cover: Clauses, on: np.ndarray, off: np.ndarray, deadline: float = math.inf
) -> tuple[bool, bool]:
    """Whether witnesses prove that no cover has fewer clauses, and none of as few is shorter."""
    patterns = witnesses(cover, on, off)
    if patterns is None:
        return False, False
    needed = 0
    for pattern in patterns:
        seconds = min(10.0, deadline - time.monotonic())
        fewest = fewest_literals(pattern, off, cover.num_concepts, seconds) if seconds > 0 else None
        if fewest is None:
            return True, False
        needed += fewest
    return True, needed == cover.size[1]


def grown_covers(
    on: np.ndarray, off: np.ndarray, num_concepts: int, *, deadline: float = math.inf
) -> Iterator[Clauses]:
    """Ever smaller sets of prime implicants that cover ``on`` and nothing of ``off`` (packed).

    First seeds grow where nothing is covered yet; then anywhere, with patterns weighted at random,
    until nothing better is found for a while. After ``deadline`` (by ``time.monotonic``) nothing
    grows any more: patterns that are left stand for themselves.

    >>> on, off = np.array([4, 5, 6], np.uint64), np.array([0, 1, 2], np.uint64)
    >>> [cover.formulas(["a", "b", "c"]) for cover in grown_covers(on, off, 3)]
    [(Formula('a'),)]
    """
    grower = ClauseGrower(on, off, num_concepts)
    uncovered = np.ones(len(on), bool)
    parts: list[Clauses] = []
    for clauses, hits in _grown_rounds(grower, uncovered, deadline):
        # the first round is kept whole: among those clauses there is most to choose from
        parts.append(clauses[greedy_cover(hits, clauses.num_literals)] if parts else clauses)
    parts.append(Clauses.of_patterns(on[uncovered], num_concepts))
    pool = Clauses.join(parts).in_order()
    random = np.random.default_rng(0)
    best, idle_rounds = _best_cover(on, pool), 0
    yield best
    while idle_rounds < IDLE_ROUNDS and len(pool) < MAX_GROWN and time.monotonic() < deadline:
        seeds = np.sort(random.choice(len(on), min(grower.num_seeds, len(on)), replace=False))
        weights = random.exponential(size=len(on)).astype(np.float32)
        pool = Clauses.join([pool, grower.grow(seeds, weights)]).in_order()
        cover = _best_cover(on, pool)
        idle_rounds += 1
        if cover.size < best.size:
            best, idle_rounds = cover, 0
            yield best


def cover_exceeds(
    on: np.ndarray, off: np.ndarray, num_concepts: int, bits: float, *, deadline: float
) -> bool:
    """Whether a cover of ``on`` without ``off``, as it is grown, takes more than so many bits.

    It grows to ``deadline`` at most: what is not known then counts as more.
    """
    taken, uncovered = 0.0, np.ones(len(on), bool)
    if time.monotonic() < deadline:
        grower = ClauseGrower(on, off, num_concepts)
        for clauses, hits in _grown_rounds(grower, uncovered, deadline):
            chosen = greedy_cover(hits, clauses.num_literals)
            taken += float(clause_bits(clauses.num_literals[chosen], num_concepts).sum())
            if taken > bits:
                return True
    return bool(uncovered.any())


def _grown_rounds(
    grower: ClauseGrower, uncovered: np.ndarray, deadline: float
) -> Iterator[tuple[Clauses, np.ndarray]]:
    """Clauses grown from what is uncovered ([M] bools, kept up to date), and the rows they hit."""
    while uncovered.any():
        seeds = spread(np.flatnonzero(uncovered), grower.num_seeds)
        clauses = grower.grow(seeds, uncovered.astype(np.float32))
        hits = clauses.hold(grower.on[uncovered]).T
        uncovered[uncovered] = ~hits.any(1)
        yield clauses, hits[hits.any(1)]
        if time.monotonic() > deadline:
            return


def _best_cover(on: np.ndarray, pool: Clauses) -> Clauses:
    return pool[smallest_cover(pool.hold(on).T, pool.num_literals, QUICK).chosen]


def _surroundings(on: np.ndarray, num_concepts: int) -> np.ndarray:
    """The other patterns that differ from one of ``on`` in one concept.

    They stand for all others: a clause that holds on one of ``on`` and on something else holds on
    two neighbours, one in ``on`` and one not.
    """
    flips = np.uint64(1) << np.arange(num_concepts, dtype=np.uint64)
    return np.setdiff1d(on[:, None] ^ flips, on)


def _checked_patterns(which: str, patterns: object, names: tuple[str, ...]) -> np.ndarray:
    """The distinct patterns in order, as numbers of 64 bits."""
    array = np.asarray(patterns)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise FormulaError(
            f"the {which} patterns came as {array.dtype} of shape {list(array.shape)}; they are "
            "whole numbers, one a pattern: pack bools of shape [patterns, concepts] with "
            "algolens.logic.pack."
        )
    outside = array[(array < 0) | (array > 2 ** len(names) - 1)] if array.size else array
    if outside.size:
        raise FormulaError(
            f"{outside[0]}, among the {which} patterns, is no pattern of the {len(names)} concepts "
            f"{', '.join(names)}: those go from 0 to {2 ** len(names) - 1}."
        )
    return np.unique(array.astype(np.uint64))


def _refuse_overlap(names: tuple[str, ...], on: np.ndarray, off: np.ndarray) -> None:
    both = np.intersect1d(on, off)
    if both.size:
        pattern = pattern_in_words(int(both[0]), names)
        raise FormulaError(
            f"the pattern '{pattern}' is to be true and false at once ({both.size} such patterns "
            "came). Keep each on one side, by the majority of its samples, say; or find the "
            "concept that is missing."
        )
