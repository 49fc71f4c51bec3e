"""Observations of many elements as bits: fast to compare, by element and by observation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def mixed(hashes: np.ndarray, words: np.ndarray) -> np.ndarray:
    """[N] hashes of 64 bits that know one more word. Equal ones stay equal; of a million others,
    two become equal once in ten million times.
    """
    made: np.ndarray = (hashes ^ words) * _ODD
    made ^= made >> _SHIFT
    made *= _ODD
    return made ^ (made >> _SHIFT)


def pack_columns(columns: np.ndarray) -> np.ndarray:
    """[K, W] each column as words of 64 bits. columns: [N, K] bools."""
    packed = np.packbits(columns, axis=0, bitorder="little").T
    made = np.zeros((packed.shape[0], -(-packed.shape[1] // 8) * 8), np.uint8)
    made[:, : packed.shape[1]] = packed
    return made.view(np.uint64)


def column_hashes(columns: np.ndarray) -> np.ndarray:
    """[K] a hash of each column. columns: [N, K] bools."""
    count, width = columns.shape
    whole = np.zeros((-(-count // 64) * 64, width), np.uint8)
    whole[:count] = columns
    planes = whole.reshape(-1, 8, width)
    packed = planes[:, 0].copy()
    for bit in range(1, 8):
        packed |= planes[:, bit] << np.uint8(bit)
    words = np.ascontiguousarray(packed.reshape(-1, 8, width).transpose(0, 2, 1)).view(np.uint64)
    hashes = np.zeros(width, np.uint64)
    for word in words[..., 0]:
        hashes = mixed(hashes, word)
    return hashes


def row_hashes(rows: Sequence[np.ndarray], count: int) -> np.ndarray:
    """[count] a hash of each element, by bools that are given row by row: each [count]."""
    hashes = np.zeros(count, np.uint64)
    for first in range(0, len(rows), 8):
        plane = np.zeros(count, np.uint8)
        for bit, row in enumerate(rows[first : first + 8]):
            plane |= row.view(np.uint8) << np.uint8(bit)
        hashes = mixed(hashes, plane)
    return hashes


class BitTable:
    """Columns of bools, packed row by row, to which columns are added.

    Parameters
    ----------
    count : int
        How many elements there are.
    """

    def __init__(self, count: int) -> None:
        self.looks = np.zeros(count, np.uint64)  # alike where all columns are
        self.places = np.zeros(0, np.int64)  # [K] the bit of each column in a row
        self._blocks: list[np.ndarray] = []
        self._num_bits = 0

    @classmethod
    def of(cls, columns: Sequence[np.ndarray], count: int) -> BitTable:
        """Of columns, each [count] bools."""
        table = cls(count)
        if columns:
            table.add(np.stack(columns, 1))
        return table

    def __len__(self) -> int:
        return len(self.places)

    def add(self, columns: np.ndarray) -> None:
        """Further columns. columns: [N, K] bools."""
        packed = np.packbits(columns, axis=1, bitorder="little")
        width = -(-packed.shape[1] // 8) * 8
        block = np.zeros((len(columns), width), np.uint8)
        block[:, : packed.shape[1]] = packed
        for word in block.view(np.uint64).T:
            self.looks = mixed(self.looks, word)
        new = self._num_bits + np.arange(columns.shape[1])
        self.places = np.concatenate([self.places, new])
        self._blocks.append(block)
        self._num_bits += width * 8

    def column(self, number: int) -> np.ndarray:
        """[N] bools: one column."""
        place = int(self.places[number])
        for block in self._blocks:
            if place < block.shape[1] * 8:
                return (block[:, place // 8] >> np.uint8(place % 8) & np.uint8(1)).astype(bool)
            place -= block.shape[1] * 8
        raise IndexError(number)

    def columns(self, which: np.ndarray) -> np.ndarray:
        """[K, W] all columns of some elements, as words of 64 bits."""
        parts = [pack_columns(np.zeros((len(which), 0), bool))]
        for number, block in enumerate(self._blocks):
            first = 8 * sum(some.shape[1] for some in self._blocks[:number])
            is_here = (self.places >= first) & (self.places < first + 8 * block.shape[1])
            whole = np.unpackbits(block[which], axis=1, bitorder="little")
            parts.append(pack_columns(whole[:, self.places[is_here] - first]))
        return np.concatenate(parts)

    def rows(self, which: np.ndarray) -> np.ndarray:
        """[M, W] words of 64 bits of some elements."""
        if not self._blocks:
            return np.zeros((len(which), 0), np.uint64)
        return np.concatenate([block[which] for block in self._blocks], 1).view(np.uint64)

    def unpacked(self, rows: np.ndarray) -> np.ndarray:
        """[M, K] bools of rows that were taken from here."""
        return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, self.places].astype(
            bool
        )
