"""Prime implicants: the conjunctions that cover no forbidden pattern and lose that with any literal
taken away.
"""

from __future__ import annotations

import time

import numpy as np

from algolens.logic.cubes import Cubes

CHUNK = 2**22  # comparisons at a time


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
    chunk = max(1, CHUNK // max(1, len(others)))
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
