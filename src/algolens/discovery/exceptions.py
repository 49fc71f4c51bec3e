"""Observations that describe what was decided in the fewest bits: themselves, then the exceptions.

A decision that costs more to settle than it costs to list is left as an exception. Bits of
exceptions are those of ``RuleClassifier``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.observations import Observation
from algolens.discovery.settle import _keys, _rows
from algolens.rules.clause_choice import description_bits

BEAM = 6  # sets that are widened at a time
MOST_CHOSEN = 7  # observations of a set
MOST_OFFERED = 5000  # observations; beyond it, the cheapest
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


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Situations that look alike by all observations, as one kind, and what was decided in it."""

    table: np.ndarray  # [K, C] bools
    counts: np.ndarray  # [K, L] how often each label was decided
    of: np.ndarray  # [M] the kind of each decision

    @classmethod
    def among(cls, table: np.ndarray, labels: np.ndarray) -> _Kinds:
        _, first, kind = np.unique(_rows(table), return_index=True, return_inverse=True)
        kind, num_labels = kind.reshape(-1), int(labels.max()) + 1
        flat = np.bincount(kind * num_labels + labels, minlength=len(first) * num_labels)
        return cls(table[first], flat.reshape(len(first), num_labels), kind)


def disagreement(
    observations: Sequence[Observation], rows: np.ndarray, labels: np.ndarray
) -> float:
    """How often situations that look alike by all observations are decided otherwise than most.

    Kinds of situations that were seen once tell nothing, and do not count.
    """
    if not observations or not len(rows):
        return 0.0
    table = np.stack([some.column[rows] for some in observations], 1)
    counts = _Kinds.among(table, _numbered(labels)).counts
    counts = counts[counts.sum(1) > 1]
    return float(1 - counts.max(1).sum() / counts.sum()) if len(counts) else 0.0


def shortest_description(
    observations: Sequence[Observation],
    rows: np.ndarray,
    decided: np.ndarray,
    costs: np.ndarray,
    until: float = np.inf,
) -> Described:
    """The shortest description that a beam search finds.

    An observation takes as many bits as it takes to name it among those that cost no more, and ten.
    What is decided on patterns is written by cubes of patterns that are decided alike.

    Parameters
    ----------
    observations : sequence of Observation
        What may be chosen.
    rows : np.ndarray
        [M] the elements that were decided.
    decided : np.ndarray
        [M] what was decided, as whole numbers.
    costs : np.ndarray
        Of each observation.
    until : float
        A time of the process, when the best so far is given.
    """
    offered = np.argsort(costs, kind="stable")[:MOST_OFFERED]
    labels = _numbered(decided)
    table = np.stack([observations[number].column[rows] for number in offered], 1)
    kinds = _Kinds.among(table, labels)
    price = np.sort(costs[offered])
    # bits that name each; of many, some explain a few exceptions by chance
    named = CLEARLY + np.log2(1 + np.searchsorted(price, price, side="right"))
    columns = np.ascontiguousarray(kinds.table, np.float32)
    start = np.zeros(len(kinds.table), np.int64)
    beam: list[tuple[tuple[int, ...], np.ndarray]] = [((), start)]
    best: tuple[int, ...] = ()
    fewest, idle = _bits(kinds, (), 0.0), 0
    for _ in range(MOST_CHOSEN):
        wider: dict[tuple[int, ...], tuple[float, np.ndarray]] = {}
        tried, part = np.arange(len(named)), columns
        for chosen, group in beam:
            entropy = _entropies(part, kinds.counts, group)
            score = entropy + named[tried] + named[list(chosen)].sum()
            ranked = np.argsort(score, kind="stable")
            scores = dict(zip(tried[ranked[:BEAM]].tolist(), score[ranked[:BEAM]], strict=True))
            if len(tried) > PROMISING:  # for the other sets
                tried = tried[np.sort(ranked[:PROMISING])]
                part = np.ascontiguousarray(columns[:, tried])
            for column, bits in scores.items():
                grown = tuple(sorted({*chosen, column}))
                if len(grown) > len(chosen) and grown not in wider:
                    _, joined = np.unique(group * 2 + kinds.table[:, column], return_inverse=True)
                    wider[grown] = (float(bits), joined.reshape(-1))
        if not wider:
            break
        ordered = sorted(wider.items(), key=lambda item: item[1][0])[:BEAM]
        beam = [(chosen, group) for chosen, (_, group) in ordered]
        bits, place = min(
            (_bits(kinds, chosen, float(named[list(chosen)].sum())), place)
            for place, (chosen, _) in enumerate(beam)
        )
        idle = 0 if bits < fewest else idle + 1
        if bits < fewest:
            fewest, best = bits, beam[place][0]
        if idle >= PATIENCE or time.process_time() > until:
            break
    chosen, fewest, group = _simplified(best, fewest, price, named, columns, kinds)
    usual = _grouped(kinds.counts, group).argmax(1)
    is_exception = usual[group[kinds.of]] != labels
    return Described(tuple(int(offered[number]) for number in chosen), fewest, is_exception)


