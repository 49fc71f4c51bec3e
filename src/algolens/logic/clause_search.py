"""The clause that saves most errors, among all conjunctions where they are few, else by a beam that
says what it left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from algolens.logic.formula import Formula, Not, concepts, conjunction
from algolens.logic.patterns import pack

MAX_TABLE_CONCEPTS = 11  # of so many, every conjunction is weighed: 3**11 is 177 thousand
BEAM = 48  # conjunctions of one size that grow further; of more, the most telling
PATIENCE = 4  # literals more that make no conjunction better, after which none grows
KEPT = 12  # of the best conjunctions of a search, which later choices are made from


@dataclass(frozen=True)
class Clauses:
    """K conjunctions over any number of concepts: of which concepts each speaks, and how."""

    value: np.ndarray  # [K, C] bools; false outside care
    care: np.ndarray  # [K, C] bools

    @classmethod
    def none(cls, num_concepts: int) -> Clauses:
        """No conjunction at all."""
        return cls(np.zeros((0, num_concepts), bool), np.zeros((0, num_concepts), bool))

    @classmethod
    def join(cls, parts: list[Clauses]) -> Clauses:
        """All of them, one after the other."""
        return cls(
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.care for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.care)

    def __getitem__(self, chosen: Any) -> Clauses:
        return Clauses(self.value[chosen], self.care[chosen])

    @property
    def num_literals(self) -> np.ndarray:
        """[K] how many concepts each speaks of."""
        return self.care.sum(1)

    @property
    def keys(self) -> np.ndarray:
        """[K, bytes] equal where the conjunctions are."""
        return np.packbits(np.concatenate([self.value, self.care], 1), axis=1)

    def formulas(self, names: Sequence[str]) -> tuple[Formula, ...]:
        """A conjunction for each, without repeats, in the order of ``Cubes.in_order``: the plainest
        first.
        """
        known = concepts(*names)
        places = [tuple(np.flatnonzero(care).tolist()) for care in self.care]
        signs = [
            tuple(bool(value[place]) for place in of)
            for value, of in zip(self.value, places, strict=True)
        ]
        found = sorted(
            set(zip(places, signs, strict=True)),
            key=lambda one: (len(one[0]), one[1].count(False), one[0], [not s for s in one[1]]),
        )
        return tuple(
            conjunction(
                *(
                    known[place] if sign else Not(known[place])
                    for place, sign in zip(*one, strict=True)
                )
            )
            for one in found
        )

    def hold(self, patterns: np.ndarray) -> np.ndarray:
        """[K, M] does the conjunction hold on the pattern? patterns: [M, C] bools."""
        result = np.ones((len(self), len(patterns)), bool)
        for k in range(len(self)):
            for place in np.flatnonzero(self.care[k]):
                result[k] &= patterns[:, place] == self.value[k, place]
        return result


def clause_bits(num_literals: np.ndarray, num_concepts: int) -> np.ndarray:
    """[K] bits that write a conjunction down: a literal is one of 2 C, their order is free, and two
    bits say where it ends.

    >>> clause_bits(np.array([0, 1, 2, 3]), 8).round(1).tolist()
    [2.0, 6.0, 9.0, 11.4]
    """
    orders = np.array([math.lgamma(k + 1) / math.log(2) for k in range(num_concepts + 1)])
    return 2 + num_literals * math.log2(2 * max(1, num_concepts)) - orders[num_literals]


@lru_cache(maxsize=2)
def _listed_bits(num_concepts: int) -> np.ndarray:
    """[3**C] the bits of every conjunction; in base 3, a digit is a concept: opposite, itself, or
    absent.
    """
    literals = np.zeros(1, np.intp)
    for _ in range(num_concepts):
        literals = (literals[:, None] + np.array([1, 1, 0])).reshape(-1)
    return clause_bits(literals, num_concepts).astype(np.float32)


class ClauseSearch:
    """Looks for conjunctions on the patterns [M, C] (bools, distinct)."""

    def __init__(self, patterns: np.ndarray) -> None:
        self.patterns, self.num_concepts = patterns, patterns.shape[1]
        self.is_listed = self.num_concepts <= MAX_TABLE_CONCEPTS
        self.bits = clause_bits(np.arange(self.num_concepts + 1), self.num_concepts)
        if self.is_listed:
            self.places = pack(patterns)
            self.listed_bits = _listed_bits(self.num_concepts)
        else:
            self.table = patterns.astype(np.float32)
            self.marks = np.random.default_rng(0).integers(
                0, 2**64, (2, self.num_concepts), dtype=np.uint64
            )

    def best(self, saved: np.ndarray, price: float) -> Clauses:
        """The best conjunctions, the best one first; saved: [M] the errors that covering each
        pattern saves, or adds.

        A conjunction is as good as ``price`` times the errors that it saves, less the bits that it
        takes.
        """
        return self._listed(saved, price) if self.is_listed else self._by_beam(saved, price)

    def _listed(self, saved: np.ndarray, price: float) -> Clauses:
        sums = np.bincount(self.places, weights=saved, minlength=2**self.num_concepts).astype(
            np.float32
        )
        for i in range(self.num_concepts):
            halves = sums.reshape(3**i, 2, -1)
            sums = np.empty((len(halves), 3, halves.shape[2]), np.float32)
            sums[:, :2] = halves
            np.add(halves[:, 0], halves[:, 1], out=sums[:, 2])
        gains = np.float32(price) * sums.reshape(-1) - self.listed_bits
        best = np.argpartition(-gains, min(KEPT, len(gains) - 1))[:KEPT]
        best = best[np.argsort(-gains[best], kind="stable")]
        digits = best[:, None] // 3 ** np.arange(self.num_concepts - 1, -1, -1) % 3
        return Clauses(digits == 1, digits < 2)

    def _by_beam(self, saved: np.ndarray, price: float) -> Clauses:
        """Literal by literal; what cannot become better than the best is left."""
        matters = np.flatnonzero(saved)
        table, saved = self.table[matters], saved[matters].astype(np.float32)
        gain, loss = np.maximum(saved, 0), np.maximum(-saved, 0)
        all_gain, all_loss = float(gain.sum()), float(loss.sum())
        share = all_gain / max(all_gain + all_loss, 1e-9)
        level = Clauses(
            np.zeros((1, self.num_concepts), bool), np.zeros((1, self.num_concepts), bool)
        )
        marks, idle = np.zeros(1, np.uint64), 0
        held = np.ones((1, len(matters)), np.float32)
        found, scores = [level], [np.array([price * (all_gain - all_loss) - self.bits[0]])]
        for size in range(1, self.num_concepts + 1):
            ones = np.concatenate([(held * gain) @ table, (held * loss) @ table], 0).reshape(
                2, len(level), -1
            )
            totals = np.stack([held @ gain, held @ loss])[:, :, None]
            # [2, B, 2, C]: gain and loss of each with one literal more, the opposite first
            grown = np.stack([totals - ones, ones], 2)
            grown_gain, grown_loss = grown[0], grown[1]
            score = price * (grown_gain - grown_loss) - self.bits[size]
            best = max(float(each.max()) for each in scores)
            hopeful = price * grown_gain - self.bits[size] > best
            # a literal that keeps nothing wrong out is idle, in whatever it grows into too
            hopeful &= ~level.care[:, None, :] & (grown_loss < totals[1][:, :, None])
            telling = np.where(hopeful, grown_gain * (1 - share) - share * grown_loss, -np.inf)
            parent, sign, place = np.unravel_index(
                _largest(telling.reshape(-1), 4 * BEAM), telling.shape
            )
            real = telling[parent, sign, place] > -np.inf
            parent, sign, place = parent[real], sign[real], place[real]
            if not len(parent):
                break
            # conjunctions of the same literals have the same mark, in whatever order they grew
            mark = marks[parent] + self.marks[sign, place]
            first = np.sort(np.unique(mark, return_index=True)[1])[:BEAM]
            parent, sign, place, marks = parent[first], sign[first], place[first], mark[first]
            value, care = level.value[parent], level.care[parent]
            value[np.arange(len(parent)), place], care[np.arange(len(parent)), place] = (
                sign == 1,
                True,
            )
            level = Clauses(value, care)
            held = held[parent] * (sign[:, None] == table[:, place].T)
            found.append(level)
            scores.append(score[parent, sign, place])
            idle = 0 if scores[-1].max() > best else idle + 1
            if best > 0 and idle == PATIENCE:
                break
        together, values = Clauses.join(found), np.concatenate(scores)
        return together[np.argsort(-values, kind="stable")[:KEPT]]


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """The places of the largest values, the largest first."""
    if len(values) > count:
        places = np.sort(np.argpartition(-values, count)[:count])
        return places[np.argsort(-values[places], kind="stable")]
    return np.argsort(-values, kind="stable")
