"""The arrays of whole numbers that the kernel works on, put together part by part."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from algolens.looks.by_change.expressions import KnownNumbers
from algolens.looks.by_change.heaps import BITS, HEAP_NODE
from algolens.looks.by_change.structures import HEADER, LIST_NODE

LARGE_PAGES = getattr(mmap, "MADV_HUGEPAGE", None)  # only Linux has them
PRIVATE = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
PEEK = 64  # values that tell most arrays apart
RECORDS = 2**16  # numbers that records have room for; data come after them


NUMBERS, WORDS, CLASSES = "m", "w", "b"  # the arrays: see structures.py
MOST_CLASSES = 2**8  # of a category, so that a byte holds them
TYPES = {NUMBERS: np.int64, WORDS: np.int32, CLASSES: np.uint8}


class CellArrays(NamedTuple):
    """What the kernel works on."""

    m: np.ndarray
    w: np.ndarray
    b: np.ndarray


class NotByChange(Exception):
    """A look that the kernel by change does not take."""


class Sized(int):
    """A number in a record that goes with the graph, not with the look alone."""


class Memory:
    """Addresses are given at once; the arrays are made at the end.

    Records come first, so that their addresses follow from the look alone. They never change.
    """

    def __init__(self) -> None:
        self.sizes = dict.fromkeys(TYPES, RECORDS)
        self._records: list[int] = [0] * HEADER
        self._equal: dict[tuple[str, int], list[tuple[int, np.ndarray]]] = {}
        self._parts: list[tuple[str, int, int, np.ndarray | int]] = []

    def put(self, values: Sequence[int]) -> int:
        """The address of a record."""
        address = len(self._records)
        self._records += values
        if len(self._records) > RECORDS:
            raise NotByChange("it has too many cases")
        return address

    def listing(self, values: Sequence[int]) -> int:
        """The address of a number of values and these."""
        return self.put([len(values), *values])

    def records(self, rows: Sequence[Sequence[int]]) -> int:
        """The address of a number of records and these, one after the other."""
        return self.put([len(rows), *(value for row in rows for value in row)])

    def head(self, cell: int, value: int) -> None:
        """Sets one of the first cells."""
        self._records[cell] = value

    def data(self, values: np.ndarray, where: str) -> int:
        """The address of values that never change, in one of the arrays; equal ones have one."""
        flat, alike = values.reshape(-1), self._equal.setdefault((where, values.size), [])
        for address, other in alike:
            if np.array_equal(flat[:PEEK], other[:PEEK]) and np.array_equal(flat, other):
                return address
        alike.append((self._add(where, values.size, flat), flat))
        return alike[-1][0]

    def state(self, values: np.ndarray, where: str) -> int:
        """The address of values that may change."""
        return self._add(where, values.size, values)

    def room(self, count: int, where: str) -> int:
        """The address of as many zeros."""
        return self._add(where, count, 0)

    def queue(self, count: int) -> int:
        """An empty queue for so many elements, whose stamps lie before it."""
        self.room(count, WORDS)
        return self.changes(count)

    def changes(self, count: int) -> int:
        """An empty list of changed elements."""
        return self.room(count + 1, WORDS)

    def lists(self, nodes: int, heads: int) -> int:
        """A space of linked lists, all empty."""
        return self.put([self.room(LIST_NODE * nodes, WORDS), self.room(heads, WORDS)])

    def heaps(self, nodes: int, roots: int) -> int:
        """A space of heaps, all empty."""
        return self.put([self.room(HEAP_NODE * nodes, NUMBERS), self.room(roots, NUMBERS)])

    def bits(self, count: int) -> list[int]:
        """The addresses of so many bits, and of those of each level above."""
        levels: list[int] = []
        while count > 1 or not levels:
            count = -(-count // 2**BITS)
            levels.append(self.room(count + 1, NUMBERS))
        return levels

    def pairs(self, count: int) -> tuple[int, int]:
        """A table of pairs (group, key) and the number of its places."""
        places = 1 << max(4, int(4 * count + 1).bit_length())
        columns = self.room(1, NUMBERS), self.room(places, WORDS), self.room(places, NUMBERS)
        return self.put([Sized(places - 1), *columns]), places

    def _add(self, where: str, count: int, values: np.ndarray | int) -> int:
        address = self.sizes[where]
        self._parts.append((where, address, count, values))
        self.sizes[where] += count
        return address

    def known(self) -> KnownNumbers:
        """What the look alone says of its records."""
        values, lasting = {}, set()
        for address, value in enumerate(self._records):
            if isinstance(value, Sized) or value >= RECORDS:
                lasting.add(address)
            elif address >= HEADER or value:
                values[address] = int(value)
        return KnownNumbers(values, frozenset(lasting))

    def arrays(self) -> CellArrays:
        """All of it."""
        cells = CellArrays(*(_zeros(self.sizes[where], kind) for where, kind in TYPES.items()))
        cells.m[: len(self._records)] = self._records
        for where, address, count, values in self._parts:
            if isinstance(values, np.ndarray):
                getattr(cells, where)[address : address + count] = values
        return cells


def _zeros(count: int, kind: type) -> np.ndarray:
    size = count * np.dtype(kind).itemsize
    # what processes might share is never in large pages
    pages = mmap.mmap(-1, size, PRIVATE) if LARGE_PAGES is not None else mmap.mmap(-1, size)
    if LARGE_PAGES is not None:  # most of what is touched lies far apart
        with suppress(OSError):  # a system without them
            pages.madvise(LARGE_PAGES)
    return np.frombuffer(pages, dtype=kind)
