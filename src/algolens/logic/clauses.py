"""Clauses: conjunctions of literals, which of them are prime implicants, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.logic.formula import Formula, Not, concepts, conjunction
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, pack, packed_type, unpack

AT_ONCE = 2**18  # comparisons at a time, so that intermediate results stay in the cache


@dataclass(frozen=True)
class Clauses:
    """K conjunctions of literals over any number of concepts.

    >>> clauses = Clauses(np.array([[True, False, False]]), np.array([[True, False, True]]))
    >>> clauses.formulas(["a", "b", "c"])
    (Formula('a & ~c'),)
    >>> clauses.hold(np.array([4, 6, 7])).tolist()
    [[True, True, False]]
    """

    value: ndarray  # [K, C] bools: the signs of the literals; false outside care
    care: ndarray  # [K, C] bools: the concepts that each speaks of

    @classmethod
    def empty(cls, count: int, num_concepts: int) -> Clauses:
        """So many conjunctions without a literal, which hold everywhere."""
        return cls(*np.zeros((2, count, num_concepts), bool))

    @classmethod
    def of_packed(cls, value: ndarray, care: ndarray, num_concepts: int) -> Clauses:
        """From [K] packed signs and [K] packed concepts that each speaks of."""
        return cls(unpack(value, num_concepts), unpack(care, num_concepts))

    @classmethod
    def of_patterns(cls, patterns: ndarray, num_concepts: int) -> Clauses:
        """A conjunction of all concepts for each packed pattern."""
        value = unpack(patterns, num_concepts)
        return cls(value, np.ones_like(value))

    @classmethod
    def numbered(cls, numbers: ndarray, num_concepts: int) -> Clauses:
        """By number; to base 3, a concept's digit is 0 (opposite), 1 (itself) or 2 (absent)."""
        digits = numbers[:, None] // 3 ** np.arange(num_concepts - 1, -1, -1) % 3
        return cls(digits == 1, digits < 2)

    @classmethod
    def join(cls, parts: Sequence[Clauses]) -> Clauses:
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
    def num_concepts(self) -> int:
        """C."""
        return self.care.shape[1]

    @property
    def packed_value(self) -> ndarray:
        """[K] the signs, packed."""
        return pack(self.value).astype(np.uint64)

    @property
    def packed_care(self) -> ndarray:
        """[K] the concepts that each speaks of, packed."""
        return pack(self.care).astype(np.uint64)

    @property
    def num_literals(self) -> ndarray:
        """[K] how many concepts each speaks of."""
        return self.care.sum(1)

    @property
    def size(self) -> tuple[int, int]:
        """How many clauses, and how many literals in all: minimising lowers them in this order."""
        return len(self), int(self.care.sum())

    @property
    def keys(self) -> ndarray:
        """[K, bytes] equal where the clauses are; lower where earlier concepts are spoken of."""
        return np.packbits(~np.concatenate([self.care, self.value], 1), axis=1)

    def in_order(self) -> Clauses:
        """Without repeats: fewer literals first, then fewer opposites, then earlier concepts."""
        keys, opposites = self.keys, (self.care & ~self.value).sum(1)
        order = np.lexsort((*keys.T[::-1], opposites, self.num_literals))
        is_new = np.ones(len(self), bool)
        is_new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(1)
        return self[order[is_new]]

    def with_literal(self, place: int, sign: ndarray | bool) -> Clauses:
        """Each with one literal more; sign: [K] bools, or one for all."""
        value, care = self.value.copy(), self.care.copy()
        value[:, place], care[:, place] = sign, True
        return Clauses(value, care)

    def hold(self, patterns: ndarray) -> ndarray:
        """[K, M] does the clause hold on the pattern? patterns: [M, C] bools, or [M] packed."""
        result = np.ones((len(self), len(patterns)), bool)
        if self.num_concepts > MAX_PACKED_CONCEPTS:
            for clause, place in zip(*np.nonzero(self.care), strict=True):
                result[clause] &= patterns[:, place] == self.value[clause, place]
            return result
        # the shortest numbers are compared fastest
        is_packed = patterns.ndim == 1
        packed = patterns.astype(packed_type(self.num_concepts)) if is_packed else pack(patterns)
        value, care = pack(self.value)[:, None], pack(self.care)[:, None]
        for rows in portions(len(self), len(packed)):
            np.equal(packed & care[rows], value[rows], out=result[rows])
        return result

    def formulas(self, names: Sequence[str]) -> tuple[Formula, ...]:
        """A conjunction for each, concepts in the order of ``names``."""
        known = concepts(*names)
        return tuple(
            conjunction(
                *(
                    known[place] if value[place] else Not(known[place])
                    for place in np.flatnonzero(care)
                )
            )
            for value, care in zip(self.value, self.care, strict=True)
        )


def portions(num_rows: int, num_columns: int) -> list[slice]:
    """Rows of a large table, some at a time."""
    step = max(1, AT_ONCE // max(1, num_columns))
    return [slice(start, start + step) for start in range(0, num_rows, step)]


def clause_bits(num_literals: ndarray, num_concepts: int) -> ndarray:
    """[K] bits that write clauses down: a literal is one of 2 C in any order; two bits end each.

    >>> clause_bits(np.array([0, 1, 2, 3]), 8).round(1).tolist()
    [2.0, 6.0, 9.0, 11.4]
    """
    orders = np.array([math.lgamma(k + 1) / math.log(2) for k in range(num_concepts + 1)])
    return 2 + num_literals * math.log2(2 * max(1, num_concepts)) - orders[num_literals]


def over_all_clauses(values: ndarray, num_concepts: int, join: np.ufunc) -> ndarray:
    """[2**C] values of patterns to [3**C]: joined over the patterns on which each clause holds."""
    for i in range(num_concepts):
        halves = values.reshape(3**i, 2, -1)
        values = np.concatenate([halves, join(halves[:, :1], halves[:, 1:])], axis=1)
    return values.reshape(-1)


def prime_implicants(on: ndarray, off: ndarray, num_concepts: int) -> Clauses:
    """All that hold on a pattern of ``on`` and on none of ``off``, and can lose no literal.

    Every conjunction over the concepts is looked at, 3**C in all.

    >>> prime_implicants(np.array([2, 3]), np.array([0]), 2).formulas(["a", "b"])
    (Formula('a'), Formula('b'))
    """
    tables = np.zeros((2, 2**num_concepts), bool)
    tables[0, on] = tables[1, off] = True
    hits_on, hits_off = (over_all_clauses(table, num_concepts, np.logical_or) for table in tables)
    is_prime = hits_on & ~hits_off
    for i in range(num_concepts):
        # a literal is needed where the clause without it would hold on a forbidden pattern
        axes = (3**i, 3, -1)
        is_prime.reshape(axes)[:, :2] &= hits_off.reshape(axes)[:, 2:]
    return Clauses.numbered(np.flatnonzero(is_prime), num_concepts).in_order()
