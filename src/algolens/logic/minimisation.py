"""Minimisation: the smallest formula that holds where it must and not where it must not."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.errors import FormulaError
from algolens.logic.covering import Effort, fewest_literals, smallest_cover, witnesses
from algolens.logic.cubes import Cubes, prime_implicants, prime_implicants_of_few
from algolens.logic.formula import FALSE, TRUE, Formula, disjunction
from algolens.logic.growing import grown_covers
from algolens.logic.names import check_names
from algolens.logic.patterns import pack, packed_type, pattern_in_words, telling, unpack

MAX_LISTED_CONCEPTS = 14  # 3**14 is 5 million conjunctions, which takes a tenth of a second
QUICKLY_LISTED = 11  # concepts, of which listing takes no time to speak of
LISTING_SECONDS = 1.0  # that must be left to list those of more, where a right formula is known
MAX_FEW = 150  # forbidden patterns, up to which prime implicants of more concepts are listed too
MAX_LISTED = 20_000  # prime implicants of more concepts
MAX_WEIGHED = 5e7  # prime implicants x patterns that are weighed against each other


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
    known: Cubes | None = None,
) -> Minimised:
    """The formula with the fewest clauses, and among those the fewest literals, that holds on
    ``true`` and not on ``false``.

    ``true`` and ``false`` are packed patterns of the concepts ``names``: see ``pack``. What it says
    elsewhere does not matter. With None for ``false``, it is false on every pattern but the true
    ones.

    It is exact, and says so, where that can be proven in about ``seconds``; else as small as was
    found, and just as right.
    known: a formula that is right, as cubes over ``names``, which a proof may find to be smallest
    before any search.

    >>> minimise(["a", "b", "c"], np.array([4, 5, 7]), np.array([0, 3])).formula
    Formula('a')
    >>> found = minimise(["a", "b", "c"], np.array([4, 5, 7]), None)
    >>> found.clauses, found.proven
    ((Formula('a & c'), Formula('a & ~b')), True)
    """
    names = _checked_names(names)
    on, off = (
        _checked_patterns("true", true, names),
        _checked_patterns("false", () if false is None else false, names),
    )
    _refuse_overlap(names, on, off)
    on, off = np.unique(on), np.unique(off)
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
    known = None if known is None else _over(known, places)
    found = _smallest(on, off, len(places), time.monotonic() + seconds, known)
    clauses = found.cover.in_order().formulas([names[i] for i in places])
    return Minimised(disjunction(*clauses), clauses, found.is_smallest, found.how)


@dataclass(frozen=True)
class _Found:
    """A cover, and what is proven of it."""

    cover: Cubes
    is_fewest: bool
    is_smallest: bool
    how: str


def _over(known: Cubes, places: np.ndarray) -> Cubes | None:
    """The same cubes over some of the concepts; None where they speak of others."""
    value, care = unpack(known.value, known.num_concepts), unpack(known.care, known.num_concepts)
    is_told = np.isin(np.arange(known.num_concepts), places)
    return None if care[:, ~is_told].any() else Cubes.from_bits(value[:, places], care[:, places])


def _smallest(
    on: np.ndarray, off: np.ndarray, num_concepts: int, deadline: float, known: Cubes | None
) -> _Found:
    """The smallest cover known: the one that came, if that is proven; else of two ways the one that
    finds the smaller.
    """
    if known is None:
        return _searched(on, off, num_concepts, deadline)
    is_fewest, is_smallest = _proven(known, on, off, deadline)
    came = _Found(
        known,
        is_fewest,
        is_smallest,
        f"Clauses were added and exchanged; {_claim(is_fewest, is_smallest)}.",
    )
    left = deadline - time.monotonic()
    if is_smallest or left <= 0 or (num_concepts > QUICKLY_LISTED and left < LISTING_SECONDS):
        return came
    found = _searched(on, off, num_concepts, deadline)
    return found if found.is_smallest or found.cover.size < known.size else came


def _searched(on: np.ndarray, off: np.ndarray, num_concepts: int, deadline: float) -> _Found:
    """The smallest cover found: from all prime implicants where they can be listed and weighed,
    else grown.
    """
    if num_concepts <= MAX_LISTED_CONCEPTS:
        listed = _chosen(prime_implicants(on, off, num_concepts), on, deadline)
        if listed is not None and (listed.is_fewest or time.monotonic() > deadline):
            return listed
        return _smaller(_grown(on, off, num_concepts, deadline), listed)
    grown = _grown(on, off, num_concepts, deadline)
    if grown.is_smallest or len(off) > MAX_FEW:
        return grown
    primes = prime_implicants_of_few(on, off, num_concepts, at_most=MAX_LISTED, deadline=deadline)
    return _smaller(grown, None if primes is None else _chosen(primes, on, deadline))


def _smaller(grown: _Found, listed: _Found | None) -> _Found:
    """Of two covers the one that is known to be smallest, else the smaller."""
    if listed is None:
        return grown
    return listed if listed.is_smallest or listed.cover.size <= grown.cover.size else grown


def _chosen(primes: Cubes, on: np.ndarray, deadline: float) -> _Found | None:
    """A cover chosen from all prime implicants; None where they are too many."""
    if len(primes) * len(on) > MAX_WEIGHED:
        return None
    best = smallest_cover(
        primes.covers(on), primes.num_literals, Effort(deadline - time.monotonic())
    )
    return _Found(
        primes[best.chosen],
        best.is_fewest,
        best.is_cheapest,
        f"Chosen from all {len(primes)} prime implicants; "
        f"{_claim(best.is_fewest, best.is_cheapest)}.",
    )


def _grown(on: np.ndarray, off: np.ndarray, num_concepts: int, deadline: float) -> _Found:
    """A cover grown from the patterns, until it is proven smallest, or no smaller one turns up, or
    time is over.
    """
    for cover in grown_covers(on, off, num_concepts, deadline=deadline):
        best, (is_fewest, is_smallest) = cover, _proven(cover, on, off, deadline)
        if is_smallest or time.monotonic() > deadline:
            break
    return _Found(
        best,
        is_fewest,
        is_smallest,
        f"Clauses were grown from the patterns; {_claim(is_fewest, is_smallest)}.",
    )


def _proven(
    cover: Cubes, on: np.ndarray, off: np.ndarray, deadline: float = math.inf
) -> tuple[bool, bool]:
    """Whether witnesses prove that no cover has fewer clauses, and that none with as few has fewer
    literals.
    """
    found = witnesses(cover, on, off)
    if found is None:
        return False, False
    needed = 0
    for pattern in found:
        seconds = min(10.0, deadline - time.monotonic())
        fewest = fewest_literals(pattern, off, cover.num_concepts, seconds) if seconds > 0 else None
        if fewest is None:
            return True, False
        needed += fewest
    return True, needed == cover.size[1]


def _claim(is_fewest: bool, is_smallest: bool) -> str:
    if is_smallest:
        return "it is proven that none is smaller"
    return (
        "no formula has fewer clauses, though one may have fewer literals"
        if is_fewest
        else "a smaller one may exist"
    )


def _surroundings(on: np.ndarray, num_concepts: int) -> np.ndarray:
    """The other patterns that differ from one of ``on`` in one concept.

    They stand for all others: a cube that holds some of ``on`` and something else holds two
    neighbours, one in ``on`` and one not.
    """
    flips = np.uint64(1) << np.arange(num_concepts, dtype=np.uint64)
    return np.setdiff1d(on[:, None] ^ flips, on)


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    names = tuple(names)
    check_names(names, "a concept")
    packed_type(len(names))  # refuses too many
    return names


def _checked_patterns(which: str, patterns: object, names: tuple[str, ...]) -> np.ndarray:
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
    return array.astype(np.uint64)


def _refuse_overlap(names: tuple[str, ...], on: np.ndarray, off: np.ndarray) -> None:
    both = on[np.isin(on, off)]
    if both.size:
        pattern = pattern_in_words(int(both[0]), names)
        raise FormulaError(
            f"the pattern '{pattern}' is to be true and false at once "
            f"({np.unique(both).size} such patterns came). Keep each on one side, by the majority "
            "of its samples, say; or find the concept that is missing."
        )
