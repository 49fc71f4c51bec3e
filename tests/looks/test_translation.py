"""What is compiled does what plain Python does, whatever is known beforehand."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite", reason="the kernel by change is compiled by LLVM")

from algolens.looks.by_change import expressions, liveness, machine, translation
from algolens.looks.by_change.expressions import KnownNumbers
from algolens.looks.by_change.machine import compiled

SIZE = 12
PARTS = (expressions, liveness, machine, translation)
FILES = [__file__, *(inspect.getfile(part) for part in PARTS)]
STAMP = b"".join(Path(file).read_bytes() for file in FILES)  # what is kept on disk goes by it
WORDS = ("i64*", "i32*", "i8*", "i64")


def branches(m, w, b, number):
    """Ways that part and meet; returns from within; values of either way."""
    best = kept = 0
    if number < 0:
        return -1
    for i in range(m[0]):
        value = m[1 + i] if i < 3 and number > i else w[i]
        if value == 3:
            continue
        if value == 7:
            kept = i
            break
        if not (value > 4 or b[i] == 1):
            best = max(best, value)
        elif value & 1:
            best -= min(value, 2)
        else:
            best, kept = kept, best
    m[9] += best * 10
    w[3] = kept + abs(best)
    b[2] += 1
    return (best << 2) + (kept if best != kept else ~kept)


def nested(m, w, b, number):
    """Loops in loops, of lengths that are known or not, and functions that give two numbers."""
    total = 0
    while number > 0:
        one, other = halves(m, w, number)
        for i in range(m[2]):
            for j in range(i, one):
                total += m[(i + j) % 8] * (j - i) + b[i]
                if total > 1000:
                    return total
        number = other if other < number else 0
    return total


def halves(m, w, number):
    if m[1] == 2:
        return number // 2, number >> 1
    return number - 1, w[number % 8] - 1


@pytest.mark.parametrize("function", [branches, nested])
@settings(max_examples=40, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 9), min_size=3 * SIZE, max_size=3 * SIZE),
    number=st.integers(-1, 9),
)
def test_compiled_functions_do_as_plain_ones_do(function, numbers, number):
    for known in (KnownNumbers(), KNOWN):
        arrays = cells(numbers)
        if known is KNOWN:
            for address, value in KNOWN.values.items():
                arrays[0][address] = value
        expected = [array.astype(np.int64) for array in arrays]
        call = compiled(function, WORDS, known, STAMP)
        given = call(*(array.ctypes.data for array in arrays), number)
        assert given == function(*expected, number)
        for array, truth in zip(arrays, expected, strict=True):
            assert (array == truth).all()


KNOWN = KnownNumbers({0: 5, 1: 2, 2: 3}, frozenset({4, 5}))


def cells(numbers: list[int]) -> list[Any]:
    """Arrays of 64, 32 and 8 bits."""
    parts = np.array(numbers).reshape(3, SIZE)
    return [
        part.astype(kind) for part, kind in zip(parts, (np.int64, np.int32, np.int8), strict=True)
    ]
