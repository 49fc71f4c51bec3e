"""Where combinations occur: many combinations asked of many steps at once, 64 patterns in a
word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algolens.logic.clauses import Clauses
from algolens.logic.patterns import unpack

WORDS = 2**15  # at a time: what the cache of a core holds
# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_WORDS = 32


@dataclass(frozen=True)
class Occurrences:
    """Distinct patterns in groups: those of the elements of a step, say.

    >>> patterns, owner = np.array([2, 3, 3], np.uint64), np.array([0, 0, 2])
    >>> groups = Occurrences(patterns, owner, num_groups=3, num_concepts=2)
    >>> a_or_not_b = Clauses.of_packed(np.array([2, 0], np.uint64), np.array([2, 1], np.uint64), 2)
    >>> groups.occurs(a_or_not_b).tolist()
    [[True, False, True], [True, False, False]]
    """

    patterns: np.ndarray  # [P] packed; those of a group stand together
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

    def occurs(self, found: Clauses) -> np.ndarray:
        """[K, groups] does the combination match a pattern of the group? All have the same number
        of literals.
        """
        result = np.zeros((len(found), self.num_groups), bool)
        if len(self.patterns):
            for rows, words in self._matches(found, 0, self._words.shape[1]):
                result[rows, self._filled] = (
                    np.bitwise_or.reduceat(words, self._starts, axis=1) != 0
                )
        return result

    def table(self, found: Clauses) -> np.ndarray:
        """[K, groups] the same of combinations of any numbers of literals."""
        result = np.zeros((len(found), self.num_groups), bool)
        sizes = found.num_literals
        for size in np.unique(sizes):
            result[sizes == size] = self.occurs(found[sizes == size])
        return result

    def lacks(self, found: Clauses, at_most: int) -> np.ndarray:
        """[K] in how many groups the combination matches nothing; what is over ``at_most`` may not
        be counted to the end.
        """
        counts = np.full(len(found), self.num_groups - len(self._filled))
        begin, step = 0, FIRST_WORDS
        while begin < len(self._filled):
            left = np.flatnonzero(counts <= at_most)
            end = max(begin + 1, int(np.searchsorted(self._starts, self._starts[begin] + step)))
            first, last = self._starts[begin], self._ends[:end][-1]
            for rows, words in self._matches(found[left], first, last):
                groups = np.bitwise_or.reduceat(words, self._starts[begin:end] - first, axis=1)
                counts[left[rows]] += (groups == 0).sum(1)
            begin, step = end, 4 * step
        return counts

    def avoided(self, found: Clauses) -> np.ndarray:
        """[K] does the combination match no pattern at all?"""
        result = np.zeros(len(found), bool)
        sizes = found.num_literals
        for size in np.unique(sizes):
            result[sizes == size] = self.first_match(found[sizes == size]) < 0
        return result

    def first_match(self, found: Clauses) -> np.ndarray:
        """[K] the place of a pattern that each combination matches; -1 where it matches none."""
        result = np.full(len(found), -1)
        begin, step, total = 0, FIRST_WORDS, self._words.shape[1] if len(self.patterns) else 0
        while begin < total:
            end = min(begin + step, total)
            left = np.flatnonzero(result < 0)
            for rows, words in self._matches(found[left], begin, end):
                column = (words != 0).argmax(1)
                word = words[np.arange(len(words)), column]
                lowest = np.log2(
                    np.maximum(word & (~word + np.uint64(1)), np.uint64(1)).astype(float)
                ).astype(int)
                result[left[rows]] = np.where(
                    word == 0, -1, self._places[64 * (begin + column) + lowest]
                )
            begin, step = end, 4 * step
        return result

    def _matches(self, found: Clauses, first: int, last: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Some rows of ``found`` at a time, and their words from ``first`` to ``last``: a bit for
        each pattern that matches.

        All of ``found`` have the same number of literals.
        """
        cares = found.care
        concept = np.nonzero(cares)[1].reshape(len(found), cares[:1].sum())
        sign = np.take_along_axis(found.value, concept, 1)
        none = np.full((len(found), 1), 2 * self.num_concepts)
        literals = np.concatenate([2 * concept + sign, none[:, concept.shape[1] :]], 1)
        table = np.ascontiguousarray(self._words[:, first:last])
        chunk = max(1, WORDS // (last - first))
        for start in range(0, len(found), chunk):
            rows = slice(start, start + chunk)
            words = table[literals[rows, 0]]
            for i in range(1, literals.shape[1]):
                words &= table[literals[rows, i]]
            yield rows, words

    @cached_property
    def _layout(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The groups that hold patterns, small ones first; the first word of each; the word after;
        the bit of each pattern.
        """
        counts = np.bincount(self.owner, minlength=self.num_groups)
        filled = np.argsort(counts, kind="stable")[(counts == 0).sum() :]
        lengths = -(-counts[filled] // 64)
        ends = np.cumsum(lengths)
        start_of = np.zeros(self.num_groups, int)
        start_of[filled] = ends - lengths
        firsts = np.cumsum(counts) - counts
        order = np.argsort(self.owner, kind="stable")
        bits = np.zeros(len(self.owner), int)
        bits[order] = (
            64 * start_of[self.owner[order]] + np.arange(len(order)) - firsts[self.owner[order]]
        )
        return filled, ends - lengths, ends, bits

    @property
    def _filled(self) -> np.ndarray:
        return self._layout[0]

    @property
    def _starts(self) -> np.ndarray:
        return self._layout[1]

    @property
    def _ends(self) -> np.ndarray:
        return self._layout[2]

    @cached_property
    def _places(self) -> np.ndarray:
        """[words x 64] the pattern that a bit stands for."""
        places = np.zeros(64 * self._ends[-1], int)
        places[self._layout[3]] = np.arange(len(self.patterns))
        return places

    @cached_property
    def _words(self) -> np.ndarray:
        """[2 C + 1, words] for the opposite of each concept, for itself, and at last for no
        literal: which patterns match.
        """
        values = unpack(self.patterns, self.num_concepts).T
        table = np.zeros((2 * self.num_concepts + 1, 64 * self._ends[-1]), bool)
        table[0:-1:2, self._layout[3]] = ~values
        table[1::2, self._layout[3]] = values
        table[-1, self._layout[3]] = True
        return np.packbits(table, axis=1, bitorder="little").view(np.uint64)
