"""The row of a truth table that each pattern stands in, for tensors of any layout, fast."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

AT_ONCE = 2**15  # words, so that what is between stays in the cache


def table_rows(concepts: Tensor) -> Tensor:
    """[..., C] bools to [...] int32: the first concept is the highest bit.

    >>> table_rows(torch.tensor([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    num_concepts = concepts.shape[-1]
    if num_concepts == 0:
        return torch.zeros(concepts.shape[:-1], dtype=torch.int32, device=concepts.device)
    if 1 < num_concepts <= 8 and concepts.device.type == "cpu" and concepts.is_contiguous():
        return _by_words(concepts).int()
    rows = _by_columns(concepts[..., :8]).int()
    for start in range(8, num_concepts, 8):
        block = concepts[..., start : start + 8]
        rows = rows.mul_(2 ** block.shape[-1]).add_(_by_columns(block))
    return rows


def _by_columns(concepts: Tensor) -> Tensor:
    """[..., up to 8] bools to [...] bytes, by doubling and adding: for concepts that lie one after
    the other.
    """
    columns = concepts.view(torch.uint8).unbind(-1)
    rows = columns[0].clone()
    for column in columns[1:]:
        torch.add(column, rows, alpha=2, out=rows)
    return rows


def _by_words(concepts: Tensor) -> Tensor:
    """[..., up to 8] bools to [...] bytes, eight patterns at a time: for patterns that lie one
    after the other.

    NumPy packs all bits without a gap, so C bytes hold eight patterns. In a word, those are drawn
    apart: into two halves of 32 bits, each half into two of 16, each of those into two bytes.
    """
    num_concepts = concepts.shape[-1]
    flat = concepts.reshape(-1, num_concepts)
    bits = np.packbits(flat.numpy().reshape(-1))
    num_words = max(0, (len(bits) - 8) // num_concepts + 1)  # of which none reaches beyond the end
    result = np.empty(len(flat), np.uint8)
    if num_words:
        packed = np.ndarray((num_words,), ">u8", bits, strides=(num_concepts,))
        drawn = result[: 8 * num_words].view(">u8")
        for begin in range(0, num_words, AT_ONCE):
            words = packed[begin : begin + AT_ONCE].astype(np.uint64)
            words >>= np.uint64(64 - 8 * num_concepts)
            for room in (32, 16, 8):
                _draw_apart(words, room * num_concepts // 8, room)
            drawn[begin : begin + AT_ONCE] = words
    result[8 * num_words :] = _by_columns(flat[8 * num_words :]).numpy()
    return torch.from_numpy(result).view(concepts.shape[:-1])


def _draw_apart(words: np.ndarray, width: int, room: int) -> None:
    """Where two fields of ``width`` bits stand side by side, gives each ``room``, in place."""
    lower = sum((2**width - 1) << shift for shift in range(0, 64, 2 * room))
    upper = words << np.uint64(room - width)
    upper &= np.uint64(lower << room)
    words &= np.uint64(lower)
    words |= upper
