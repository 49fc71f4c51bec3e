"""Values that a user's graph carries, kept as they were written: numbers of any size, words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from algolens import arrays
from algolens.arrays import Array
from algolens.lazy import pa

# a value for each node or edge: numbers where these hold them exactly, else an array of the values
# themselves, with None where there is none
Attribute: TypeAlias = np.ndarray
# Python compares all of these with one another exactly
ExactNumber = int | float | Decimal | Fraction

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
LONGEST_INT = 4000  # digits; Python refuses to read longer ones as int, but not as Decimal
LARGE = 10**18  # no class has so large a number
PLAIN = {bool: np.bool_, int: np.int64, float: np.float64}  # what an array holds exactly
# ends the name of what an undirected edge has from its second end to its first
BACK = "_back"


class Letter(int):
    """A letter of a word, by its number; it is written as itself."""

    def __str__(self) -> str:
        return chr(self)

    __repr__ = __str__


# ---- columns


def column(values: Sequence[Any]) -> Attribute:
    """Values as an attribute that holds them as they are.

    >>> column([1, 2])
    array([1, 2])
    >>> column([1, 0.5, "heavy", None])
    array([1, 0.5, 'heavy', None], dtype=object)
    """
    types = set(map(type, values))
    if not types <= PLAIN.keys() | {str, type(None)}:
        values = [_plain(value) for value in values]
        types = set(map(type, values))
    if len(types) == 1 and (dtype := PLAIN.get(*types)):
        with suppress(OverflowError):  # a whole number of more than 64 bits
            return np.array(values, dtype=dtype)
    return np.fromiter(values, dtype=object, count=len(values))


def columns(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Attribute]:
    """An attribute for each name that some row has a value for."""
    first = rows[0] if rows else {}
    given = {name: [row.get(name) for row in rows] for name in first}
    if sum(map(len, rows)) > len(first) * len(rows) or any(
        type(None) in set(map(type, of)) for of in given.values()
    ):
        names = dict.fromkeys(chain.from_iterable(rows))  # not all rows say the same
        given |= {name: [row.get(name) for row in rows] for name in names if name not in given}
    return {
        name: column(values)
        for name, values in given.items()
        if isinstance(name, str) and set(map(type, values)) != {type(None)}
    }


def picked(values: Attribute, places: Array) -> Attribute:
    """The values at some places."""
    return values[arrays.to(places, arrays.NUMPY)]


def joined(parts: Sequence[Attribute]) -> Attribute:
    """The values of several graphs, one after the other."""
    dtypes = {part.dtype for part in parts}
    if len(dtypes) == 1 and parts[0].dtype != object:
        return np.concatenate(parts)
    # of two types, one would be rounded
    return column([value for part in parts for value in part.tolist()])


def hold_something(values: Attribute) -> np.ndarray:
    """[R] bools: which values are there?"""
    if values.dtype != object:
        return np.ones(len(values), dtype=bool)
    return np.array([value is not None for value in values.tolist()], dtype=bool)


def without_numbers(values: Attribute) -> np.ndarray:
    """[R] bools: which values are no finite numbers?"""
    distinct, places = distinct_numbers(values)
    return np.array([number is None for number in distinct], dtype=bool)[places]


def differ(values: Attribute, places: np.ndarray, others: np.ndarray) -> np.ndarray:
    """[P] bools: are the values at two places different?"""
    if values.dtype != object:
        return (values[places] != values[others]).any(tuple(range(1, values.ndim)))
    pairs = zip(values[places].tolist(), values[others].tolist(), strict=True)
    return np.array([are_unlike(one, other) for one, other in pairs], dtype=bool)


def are_unlike(one: Any, other: Any) -> bool:
    """Whether two values of a user differ; they may be arrays."""
    if isinstance(one, np.ndarray):
        return not np.array_equal(one, other)
    return one is not other and bool(one != other)


def at_both_links(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Attributes of undirected edges as their links have them: all one way, then all back.

    >>> at_both_links({"cost": np.array([1, 2]), "cost_back": np.array([3, 4])})
    {'cost': array([1, 2, 3, 4])}
    """
    backs = {name + BACK for name in attributes}
    return {
        name: joined([values, attributes.get(name + BACK, values)])
        for name, values in attributes.items()
        if name not in backs
    }


