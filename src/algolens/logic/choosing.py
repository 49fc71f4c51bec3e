"""Which of many columns to take: the cheapest that cover rows, where a row that fails may cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

# multiplications spent on comparing rows or columns with each other; beyond, all are kept
MAX_COMPARED = 3e9
MOST_TELLING = 1024  # rows hit by the fewest columns: the ones that make others superfluous
MAX_TABLE = 4e6  # entries of a table that is handed to the solver; of more, the cover is greedy
MAX_PRICED = 300_000  # entries of one whose rows have prices
PURER = 4.0  # what an error counts, to begin with columns that err less
SMALLEST_CHANGE = 1e-3


@dataclass(frozen=True)
class Cover:
    """Columns that together hit every row."""

    chosen: ndarray  # sorted
    is_fewest: bool  # proven: no cover has fewer columns
    is_cheapest: bool  # proven: of the covers with as many columns none costs less


def smallest_cover(
    hits: ndarray,
    costs: ndarray,
    *,
    seconds: float = 10.0,
    max_table: float = MAX_TABLE,
    **limits: Any,
) -> Cover:
    """The fewest columns of ``hits`` ([R, K] bools) that hit all rows; of those the cheapest.

    Rows and columns that cannot matter are taken away first; what is left, if anything, goes to
    the solver. Where that takes more than ``seconds`` or ``max_table`` entries, the best cover
    known is given, and what is proven of it.

    >>> hits = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    >>> smallest_cover(hits, np.array([3, 2, 2, 2])).chosen.tolist()
    [1, 2]
    """
    deadline = time.monotonic() + seconds
    kept, core, columns = _reduced(hits, costs)
    known, must = greedy_cover(core, costs[columns]), np.full(len(core), np.inf)
    is_fewest = is_cheapest = not len(core)
    if len(core) and core.size <= max_table and time.monotonic() < deadline:
        # first as few as can be, then of as many the cheapest
        for price in (np.ones(len(columns)), costs[columns]):
            left = max(0.1, deadline - time.monotonic())
            solved = solve(core, must, price, most=len(known), seconds=left, **limits)
            if solved.chosen is not None and price[solved.chosen].sum() <= price[known].sum():
                known = solved.chosen
            is_fewest, is_cheapest = is_fewest or solved.is_proven, is_fewest and solved.is_proven
            if not is_fewest:
                break
    return Cover(np.sort(np.append(kept, columns[known])), is_fewest, is_cheapest)


def greedy_cover(hits: ndarray, costs: ndarray) -> ndarray:
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


def exchanged(
    hits: ndarray,
    saved: ndarray,
    costs: ndarray,
    taken: list[int],
    *,
    may_add: bool = True,
    deadline: float = math.inf,
) -> list[int]:
    """A choice that no dropping or exchanging (or adding) of one column makes cheaper.

    hits: [K, R] zeros and ones (float32). saved: [R] what it saves to hit a row; less than zero
    where that costs.

    >>> hits = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 1]], np.float32)
    >>> exchanged(hits, np.array([5.0, 5.0, 5.0, -9.0]), np.ones(3), [2])
    [0, 1]
    """

    def cost(taken: list[int]) -> float:
        return float(costs[taken].sum() - saved[hits[taken].any(0)].sum())

    now = cost(taken)
    while time.monotonic() < deadline:
        times = hits[taken].sum(0)
        # without each of those taken in turn, and without none
        rests = np.concatenate([times - hits[taken], times[None]])[: len(taken) + may_add]
        if not len(rests):
            return taken
        without = np.append(-costs[taken], 0)[: len(rests)] + (saved * (rests == 0)).sum(1)
        without -= saved[times == 0].sum()
        free = np.where(rests == 0, saved, 0).astype(np.float32)
        changes = without[:, None] + costs - (free @ hits.T).astype(np.float64)
        changes[:, taken] = np.inf
        changes = np.concatenate([without[:, None], changes], 1)
        changes[len(taken) :, 0] = 0.0
        left_out, added = np.unravel_index(changes.argmin(), changes.shape)
        choice = [k for i, k in enumerate(taken) if i != left_out]
        choice += [int(added) - 1] if added else []
        after = cost(choice)
        # sums of large weights are rounded: by them alone, exchanges would go round in circles
        if after > now - SMALLEST_CHANGE:
            break
        taken, now = choice, after
    return taken


def cheapest_choice(
    hits: ndarray, saved: ndarray, costs: ndarray, deadline: float, seconds: float
) -> tuple[ndarray, bool]:
    """Columns that cost least, less what hitting rows saves; and whether none cost less.

    Begins with an exchange of one at a time: a broad column that errs stands in the way of several
    that do not, so one choice begins with those that err little. Then the solver is asked, for
    ``seconds``, if the table is small enough.

    hits: [K, R] bools. saved: [R] what it saves to hit a row, less than zero where that costs.
    """
    columns = _first_of_equals(hits)
    kinds = np.packbits(hits[columns], axis=0)
    _, rows, kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    table, saved = hits[columns][:, rows], np.bincount(kind.ravel(), saved)
    costs, floats = costs[columns], table.astype(np.float32)
    pure = exchanged(floats, np.where(saved < 0, PURER, 1) * saved, costs, [], deadline=deadline)
    choices = [exchanged(floats, saved, costs, start, deadline=deadline) for start in ([], pure)]
    solved = None
    if seconds and 0 < table.size <= MAX_PRICED:
        seconds = max(0.1, min(seconds, deadline - time.monotonic()))
        solved = solve(table.T, saved, costs, seconds=seconds)
        choices += [] if solved.chosen is None else [solved.chosen.tolist()]
    best = min(choices, key=lambda taken: costs[taken].sum() - saved[table[taken].any(0)].sum())
    is_proven = not table.size or (solved is not None and solved.is_proven)
    return columns[np.array(best, int)], is_proven


@dataclass(frozen=True)
class Solved:
    """What the solver of integer programs found, if anything, and what is proven."""

    chosen: ndarray | None
    bound: float  # no choice costs less; infinite where there is none
    is_proven: bool  # none is cheaper


def solve(
    hits: ndarray,
    saved: ndarray,
    costs: ndarray,
    *,
    seconds: float,
    most: int | None = None,
    price: float = 1.0,
    between: tuple[float, float] = (0.0, math.inf),
    max_nodes: int | None = None,
) -> Solved:
    """The cheapest choice of columns by SciPy's solver (HiGHS).

    A column costs, and so does a row that fails, ``price`` times what it saves: one that saves
    fails unless some column taken hits it, one that does not (below zero) as soon as one does.

    Parameters
    ----------
    hits
        [R, K] bools.
    saved
        [R] infinite where a row must be hit.
    costs
        [K] not below zero.
    seconds, max_nodes
        Limits; of nodes of the solver's tree one that is the same on every machine.
    most
        How many columns may be taken.
    price
        What a failure of weight one costs.
    between
        The least and the greatest weight that may fail.
    """
    # Imported lazily: SciPy takes most of a second to load.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    num_columns = hits.shape[1]
    matters = np.flatnonzero(saved)
    hits, saved = hits[matters], saved[matters]
    must = np.isinf(saved)
    weight = np.where(must, 0, saved)
    # a variable for each column, taken or not, and one for each row, hit or not: a row that saves
    # is hit by the columns taken together at most, one that costs by each of them at least
    right = np.flatnonzero(saved > 0)
    row, column = np.nonzero(hits[right])
    wrong, wrong_column = np.nonzero(hits & (saved < 0)[:, None])
    pairs, number = len(right) + np.arange(len(wrong)), np.arange(len(right))
    size = len(right) + len(wrong), num_columns + len(saved)
    entries = [
        (row, column, 1.0),
        (number, num_columns + right, -1.0),
        (pairs, num_columns + wrong, 1.0),
        (pairs, wrong_column, -1.0),
    ]
    rows, columns = (np.concatenate([entry[i] for entry in entries]) for i in (0, 1))
    values = np.concatenate([np.full(len(entry[0]), entry[2]) for entry in entries])
    limits = [LinearConstraint(coo_array((values, (rows, columns)), shape=size).tocsr(), lb=0)]
    all_fail = float(weight[weight > 0].sum())
    if between != (0.0, math.inf):
        fails = np.append(np.zeros(num_columns), -weight)
        low, high = between
        limits.append(LinearConstraint(fails, low - all_fail - 1e-6, high - all_fail + 1e-6))
    if most is not None:
        is_column = np.append(np.ones(num_columns), np.zeros(len(saved)))
        limits.append(LinearConstraint(is_column, ub=most))
    solved = milp(
        np.append(costs, -price * weight),
        integrality=np.append(np.ones(num_columns), np.zeros(len(saved))),
        bounds=Bounds(np.append(np.zeros(num_columns), must), 1),
        constraints=limits,
        options={
            "time_limit": seconds,
            "mip_rel_gap": 0.0,
            **({} if max_nodes is None else {"node_limit": max_nodes}),
        },
    )
    if solved.status == 2:  # nothing fails so much
        return Solved(None, math.inf, is_proven=True)
    is_proven = solved.status == 0
    # without a column to take it is no integer program, and its optimum is the bound
    bound = solved.fun if is_proven else solved.mip_dual_bound
    bound = -math.inf if bound is None else float(bound) + price * all_fail
    chosen = None if solved.x is None else np.flatnonzero(solved.x[:num_columns] > 0.5)
    return Solved(chosen, bound, is_proven)


def _reduced(hits: ndarray, costs: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Columns of a cheapest cover, the table that is left, and the columns it stands for."""
    columns, kept = np.arange(hits.shape[1]), np.zeros(0, np.intp)
    while True:
        before = hits.shape
        only = hits[hits.sum(1) == 1].any(0)  # the one column that hits some row
        kept = np.append(kept, columns[only])
        hits, columns = hits[~hits[:, only].any(1)][:, ~only], columns[~only]
        hits = hits[_first_of_equals(hits)] if hits.size else hits[:0]
        hits = _hardest(hits)
        stay = _worthwhile(hits, costs[columns])
        hits, columns = hits[:, stay], columns[stay]
        if hits.shape == before:
            return kept, hits, columns


