"""In which groups of patterns a conjunction occurs, and conjunctions that grow by a literal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algolens.logic.clauses import Clauses
from algolens.logic.patterns import unpack

WORDS = 2**15  # at a time: what the cache of a core holds
# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_WORDS = 32


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
    on: Occurrences, off: Occurrences, most: int, deadline: float
) -> Iterator[tuple[Clauses, bool]]:
    """The prime implicants that occur in every group of ``on`` and nowhere in ``off``, by size.

    What occurs in ``off`` must grow by a literal that fails there: only those are tried, and every
    prime implicant is still reached. A level of more than ``most`` is cut; with each level comes
    whether none was cut before. After ``deadline`` none grows.

    >>> owner, off = np.zeros(2, int), Occurrences(np.array([0]), np.zeros(1, int), 1, 2)
    >>> on = Occurrences(np.array([2, 3]), owner, 1, 2)
    >>> [clauses.formulas(["a", "b"]) for clauses, _ in implicants(on, off, 9, float("inf"))]
    [(), (Formula('a'), Formula('b'))]
    """
    level, is_complete = Clauses.empty(1, on.num_concepts), True
    while len(level):
        level = level[on.lacks(level, at_most=0) == 0]
        culprits = off.first_match(level)
        found = level[culprits < 0]
        for place in range(on.num_concepts):  # without any literal, it must occur in off
            shorter = Clauses(found.value.copy(), found.care.copy())
            shorter.value[:, place] = shorter.care[:, place] = False
            found = found[~found.care[:, place] | (off.first_match(shorter) >= 0)]
        yield found, is_complete
        level = _grown_against(level[culprits >= 0], off.patterns[culprits[culprits >= 0]])
        if len(level) > most or time.monotonic() > deadline:
            level, is_complete = level[: 0 if time.monotonic() > deadline else most], False
    if not is_complete:
        yield level[:0], False


def _grown_against(level: Clauses, culprits: np.ndarray) -> Clauses:
    """Every conjunction with one more literal, one that its culprit fails."""
    fails = ~unpack(culprits, level.num_concepts)
    grown = [level[:0]]
    for place in range(level.num_concepts):
        is_free = ~level.care[:, place]
        grown.append(level[is_free].with_literal(place, fails[is_free, place]))
    return Clauses.join(grown).in_order()


@dataclass(frozen=True)
class Occurrences:
    """Distinct patterns in groups: those of the elements of a step, say. 64 fit into a word.

    >>> patterns, owner = np.array([2, 3, 3], np.uint64), np.array([0, 0, 2])
    >>> groups = Occurrences(patterns, owner, num_groups=3, num_concepts=2)
    >>> a_or_not_b = Clauses.of_packed(np.array([2, 0], np.uint64), np.array([2, 1], np.uint64), 2)
    >>> groups.table(a_or_not_b).tolist()
    [[True, False, True], [True, False, False]]
    """

    patterns: np.ndarray  # [P] packed
    owner: np.ndarray  # [P] the group of each
    num_groups: int
    num_concepts: int
    weight: np.ndarray | None = None  # [groups] by default one each

    @cached_property
    def weights(self) -> np.ndarray:
        """[groups] what each counts."""
        return np.ones(self.num_groups) if self.weight is None else self.weight

    def take(self, chosen: np.ndarray) -> Occurrences:
        """The groups where ``chosen`` ([groups] bools) is true, numbered anew."""
        stays = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        return Occurrences(
            self.patterns[stays],
            number[self.owner[stays]],
            int(chosen.sum()),
            self.num_concepts,
            self.weights[chosen],
        )

    def table(self, cubes: Clauses) -> np.ndarray:
        """[K, groups] does the combination match a pattern of the group?"""
        filled, starts, _ = self._layout
        table = np.zeros((len(cubes), self.num_groups), bool)
        if len(filled):
            for rows, words in self._matches(cubes, 0, starts[-1]):
                table[rows, filled] = np.bitwise_or.reduceat(words, starts[:-1], axis=1) != 0
        return table

    def count(self, cubes: Clauses) -> np.ndarray:
        """[K] the weight of the groups in which the combination matches a pattern."""
        total = float(self.weights.sum())
        return total - self.lacks(cubes, total)

    def lacks(self, cubes: Clauses, at_most: float) -> np.ndarray:
        """[K] the weight of groups in which it matches nothing; exact up to ``at_most``."""
        filled, starts, _ = self._layout
        weights = self.weights[filled]
        counts = np.full(len(cubes), self.weights.sum() - weights.sum())
        begin, step = 0, FIRST_WORDS
        while begin < len(filled):
            left = np.flatnonzero(counts <= at_most)
            end = max(begin + 1, int(np.searchsorted(starts[:-1], starts[begin] + step)))
            for rows, words in self._matches(cubes[left], starts[begin], starts[end]):
                groups = np.bitwise_or.reduceat(words, starts[begin:end] - starts[begin], axis=1)
                counts[left[rows]] += (groups == 0) @ weights[begin:end]
            begin, step = end, 4 * step
        return counts

    def first_match(self, cubes: Clauses) -> np.ndarray:
        """[K] the place of a pattern that each combination matches; -1 where it matches none."""
        total, step, begin = self._layout[1][-1], FIRST_WORDS, 0
        places = np.full(len(cubes), -1)
        while begin < total:
            end, left = min(begin + step, total), np.flatnonzero(places < 0)
            for rows, words in self._matches(cubes[left], begin, end):
                column = (words != 0).argmax(1)
                word = words[np.arange(len(words)), column]
                lowest = np.maximum(word & (~word + np.uint64(1)), np.uint64(1))
                bit = 64 * (begin + column) + np.log2(lowest.astype(float)).astype(int)
                places[left[rows]] = np.where(word == 0, -1, self._places[bit])
            begin, step = end, 4 * step
        return places

    def _matches(self, cubes: Clauses, first: int, last: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Some cubes at a time, and their words from first to last: a bit for each match."""
        sign = cubes.value
        cares = cubes.care
        literals = np.where(cares, 2 * np.arange(self.num_concepts) + sign, 2 * self.num_concepts)
        literals = np.sort(literals, axis=1)[:, : max(1, cares.sum(1).max(initial=1))]
        table = np.ascontiguousarray(self._words[:, first:last])
        chunk = max(1, WORDS // (last - first))
        for start in range(0, len(cubes), chunk):
            rows = slice(start, start + chunk)
            words = table[literals[rows, 0]]
            for i in range(1, literals.shape[1]):
                words &= table[literals[rows, i]]
            yield rows, words

    @cached_property
    def _layout(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The groups that hold patterns, small ones first; the words between which each lies; the
        bit of each pattern.
        """
        counts = np.bincount(self.owner, minlength=self.num_groups)
        filled = np.argsort(counts, kind="stable")[(counts == 0).sum() :]
        starts = np.concatenate([[0], np.cumsum(-(-counts[filled] // 64))])
        start_of = np.zeros(self.num_groups, int)
        start_of[filled] = starts[:-1]
        order = np.argsort(self.owner, kind="stable")
        owner = self.owner[order]
        bits = np.zeros(len(owner), int)
        bits[order] = 64 * start_of[owner] + np.arange(len(owner))
        bits[order] -= (np.cumsum(counts) - counts)[owner]
        return filled, starts, bits

    @cached_property
    def _places(self) -> np.ndarray:
        """[words x 64] the pattern that a bit stands for."""
        places = np.zeros(64 * self._layout[1][-1], int)
        places[self._layout[2]] = np.arange(len(self.patterns))
        return places

    @cached_property
    def _words(self) -> np.ndarray:
        """[2 C + 1, words] which patterns match: the opposite of each concept and itself in turn,
        and at last no literal.
        """
        _, starts, bits = self._layout
        values = unpack(self.patterns, self.num_concepts).T
        table = np.zeros((2 * self.num_concepts + 1, 64 * starts[-1]), bool)
        table[0:-1:2, bits] = ~values
        table[1::2, bits] = values
        table[-1, bits] = True
        return np.packbits(table, axis=1, bitorder="little").view(np.uint64)
