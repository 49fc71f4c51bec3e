"""Rules for going on that are an "or" of "and"s, where no single "and" will do."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algolens.extraction.occurrences import Occurrences
from algolens.logic.clauses import Clauses

MAX_GROWN = 4_000  # combinations of one size that grow further; of more, the most hopeful
MAX_WEIGHED = 1_000  # combinations that a formula is chosen from; of more, the most hopeful
# of the table that is handed to the solver, and how long it may take
MAX_ENTRIES, MAX_SECONDS = 300_000, 3.0
# what a literal costs beyond its price, so that of formulas that cost the same the shorter is taken
OF_EQUALS = 0.01


@dataclass(frozen=True)
class Choice:
    """An "or" of combinations, each an "and" of literals."""

    cubes: Clauses
    cost: float  # the steps at which it fails, and the price of its literals
    proven: bool  # nothing that was to be looked at costs less


def cheapest_alternatives(
    steps: Occurrences, goes_on: np.ndarray, price: float, deadline: float
) -> Choice:
    """The "or" of combinations that costs least, a step at which it fails costing 1 and a literal
    ``price``.

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
        """cubes: all with as many literals."""
        return cls(
            cubes,
            *(each.num_groups - each.lacks(cubes, each.num_groups) for each in (going, stopping)),
        )

    def only(self, chosen: np.ndarray) -> _Weighed:
        return _Weighed(self.cubes[chosen], self.hits[chosen], self.wrong[chosen])

    def join(self, other: _Weighed) -> _Weighed:
        both = ((self.hits, other.hits), (self.wrong, other.wrong))
        return _Weighed(Clauses.join([self.cubes, other.cubes]), *map(np.concatenate, both))

    def least_cost(self, price: float) -> np.ndarray:
        """[K] what every formula costs that it is part of."""
        return self.wrong + price * self.cubes.num_literals

    def hopeful(self, most: int) -> _Weighed:
        """So many of them at most: those that tell steps that go on from steps that stop."""
        return self.only(np.sort(np.argsort(self.wrong - self.hits, kind="stable")[:most]))


@dataclass(frozen=True)
class _Problem:
    """Which combinations to take: each has a cost, and each kind of step at which they fail costs
    as often as it came.
    """

    cubes: Clauses  # of those that occur at the same steps the plainest
    table: np.ndarray  # [K, kinds] bools: does the combination occur there?
    costs: np.ndarray  # [K]
    goes_on: np.ndarray  # [kinds]
    counts: np.ndarray  # [kinds]

    @classmethod
    def of(cls, cubes: Clauses, steps: Occurrences, goes_on: np.ndarray, price: float) -> _Problem:
        opposites = (cubes.care & ~cubes.value).sum(1)
        cubes = cubes[
            np.lexsort((~cubes.packed_value, opposites, ~cubes.packed_care, cubes.num_literals))
        ]
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
    """[K] bools: a good choice, by adding, dropping or exchanging one combination at a time while
    that costs less.
    """
    table = problem.table.astype(np.float32)
    saved = np.where(problem.goes_on, problem.counts, -problem.counts).astype(np.float32)
    taken = np.zeros(len(table), bool)
    while time.monotonic() < deadline:
        best, change = -OF_EQUALS / 2, taken
        for dropped in [None, *np.flatnonzero(taken)]:
            rest = taken.copy()
            if dropped is not None:
                rest[dropped] = False
            base = problem.fails(rest) - problem.fails(taken) - problem.costs[taken & ~rest].sum()
            added = base + problem.costs - table @ np.where(problem.table[rest].any(0), 0, saved)
            added[taken] = np.inf
            if base < best:
                best, change = base, rest
            if added.min(initial=np.inf) < best:
                best, change = added.min(), rest | (np.arange(len(table)) == added.argmin())
        if change is taken:
            break
        taken = change
    return taken


def _solved(problem: _Problem, deadline: float) -> Any:
    """The integer program over (combinations taken, kinds of steps at which they fail). Status 0
    means proven.
    """
    # here, for it takes most of a second to load
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    num_cubes, num_kinds = problem.table.shape
    going = np.flatnonzero(problem.goes_on)
    # a kind that goes on: something taken occurs, or it fails
    kind, cube = np.nonzero(problem.table[:, going].T)
    # a kind that stops: it fails as soon as anything taken occurs
    wrong_cube, wrong_kind = np.nonzero(problem.table & ~problem.goes_on)
    each = len(going) + np.arange(len(wrong_kind))
    rows = np.concatenate([kind, np.arange(len(going)), each, each])
    columns = np.concatenate([cube, num_cubes + going, wrong_cube, num_cubes + wrong_kind])
    values = np.ones(len(rows))
    values[len(kind) + len(going) :][: len(each)] = -1
    matrix = coo_array(
        (values, (rows, columns)), shape=(len(going) + len(each), num_cubes + num_kinds)
    ).tocsr()
    return milp(
        np.concatenate([problem.costs, problem.counts]),
        integrality=np.concatenate([np.ones(num_cubes), np.zeros(num_kinds)]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(matrix, lb=np.concatenate([np.ones(len(going)), np.zeros(len(each))]))
        ],
        options={
            "time_limit": max(0.1, min(MAX_SECONDS, deadline - time.monotonic())),
            "mip_rel_gap": 0.0,
        },
    )


def grown_by_later(level: Clauses) -> Clauses:
    """Every combination with one more literal, of a concept after its last: each is made once."""
    grown = [level[:0]]
    for place in reversed(range(level.num_concepts)):
        free = level[~level.care[:, place:].any(1)]
        grown += [free.with_literal(place, sign) for sign in (False, True)]
    return Clauses.join(grown)
