"""One array of whole numbers for all that the kernel works on, put together part by part."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from algolens.looks.by_change.heaps import BITS, HEAP_NODE
from algolens.looks.by_change.structures import HEADER, LIST_NODE
from algolens.looks.by_change.translation import Known

LARGE_PAGES = getattr(mmap, "MADV_HUGEPAGE", None)  # only Linux has them
RECORDS = 2**16  # numbers that records have room for; data come after them


class NotByChange(Exception):
    """A look that the kernel by change does not take."""


class Sized(int):
    """A number in a record that goes with the graph, not with the look alone."""


class Memory:
    """Addresses are given at once; the array is made at the end.

    Records come first, so that their addresses follow from the look alone. They never change.
    """

    def __init__(self) -> None:
        self.size = RECORDS
        self._records: list[int] = [0] * HEADER
        self._parts: list[tuple[int, int, np.ndarray | int]] = []

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

    def data(self, values: np.ndarray) -> int:
        """The address of an array."""
        return self._add(values.size, values.reshape(-1))

    def room(self, count: int, fill: int = 0) -> int:
        """The address of as many equal numbers."""
        return self._add(count, fill)

    def queue(self, count: int) -> int:
        """An empty queue for so many elements, whose stamps lie before it."""
        self.room(count)
        return self.changes(count)

    def changes(self, count: int) -> int:
        """An empty list of changed elements."""
        return self.room(count + 1)

    def lists(self, nodes: int, heads: int) -> int:
        """A space of linked lists, all empty."""
        return self.put([self.room(LIST_NODE * nodes), self.room(heads)])

    def heaps(self, nodes: int, roots: int) -> int:
        """A space of heaps, all empty."""
        return self.put([self.room(HEAP_NODE * nodes), self.room(roots)])

    def bits(self, count: int) -> list[int]:
        """The addresses of so many bits, and of those of each level above."""
        levels: list[int] = []
        while count > 1 or not levels:
            count = -(-count // 2**BITS)
            levels.append(self.room(count + 1))
        return levels

    def pairs(self, count: int) -> tuple[int, int]:
        """A table of pairs (group, key) and the number of its places."""
        places = 1 << max(4, int(4 * count + 1).bit_length())
        columns = self.room(1), self.room(places), self.room(places)
        return self.put([Sized(places - 1), *columns]), places

    def _add(self, count: int, values: np.ndarray | int) -> int:
        address = self.size
        self._parts.append((address, count, values))
        self.size += count
        return address

    def known(self) -> Known:
        """What the look alone says of its records."""
        values, lasting = {}, set()
        for address, value in enumerate(self._records):
            if isinstance(value, Sized) or value >= RECORDS:
                lasting.add(address)
            elif address >= HEADER or value:
                values[address] = int(value)
        return Known(values, frozenset(lasting))

    def array(self) -> np.ndarray:
        """All of it."""
        pages = mmap.mmap(-1, 8 * self.size)
        if LARGE_PAGES is not None:  # most of what is touched lies far apart
            with suppress(OSError):  # a system without them
                pages.madvise(LARGE_PAGES)
        whole = np.frombuffer(pages, dtype=np.int64)
        whole[: len(self._records)] = self._records
        for address, count, values in self._parts:
            if isinstance(values, np.ndarray) or values:
                whole[address : address + count] = values
        return whole
