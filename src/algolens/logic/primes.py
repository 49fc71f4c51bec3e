"""Prime implicants: the conjunctions that cover no forbidden pattern and lose that with any literal taken away."""

from __future__ import annotations

import numpy as np

from algolens.logic.cubes import Cubes


def prime_implicants(on: np.ndarray, off: np.ndarray, num_concepts: int) -> Cubes:
    """All of them that cover a pattern of ``on``: none covers one of ``off``, and none can lose a literal.

    Every conjunction over the concepts is looked at, 3**C in all: a concept stands as itself, as its opposite, or not at all.

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
    """[3**C] which cubes cover one of the patterns; in base 3, a digit is a concept: opposite, itself, or absent."""
    table = np.zeros(2**num_concepts, bool)
    table[patterns] = True
    for i in range(num_concepts):
        halves = table.reshape(3**i, 2, -1)
        table = np.concatenate([halves, halves[:, :1] | halves[:, 1:]], axis=1)
    return table.reshape(-1)
