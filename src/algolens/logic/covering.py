"""Covering: the fewest columns that hit every row, and patterns that prove a cover smallest."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algolens.logic.clauses import Clauses
from algolens.logic.patterns import spread, unpack

# multiplications spent on comparing rows or columns with each other; beyond, they are left as they
# are
MAX_COMPARED = 3e9
MOST_TELLING = 1024  # rows hit by the fewest columns: the ones that make others superfluous


@dataclass(frozen=True)
class Cover:
    """Columns that together hit every row."""

    chosen: np.ndarray  # sorted
    is_fewest: bool  # proven: no cover has fewer columns
    is_cheapest: bool  # proven: of the covers with as many columns none costs less


@dataclass(frozen=True)
class Effort:
    """How much work goes into a cover."""

    seconds: float = 10.0  # at most, for the solver
    # of the solver's tree; a bound that, other than time, is the same on every machine
    max_nodes: int | None = None
    # entries of a table that is handed to the solver; for more, the cover is a greedy one
    max_table: float = 4e6


def smallest_cover(hits: np.ndarray, costs: np.ndarray, effort: Effort | None = None) -> Cover:
    """The fewest columns of ``hits`` ([R, K] bools) that hit all rows; of those the cheapest.

    Rows and columns that cannot matter are taken away first; what is left, if anything, goes to
    SciPy's solver of integer programs. Where that takes more than ``effort``, the best cover known
    is given, and what is proven of it.

    >>> hits = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    >>> smallest_cover(hits, np.array([3, 2, 2, 2])).chosen.tolist()
    [1, 2]
    """
    effort = effort or Effort()
    began = time.monotonic()
    kept, core, columns = _reduced(hits, costs)
    if core.size == 0:
        return Cover(np.sort(kept), is_fewest=True, is_cheapest=True)
    solved = _solved(
        core, costs[columns], replace(effort, seconds=effort.seconds - (time.monotonic() - began))
    )
    return Cover(
        np.sort(np.append(kept, columns[solved.chosen])), solved.is_fewest, solved.is_cheapest
    )


def greedy_cover(hits: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """A cover by the column that hits most of what is left, again and again; without idle ones."""
    left, chosen = np.ones(len(hits), bool), []
    gains = hits.sum(0)
    while left.any():
        best = int(np.lexsort((costs, -gains))[0])
        newly = left & hits[:, best]
        gains = gains - hits[newly].sum(0)
        left &= ~newly
        chosen.append(best)
    times = hits[:, chosen].sum(1)
    for column in sorted(chosen, key=lambda c: (hits[:, c].sum(), -costs[c])):
        if (times - hits[:, column]).all():
            times = times - hits[:, column]
            chosen.remove(column)
    return np.sort(np.array(chosen, dtype=np.intp))


def _reduced(hits: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of a cheapest cover, the table that is left, and the columns it stands for."""
    columns, kept = np.arange(hits.shape[1]), np.zeros(0, np.intp)
    while True:
        before = hits.shape
        only = hits[hits.sum(1) == 1].any(0)  # the one column that hits some row
        kept = np.append(kept, columns[only])
        hits, columns = hits[~hits[:, only].any(1)][:, ~only], columns[~only]
        hits = _hardest(_distinct(hits))
        stay = _worthwhile(hits, costs[columns])
        hits, columns = hits[:, stay], columns[stay]
        if hits.shape == before:
            return kept, hits, columns


def _distinct(hits: np.ndarray) -> np.ndarray:
    """Rows without repeats."""
    if 0 in hits.shape:
        return hits[:0]
    _, first = np.unique(np.packbits(hits, axis=1), axis=0, return_index=True)
    return hits[np.sort(first)]