def turned(attributes: Mapping[str, Attribute], is_turned: np.ndarray) -> dict[str, Attribute]:
    """Attributes of edges; of those that are turned, a name and its ``_back`` change places."""
    rows, count = np.arange(len(is_turned)), len(is_turned)
    swapped = dict(attributes)
    for name in attributes if is_turned.any() else ():
        if name + BACK in attributes:
            both = joined([attributes[name], attributes[name + BACK]])
            swapped[name] = picked(both, rows + count * is_turned)
            swapped[name + BACK] = picked(both, rows + count * ~is_turned)
    return swapped


def as_written(values: Attribute) -> list[Any]:
    """The values of an attribute; short floats as they are written (0.1, not 0.100000001490)."""
    if values.dtype.kind == "f":
        values = in_doubles(values)
    is_column = values.ndim == 2 and values.shape[1] == 1
    return (values.reshape(-1) if is_column else values).tolist()


def in_doubles(values: np.ndarray) -> np.ndarray:
    """Floats as float64, short ones as they are written.

    >>> in_doubles(np.array([0.1], np.float32))
    array([0.1])
    """
    if values.dtype == np.float32:  # Arrow is faster, but writes a float16 as a float32
        written = pa.array(values.reshape(-1)).cast(pa.string()).cast(pa.float64())
        return written.to_numpy().copy().reshape(values.shape)
    return values.astype(str).astype(float) if values.dtype == np.float16 else values.astype(float)


# ---- numbers


def exact_number(value: Any) -> ExactNumber | None:
    """The finite number that a value is, or that a text says, exactly; None where it is none.

    >>> exact_number("0.10"), exact_number(7), exact_number("heavy"), exact_number(True)
    (Decimal('0.10'), 7, None, None)
    """
    value = _plain(value)
    if isinstance(value, str):
        return _number_in(value.strip())
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int | Fraction) and not isinstance(value, bool) else None


def exact_numbers(values: Attribute) -> list[ExactNumber | None]:
    """The numbers of an attribute, as they are written; None where a value is none."""
    return [exact_number(value) for value in as_written(values)]


def distinct_numbers(values: Attribute) -> tuple[list[ExactNumber | None], np.ndarray]:
    """The different numbers of a column, None for what is none; and [R] which each value is.

    >>> distinct_numbers(np.array([0.5, 0.25, 0.5]))
    ([0.25, 0.5], array([1, 0, 1]))
    """
    if values.dtype != object and values.ndim == 1:
        numbers = in_doubles(values) if values.dtype.kind == "f" else values
        distinct, places = np.unique(numbers, return_inverse=True)
        return [exact_number(number) for number in distinct.tolist()], places
    given = as_written(values)
    # what is read from a file is one object wherever the same text stands
    ids = np.fromiter(map(id, given), dtype=np.int64, count=len(given))
    _, firsts, places = np.unique(ids, return_index=True, return_inverse=True)
    return [exact_number(given[first]) for first in firsts.tolist()], places


def number_or_text(text: str) -> ExactNumber | str:
    """The number that a text says; the text itself where it says none."""
    number = exact_number(text)
    return text if number is None else number


def float_or_text(text: str) -> ExactNumber | str:
    """The same in a format that has floats: a float where Python writes it just so.

    >>> float_or_text("0.1"), float_or_text("0.10"), float_or_text("7"), float_or_text("heavy")
    (0.1, Decimal('0.10'), 7, 'heavy')
    """
    number = number_or_text(text)
    return float(text) if isinstance(number, Decimal) and repr(float(text)) == text else number


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
    """A NumPy number or an array of one value as the Python value that it holds."""
    if isinstance(value, np.generic) or (arrays.is_array(value) and value.ndim == 0):
        return value.item()
    return value


def label_of(given: Any) -> str:
    """What a user gave, as the name of a class: 'true' for True, '2' for 2.0."""
    if isinstance(given, bool):
        return str(given).lower()
    number = None if isinstance(given, str) else exact_number(given)
    if number is not None and -LARGE < number < LARGE and number == int(number):
        return str(int(number))
    return str(given).strip()
