"""The row of a truth table that each pattern stands in, for tensors of any layout, fast."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

AT_ONCE = 2**15  # patterns, so that what is between stays in the cache


def table_rows(concepts: Tensor) -> Tensor:
    """[..., C] bools to [...] int32: the first concept is the highest bit.

    >>> table_rows(torch.tensor([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    num_concepts = concepts.shape[-1]
    if num_concepts == 0:
        return torch.zeros(concepts.shape[:-1], dtype=torch.int32, device=concepts.device)
    # rows of a contiguous tensor are read a word at a time; concepts that lie one after the other, a column at a time
    is_by_rows = concepts.device.type == "cpu" and num_concepts > 1 and concepts.is_contiguous()
    blocks = [slice(start, min(start + 8, num_concepts)) for start in range(0, num_concepts, 8)]
    packed = [_by_words(concepts, block) if is_by_rows else _by_columns(concepts[..., block]) for block in blocks]
    rows = packed[0].int()
    for block, more in zip(blocks[1:], packed[1:], strict=True):
        rows = rows.mul_(2 ** (block.stop - block.start)).add_(more)
    return rows


def _by_columns(concepts: Tensor) -> Tensor:
    """[..., up to 8] bools to [...] bytes, by doubling and adding."""
    columns = concepts.view(torch.uint8).unbind(-1)
    rows = columns[0].clone()
    for column in columns[1:]:
        torch.add(column, rows, alpha=2, out=rows)
    return rows


def _by_words(concepts: Tensor, block: slice) -> Tensor:
    """[..., C] bools, contiguous, to [...] bytes: the concepts of a block, up to 8 of them, packed by one multiplication.

    A word holds the 8 bytes from where the block begins. The factor moves the bit of each concept to its place in the
    highest byte; whatever else is in the word ends below that byte, or beyond the word.
    """
    num_concepts, width = concepts.shape[-1], block.stop - block.start
    flat = concepts.reshape(-1, num_concepts)
    num_whole = int(np.clip((flat.numel() - block.start - 8) // num_concepts + 1, 0, len(flat)))
    result = np.empty(len(flat), np.uint8)
    factor = np.uint64(sum(1 << (56 + (width - 1 - i) - 8 * i) for i in range(width)))
    if num_whole:
        words = np.ndarray((num_whole,), "<u8", flat.numpy(), offset=block.start, strides=(num_concepts,))
        products = np.empty(min(AT_ONCE, num_whole), "<u8")
        highest = products.view(np.uint8)[7::8]
        for begin in range(0, num_whole, AT_ONCE):
            count = min(AT_ONCE, num_whole - begin)
            np.multiply(words[begin : begin + count], factor, out=products[:count])
            result[begin : begin + count] = highest[:count]
    # the last few words would reach beyond the end
    result[num_whole:] = _by_columns(flat[num_whole:, block]).numpy()
    return torch.from_numpy(result).view(concepts.shape[:-1])
