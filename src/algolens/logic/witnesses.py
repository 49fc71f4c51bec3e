"""Witnesses: patterns that prove a cover smallest without a list of all prime implicants."""

from __future__ import annotations

import numpy as np

from algolens.logic.covering import Effort, smallest_cover
from algolens.logic.cubes import Cubes
from algolens.logic.patterns import spread, unpack

MAX_CANDIDATES = 128  # patterns to choose witnesses from; a few for each clause
MAX_COMPARED = 3e8  # pairs of candidates, times forbidden patterns


def witnesses(cover: Cubes, on: np.ndarray, off: np.ndarray) -> np.ndarray | None:
    """A pattern for each clause of ``cover``, no two of which any clause can share; None where none
    were found.

    Two patterns lie in a common clause only if no pattern of ``off`` lies in the smallest cube that
    holds both. As many patterns as clauses, pairwise apart, prove that ``on`` cannot be covered
    with fewer.

    >>> on, off = np.array([1, 2], np.uint64), np.array([0, 3], np.uint64)
    >>> cover = Cubes.from_bits(np.array([[False, True], [True, False]]), np.array([[True, True], [True, True]]))
    >>> witnesses(cover, on, off).tolist()
    [1, 2]
    """
    hits = cover.covers(on)
    # each clause holds one witness at most, so a witness lies in one clause only
    alone = hits.sum(1) == 1
    each = max(2, MAX_CANDIDATES // len(cover))
    if (each * len(cover)) ** 2 * len(off) > MAX_COMPARED:
        return None
    places = [spread(np.flatnonzero(alone & hits[:, clause]), each) for clause in range(len(cover))]
    owner = np.repeat(np.arange(len(cover)), [len(of_clause) for of_clause in places])
    candidates = on[np.concatenate(places)]
    is_apart = np.stack([_apart(candidate, candidates, off) for candidate in candidates])
    chosen = _one_each(is_apart, owner, len(cover))
    return None if chosen is None else candidates[chosen]


def fewest_literals(
    pattern: np.ndarray, off: np.ndarray, num_concepts: int, seconds: float = 10.0
) -> int | None:
    """How many literals a clause that holds the pattern needs at least, to hold nothing of ``off``;
    None if not proven.

    >>> fewest_literals(np.uint64(3), np.array([0, 1, 2], np.uint64), 2)
    2
    """
    # every forbidden pattern must differ in one of the literals
    differs = unpack(off ^ pattern, num_concepts)
    cover = smallest_cover(differs, np.ones(num_concepts), Effort(seconds, max_nodes=100))
    return len(cover.chosen) if cover.is_fewest else None


def _apart(pattern: np.ndarray, others: np.ndarray, off: np.ndarray) -> np.ndarray:
    """[J] does a forbidden pattern lie in the smallest cube that holds the pattern and the
    other?
    """
    shared = ~(pattern ^ others)
    return (((off ^ pattern)[:, None] & shared) == 0).any(0)


def _one_each(is_apart: np.ndarray, owner: np.ndarray, num_clauses: int) -> list[int] | None:
    """One candidate of each clause, all pairwise apart, from any first one, then always the one
    that leaves most choice.
    """
    for first in np.flatnonzero(owner == 0):
        chosen, open_to = [int(first)], is_apart[first]
        for clause in range(1, num_clauses):
            free = np.flatnonzero(open_to & (owner == clause))
            if len(free) == 0:
                break
            best = int(free[(is_apart[free] & open_to).sum(1).argmax()])
            chosen.append(best)
            open_to = open_to & is_apart[best]
        else:
            return chosen
    return None
