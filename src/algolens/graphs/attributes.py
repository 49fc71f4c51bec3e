"""What a user's graph says of its nodes or edges, kept as it was said: numbers of any size,
decimals as written, words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.errors import GraphError

# a value for each node or edge: a tensor where one holds them exactly, else a NumPy array of the
# values themselves, with None where there is none
Attribute = Tensor | np.ndarray
# Python compares all of these with one another exactly
ExactNumber = int | float | Decimal | Fraction

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
LONGEST_INT = 4000  # digits; Python refuses to read longer ones as int, but not as Decimal


def column(values: Sequence[Any]) -> Attribute:
    """Values as an attribute that holds them as they are.

    >>> column([1, 2])
    tensor([1, 2])
    >>> column([1, 0.5, "heavy", None])
    array([1, 0.5, 'heavy', None], dtype=object)
    """
    plain = [_plain(value) for value in values]
    types = {type(value) for value in plain}
    if types == {bool} or types == {float}:
        return torch.tensor(plain, dtype=torch.bool if types == {bool} else torch.float64)
    if types == {int} and all(-(2**63) <= value < 2**63 for value in plain):
        return torch.tensor(plain, dtype=torch.int64)
    return np.fromiter(plain, dtype=object, count=len(plain))


def columns(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Attribute]:
    """An attribute for each name that some row has a value for."""
    names = dict.fromkeys(
        name
        for row in rows
        for name, value in row.items()
        if isinstance(name, str) and value is not None
    )
    return {name: column([row.get(name) for row in rows]) for name in names}


def picked(values: Attribute, places: Tensor) -> Attribute:
    """The values at some places."""
    return values[places] if isinstance(values, Tensor) else values[places.cpu().numpy()]


def joined(parts: Sequence[Attribute]) -> Attribute:
    """The values of several graphs, one after the other."""
    tensors = [part for part in parts if isinstance(part, Tensor)]
    if len(tensors) == len(parts) and len({part.dtype for part in tensors}) == 1:
        return torch.cat(tensors)
    # of two types, torch.cat would round one
    return column([value for part in parts for value in part.tolist()])


def exact_number(value: Any) -> ExactNumber | None:
    """The finite number that a value is, or that a text says, exactly; None where it is none.

    >>> exact_number("0.10"), exact_number(7), exact_number("heavy"), exact_number(True)
    (Decimal('0.10'), 7, None, None)
    """
    value = _plain(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _number_in(value.strip())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    return value if isinstance(value, int | Fraction) else None


def _number_in(text: str) -> int | Decimal | None:
    if not NUMBER.fullmatch(text):
        return None
    if text.lstrip("+-").isdigit() and len(text) < LONGEST_INT:
        return int(text)
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond all bounds
        return None


def _plain(value: Any) -> Any:
    """A NumPy number or a tensor of one value as the Python value that it holds."""
    if isinstance(value, np.generic) or (isinstance(value, Tensor) and value.dim() == 0):
        return value.item()
    return value


def packed(
    node_counts: Any, edges: Any, *, directed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[G] the nodes of each graph, [G] its edges, and [2, E] the ends of all of them. edges: pairs
    [E, 2], as they come.
    """
    counts = _whole(node_counts, "numbers of nodes").reshape(-1)
    pairs = _whole(edges, "edges")
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise GraphError(
            f"edges came as {list(pairs.shape)}: give pairs of nodes, [E, 2]; of an edge_index, "
            "its transpose."
        )
    pairs = pairs.reshape(-1, 2)
    num_nodes = int(counts.sum())
    if counts.size and counts.min() < 1:
        raise GraphError(
            f"graph {int(counts.argmin())} of the batch has no nodes; every graph needs at least "
            "one."
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= num_nodes):
        u, v = pairs[((pairs < 0) | (pairs >= num_nodes)).any(1)][0]
        raise GraphError(
            f"edge ({u}, {v}) leads to an unknown node: nodes are numbered 0 to {num_nodes - 1}."
        )
    owner = np.repeat(np.arange(counts.size), counts)
    low, high = pairs.T
    if not directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    if (strays := owner[low] != owner[high]).any():
        u, v = low[strays][0], high[strays][0]
        raise GraphError(
            f"edge ({u}, {v}) joins graph {owner[u]} to graph {owner[v]}; an edge stays inside one "
            "graph."
        )
    # an edge as one number: its first end, then the place of its second end inside the graph
    first, width = np.repeat(counts.cumsum() - counts, counts), int(counts.max(initial=1))
    keys = _sorted_distinct((low * width + high - first[low])[low != high], num_nodes * width)
    low = keys // width
    ends = np.stack([low, keys - low * width + first[low]])
    edge_counts = np.bincount(owner[low], minlength=counts.size)
    return counts, edge_counts, ends


def _whole(values: Any, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise GraphError(f"{what} came as {array.dtype}: give whole numbers.")
    return array.astype(np.int64, copy=False)


def _sorted_distinct(keys: np.ndarray, span: int) -> np.ndarray:
    """The different ones of some numbers in [0, span), sorted."""
    if span <= 64 * keys.size:
        # many small graphs: ticking numbers off on a list is far faster than sorting them
        there = np.zeros(span, dtype=bool)
        there[keys] = True
        return np.flatnonzero(there)
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if keys.size else keys
