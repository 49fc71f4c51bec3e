"""What Python calls of the kernel: compiled when first used, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from algolens.looks.by_change import kernel
from algolens.looks.by_change.expressions import KnownNumbers
from algolens.looks.by_change.machine import compiled, is_kept
from algolens.looks.by_change.memory import CellArrays

FILES = (
    "entry",
    "layout",
    "structures",
    "heaps",
    "terms",
    "settling",
    "views",
    "observing",
    "moving",
    "kernel",
    "liveness",
    "expressions",
    "translation",
    "machine",
)
ADVANCE = ("i64*", "i32*", "i8*", "i32*", "i32*", "i64*", "i64", "i64")
SORT = ("i32*", "i32*", "i32*", "i64", "i64")
NOTHING = KnownNumbers()
Advance = Callable[[CellArrays, Sequence[np.ndarray], int, bool], int]


@cache
def _stamp() -> bytes:
    """Changes with any file of the kernel."""
    folder = Path(__file__).parent
    return b"".join((folder / f"{name}.py").read_bytes() for name in FILES)


def kernel_for(known: KnownNumbers = NOTHING) -> Advance:
    """The kernel; of known records, the program of their look."""
    function = compiled(kernel.advance, ADVANCE, known, _stamp())

    def advance(cells: CellArrays, columns: Sequence[np.ndarray], room: int, keeps: bool) -> int:
        """columns: steps, elements and values, with so much room for each field."""
        return function(*map(_at, (*cells, *columns)), room, int(keeps))

    return advance


def is_compiled(known: KnownNumbers = NOTHING) -> bool:
    """Whether the kernel is compiled: in this process, or kept on disk by one before it."""
    return is_kept(kernel.advance, known, _stamp())


def sorted_by_field(fields: np.ndarray, num_fields: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each number begins [num_fields + 1], and the places of each in ascending order.

    fields: [K] 32-bit numbers below num_fields.
    """
    order, starts = np.empty(len(fields), np.int32), np.zeros(num_fields + 1, np.int32)
    function = compiled(kernel.sort_by_field, SORT, NOTHING, _stamp())
    function(_at(fields), _at(order), _at(starts), len(fields), num_fields)
    starts[num_fields] = len(fields)
    return starts, order


def _at(array: np.ndarray) -> int:
    assert array.flags.c_contiguous
    return int(array.ctypes.data)