def _first_of_equals(rows: ndarray) -> ndarray:
    """The places of rows that say what no earlier one says."""
    return np.sort(np.unique(np.packbits(rows, axis=1), axis=0, return_index=True)[1])


def _worthwhile(hits: ndarray, costs: ndarray) -> ndarray:
    """Columns for which no other hits as much for no more; of equals the first."""
    counts, order = hits.sum(0), np.lexsort((np.arange(len(costs)), costs))
    order = order[counts[order] > 0]
    order = order[_first_of_equals(hits[:, order].T)]  # the cheapest of those that hit the same
    if hits.shape[0] * len(order) ** 2 > MAX_COMPARED:
        return np.sort(order)
    table = hits[:, order].astype(np.float32)
    inside = table.T @ table == counts[order][:, None]  # [i, j]: j hits all that i hits
    inside &= costs[order][None, :] <= costs[order][:, None]
    # equal columns are gone already, so no two are inside each other
    np.fill_diagonal(inside, False)
    return np.sort(order[~inside.any(1)])


def _hardest(hits: ndarray) -> ndarray:
    """Distinct rows without those that are hit of themselves once another is."""
    counts = hits.sum(1)
    order = np.argsort(counts, kind="stable")[:MOST_TELLING]
    if len(order) * hits.size > MAX_COMPARED:
        return hits
    # whatever hits i hits j
    inside = hits[order].astype(np.float32) @ hits.T.astype(np.float32) == counts[order][:, None]
    inside[np.arange(len(order)), order] = False
    return hits[~inside.any(0)]
