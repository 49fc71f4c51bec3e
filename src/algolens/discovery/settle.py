"""The cheapest observations by which situations that look alike are decided alike."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from algolens.discovery.bits import BitTable, mixed

SECONDS = 3.0  # of looking for the cheapest set; then a cheap one is enough
MOST_NODES = 3_000  # of branch and bound
MOST_CHOSEN = 10  # observations of one decision
NEAREST = 40  # of a group of situations that look alike, so many get their nearest opposite,
MOST_COMPARED = 400  # of so many


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
    bits: BitTable,
    rows: np.ndarray,
    decisions: np.ndarray,
    costs: np.ndarray,
    until: float,
    most: float = np.inf,
) -> Settled | None:
    """The cheapest set that settles decisions; None where all of them together do not.

    Parameters
    ----------
    bits : BitTable
        Observations that may be chosen, a column each.
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
    if (decisions == decisions[:1]).all():
        return Settled((), 0.0, True, 0)
    looks = bits.looks[rows]
    order = np.lexsort((decisions, looks))
    is_new = np.diff(looks[order], prepend=~looks[order[:1]]) != 0
    is_other = np.diff(decisions[order], prepend=decisions[order[:1]]) != 0
    if (is_other & ~is_new).any():
        return None  # two that look alike by all of them are decided otherwise
    first = np.sort(order[is_new])
    kinds = _Kinds(bits, bits.rows(rows[first]), decisions[first])
    until = min(until, time.process_time() + SECONDS)
    pairs = np.zeros((0, len(costs)), bool)
    chosen, proven, rounds = np.zeros(0, np.int64), True, 0
    rng = np.random.default_rng(0)
    known: set[bytes] = set()
    while True:
        rounds += 1
        apart = kinds.alike_but_apart(chosen, rng)
        if not len(apart):
            return Settled(
                tuple(sorted(chosen.tolist())), float(costs[chosen].sum()), proven, rounds
            )
        fresh = [row for row in apart if row.tobytes() not in known]
        known.update(row.tobytes() for row in fresh)
        if fresh:
            pairs = np.concatenate([pairs, bits.unpacked(np.array(fresh))])
        if time.process_time() > until:
            chosen = _greedy(kinds, costs, chosen, most)
            cost = float(costs[chosen].sum())
            return (
                Settled(tuple(sorted(chosen.tolist())), cost, False, rounds)
                if cost <= most
                else None
            )
        solved = _Hitting(pairs, costs, most, until).solve()
        if solved is None:
            return None
        chosen, is_least = solved
        proven &= is_least


def _keys(columns: np.ndarray) -> np.ndarray:
    """[N] one number for those that look alike."""
    if not columns.shape[1]:
        return np.zeros(len(columns), np.int64)
    return np.unique(_rows(columns), return_inverse=True)[1].reshape(-1)


