"""Observations as bits, and those that explain decisions: the cheapest set that explains all of
them, or the set by which decisions and their exceptions are described in the fewest bits.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from operator import or_

import numpy as np
from numpy import ndarray

from algolens.discovery.limits import Limits
from algolens.rules.trade_off import description_bits

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def mixed(hashes: ndarray, words: ndarray) -> ndarray:
    """[N] hashes of 64 bits that know one more word. Equal ones stay equal; of a million others,
    two become equal once in ten million times.
    """
    made: ndarray = (hashes ^ words) * _ODD
    made ^= made >> _SHIFT
    made *= _ODD
    return made ^ (made >> _SHIFT)


def _words(columns: ndarray) -> ndarray:
    """[W, K] each column as words of 64 bits. columns: [N, K] bools."""
    count, width = columns.shape
    padded = np.zeros((-(-count // 64) * 64, width), np.uint8)
    padded[:count] = columns
    planes = padded.reshape(len(padded) // 8, 8, width)
    packed = planes[:, 0].copy()
    for bit in range(1, 8):  # faster than np.packbits along columns
        packed |= planes[:, bit] << np.uint8(bit)
    by_word = packed.reshape(len(packed) // 8, 8, width).transpose(0, 2, 1)
    return np.ascontiguousarray(by_word).view(np.uint64)[..., 0]


def pack_columns(columns: ndarray) -> ndarray:
    """[K, W] each column as words of 64 bits. columns: [N, K] bools."""
    return np.ascontiguousarray(_words(columns).T)


def column_hashes(columns: ndarray) -> ndarray:
    """[K] a hash of each column. columns: [N, K] bools."""
    hashes = np.zeros(columns.shape[1], np.uint64)
    for word in _words(columns):
        hashes = mixed(hashes, word)
    return hashes


class BitTable:
    """Columns of bools, packed row by row, to which columns are added.

    Parameters
    ----------
    columns : ndarray
        [N, K] the first ones; K may be 0.
    """

    def __init__(self, columns: ndarray) -> None:
        self.looks = np.zeros(len(columns), np.uint64)  # alike where all columns are
        self.places = np.zeros(0, np.int64)  # [K] the bit of each column in a row
        self._blocks = [np.zeros((len(columns), 0), np.uint8)]
        self._num_bits = 0
        self.add(columns)

    def __len__(self) -> int:
        return len(self.places)

    def add(self, columns: ndarray) -> None:
        """Adds columns. columns: [N, K] bools."""
        packed = np.packbits(columns, axis=1, bitorder="little")
        block = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))))
        for word in block.view(np.uint64).T:
            self.looks = mixed(self.looks, word)
        new = self._num_bits + np.arange(columns.shape[1])
        self.places = np.append(self.places, new)
        self._num_bits += block.shape[1] * 8
        self._blocks.append(block)

    @property
    def _table(self) -> ndarray:
        """[N, W] bytes."""
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks, 1)]
        return self._blocks[0]

    def column(self, number: int) -> ndarray:
        """[N] bools: one column."""
        byte, bit = divmod(int(self.places[number]), 8)
        return (self._table[:, byte] >> np.uint8(bit) & np.uint8(1)).astype(bool)

    def columns(self, which: ndarray) -> ndarray:
        """[K, W] all columns of some elements, as words of 64 bits."""
        return pack_columns(self.unpacked(self.rows(which)))

    def rows(self, which: ndarray) -> ndarray:
        """[M, W] words of 64 bits of some elements."""
        return self._table[which].view(np.uint64)

    def unpacked(self, rows: ndarray) -> ndarray:
        """[M, K] bools of rows that were taken from here."""
        whole = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
        return whole[:, self.places].view(bool)


NO_CLAUSES = np.zeros(0, np.int64)

Chosen = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """Observations that explain decisions."""

    chosen: Chosen
    cost: float
    proven: bool = True  # no set of the observations offered costs less


def cheapest_fit(
    bits: BitTable,
    rows: ndarray,
    decisions: ndarray,
    costs: ndarray,
    limits: Limits,
    most: float = np.inf,
) -> Fit | None:
    """The cheapest set by which elements that look alike are decided alike.

    Pairs that look alike by the set so far, and are decided otherwise, are added until there are
    none; the cheapest set that tells these pairs apart is found by branch and bound.

    Parameters
    ----------
    bits : BitTable
        Observations that may be chosen, a column each.
    rows : ndarray
        [M] the elements that were decided.
    decisions : ndarray
        [M] what was decided, as whole numbers.
    costs : ndarray
        Of each observation.
    limits : Limits
        Of time, after which a cheap set is given; of pairs, and of the set.
    most : float
        What it may cost; where every set costs more, or all observations together do not explain
        the decisions, None is given.
    """
    if (decisions == decisions[:1]).all():
        return Fit((), 0.0)
    _, first, kind = np.unique(bits.looks[rows], return_index=True, return_inverse=True)
    if (decisions != decisions[first[kind]]).any():
        return None
    first.sort()
    table, decided = bits.rows(rows[first]), decisions[first]
    limits = replace(limits, until=min(limits.until, time.process_time() + limits.cover_seconds))
    chosen, proven = np.zeros(0, np.int64), True
    rng = np.random.default_rng(0)
    known: dict[bytes, ndarray] = {}
    while len(apart := _confused(bits, table, decided, chosen, rng, limits)):
        known |= {row.tobytes(): row for row in apart}
        if limits.is_late:  # from now on, what tells most pairs apart is added
            gain = bits.unpacked(apart).sum(0) / (costs + 0.5)
            chosen, proven = np.append(chosen, gain.argmax()), False
            if costs[chosen].sum() > most:
                return None
            continue
        found, is_least = cheapest_cover(
            bits.unpacked(np.array([*known.values()])), costs, limits, most
        )
        if found is None:
            return None
        chosen, proven = np.array(found), proven and is_least
    chosen = np.unique(chosen)
    return Fit(tuple(chosen.tolist()), float(costs[chosen].sum()), proven)


def _confused(
    bits: BitTable,
    table: ndarray,
    decided: ndarray,
    chosen: ndarray,
    rng: np.random.Generator,
    limits: Limits,
) -> ndarray:
    """[P, W] what tells pairs of elements apart that look alike by what is chosen, and are decided
    otherwise. table: [U, W] what is observed of each; decided: [U].
    """
    keys = np.zeros(len(table), np.uint64)
    for place in bits.places[chosen].tolist():
        bit = table[:, place // 64] >> np.uint64(place % 64) & np.uint64(1)
        keys = mixed(keys, bit)
    pairs = []
    order = np.argsort(keys, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        here = decided[group]
        if (here == here[0]).all():
            continue
        for one in rng.permutation(group)[: limits.nearest]:
            others = group[here != decided[one]]
            if len(others) > limits.compared:
                others = others[rng.permutation(len(others))[: limits.compared]]
            apart = table[others] ^ table[one]
            pairs.append(apart[np.bitwise_count(apart).sum(1, dtype=np.int64).argmin()])
    return np.array(pairs, np.uint64).reshape(len(pairs), table.shape[1])


def cheapest_cover(
    pairs: ndarray, costs: ndarray, limits: Limits, most: float
) -> tuple[Chosen | None, bool]:
    """The cheapest columns of which every pair has one, by branch and bound, and whether it is
    proven that none are cheaper; on thousands of small tables, this takes a two-hundredth of the
    time of SciPy's solver.

    Parameters
    ----------
    pairs : ndarray
        [P, K] bools: which columns tell each pair apart.
    costs : ndarray
        Of each column.
    limits : Limits
        Of time, after which the best so far is given; of work, and of the set.
    most : float
        What a set may cost.
    """
    order = np.flatnonzero((costs <= most) & pairs.any(0))
    order = order[np.argsort(costs[order], kind="stable")]
    offered = pairs[:, order]
    if not len(order) or not offered.any(1).all():
        return None, True
    # of columns that tell the same pairs apart, the cheapest is enough
    kept = np.sort(np.unique(column_hashes(offered), return_index=True)[1])
    table = offered[np.ix_(np.argsort(offered.sum(1), kind="stable"), kept)]  # rarest first
    # sets of pairs are whole numbers, a bit for each
    tells = [int.from_bytes(row.tobytes(), "little") for row in pack_columns(table)]
    order = order[kept]
    prices = costs[order].tolist()

    @cache
    def telling(pair: int) -> tuple[list[int], float, int]:
        """The columns that tell a pair apart, what the first costs, and all pairs that they do."""
        columns = np.flatnonzero(table[pair]).tolist()
        return columns, prices[columns[0]], reduce(or_, (tells[column] for column in columns))

    best: Chosen | None = None
    nodes, proven = 0, True

    def branch(left: int, spent: float, chosen: Chosen, tried: int) -> None:
        """Tells the pairs apart that are left. tried: columns of which all sets were tried."""
        nonlocal best, most, nodes, proven
        nodes += 1
        if nodes > limits.cover_nodes or (nodes % 16 == 0 and limits.is_late):
            proven = False
            return
        # of pairs that no column has in common, each needs one of its own
        bound, rest = spent, left
        while rest:
            _, least, sharing = telling((rest & -rest).bit_length() - 1)
            bound, rest = bound + least, rest & ~sharing
            if bound > most:
                return
        columns, *_ = telling((left & -left).bit_length() - 1)
        columns = [one for one in columns if spent + prices[one] <= most and not tried >> one & 1]
        for column in columns:
            if not left & ~tells[column]:  # the cheapest comes first
                best, most = (*chosen, column), spent + prices[column] - 0.05
                break
        if len(chosen) + 1 < limits.chosen:
            for column in columns:
                cost = spent + prices[column]
                if cost + prices[0] > most or not proven:
                    return
                tried |= 1 << column
                branch(left & ~tells[column], cost, (*chosen, column), tried)

    branch((1 << len(table)) - 1, 0.0, (), 0)
    return None if best is None else tuple(order[[*best]].tolist()), proven


# ---- with exceptions


@dataclass(frozen=True, eq=False)
class Description:
    """The set of observations with the shortest description, and what is an exception to it."""

    chosen: Chosen
    bits: float
    is_exception: ndarray  # [M] bools, of the elements that were decided

    @property
    def share(self) -> float:
        """The share of decisions that are exceptions."""
        return float(self.is_exception.mean()) if len(self.is_exception) else 0.0


def shortest_description(
    columns: ndarray, decided: ndarray, costs: ndarray, limits: Limits
) -> Description:
    """The shortest description that a beam search finds: observations, then the exceptions.

    A decision that costs more to explain than it costs to list is left as an exception. An
    observation takes as many bits as it takes to name it among those that cost no more, and ten.
    What is decided on patterns is written by cubes of patterns that are decided alike.

    Parameters
    ----------
    columns : ndarray
        [C, W] where observations hold that may be chosen, of the M elements that were decided, as
        ``pack_columns`` has them.
    decided : ndarray
        [M] what was decided, as whole numbers.
    costs : ndarray
        Of each observation.
    limits : Limits
        Of time, after which the best so far is given; of the beam and of the set.
    """
    rank = np.searchsorted(np.sort(costs), costs, side="right")
    # of many observations, some explain a few exceptions by chance
    table = _Table(columns, decided, costs, limits.clearly + np.log2(1 + rank))
    beam: list[Chosen] = [()]
    best: Chosen = ()
    fewest, idle = table.bits(()), 0
    for _ in range(limits.describing):
        wider: dict[Chosen, float] = {}
        tried = np.arange(len(costs))
        for chosen in beam:
            if limits.is_late:
                break
            score = table.entropies(chosen, tried) + table.named[[*chosen]].sum()
            score += table.named[tried]
            ranked = np.argsort(score, kind="stable")
            for place in ranked[: limits.beam].tolist():
                grown = tuple(sorted({*chosen, int(tried[place])}))
                if len(grown) > len(chosen):
                    wider[grown] = min(float(score[place]), wider.get(grown, np.inf))
            tried = tried[np.sort(ranked[: limits.promising])]  # for the other sets
        beam = sorted(wider, key=wider.__getitem__)[: limits.beam]
        idle += 1
        for chosen in beam:
            if (bits := table.bits(chosen)) < fewest:
                fewest, best, idle = bits, chosen, 0
        if idle >= limits.patience or limits.is_late:
            break
    # of observations that differ in a few wrong decisions alone, the dearer may do better by chance
    for column in sorted(best, key=lambda number: -costs[number]):
        rest = tuple(number for number in best if number != column)
        cheaper = np.flatnonzero(costs < costs[column])
        entropy = table.entropies(rest, cheaper)
        for other in cheaper[np.argsort(entropy, kind="stable")[: limits.beam]].tolist():
            trial = tuple(sorted({*rest, other}))
            bits = table.bits(trial)
            if bits <= fewest + limits.clearly / 2:
                best, fewest = trial, bits
                break
    pattern = table.pattern(best)
    usual = table.counted(pattern, len(best)).argmax(1)
    return Description(best, fewest, usual[pattern] != table.labels)


@dataclass(frozen=True, eq=False)
class _Table:
    """What was decided, and the observations that may explain it."""

    columns: ndarray  # [C, W] words of 64 bits
    decided: ndarray  # [M]
    costs: ndarray  # [C]
    named: ndarray  # [C] bits that name each

    @cached_property
    def labels(self) -> ndarray:
        """[M] what was decided, as 0, 1, ..."""
        return np.unique(self.decided, return_inverse=True)[1]

    @property
    def num_labels(self) -> int:
        return int(self.labels.max(initial=0)) + 1

    def pattern(self, chosen: Chosen) -> ndarray:
        """[M] which of the chosen observations hold, as a number."""
        made = np.zeros(len(self.labels), np.int64)
        for place, number in enumerate(chosen):
            column = self.columns[number].view(np.uint8)
            bits = np.unpackbits(column, bitorder="little", count=len(made))
            made |= bits.astype(np.int64) << place
        return made

    def counted(self, pattern: ndarray, width: int) -> ndarray:
        """[2 ** width, L] how often each label was decided on each pattern."""
        keys = pattern * self.num_labels + self.labels
        return np.bincount(keys, minlength=self.num_labels << width).reshape(-1, self.num_labels)

    def entropies(self, chosen: Chosen, tried: ndarray) -> ndarray:
        """[len(tried)] bits of all labels, given what is chosen and one observation more."""
        pattern = self.pattern(chosen)
        counts = self.counted(pattern, len(chosen))
        made = np.zeros(len(tried))
        columns = self.columns[tried]
        for group in np.flatnonzero((counts > 0).sum(1) > 1).tolist():
            whole = [0.0, 0.0]
            seen = counts[group].nonzero()[0]
            parts = pack_columns((pattern == group)[:, None] & (self.labels[:, None] == seen))
            for part, total in zip(parts, counts[group, seen], strict=True):
                ones = np.bitwise_count(columns & part).sum(1, dtype=np.int64)
                for place, some in enumerate((ones, total - ones)):
                    made -= _plogp(some)
                    whole[place] = whole[place] + some
            made += _plogp(whole[0]) + _plogp(whole[1])
        return made

    def bits(self, chosen: Chosen) -> float:
        """Bits of a set: its observations, what is decided on its patterns, and the exceptions."""
        grouped = self.counted(self.pattern(chosen), len(chosen))
        total, num_labels = grouped.sum(), self.num_labels
        errors = total - grouped.max(1).sum()
        usual, occurs = grouped.argmax(1), grouped.sum(1) > 0
        # patterns that differ in one observation and are decided alike are written as one
        places = np.flatnonzero(occurs)
        siblings = places[:, None] ^ (1 << np.arange(len(chosen)))[None]
        alike = (~occurs[siblings] | (usual[siblings] == usual[places].reshape(-1, 1))).sum(1)
        written = float((0.5**alike).sum()) * (np.log2(max(num_labels, 2)) + len(chosen) / 2)
        other = np.log2(max(num_labels - 1, 1)) * errors  # which label it is instead
        listed = description_bits(float(errors), float(total), NO_CLAUSES, 1)
        return float(self.named[[*chosen]].sum() + written + other + listed)


def _plogp(values: ndarray | float) -> ndarray:
    return values * np.log2(np.maximum(values, 1))