def _simplified(
    chosen: tuple[int, ...],
    fewest: float,
    price: np.ndarray,
    named: np.ndarray,
    columns: np.ndarray,
    kinds: _Kinds,
) -> tuple[tuple[int, ...], float, np.ndarray]:
    """The same set, dearer observations replaced by cheaper ones that are not clearly worse.

    Of observations that differ in a few wrong decisions alone, the dearer may do better by chance.
    """
    for column in sorted(chosen, key=lambda number: -price[number]):
        rest = tuple(number for number in chosen if number != column)
        cheaper = np.flatnonzero(price < price[column])
        if not len(cheaper):
            continue
        entropy = _entropies(columns[:, cheaper], kinds.counts, _joined(kinds, rest))
        for other in cheaper[np.argsort(entropy, kind="stable")[:BEAM]]:
            trial = tuple(sorted({*rest, int(other)}))
            bits = _bits(kinds, trial, float(named[list(trial)].sum()))
            if bits <= fewest + CLEARLY / 2:
                chosen, fewest = trial, bits
                break
    return chosen, fewest, _joined(kinds, chosen)


def _joined(kinds: _Kinds, chosen: tuple[int, ...]) -> np.ndarray:
    """[K] the group of each kind: those that look alike by what is chosen."""
    return _keys(kinds.table[:, list(chosen)])


def _numbered(labels: np.ndarray) -> np.ndarray:
    """Labels as 0, 1, ..."""
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _grouped(counts: np.ndarray, group: np.ndarray) -> np.ndarray:
    """[G, L] how often each label was decided in each group of kinds."""
    made = np.zeros((int(group.max()) + 1, counts.shape[1]))
    np.add.at(made, group, counts)
    return made


def _bits(kinds: _Kinds, chosen: tuple[int, ...], naming: float) -> float:
    """Bits of a set: its observations, what is decided on its patterns, and the exceptions."""
    weights = 1 << np.arange(len(chosen))
    pattern = kinds.table[:, list(chosen)] @ weights if chosen else np.zeros(len(kinds.table), int)
    grouped = np.zeros((1 << len(chosen), kinds.counts.shape[1]))
    np.add.at(grouped, pattern, kinds.counts)
    total, num_labels = grouped.sum(), grouped.shape[1]
    errors = total - grouped.max(1).sum()
    usual, occurs = grouped.argmax(1), grouped.sum(1) > 0
    # patterns that differ in one observation and are decided alike are written as one
    places = np.flatnonzero(occurs)
    siblings = places[:, None] ^ weights[None]
    wanted = usual[places].reshape(-1, 1)
    alike = (~occurs[siblings] | (usual[siblings] == wanted)).sum(1)
    cubes = float((0.5**alike).sum())
    written = cubes * (np.log2(max(num_labels, 2)) + len(chosen) / 2)
    other = np.log2(max(num_labels - 1, 1)) * errors  # which label it is instead
    return float(
        naming + written + other + description_bits(float(errors), float(total), NO_CLAUSES, 1)
    )


def _entropies(columns: np.ndarray, counts: np.ndarray, group: np.ndarray) -> np.ndarray:
    """[C] bits of all labels, given the group and one column more."""
    num_groups, num_labels = int(group.max()) + 1, counts.shape[1]
    kind, label = np.nonzero(counts)
    spread = csr_array(
        (counts[kind, label].astype(np.float32), (group[kind] * num_labels + label, kind)),
        shape=(num_groups * num_labels, len(counts)),
    )
    ones = (spread @ columns).reshape(num_groups, num_labels, -1)
    whole = spread.sum(1).reshape(num_groups, num_labels, 1)
    return sum(_plogp(part.sum(1)) - _plogp(part).sum(1) for part in (ones, whole - ones)).sum(0)


def _plogp(values: np.ndarray) -> np.ndarray:
    return values * np.log2(np.maximum(values, 1))
