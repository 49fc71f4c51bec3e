"""The smallest formula by trying all: the judge of the minimiser."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from algolens.logic.formula import Formula


def smallest_by_brute_force(
    num_concepts: int, true: list[int], false: list[int]
) -> tuple[int, int]:
    """Clauses and literals of the smallest formula, tried out over all sets of conjunctions that
    avoid ``false``.
    """
    cubes = []
    for signs in itertools.product((0, 1, None), repeat=num_concepts):
        rows = {
            row
            for row in range(2**num_concepts)
            if all(
                sign in (None, row >> (num_concepts - 1 - i) & 1) for i, sign in enumerate(signs)
            )
        }
        if not rows & set(false):
            cubes.append((frozenset(rows), sum(sign is not None for sign in signs)))

    @functools.cache
    def best(left: frozenset[int]) -> tuple[int, int]:
        if not left:
            return 0, 0
        rests = [(best(left - rows), literals) for rows, literals in cubes if min(left) in rows]
        return min((clauses + 1, total + literals) for (clauses, total), literals in rests)

    return best(frozenset(true))


def size(clauses: Sequence[Formula]) -> tuple[int, int]:
    """Clauses and literals."""
    return len(clauses), sum(len(clause.names) for clause in clauses)
