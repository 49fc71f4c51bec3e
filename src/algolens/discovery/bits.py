"""Observations of many elements as bits: fast to compare, by element and by observation."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def mixed(hashes: ndarray, words: ndarray) -> ndarray:
    """[N] hashes of 64 bits that know one more word. Equal ones stay equal; of a million others,
    two become equal once in ten million times.
    """
    made: ndarray = (hashes ^ words) * _ODD
    made ^= made >> _SHIFT
    made *= _ODD
    return made ^ (made >> _SHIFT)


def pack_columns(columns: ndarray) -> ndarray:
    """[K, W] each column as words of 64 bits. columns: [N, K] bools."""
    packed = np.packbits(columns, axis=0, bitorder="little")
    padded = np.pad(packed, ((0, -len(packed) % 8), (0, 0)))
    return np.ascontiguousarray(padded.T).view(np.uint64)


def column_hashes(columns: ndarray) -> ndarray:
    """[K] a hash of each column. columns: [N, K] bools."""
    hashes = np.zeros(columns.shape[1], np.uint64)
    for word in np.ascontiguousarray(pack_columns(columns).T):
        hashes = mixed(hashes, word)
    return hashes


class BitTable:
    """Columns of bools, packed row by row, to which columns are added.

    Parameters
    ----------
    columns : ndarray
        [N, K] the first ones; K may be 0.
    """

    def __init__(self, columns: ndarray) -> None:
        self.looks = np.zeros(len(columns), np.uint64)  # alike where all columns are
        self.places = np.zeros(0, np.int64)  # [K] the bit of each column in a row
        self._blocks = [np.zeros((len(columns), 0), np.uint8)]
        self._num_bits = 0
        self.add(columns)

    def __len__(self) -> int:
        return len(self.places)

    def add(self, columns: ndarray) -> None:
        """Adds columns. columns: [N, K] bools."""
        packed = np.packbits(columns, axis=1, bitorder="little")
        block = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))))
        for word in block.view(np.uint64).T:
            self.looks = mixed(self.looks, word)
        new = self._num_bits + np.arange(columns.shape[1])
        self.places = np.append(self.places, new)
        self._num_bits += block.shape[1] * 8
        self._blocks.append(block)

    @property
    def _table(self) -> ndarray:
        """[N, W] bytes."""
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks, 1)]
        return self._blocks[0]

    def column(self, number: int) -> ndarray:
        """[N] bools: one column."""
        byte, bit = divmod(int(self.places[number]), 8)
        return (self._table[:, byte] >> np.uint8(bit) & np.uint8(1)).astype(bool)

    def columns(self, which: ndarray) -> ndarray:
        """[K, W] all columns of some elements, as words of 64 bits."""
        return pack_columns(self.unpacked(self.rows(which)))

    def rows(self, which: ndarray) -> ndarray:
        """[M, W] words of 64 bits of some elements."""
        return self._table[which].view(np.uint64)

    def unpacked(self, rows: ndarray) -> ndarray:
        """[M, K] bools of rows that were taken from here."""
        whole = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
        return whole[:, self.places].view(bool)
