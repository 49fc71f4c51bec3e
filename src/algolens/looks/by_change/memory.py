"""One array of whole numbers for all that the kernel works on, put together part by part."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from algolens.looks.by_change.heaps import BITS, HEAP_NODE
from algolens.looks.by_change.structures import HEADER, LIST_NODE

LARGE_PAGES = getattr(mmap, "MADV_HUGEPAGE", None)  # only Linux has them


class Memory:
    """Addresses are given at once; the array is made at the end."""

    def __init__(self) -> None:
        self.size = HEADER
        self._parts: list[tuple[int, int, np.ndarray | int]] = []

    def put(self, values: np.ndarray | Sequence[int]) -> int:
        """The address of some values."""
        array = np.asarray(values, dtype=np.int64).reshape(-1)
        return self._add(len(array), array)

    def room(self, count: int, fill: int = 0) -> int:
        """The address of as many equal numbers."""
        return self._add(count, fill)

    def listing(self, values: Sequence[int]) -> int:
        """The address of a number of values and these."""
        return self.put([len(values), *values])

    def records(self, rows: Sequence[Sequence[int]]) -> int:
        """The address of a number of records and these, one after the other."""
        return self.put([len(rows), *(value for row in rows for value in row)])

    def queue(self, count: int) -> int:
        """An empty queue for so many elements."""
        stamps = self.room(count)
        address = self.put([0, stamps])
        self.room(count)
        return address

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
        return self.put([places - 1, 0, self.room(places), self.room(places)]), places

    def _add(self, count: int, values: np.ndarray | int) -> int:
        address = self.size
        self._parts.append((address, count, values))
        self.size += count
        return address

    def array(self) -> np.ndarray:
        """All of it."""
        pages = mmap.mmap(-1, 8 * self.size)
        if LARGE_PAGES is not None:  # most of what is touched lies far apart
            with suppress(OSError):  # a system without them
                pages.madvise(LARGE_PAGES)
        whole = np.frombuffer(pages, dtype=np.int64)
        for address, count, values in self._parts:
            if isinstance(values, np.ndarray) or values:
                whole[address : address + count] = values
        return whole
