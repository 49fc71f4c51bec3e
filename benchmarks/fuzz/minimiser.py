"""The gate for tables: the smallest formula, beside one found by trying all."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from tests.logic.brute_force import size, smallest_by_brute_force

from algolens.logic import minimal_rules
from benchmarks.fuzz.gate import Gate, Wrong

NAMES = ("a", "b", "c", "d", "e")


class Minimiser(Gate):
    """A formula fits its table, and none is smaller."""

    name, share = "minimiser", 60

    def draw(self, draw: random.Random) -> Any:
        count = draw.choice([1, 2, 3, 3, 4, 4, 4])
        odds = draw.choice([(1, 1, 1), (4, 4, 1), (1, 3, 3), (3, 1, 2)])
        return {"concepts": count, "table": "".join(draw.choices("tf-", odds, k=2**count))}

    def enter(self, given: Any, folder: Path) -> None:
        count, table = given["concepts"], given["table"]
        true, false = (
            np.array([place for place, kind in enumerate(table) if kind == wanted], int)
            for wanted in "tf"
        )
        found = minimal_rules(NAMES[:count], true, false)
        rows = found.formula.table(NAMES[:count])
        if not rows[true].all() or rows[false].any():
            raise Wrong(f"{found.formula} does not fit {table}")
        smallest = smallest_by_brute_force(count, true.tolist(), false.tolist())
        if size(found.clauses) != smallest:
            raise Wrong(f"{found.formula} for {table}, where {smallest} clauses and literals do")