def _worthwhile(hits: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Columns for which no other hits as much for no more; of equals the first."""
    counts, order = hits.sum(0), np.lexsort((np.arange(len(costs)), costs))
    order = order[counts[order] > 0]
    # of columns that hit the same, the cheapest
    _, first = np.unique(np.packbits(hits[:, order], axis=0), axis=1, return_index=True)
    order = order[np.sort(first)]
    if hits.shape[0] * len(order) ** 2 > MAX_COMPARED:
        return np.sort(order)
    table = hits[:, order].astype(np.float32)
    inside = table.T @ table == counts[order][:, None]  # [i, j]: j hits all that i hits
    inside &= costs[order][None, :] <= costs[order][:, None]
    # equal columns are gone already, so no two are inside each other
    np.fill_diagonal(inside, False)
    return np.sort(order[~inside.any(1)])


def _hardest(hits: np.ndarray) -> np.ndarray:
    """Distinct rows without those that are hit of themselves once another is."""
    counts = hits.sum(1)
    order = np.argsort(counts, kind="stable")[:MOST_TELLING]
    if len(order) * hits.size > MAX_COMPARED:
        return hits
    # whatever hits i hits j
    inside = hits[order].astype(np.float32) @ hits.T.astype(np.float32) == counts[order][:, None]
    inside[np.arange(len(order)), order] = False
    return hits[~inside.any(0)]


def _solved(hits: np.ndarray, costs: np.ndarray, effort: Effort) -> Cover:
    known = greedy_cover(hits, costs)
    if hits.size > effort.max_table or effort.seconds <= 0:
        return Cover(known, is_fewest=False, is_cheapest=False)
    began = time.monotonic()
    fewest = _program(hits, np.ones(hits.shape[1]), len(known), effort)
    if fewest.x is not None:
        known = np.flatnonzero(fewest.x > 0.5)
    if fewest.status != 0:
        return Cover(known, is_fewest=False, is_cheapest=False)
    left = max(0.1, effort.seconds - (time.monotonic() - began))
    cheapest = _program(hits, costs, len(known), replace(effort, seconds=left))
    if cheapest.x is not None and cheapest.fun <= costs[known].sum():
        known = np.flatnonzero(cheapest.x > 0.5)
    return Cover(known, is_fewest=True, is_cheapest=cheapest.status == 0)


def _program(hits: np.ndarray, costs: np.ndarray, at_most: int, effort: Effort) -> Any:
    """The integer program: hit every row with at most so many columns. Status 0 means proven."""
    # here, for it takes most of a second to load
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    every_row = LinearConstraint(csr_array(hits.astype(float)), lb=1)
    not_more = LinearConstraint(np.ones(hits.shape[1]), ub=at_most)
    options = {"time_limit": effort.seconds, "mip_rel_gap": 0.0}
    if effort.max_nodes is not None:
        options["node_limit"] = effort.max_nodes
    is_whole = np.ones(len(costs))
    return milp(
        costs,
        integrality=is_whole,
        bounds=Bounds(0, 1),
        constraints=[every_row, not_more],
        options=options,
    )


MAX_CANDIDATES = 128  # patterns to choose witnesses from; a few for each clause
MAX_WITNESSES_COMPARED = 3e8  # pairs of candidates, times forbidden patterns


def witnesses(cover: Clauses, on: np.ndarray, off: np.ndarray) -> np.ndarray | None:
    """A pattern for each clause of a cover, no two of which a clause can share; or None.

    Two patterns lie in a common clause only if no pattern of ``off`` lies in the smallest clause
    that holds on both. As many patterns as clauses, pairwise apart, prove that ``on`` cannot be
    covered with fewer.

    >>> on, off = np.array([1, 2], np.uint64), np.array([0, 3], np.uint64)
    >>> cover = Clauses.of_patterns(on, 2)
    >>> witnesses(cover, on, off).tolist()
    [1, 2]
    """
    hits = cover.hold(on).T
    # each clause holds one witness at most, so a witness lies in one clause only
    alone = hits.sum(1) == 1
    num_candidates = max(2, MAX_CANDIDATES // len(cover))
    if (num_candidates * len(cover)) ** 2 * len(off) > MAX_WITNESSES_COMPARED:
        return None
    places = [
        spread(np.flatnonzero(alone & hits[:, clause]), num_candidates)
        for clause in range(len(cover))
    ]
    owner = np.repeat(np.arange(len(cover)), [len(of_clause) for of_clause in places])
    candidates = on[np.concatenate(places)]
    is_apart = np.stack([_apart(candidate, candidates, off) for candidate in candidates])
    chosen = _one_each(is_apart, owner, len(cover))
    return None if chosen is None else candidates[chosen]


def fewest_literals(
    pattern: np.ndarray, off: np.ndarray, num_concepts: int, seconds: float = 10.0
) -> int | None:
    """The fewest literals of a clause with the pattern and nothing of ``off``; None if unproven.

    >>> fewest_literals(np.uint64(3), np.array([0, 1, 2], np.uint64), 2)
    2
    """
    # every forbidden pattern must differ in one of the literals
    differs = unpack(off ^ pattern, num_concepts)
    cover = smallest_cover(differs, np.ones(num_concepts), Effort(seconds, max_nodes=100))
    return len(cover.chosen) if cover.is_fewest else None


def _apart(pattern: np.ndarray, others: np.ndarray, off: np.ndarray) -> np.ndarray:
    """[J] does a forbidden pattern lie in the smallest clause with the pattern and the other?"""
    shared = ~(pattern ^ others)
    return (((off ^ pattern)[:, None] & shared) == 0).any(0)


def _one_each(is_apart: np.ndarray, owner: np.ndarray, num_clauses: int) -> list[int] | None:
    """One candidate of each clause, all pairwise apart: always the one that leaves most choice."""
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