def _rows(columns: np.ndarray) -> np.ndarray:
    """[N] the bools of each row as one value."""
    packed = np.ascontiguousarray(np.packbits(columns, axis=1))
    return packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Situations of which no two look alike by all observations, and what was decided in each."""

    bits: BitTable
    table: np.ndarray  # [U, W] words of 64 bits
    decisions: np.ndarray  # [U]

    def alike_but_apart(self, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """[P, W] what tells pairs of situations apart that look alike by what is chosen, and are
        decided otherwise.
        """
        table, decisions = self.table, self.decisions
        keys = np.zeros(len(table), np.uint64)
        for place in self.bits.places[chosen].tolist():
            bit = table[:, place // 64] >> np.uint64(place % 64) & np.uint64(1)
            keys = mixed(keys, bit)
        pairs = []
        order = np.argsort(keys, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            here = decisions[group]
            if (here == here[0]).all():
                continue
            for one in rng.permutation(group)[:NEAREST]:
                others = group[here != decisions[one]]
                if len(others) > MOST_COMPARED:
                    others = others[rng.permutation(len(others))[:MOST_COMPARED]]
                apart = table[others] ^ table[one]
                pairs.append(apart[np.bitwise_count(apart).sum(1, dtype=np.int64).argmin()])
        return np.array(pairs, np.uint64).reshape(len(pairs), table.shape[1])


class _Hitting:
    """The cheapest columns of which every pair has one, by branch and bound.

    Parameters
    ----------
    pairs : np.ndarray
        [pairs, columns] bools: what tells each pair apart.
    costs : np.ndarray
        Of each column.
    most : float
        What a set may cost.
    until : float
        A time of the process, when the best so far is given.
    """

    def __init__(self, pairs: np.ndarray, costs: np.ndarray, most: float, until: float) -> None:
        # of columns that tell the same pairs apart, the cheapest is enough
        order = np.lexsort((np.arange(len(costs)), costs))
        order = order[(costs[order] <= most) & pairs[:, order].any(0)]
        packed = np.ascontiguousarray(np.packbits(pairs[:, order], axis=0).T)
        whole = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
        _, first = np.unique(whole, return_index=True)
        kept = np.sort(first)  # cheapest first
        self.columns, self.costs = order[kept], costs[order[kept]]
        words = -(-packed.shape[1] // 8)
        padded = np.zeros((len(kept), words * 8), np.uint8)
        padded[:, : packed.shape[1]] = packed[kept]
        self.told = padded.view(np.uint64)  # [columns, words]
        self.pairs = pairs[:, self.columns]
        self.rarest = np.argsort(self.pairs.sum(1), kind="stable")
        # the cheapest column that tells each pair apart
        self.least = self.costs[self.pairs.argmax(1)] if len(kept) else np.zeros(len(pairs))
        self._sharing: dict[int, np.ndarray] = {}
        self.best: tuple[int, ...] | None = None
        self.most, self.until, self.proven, self.nodes = most, until, True, 0

    def solve(self) -> tuple[np.ndarray, bool] | None:
        """The cheapest set, and whether that is proven; None where none costs so little."""
        if self.pairs.shape[1] and self.pairs.any(1).all():
            allowed = np.ones(len(self.costs), bool)
            self._branch(np.ones(len(self.pairs), bool), 0.0, (), allowed)
        if self.best is None:
            return None
        return self.columns[list(self.best)], self.proven

    def _branch(
        self, left: np.ndarray, spent: float, chosen: tuple[int, ...], allowed: np.ndarray
    ) -> None:
        """Hits the pairs that are left by columns that are allowed.

        left: [pairs] bools; spent: what the chosen columns cost.
        """
        self.nodes += 1
        if self.nodes > MOST_NODES or (self.nodes % 16 == 0 and time.process_time() > self.until):
            self.proven = False
            return
        if self._is_dearer(left, self.most - spent):
            return
        packed = self._packed(left)
        affordable = int(np.searchsorted(self.costs, self.most - spent, side="right"))
        hits_all = ((self.told[:affordable] & packed) == packed).all(1) & allowed[:affordable]
        alone = int(hits_all.argmax()) if affordable else 0
        if affordable and hits_all[alone]:  # the cheapest comes first
            self.best = (*chosen, alone)
            self.most = spent + self.costs[alone] - 0.05
            affordable = int(np.searchsorted(self.costs, self.most - spent, side="right"))
        if not affordable or len(chosen) + 1 >= MOST_CHOSEN:
            return
        pair = self.rarest[left[self.rarest].argmax()]
        branches = np.flatnonzero(self.pairs[pair, :affordable] & allowed[:affordable])
        allowed = allowed.copy()
        for column in branches.tolist():
            cost = spent + self.costs[column]
            if cost + self.costs[0] > self.most or not self.proven:
                return
            allowed[column] = False  # sets with it are all tried here
            self._branch(left & ~self.pairs[:, column], cost, (*chosen, column), allowed)

    def _is_dearer(self, left: np.ndarray, most: float) -> bool:
        """Whether all pairs that are left cost more: of pairs that no column has in common, each
        needs one of its own.
        """
        least, bound = np.where(left, self.least, -1.0), 0.0
        while True:
            pair = int(least.argmax())
            if least[pair] < 0:
                return False
            bound += least[pair]
            if bound > most:
                return True
            least[self._shares(pair)] = -1.0

    def _shares(self, pair: int) -> np.ndarray:
        """[pairs] bools: which have a column in common with one."""
        if pair not in self._sharing:
            together = np.bitwise_or.reduce(self.told[self.pairs[pair]], axis=0)
            bits = np.unpackbits(together.view(np.uint8), count=len(self.pairs))
            self._sharing[pair] = bits.astype(bool)
        return self._sharing[pair]

    def _packed(self, left: np.ndarray) -> np.ndarray:
        bits = np.zeros(self.told.shape[1] * 8, np.uint8)
        some = np.packbits(left)
        bits[: len(some)] = some
        return bits.view(np.uint64)


def _greedy(kinds: _Kinds, costs: np.ndarray, chosen: np.ndarray, most: float) -> np.ndarray:
    """A set that settles all, by adding the cheapest observation that tells a pair apart; given up
    where it costs too much.
    """
    rng = np.random.default_rng(0)
    while len(pairs := kinds.alike_but_apart(chosen, rng)) and costs[chosen].sum() <= most:
        apart = kinds.bits.unpacked(pairs)
        chosen = np.append(chosen, int((apart.sum(0) / (costs + 0.5)).argmax()))
    return chosen if len(pairs) else np.unique(chosen)
