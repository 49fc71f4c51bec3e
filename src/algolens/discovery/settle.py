"""The cheapest observations by which situations that look alike are decided alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.discovery.observations import Observation
from algolens.logic.covering import greedy_cover

SECONDS = 3.0  # of looking for the cheapest set; then a cheap one is enough
INFEASIBLE = 2  # SciPy's word for a program without a solution
MOST_KEPT = 1200  # columns that sets are made of
FEW = 30  # columns that tell a pair apart
NEAREST = 40  # of a group of situations that look alike, so many get their nearest opposite


@dataclass(frozen=True, eq=False)
class Settled:
    """Observations that settle a decision."""

    chosen: tuple[int, ...]
    cost: float
    proven: bool  # no set of the observations offered costs less
    rounds: int


def is_settled(columns: np.ndarray, decisions: np.ndarray) -> bool:
    """Whether situations that look alike are decided alike. columns: [N, K] bools."""
    keys = _keys(columns)
    pairs = np.unique(np.stack([keys, decisions]), axis=1)
    return pairs.shape[1] == len(np.unique(keys))


def settle(
    observations: Sequence[Observation],
    rows: np.ndarray,
    decisions: np.ndarray,
    costs: np.ndarray,
    until: float,
    most: float = np.inf,
) -> Settled | None:
    """The cheapest set that settles decisions; None where all of them together do not.

    Parameters
    ----------
    observations : sequence of Observation
        What may be chosen.
    rows : np.ndarray
        [M] the elements that were decided.
    decisions : np.ndarray
        [M] what was decided, as whole numbers.
    costs : np.ndarray
        Of each observation.
    until : float
        A time of the process, when the best so far is given.
    most : float
        What it may cost; where every set costs more, None is given.
    """
    if len(np.unique(decisions)) < 2:
        return Settled((), 0.0, True, 0)
    if not observations:
        return None
    table = np.stack([observation.column[rows] for observation in observations], 1)
    packed = np.concatenate(
        [
            np.packbits(table, axis=1),
            decisions.astype(np.int64).view(np.uint8).reshape(len(rows), 8),
        ],
        1,
    )
    _, first = np.unique(packed, axis=0, return_index=True)
    table, decisions = table[first], decisions[first]
    if not is_settled(table, decisions):
        return None
    until = min(until, time.process_time() + SECONDS)
    pairs: list[np.ndarray] = []
    chosen, proven, rounds = np.zeros(0, np.int64), True, 0
    rng = np.random.default_rng(0)
    known: set[bytes] = set()
    while True:
        rounds += 1
        new = _alike_but_apart(table, decisions, chosen, rng)
        fresh = []
        for one, other in new:
            row = table[one] ^ table[other]
            key = np.packbits(row).tobytes()
            if key not in known:
                known.add(key)
                fresh.append(row)
        if not new:
            return Settled(
                tuple(sorted(chosen.tolist())), float(costs[chosen].sum()), proven, rounds
            )
        pairs += fresh
        if time.process_time() > until:
            chosen = _greedy(table, decisions, costs, chosen, most)
            cost = float(costs[chosen].sum())
            return Settled(tuple(sorted(chosen.tolist())), cost, False, rounds) if cost <= most else None
        solved = _least_hitting(np.array(pairs), costs, until, most)
        if solved is None:
            return None
        chosen, is_least = solved
        proven &= is_least


def _keys(columns: np.ndarray) -> np.ndarray:
    """[N] one number for those that look alike."""
    if not columns.shape[1]:
        return np.zeros(len(columns), np.int64)
    _, keys = np.unique(np.packbits(columns, axis=1), axis=0, return_inverse=True)
    return keys.reshape(-1)


def _alike_but_apart(
    table: np.ndarray, decisions: np.ndarray, chosen: np.ndarray, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Pairs of situations that look alike by what is chosen, and are decided otherwise."""
    keys, pairs = _keys(table[:, chosen]), []
    order = np.argsort(keys, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        here = decisions[group]
        if (here == here[0]).all():
            continue
        for one in rng.permutation(group)[:NEAREST]:
            others = group[here != decisions[one]]
            others = others[rng.permutation(len(others))[:400]]
            distance = (table[others] ^ table[one]).sum(1)
            pairs.append((int(one), int(others[distance.argmin()])))
    return pairs


def _least_hitting(
    pairs: np.ndarray, costs: np.ndarray, until: float, most: float
) -> tuple[np.ndarray, bool] | None:
    """The cheapest columns of which every pair has one, and whether that is proven; None where
    they cost more than ``most``.
    """
    # here, for it takes most of a second to load
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    # of columns that tell the same pairs apart, the cheapest is enough
    order = np.lexsort((np.arange(len(costs)), costs))
    _, first = np.unique(np.packbits(pairs[:, order], axis=0), axis=1, return_index=True)
    columns, is_whole = _worthwhile(pairs, costs, np.sort(order[first]))
    hits = pairs[:, columns]
    if len(columns) == 1:
        return (columns, is_whole) if costs[columns[0]] <= most else None
    seconds = max(0.2, until - time.process_time())
    for whole in (0, 1):  # without whole numbers it is soon known that all sets cost too much
        solved = milp(
            costs[columns],
            integrality=np.full(len(columns), whole),
            bounds=Bounds(0, 1),
            constraints=[
                LinearConstraint(csr_array(hits.astype(float)), lb=1),
                LinearConstraint(costs[columns], ub=most),
            ],
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        if solved.status == INFEASIBLE:
            return None
    if solved.x is None:
        chosen = columns[greedy_cover(hits, costs[columns])]
        return (chosen, False) if costs[chosen].sum() <= most else None
    return columns[np.flatnonzero(solved.x > 0.5)], is_whole and solved.status == 0


def _worthwhile(
    pairs: np.ndarray, costs: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Columns of which no other tells as much apart and costs no more; and whether these are all:
    of very many, those that tell most apart for what they cost.
    """
    hits = pairs[:, columns]
    columns = columns[hits.any(0)]
    worth = pairs[:, columns].sum(0) / costs[columns]
    is_whole = len(columns) <= MOST_KEPT
    if not is_whole:
        rare = pairs[:, columns].sum(1) <= FEW  # what few tell apart may need one of these
        needed = pairs[rare][:, columns].any(0)
        columns = columns[np.lexsort((-worth, ~needed))[:MOST_KEPT]]
    order = np.lexsort((columns, -pairs[:, columns].sum(0), costs[columns]))
    columns = columns[order]
    missed = np.packbits(~pairs[:, columns], axis=0).T  # [columns, bytes]
    told = np.packbits(pairs[:, columns], axis=0).T
    kept: list[int] = []
    for place in range(len(columns)):
        if not kept or (told[place] & missed[kept]).any(1).all():
            kept.append(place)
    return columns[kept], is_whole


def _greedy(
    table: np.ndarray, decisions: np.ndarray, costs: np.ndarray, chosen: np.ndarray, most: float
) -> np.ndarray:
    """A set that settles all, by adding the cheapest observation that tells a pair apart; given up
    where it costs too much.
    """
    rng = np.random.default_rng(0)
    while (pairs := _alike_but_apart(table, decisions, chosen, rng)) and costs[chosen].sum() <= most:
        apart = np.array([table[one] ^ table[other] for one, other in pairs])
        chosen = np.append(chosen, int((apart.sum(0) / (costs + 0.5)).argmax()))
    return chosen if pairs else np.unique(chosen)
