"""Patterns of concepts as whole numbers; the first concept is the highest bit.

The one place, and the one order of bits, by which truth values become numbers and back.
For tensors, of up to 31 concepts, ``tensors.table_rows`` does what ``pack`` does for arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.errors import FormulaError

MANY = 4096  # patterns, of which a look at the first may save one at all
MAX_PACKED_CONCEPTS = 64  # as many bits as a whole number has


def pack(patterns: ndarray) -> ndarray:
    """Pack [M, C] bools into [M] unsigned numbers, of the smallest type that holds C bits.

    Raises
    ------
    FormulaError
        If the patterns are not boolean, not of two axes, or of more than 64 concepts.

    Examples
    --------
    >>> pack(np.array([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    patterns = np.asarray(patterns)
    if patterns.ndim != 2 or patterns.dtype != bool:
        raise FormulaError(
            f"patterns came as {patterns.dtype} of shape {list(patterns.shape)}; they are packed "
            "from bools of shape [patterns, concepts]: threshold them first, as in values > 0.5."
        )
    num_patterns, num_concepts = patterns.shape
    number = packed_type(num_concepts)
    filled = np.zeros((num_patterns, number.itemsize), np.uint8)
    filled[:, number.itemsize - -(-num_concepts // 8) :] = np.packbits(
        patterns[:, ::-1], axis=1, bitorder="little"
    )[:, ::-1]
    return filled.view(number.newbyteorder(">"))[:, 0].astype(number)


def unpack(packed: ndarray, num_concepts: int) -> ndarray:
    """Unpack [M] numbers into [M, C] bools: what ``pack`` packed.

    Examples
    --------
    >>> unpack(np.array([4, 3]), 3).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """
    number = packed_type(num_concepts).newbyteorder(">")
    octets = np.asarray(packed).astype(number)[:, None].view(np.uint8)
    return np.unpackbits(octets, axis=1)[:, 8 * number.itemsize - num_concepts :].astype(bool)


def all_patterns(num_concepts: int) -> ndarray:
    """[2**C, C] every pattern of concepts, in the order of a truth table's rows.

    >>> all_patterns(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return unpack(np.arange(2**num_concepts), num_concepts)


def pattern_in_words(pattern: int, names: Sequence[str]) -> str:
    """A pattern as people write it.

    >>> pattern_in_words(2, ["a", "b"])
    'a & ~b'
    """
    bits = unpack(np.array([pattern], np.uint64), len(names))[0]
    return (
        " & ".join(name if bit else f"~{name}" for name, bit in zip(names, bits, strict=True))
        or "True"
    )


def packed_type(num_concepts: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds a pattern of so many concepts.

    >>> packed_type(7), packed_type(20)
    (dtype('uint8'), dtype('uint32'))
    """
    if num_concepts > MAX_PACKED_CONCEPTS:
        raise FormulaError(
            f"{num_concepts} concepts came; at most {MAX_PACKED_CONCEPTS} fit into a packed "
            "pattern. Leave out concepts that never vary or that no rule should speak of."
        )
    return np.dtype(
        next(
            kind for kind in ("u1", "u2", "u4", "u8") if 8 * np.dtype(kind).itemsize >= num_concepts
        )
    )


def telling(patterns: ndarray) -> ndarray:
    """Of [M, C] bools the concepts that vary, and say no earlier one again, nor its opposite.

    >>> telling(np.array([[True, True, False, True], [True, False, True, False]])).tolist()
    [1]
    """
    if len(patterns) > MANY and len(telling(patterns[:MANY])) == patterns.shape[1]:
        return np.arange(patterns.shape[1])  # what a few tell apart is told apart
    changes = np.packbits(patterns ^ patterns[0], axis=0)
    _, first = np.unique(changes, axis=1, return_index=True)
    return np.sort(first[changes[:, first].any(0)])


def spread(places: ndarray, count: int) -> ndarray:
    """At most ``count`` of the places, evenly spread.

    >>> spread(np.arange(10, 20), 4).tolist()
    [10, 13, 16, 19]
    """
    return places[np.unique(np.linspace(0, len(places) - 1, min(count, len(places))).astype(int))]
