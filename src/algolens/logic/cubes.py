"""Cubes: conjunctions of literals, each packed into two whole numbers; and prime implicants."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algolens.logic.formula import Formula, Not, concepts, conjunction
from algolens.logic.patterns import pack, packed_type, unpack

CHUNK = 2**18  # comparisons at a time, so that what is between stays in the cache


@dataclass(frozen=True)
class Cubes:
    """K conjunctions: the bits of ``care`` are the concepts that each speaks of, those of ``value``
    their signs.

    >>> cubes = Cubes.from_bits(np.array([[True, False, False]]), np.array([[True, False, True]]))
    >>> cubes.formulas(["a", "b", "c"])
    (Formula('a & ~c'),)
    >>> cubes.covers(np.array([4, 6, 7], np.uint64))[:, 0].tolist()
    [True, True, False]
    """

    value: np.ndarray  # [K] uint64; zero outside care
    care: np.ndarray  # [K] uint64
    num_concepts: int

    @classmethod
    def from_bits(cls, value: np.ndarray, care: np.ndarray) -> Cubes:
        """From [K, C] bools each."""
        return cls(
            pack(value & care).astype(np.uint64), pack(care).astype(np.uint64), care.shape[1]
        )

    @classmethod
    def empty(cls, count: int, num_concepts: int) -> Cubes:
        """So many conjunctions of nothing, which hold everywhere."""
        return cls(np.zeros(count, np.uint64), np.zeros(count, np.uint64), num_concepts)

    @classmethod
    def of_patterns(cls, patterns: np.ndarray, num_concepts: int) -> Cubes:
        """A conjunction for each pattern, of all concepts."""
        return cls(
            patterns.astype(np.uint64),
            np.full(len(patterns), 2**num_concepts - 1, np.uint64),
            num_concepts,
        )

    @classmethod
    def join(cls, parts: Sequence[Cubes]) -> Cubes:
        """All of them, one after the other."""
        value, care = (
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.care for part in parts]),
        )
        return cls(value, care, parts[0].num_concepts)

    def __len__(self) -> int:
        return len(self.value)

    def __getitem__(self, chosen: Any) -> Cubes:
        return Cubes(self.value[chosen], self.care[chosen], self.num_concepts)

    def covers(self, patterns: np.ndarray) -> np.ndarray:
        """[M] patterns to [M, K]: does the pattern lie in the cube?"""
        narrow = packed_type(self.num_concepts)  # a short number is compared faster
        patterns, care, value = (
            patterns.astype(narrow),
            self.care.astype(narrow),
            self.value.astype(narrow),
        )
        result = np.empty((len(patterns), len(self)), bool)
        chunk = max(1, CHUNK // max(1, len(self)))
        for start in range(0, len(patterns), chunk):
            np.equal(
                patterns[start : start + chunk, None] & care,
                value,
                out=result[start : start + chunk],
            )
        return result

    @property
    def num_literals(self) -> np.ndarray:
        """[K] how many concepts each speaks of."""
        return unpack(self.care, self.num_concepts).sum(1)

    @property
    def size(self) -> tuple[int, int]:
        """How many clauses, and how many literals in all: what minimising makes small, in this
        order.
        """
        return len(self), int(self.num_literals.sum())

    def in_order(self) -> Cubes:
        """Without repeats, the plainest first: fewer literals, then fewer opposites, then the
        earlier concepts.
        """
        opposites = unpack(self.care & ~self.value, self.num_concepts).sum(1)
        cubes = self[np.lexsort((~self.value, ~self.care, opposites, self.num_literals))]
        is_new = np.ones(len(cubes), bool)
        is_new[1:] = (cubes.value[1:] != cubes.value[:-1]) | (cubes.care[1:] != cubes.care[:-1])
        return cubes[is_new]

    def inside(self, others: Cubes) -> np.ndarray:
        """[K] does one of the others speak of all that it speaks of, and say the same of it?"""
        result = np.zeros(len(self), bool)
        for value, care in zip(others.value, others.care, strict=True):
            result |= ((self.care & ~care) == 0) & ((self.value ^ value) & self.care == 0)
        return result

    def formulas(self, names: Sequence[str]) -> tuple[Formula, ...]:
        """A conjunction for each, concepts in the order of ``names``."""
        known = concepts(*names)
        signs, cares = unpack(self.value, self.num_concepts), unpack(self.care, self.num_concepts)
        return tuple(
            conjunction(
                *(
                    c if sign else Not(c)
                    for c, sign, is_in in zip(known, signs_of, cares_of, strict=True)
                    if is_in
                )
            )
            for signs_of, cares_of in zip(signs.tolist(), cares.tolist(), strict=True)
        )


PRIMES_AT_ONCE = 2**22  # comparisons at a time


def prime_implicants(on: np.ndarray, off: np.ndarray, num_concepts: int) -> Cubes:
    """All of them that cover a pattern of ``on``: none covers one of ``off``, and none can lose a
    literal.

    Every conjunction over the concepts is looked at, 3**C in all: a concept stands as itself, as
    its opposite, or not at all.

    >>> prime_implicants(np.array([2, 3]), np.array([0]), 2).formulas(["a", "b"])
    (Formula('a'), Formula('b'))
    """
    hits_on, hits_off = _hits(on, num_concepts), _hits(off, num_concepts)
    is_prime = hits_on & ~hits_off
    for i in range(num_concepts):
        # a literal is needed where the cube without it would cover a forbidden pattern
        axes = (3**i, 3, -1)
        is_prime.reshape(axes)[:, :2] &= hits_off.reshape(axes)[:, 2:]
    digits = np.flatnonzero(is_prime)[:, None] // 3 ** np.arange(num_concepts - 1, -1, -1) % 3
    return Cubes.from_bits(digits == 1, digits < 2).in_order()


def _hits(patterns: np.ndarray, num_concepts: int) -> np.ndarray:
    """[3**C] which cubes cover one of the patterns; in base 3, a digit is a concept: opposite,
    itself, or absent.
    """
    table = np.zeros(2**num_concepts, bool)
    table[patterns] = True
    for i in range(num_concepts):
        halves = table.reshape(3**i, 2, -1)
        table = np.concatenate([halves, halves[:, :1] | halves[:, 1:]], axis=1)
    return table.reshape(-1)


def prime_implicants_of_few(
    on: np.ndarray, off: np.ndarray, num_concepts: int, *, at_most: int, deadline: float
) -> Cubes | None:
    """The same for any number of concepts, where few patterns are forbidden; None once there are
    more than ``at_most``.

    It begins with the conjunction of nothing. For each forbidden pattern, whatever covers it is
    replaced by its parts that do
    not: a literal more that the pattern fails, unless another conjunction covers all of that part.

    >>> on, off = np.array([2, 3], np.uint64), np.array([0], np.uint64)
    >>> prime_implicants_of_few(on, off, 2, at_most=9, deadline=float("inf")).formulas(["a", "b"])
    (Formula('a'), Formula('b'))
    """
    cubes = Cubes.empty(1, num_concepts)
    for pattern in off:
        covers = (pattern & cubes.care) == cubes.value
        kept, split = cubes[~covers], cubes[covers]
        parts = [kept]
        for flip in np.uint64(1) << np.arange(num_concepts, dtype=np.uint64):
            free, sign = split[(split.care & flip) == 0], ~pattern & flip
            grown = Cubes(free.value | sign, free.care | flip, num_concepts)
            grown = grown[grown.covers(on).any(0)]
            # only what has the new literal too can cover the part: else it would have covered the
            # whole
            rivals = kept[((kept.care & flip) != 0) & ((kept.value & flip) == sign)]
            grown = grown[~_inside(grown, rivals)]
            parts.append(grown[~_inside(grown, grown)])
        cubes = Cubes.join(parts)
        if len(cubes) > at_most or time.monotonic() > deadline:
            return None
    return cubes.in_order()


def _inside(cubes: Cubes, others: Cubes) -> np.ndarray:
    """[K] does one of the others cover all that the cube covers, and more?"""
    result = np.zeros(len(cubes), bool)
    chunk = max(1, PRIMES_AT_ONCE // max(1, len(others)))
    for start in range(0, len(cubes), chunk):
        value, care = (
            cubes.value[start : start + chunk, None],
            cubes.care[start : start + chunk, None],
        )
        within = (
            ((care & others.care) == others.care)
            & ((value & others.care) == others.value)
            & (care != others.care)
        )
        result[start : start + chunk] = within.any(1)
    return result
