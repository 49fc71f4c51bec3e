"""Observations that describe what was decided in the fewest bits: themselves, then the exceptions.

A decision that costs more to settle than it costs to list is left as an exception. Bits of
exceptions are those of ``RuleClassifier``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from algolens.discovery.bits import pack_columns
from algolens.rules.trade_off import description_bits

BEAM = 6  # sets that are widened at a time
MOST_CHOSEN = 7  # observations of a set
PROMISING = 500  # observations that sets other than the best are widened by
CLEARLY = 10.0  # bits that an observation must save beyond its name: a thousand to one
PATIENCE = 2  # wider sets without a shorter description, after which it ends
NO_CLAUSES = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Described:
    """The set of observations with the shortest description, and what is an exception to it."""

    chosen: tuple[int, ...]
    bits: float
    is_exception: np.ndarray  # [M] bools, of the elements that were decided

    @property
    def share(self) -> float:
        """The share of decisions that are exceptions."""
        return float(self.is_exception.mean()) if len(self.is_exception) else 0.0


def disagreement(looks: np.ndarray, labels: np.ndarray) -> float:
    """The share of wrong labels by which as many pairs of situations that look alike are decided
    otherwise: of two such, one is wrong and the other right.

    looks: [M] equal where situations look alike; labels: [M].
    """
    kind, label = (np.unique(values, return_inverse=True)[1] for values in (looks, labels))
    counts = np.zeros((int(kind.max(initial=0)) + 1, int(label.max(initial=0)) + 1))
    np.add.at(counts, (kind, label), 1)
    total = counts.sum(1)
    counts, total = counts[total > 1], total[total > 1]
    if not len(total):
        return 0.0
    alike = (counts * (counts - 1)).sum(1) / (total - 1)
    otherwise = 1 - alike.sum() / total.sum()
    return float(1 - np.sqrt(max(0.0, 1 - 2 * otherwise))) / 2


def shortest_description(
    columns: np.ndarray, decided: np.ndarray, costs: np.ndarray, until: float = np.inf
) -> Described:
    """The shortest description that a beam search finds.

    An observation takes as many bits as it takes to name it among those that cost no more, and ten.
    What is decided on patterns is written by cubes of patterns that are decided alike.

    Parameters
    ----------
    columns : np.ndarray
        [C, W] where observations hold that may be chosen, of the M elements that were decided, as
        ``pack_columns`` has them.
    decided : np.ndarray
        [M] what was decided, as whole numbers.
    costs : np.ndarray
        Of each observation.
    until : float
        A time of the process, when the best so far is given.
    """
    price = np.sort(costs)
    rank = np.searchsorted(price, costs, side="right")
    # bits that name each; of many, some explain a few exceptions by chance
    told = _Told(columns, decided, costs, CLEARLY + np.log2(1 + rank))
    beam: list[tuple[int, ...]] = [()]
    best: tuple[int, ...] = ()
    fewest, idle = told.bits(()), 0
    for _ in range(MOST_CHOSEN):
        wider: dict[tuple[int, ...], float] = {}
        tried = np.arange(len(costs))
        for chosen in beam:
            if time.process_time() > until:
                break
            score = told.entropies(chosen, tried) + told.named[[*chosen]].sum() + told.named[tried]
            ranked = np.argsort(score, kind="stable")
            for place in ranked[:BEAM].tolist():
                grown = tuple(sorted({*chosen, int(tried[place])}))
                if len(grown) > len(chosen):
                    wider[grown] = min(float(score[place]), wider.get(grown, np.inf))
            tried = tried[np.sort(ranked[:PROMISING])]  # for the other sets
        beam = sorted(wider, key=wider.__getitem__)[:BEAM]
        bits, shortest = min(((told.bits(chosen), chosen) for chosen in beam), default=(np.inf, ()))
        idle = 0 if bits < fewest else idle + 1
        if bits < fewest:
            fewest, best = bits, shortest
        if idle >= PATIENCE or time.process_time() > until:
            break
    chosen, fewest = _simplified(told, best, fewest)
    pattern = told.pattern(chosen)
    usual = told.counted(pattern, 1 << len(chosen)).argmax(1)
    return Described(chosen, fewest, usual[pattern] != told.labels)


def _simplified(
    told: _Told, chosen: tuple[int, ...], fewest: float
) -> tuple[tuple[int, ...], float]:
    """The same set, dearer observations replaced by cheaper ones that are not clearly worse.

    Of observations that differ in a few wrong decisions alone, the dearer may do better by chance.
    """
    for column in sorted(chosen, key=lambda number: -told.costs[number]):
        rest = tuple(number for number in chosen if number != column)
        cheaper = np.flatnonzero(told.costs < told.costs[column])
        entropy = told.entropies(rest, cheaper)
        for other in cheaper[np.argsort(entropy, kind="stable")[:BEAM]].tolist():
            trial = tuple(sorted({*rest, other}))
            bits = told.bits(trial)
            if bits <= fewest + CLEARLY / 2:
                chosen, fewest = trial, bits
                break
    return chosen, fewest


@dataclass(frozen=True, eq=False)
class _Told:
    """What was decided, and the observations that may tell it."""

    columns: np.ndarray  # [C, W] words of 64 bits
    decided: np.ndarray  # [M]
    costs: np.ndarray  # [C]
    named: np.ndarray  # [C] bits that name each

    @cached_property
    def labels(self) -> np.ndarray:
        """[M] what was decided, as 0, 1, ..."""
        return np.unique(self.decided, return_inverse=True)[1].reshape(-1)

    @property
    def num_labels(self) -> int:
        return int(self.labels.max(initial=0)) + 1

    def pattern(self, chosen: tuple[int, ...]) -> np.ndarray:
        """[M] which of the chosen observations hold, as a number."""
        made = np.zeros(len(self.labels), np.int64)
        for place, number in enumerate(chosen):
            column = self.columns[number].view(np.uint8)
            bits = np.unpackbits(column, bitorder="little", count=len(made))
            made |= bits.astype(np.int64) << place
        return made

    def counted(self, pattern: np.ndarray, size: int) -> np.ndarray:
        """[size, L] how often each label was decided on each pattern."""
        width = self.num_labels
        return np.bincount(pattern * width + self.labels, minlength=size * width).reshape(-1, width)

    def entropies(self, chosen: tuple[int, ...], tried: np.ndarray) -> np.ndarray:
        """[len(tried)] bits of all labels, given what is chosen and one observation more."""
        pattern = self.pattern(chosen)
        counts = self.counted(pattern, 1 << len(chosen))
        made = np.zeros(len(tried))
        columns = self.columns[tried]
        for group in np.flatnonzero((counts > 0).sum(1) > 1).tolist():
            whole = [0.0, 0.0]
            here = pattern == group
            seen = counts[group].nonzero()[0]
            parts = pack_columns(here[:, None] & (self.labels[:, None] == seen))
            for part, total in zip(parts, counts[group, seen], strict=True):
                ones = np.bitwise_count(columns & part).sum(1, dtype=np.int64)
                for place, some in enumerate((ones, total - ones)):
                    made -= _plogp(some)
                    whole[place] = whole[place] + some
            made += _plogp(whole[0]) + _plogp(whole[1])
        return made

    def bits(self, chosen: tuple[int, ...]) -> float:
        """Bits of a set: its observations, what is decided on its patterns, and the exceptions."""
        grouped = self.counted(self.pattern(chosen), 1 << len(chosen))
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


def _plogp(values: np.ndarray | float) -> np.ndarray:
    return values * np.log2(np.maximum(values, 1))
