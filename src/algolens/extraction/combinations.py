"""Combinations of concepts: at which steps they occur, and the cheapest "or" of some."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from algolens.logic.clauses import Clauses
from algolens.logic.patterns import unpack

WORDS = 2**15  # at a time: what the cache of a core holds
# asked of all combinations; the following ones, ever more of them, only of those that are left
FIRST_WORDS = 32
MAX_GROWN = 4_000  # combinations of one size that grow further; of more, the most hopeful
MAX_WEIGHED = 1_000  # combinations that a formula is chosen from; of more, the most hopeful
# of the table that is handed to the solver, and how long it may take
MAX_ENTRIES, MAX_SECONDS = 300_000, 3.0
# what a literal costs beyond its price, so that of formulas that cost the same the shorter is taken
OF_EQUALS = 0.01


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


def grown_against(level: Clauses, culprits: np.ndarray) -> Clauses:
    """Every combination with one more literal, one that its culprit fails."""
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

    def take(self, chosen: np.ndarray) -> Occurrences:
        """The groups where ``chosen`` ([groups] bools) is true, numbered anew."""
        stays = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        return Occurrences(
            self.patterns[stays], number[self.owner[stays]], int(chosen.sum()), self.num_concepts
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
        """[K] in how many groups the combination matches a pattern."""
        return self.num_groups - self.lacks(cubes, self.num_groups)

    def lacks(self, cubes: Clauses, at_most: int) -> np.ndarray:
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


@dataclass(frozen=True)
class Choice:
    """An "or" of combinations, each an "and" of literals."""

    cubes: Clauses
    cost: float  # the steps at which it fails, and the price of its literals
    proven: bool  # nothing that was to be looked at costs less


def cheapest_alternatives(
    steps: Occurrences, goes_on: np.ndarray, price: float, deadline: float
) -> Choice:
    """The cheapest "or": a step at which it fails costs 1, and a literal ``price``.

    goes_on: [steps] bools. No combination at all stands for never going on. Combinations grow by a
    literal a level. From those up to a level a formula is chosen, and what it costs says which of
    them, and of what they grow into, can still be part of a cheaper one. The last choice is the
    solver's, where it can be asked.
    """
    everywhere = Clauses.empty(1, steps.num_concepts)
    best = Choice(everywhere[:0], float(goes_on.sum()), True)  # never to go on
    going, stopping = steps.take(goes_on), steps.take(~goes_on)
    kept, growing = _Weighed.of(everywhere[:0], going, stopping), everywhere
    literals, is_complete = 0, True
    while len(growing) and price * literals < best.cost:
        level = _Weighed.of(growing, going, stopping)
        # it must explain more than it costs, for else the formula does better without it; what it
        # grows into explains less
        level = level.only(level.hits > price * literals)
        kept = kept.join(level)
        kept = kept.only(kept.least_cost(price) < best.cost)
        weighed = kept.hopeful(MAX_WEIGHED)
        problem = _Problem.of(weighed.cubes, steps, goes_on, price)
        best = _cheaper(best, problem, _by_exchange(problem, deadline))
        # what occurs at no step that stops is better than all that it grows into
        level = level.only(level.wrong > 0)
        chosen = level.hopeful(MAX_GROWN).cubes
        is_complete &= len(weighed.cubes) == len(kept.cubes) and len(chosen) == len(level.cubes)
        growing, literals = grown_by_later(chosen), literals + 1
        if time.monotonic() > deadline:
            return replace(best, proven=False)
    kept = kept.only(kept.least_cost(price) < best.cost)
    if not len(kept.cubes):
        return replace(best, proven=is_complete)
    problem = _Problem.of(kept.hopeful(MAX_WEIGHED).cubes, steps, goes_on, price)
    if problem.table.size > MAX_ENTRIES:
        return replace(best, proven=False)
    solved = _solved(problem, deadline)
    if solved.x is not None:
        best = _cheaper(best, problem, solved.x[: len(problem.costs)] > 0.5)
    return replace(best, proven=is_complete and solved.status == 0)


@dataclass(frozen=True)
class _Weighed:
    """Combinations, and at how many steps that go on, and that stop, each occurs."""

    cubes: Clauses
    hits: np.ndarray
    wrong: np.ndarray

    @classmethod
    def of(cls, cubes: Clauses, going: Occurrences, stopping: Occurrences) -> _Weighed:
        return cls(cubes, going.count(cubes), stopping.count(cubes))

    def only(self, chosen: np.ndarray) -> _Weighed:
        return _Weighed(self.cubes[chosen], self.hits[chosen], self.wrong[chosen])

    def join(self, other: _Weighed) -> _Weighed:
        return _Weighed(
            Clauses.join([self.cubes, other.cubes]),
            np.concatenate([self.hits, other.hits]),
            np.concatenate([self.wrong, other.wrong]),
        )

    def least_cost(self, price: float) -> np.ndarray:
        """[K] what every formula costs that it is part of."""
        return self.wrong + price * self.cubes.num_literals

    def hopeful(self, most: int) -> _Weighed:
        """So many of them at most: those that tell steps that go on from steps that stop."""
        return self.only(np.sort(np.argsort(self.wrong - self.hits, kind="stable")[:most]))


@dataclass(frozen=True)
class _Problem:
    """Which combinations to take: each costs, and so does each step at which they fail."""

    cubes: Clauses  # of those that occur at the same steps the plainest
    table: np.ndarray  # [K, kinds] bools: does the combination occur there?
    costs: np.ndarray  # [K]
    goes_on: np.ndarray  # [kinds]
    counts: np.ndarray  # [kinds]

    @classmethod
    def of(cls, cubes: Clauses, steps: Occurrences, goes_on: np.ndarray, price: float) -> _Problem:
        cubes = plainest_first(cubes)
        table = steps.table(cubes)
        first = np.sort(np.unique(np.packbits(table, axis=1), axis=0, return_index=True)[1])
        cubes, table = cubes[first], table[first]
        keys = np.packbits(np.concatenate([table, goes_on[None]]), axis=0)
        _, first, counts = np.unique(keys, axis=1, return_index=True, return_counts=True)
        return cls(
            cubes, table[:, first], (price + OF_EQUALS) * cubes.num_literals, goes_on[first], counts
        )

    def fails(self, taken: np.ndarray) -> int:
        """At how many steps the combinations that are taken ([K] bools) fail."""
        return int(self.counts[self.table[taken].any(0) != self.goes_on].sum())


def _cheaper(best: Choice, problem: _Problem, taken: np.ndarray) -> Choice:
    cubes = problem.cubes[taken]
    cost = problem.fails(taken) + float(problem.costs[taken].sum()) - OF_EQUALS * cubes.size[1]
    size, known = (cost, cubes.size[1]), (best.cost, best.cubes.size[1])
    return Choice(cubes.in_order(), cost, best.proven) if size < known else best


def _by_exchange(problem: _Problem, deadline: float) -> np.ndarray:
    """[K] bools: a choice that no adding, dropping or exchanging of one makes cheaper."""
    table = problem.table.astype(np.float32)
    saved = np.where(problem.goes_on, problem.counts, -problem.counts).astype(np.float32)
    taken, places = np.zeros(len(table), bool), np.arange(len(table))
    while time.monotonic() < deadline:
        best, change = -OF_EQUALS / 2, taken
        for dropped in [-1, *np.flatnonzero(taken)]:
            rest = taken & (places != dropped)
            base = problem.fails(rest) - problem.fails(taken) - problem.costs[taken & ~rest].sum()
            added = base + problem.costs - table @ np.where(problem.table[rest].any(0), 0, saved)
            added[taken] = np.inf
            if base < best:
                best, change = base, rest
            if added.min(initial=np.inf) < best:
                best, change = added.min(), rest | (places == added.argmin())
        if change is taken:
            break
        taken = change
    return taken


def _solved(problem: _Problem, deadline: float) -> Any:
    """The integer program of what is taken and which steps fail; status 0 means proven."""
    # here, for it takes most of a second to load
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    num_cubes, num_kinds = problem.table.shape
    going = np.flatnonzero(problem.goes_on)
    # a kind that goes on: something taken occurs, or it fails
    kind, cube = np.nonzero(problem.table[:, going].T)
    # a kind that stops: it fails as soon as anything taken occurs
    wrong_cube, wrong_kind = np.nonzero(problem.table & ~problem.goes_on)
    of_wrong = len(going) + np.arange(len(wrong_kind))
    rows = np.concatenate([kind, np.arange(len(going)), of_wrong, of_wrong])
    columns = np.concatenate([cube, num_cubes + going, wrong_cube, num_cubes + wrong_kind])
    values = np.ones(len(rows))
    values[len(kind) + len(going) :][: len(of_wrong)] = -1
    matrix = coo_array(
        (values, (rows, columns)), shape=(len(going) + len(of_wrong), num_cubes + num_kinds)
    ).tocsr()
    return milp(
        np.concatenate([problem.costs, problem.counts]),
        integrality=np.concatenate([np.ones(num_cubes), np.zeros(num_kinds)]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(
                matrix, lb=np.concatenate([np.ones(len(going)), np.zeros(len(of_wrong))])
            )
        ],
        options={
            "time_limit": max(0.1, min(MAX_SECONDS, deadline - time.monotonic())),
            "mip_rel_gap": 0.0,
        },
    )
