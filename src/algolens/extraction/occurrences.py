"""Combinations of concepts: how they grow, and at which steps they occur."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algolens.logic.cubes import Cubes
from algolens.logic.patterns import unpack

WORDS = 2**15  # at a time: what the cache of a core holds
# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_WORDS = 32


def plainest_first(cubes: Cubes) -> Cubes:
    """In order: fewer literals, then earlier concepts, then fewer opposites."""
    opposites = unpack(cubes.care & ~cubes.value, cubes.num_concepts).sum(1)
    return cubes[np.lexsort((~cubes.value, opposites, ~cubes.care, cubes.num_literals))]


def grown_by_later(level: Cubes) -> Cubes:
    """Every combination with one more literal, of a later concept, so that each is made once."""
    grown = [level[:0]]
    for flip in np.uint64(1) << np.arange(level.num_concepts, dtype=np.uint64):
        free = level[(level.care & (2 * flip - np.uint64(1))) == 0]
        grown += [
            Cubes(free.value | sign, free.care | flip, level.num_concepts)
            for sign in (np.uint64(0), flip)
        ]
    return Cubes.join(grown)


def grown_against(level: Cubes, culprits: np.ndarray) -> Cubes:
    """Every combination with one more literal, one that its culprit fails."""
    grown = [level[:0]]
    for flip in np.uint64(1) << np.arange(level.num_concepts, dtype=np.uint64):
        is_free = (level.care & flip) == 0
        free, sign = level[is_free], ~culprits[is_free] & flip
        grown.append(Cubes(free.value | sign, free.care | flip, level.num_concepts))
    return Cubes.join(grown).in_order()


@dataclass(frozen=True)
class Occurrences:
    """Distinct patterns in groups: those of the elements of a step, say. 64 fit into a word.

    >>> patterns, owner = np.array([2, 3, 3], np.uint64), np.array([0, 0, 2])
    >>> groups = Occurrences(patterns, owner, num_groups=3, num_concepts=2)
    >>> a_or_not_b = Cubes(np.array([2, 0], np.uint64), np.array([2, 1], np.uint64), 2)
    >>> groups.table(a_or_not_b).tolist()
    [[True, False, True], [True, False, False]]
    """

    patterns: np.ndarray  # [P] packed
    owner: np.ndarray  # [P] the group of each
    num_groups: int
    num_concepts: int

    def take(self, chosen: np.ndarray) -> Occurrences:
        """The groups where ``chosen`` ([groups] bools) is true, numbered anew."""
        stays = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        return Occurrences(
            self.patterns[stays], number[self.owner[stays]], int(chosen.sum()), self.num_concepts
        )

    def table(self, cubes: Cubes) -> np.ndarray:
        """[K, groups] does the combination match a pattern of the group?"""
        filled, starts, _ = self._layout
        table = np.zeros((len(cubes), self.num_groups), bool)
        if len(filled):
            for rows, words in self._matches(cubes, 0, starts[-1]):
                table[rows, filled] = np.bitwise_or.reduceat(words, starts[:-1], axis=1) != 0
        return table

    def count(self, cubes: Cubes) -> np.ndarray:
        """[K] in how many groups the combination matches a pattern."""
        return self.num_groups - self.lacks(cubes, self.num_groups)

    def lacks(self, cubes: Cubes, at_most: int) -> np.ndarray:
        """[K] in how many groups the combination matches nothing; exact up to ``at_most``."""
        filled, starts, _ = self._layout
        counts = np.full(len(cubes), self.num_groups - len(filled))
        begin, step = 0, FIRST_WORDS
        while begin < len(filled):
            left = np.flatnonzero(counts <= at_most)
            end = max(begin + 1, int(np.searchsorted(starts[:-1], starts[begin] + step)))
            for rows, words in self._matches(cubes[left], starts[begin], starts[end]):
                groups = np.bitwise_or.reduceat(words, starts[begin:end] - starts[begin], axis=1)
                counts[left[rows]] += (groups == 0).sum(1)
            begin, step = end, 4 * step
        return counts

    def first_match(self, cubes: Cubes) -> np.ndarray:
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

    def _matches(self, cubes: Cubes, first: int, last: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Some cubes at a time, and their words from first to last: a bit for each match."""
        sign = unpack(cubes.value, self.num_concepts)
        cares = unpack(cubes.care, self.num_concepts)
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
