"""Many numbers of a user as whole ones at once, exactly as ``scales`` does it with each.

What arrays do not hold exactly (numbers of many digits, fractions, numbers beside words) goes
number by number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import torch
from torch import Tensor

from algolens.graphs.attributes import Attribute, ExactNumber, exact_numbers, in_doubles
from algolens.graphs.decimals import MOST_DIGITS, DecimalColumn
from algolens.graphs.scales import Scale, number_type, scale_for

# a decimal of so many digits is what Python writes of the float nearest to it
SURE_DIGITS = 15
SAMPLE = 1000  # floats by which it is seen that as written they have no room


def as_array(values: Attribute) -> np.ndarray | DecimalColumn | None:
    """Numbers as an array that holds them exactly; None where none does."""
    if isinstance(values, DecimalColumn):
        return values
    if not isinstance(values, Tensor) or values.dim() != 1 or values.dtype == torch.bool:
        return None
    if not values.is_floating_point():
        return values.long().cpu().numpy()
    return in_doubles(values).cpu().numpy() if bool(values.isfinite().all()) else None


def type_of(columns: Sequence[Attribute]) -> type[ExactNumber]:
    """The one type in which results of such numbers come back."""
    return number_type(_examples(columns))


def _examples(columns: Sequence[Attribute]) -> list[ExactNumber]:
    """Numbers of each type that columns have."""
    numbers: list[ExactNumber] = []
    for values in columns:
        array = as_array(values)
        if array is None:
            numbers += [number for number in exact_numbers(values) if number is not None]
        elif isinstance(array, DecimalColumn):
            numbers += [Decimal(0)] if array.places.any() else []
        else:
            numbers += array[:1].tolist()
    return numbers


def scale_of(columns: Sequence[Attribute], most_total: int) -> Scale:
    """The scale of numbers that may be added up, by which all of some columns become whole."""
    arrays = [as_array(values) for values in columns]
    exact = [array for array in arrays if array is not None]
    if len(exact) == len(arrays):
        floats = [
            array for array in exact if isinstance(array, np.ndarray) and array.dtype.kind == "f"
        ]
        scale = _without_floats(exact) if not floats else _with_floats(exact, floats, most_total)
        if scale is not None:
            return scale
    numbers = [number for values in columns for number in exact_numbers(values)]
    return scale_for([number for number in numbers if number is not None], most_total)


def _without_floats(arrays: Sequence[np.ndarray | DecimalColumn]) -> Scale:
    decimals = [array for array in arrays if isinstance(array, DecimalColumn)]
    factor = math.lcm(*(_common_denominator(array) for array in decimals))
    has_places = any(array.places.any() for array in decimals)
    return Scale(factor, False, Decimal if has_places else int)


def _common_denominator(numbers: DecimalColumn) -> int:
    return math.lcm(*np.unique(numbers.denominators).tolist())


def _with_floats(
    arrays: Sequence[np.ndarray | DecimalColumn], floats: Sequence[np.ndarray], most_total: int
) -> Scale | None:
    """The scale of numbers among which are floats; None where it takes a look at each."""
    if any(isinstance(array, DecimalColumn) for array in arrays):
        return None
    written = [short_floats(array) for array in floats]
    short = [column for column in written if column is not None]
    if len(short) == len(written):
        factor = math.lcm(*map(_common_denominator, short))
        whole = [whole_numbers(torch.from_numpy(array), Scale(factor)) for array in arrays]
        total = sum(_sum_of_sizes(values) for values in whole if values is not None)
        return Scale(factor, False, float) if None not in whole and total < most_total else None
    # some of the numbers: all have no smaller sum, and no smaller denominator
    some = scale_for([n for array in arrays for n in array[:SAMPLE].tolist()], most_total)
    power = 2 ** max(_places_in_twos(array) for array in floats)
    sampled = scale_for([n for array in floats for n in array[:SAMPLE].tolist()], 2**10_000)
    return Scale(power, True, float) if some.is_binary and power < sampled.factor else None


def _sum_of_sizes(values: Tensor) -> int:
    """The exact sum of whole numbers without their signs."""
    sizes = values.abs()
    return (int((sizes >> 32).sum()) << 32) + int((sizes & 0xFFFFFFFF).sum())


def short_floats(values: np.ndarray) -> DecimalColumn | None:
    """Floats as Python writes them, where all are short; else None.

    >>> short_floats(np.array([0.1, 2.5, -3.0])).tolist(), short_floats(np.array([1 / 3]))
    ([Decimal('0.1'), Decimal('2.5'), -3], None)
    """
    digits, places = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int8)
    left = np.arange(len(values))
    for number in range(MOST_DIGITS):
        tens, of_left = 10.0**number, values[left]
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.rint(of_left * tens)
            # both are exact floats, so that this is the float nearest to the decimal
            is_written = (np.abs(whole) < 10**SURE_DIGITS) & (whole / tens == of_left)
        digits[left[is_written]] = whole[is_written].astype(np.int64)
        places[left[is_written]] = number
        left = left[~is_written]
        if not len(left):
            return DecimalColumn(digits, places)
    return None


def _places_in_twos(values: np.ndarray) -> int:
    """The least power of two that makes all floats whole."""
    mantissas, exponents = np.frexp(values)
    bits = (np.abs(mantissas) * 2.0**53).astype(np.int64)
    lowest = np.where(bits == 0, 0, bits & -bits)
    zeros = np.frexp(lowest.astype(np.float64))[1] - 1  # zeros at the end of the 53 bits
    return max(int(np.where(bits == 0, 0, 53 - exponents - zeros).max(initial=0)), 0)


def whole_numbers(values: Attribute, scale: Scale) -> Tensor | None:
    """Numbers, multiplied, as int64; None where some is not whole, or needs a look at each."""
    array = as_array(values)
    if array is None:
        return None
    if isinstance(array, np.ndarray) and array.dtype.kind == "f":
        if scale.is_binary:
            return _in_twos(array, scale.factor.bit_length() - 1)
        array = short_floats(array)
    if isinstance(array, DecimalColumn):
        if scale.factor >= 2**63 or (scale.factor % array.denominators).any():
            return None
        multiplied = array.times(scale.factor)
        return None if multiplied is None else torch.from_numpy(multiplied)
    if array is None:
        return None
    largest = max(-int(array.min(initial=0)), int(array.max(initial=0)))
    return torch.from_numpy(array * scale.factor) if largest * scale.factor < 2**63 else None


def _in_twos(values: np.ndarray, power: int) -> Tensor | None:
    with np.errstate(over="ignore"):
        multiplied = np.ldexp(values, power)
    is_whole = (np.abs(multiplied) < 2.0**62) & (multiplied == np.rint(multiplied))
    return torch.from_numpy(multiplied.astype(np.int64)) if is_whole.all() else None


def first_negative(values: Attribute) -> int | None:
    """The first place that holds a number below 0."""
    array = as_array(values)
    if array is None:
        numbers = enumerate(exact_numbers(values))
        return next((i for i, number in numbers if number is not None and number < 0), None)
    is_negative = (array.digits if isinstance(array, DecimalColumn) else array) < 0
    return int(is_negative.argmax()) if is_negative.any() else None
