"""In which groups of patterns a conjunction occurs, and conjunctions that grow by a literal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy import ndarray

from algolens.logic.clauses import Clauses, portions
from algolens.logic.patterns import unpack

# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_PATTERNS = 256


def plainest_first(clauses: Clauses) -> Clauses:
    """In order: fewer literals, then earlier concepts, then fewer opposites."""
    opposites = (clauses.care & ~clauses.value).sum(1)
    return clauses[
        np.lexsort((~clauses.packed_value, opposites, ~clauses.packed_care, clauses.num_literals))
    ]


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
        level = level[on.lacks(level, at_most=0) == 0]
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
    >>> a_or_not_b = Clauses.of_packed(np.array([2, 0], np.uint64), np.array([2, 1], np.uint64), 2)
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
        patterns, filled, starts = self._by_group
        table = np.zeros((len(cubes), self.num_groups), bool)
        if len(filled):
            for rows in portions(len(cubes), len(patterns)):
                hits = cubes[rows].hold(patterns)
                table[rows, filled] = np.logical_or.reduceat(hits, starts[:-1], axis=1)
        return table

    def count(self, cubes: Clauses) -> ndarray:
        """[K] in how many groups the combination matches a pattern."""
        return self.num_groups - self.lacks(cubes, self.num_groups)

    def lacks(self, cubes: Clauses, at_most: float) -> ndarray:
        """[K] in how many groups it matches nothing; exact up to ``at_most``."""
        patterns, filled, starts = self._by_group
        counts = np.full(len(cubes), self.num_groups - len(filled))
        begin, step = 0, FIRST_PATTERNS
        while begin < len(filled):
            left = np.flatnonzero(counts <= at_most)
            end = max(begin + 1, int(np.searchsorted(starts[:-1], starts[begin] + step)))
            some = patterns[starts[begin] : starts[end]]
            for rows in portions(len(left), len(some)):
                hits = cubes[left[rows]].hold(some)
                groups = np.logical_or.reduceat(hits, starts[begin:end] - starts[begin], axis=1)
                counts[left[rows]] += (~groups).sum(1)
            begin, step = end, 4 * step
        return counts

    @cached_property
    def _by_group(self) -> tuple[ndarray, ndarray, ndarray]:
        """Patterns by group, small groups first; these groups, and between which places each is."""
        counts = np.bincount(self.owner, minlength=self.num_groups)
        filled = np.argsort(counts, kind="stable")[(counts == 0).sum() :]
        order = np.argsort(np.argsort(counts, kind="stable").argsort()[self.owner], kind="stable")
        return self.patterns[order], filled, np.append(0, np.cumsum(counts[filled]))
