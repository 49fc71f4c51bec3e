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
