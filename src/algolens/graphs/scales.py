"""A user's numbers as whole ones and back: multiplied by what makes all of them whole, or rounded.

A float can be read in two ways: as it is written (0.1 is a tenth), or as the multiple of a power of
two that it is. A long float, as random.random() gives, takes fewer bits in the second way. Each
different number of a column is looked at once; many long floats go as an array.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from algolens.graphs.attributes import (
    Attribute,
    ExactNumber,
    distinct_numbers,
    exact_number,
    exact_numbers,
    in_doubles,
)
from algolens.limits import PLACES

LONGEST_POWER = 9  # digits of a power of ten that is written out
MOST_PLACES = PLACES.most
# a decimal of so many digits is what Python writes of the float nearest to it
SURE_DIGITS = 15
MOST_DIGITS = 18  # of a number that an int64 holds for certain
SAMPLE = 1000  # numbers by which it is seen that as written they have no room


@dataclass(frozen=True)
class Scale:
    """What the numbers of one unit are multiplied by to be whole, and the type they came in."""

    factor: int = 1
    is_binary: bool = False  # floats are read as multiples of a power of two
    type: type[ExactNumber] = int  # of results: int, float, Decimal or Fraction

    def whole(self, number: ExactNumber) -> int | None:
        """A number, multiplied; None where that is not whole."""
        fraction = as_fraction(number, is_binary=self.is_binary)
        if fraction is None or self.factor % fraction.denominator:
            return None
        return fraction.numerator * (self.factor // fraction.denominator)

    def own(self, whole: int) -> ExactNumber:
        """A number of a run in the user's unit and type: exactly, or the nearest float.

        >>> Scale(100, type=Decimal).own(1275), Scale(2, type=float).own(6), Scale().own(4)
        (Decimal('12.75'), 3.0, 4)
        """
        fraction = Fraction(whole, self.factor)
        if self.type is Decimal:
            return _decimal(fraction)
        if self.type is Fraction:
            return fraction
        return float(fraction) if self.type is float else int(fraction)

    @property
    def words(self) -> str:
        """The factor, as a person reads it."""
        if self.is_binary:
            return f"2**{self.factor.bit_length() - 1}"
        digits = str(self.factor)
        is_long_power = len(digits) > LONGEST_POWER and digits.rstrip("0") == "1"
        return f"10**{len(digits) - 1}" if is_long_power else digits


def scale_of_product(scales: Sequence[Scale]) -> Scale:
    """How a product of numbers is counted.

    >>> scale_of_product([Scale(100, type=Decimal), Scale(10, type=Decimal)]).own(5)
    Decimal('0.005')
    """
    kept = number_type([scale.type() for scale in scales])
    is_binary = all(scale.is_binary or scale.factor == 1 for scale in scales)
    return Scale(math.prod(scale.factor for scale in scales), is_binary and kept is float, kept)


def scale_for(
    numbers: Sequence[ExactNumber], most_total: float, counts: Sequence[int] | None = None
) -> Scale:
    """The scale of numbers that may be added up: as they are written where their sum has room.

    Otherwise floats are read in the way that takes fewer bits. Numbers of too many digits do not
    count. counts: how often each number stands; unless given, once.

    >>> scale_for([3, Decimal("0.25"), Decimal("1.50"), 0.1], 2**61).factor
    20
    >>> scale_for([0.8444218515250481, 0.7579544029403025, 0.04048437818077755], 2**50).words
    '2**52'
    """
    kept = number_type(numbers)
    written = [as_fraction(number) for number in numbers]
    factor = _common_denominator(written)
    total = sum(
        count * abs(fraction.numerator) * (factor // fraction.denominator)
        for fraction, count in zip(written, counts or [1] * len(numbers), strict=True)
        if fraction is not None
    )
    if kept is float and (total >= most_total or None in written):
        binary = [as_fraction(number, is_binary=True) for number in numbers]
        power = _common_denominator(binary)
        if None not in binary and (power < factor or None in written):
            return Scale(power, True, kept)
    return Scale(factor, False, kept)


def _common_denominator(fractions: Iterable[Fraction | None]) -> int:
    return math.lcm(*(fraction.denominator for fraction in fractions if fraction is not None))


def number_type(numbers: Iterable[ExactNumber]) -> type[ExactNumber]:
    """The one type in which results of such numbers come back."""
    types = set(map(type, numbers))
    return next((kept for kept in (Fraction, Decimal, float) if kept in types), int)


def as_fraction(number: ExactNumber, *, is_binary: bool = False) -> Fraction | None:
    """A number as it is written (0.1 is a tenth), or as it is; None of too many digits."""
    if isinstance(number, float) and not is_binary:
        number = Decimal(repr(number))
    if isinstance(number, Decimal):
        exponent = number.as_tuple().exponent
        if number and (
            not isinstance(exponent, int) or max(-exponent, number.adjusted()) > MOST_PLACES
        ):
            return None
    fraction = Fraction(number)
    return fraction if fraction.denominator <= 10**MOST_PLACES else None


def _decimal(fraction: Fraction) -> Decimal | Fraction:
    """A fraction as a decimal, where one is exact."""
    # an int64 has fewer digits, and a power of two that its numbers are divided by fewer places
    with localcontext(Context(prec=200, traps=[Inexact])), suppress(Inexact):
        return Decimal(fraction.numerator) / Decimal(fraction.denominator)
    return fraction


# ---- columns


def type_of(columns: Sequence[Attribute]) -> type[ExactNumber]:
    """The one type in which results of the numbers of some columns come back."""
    numbers = list[ExactNumber]()
    for values in columns:
        examples = (values if values.dtype == object else values[:1]).tolist()
        if not set(map(type, examples)) <= {int, float, Decimal}:
            examples = [number for number in map(exact_number, examples) if number is not None]
        numbers += examples
    return number_type(numbers)


def scale_of(columns: Sequence[Attribute], most_total: int) -> Scale:
    """The scale of numbers that may be added up, by which all of some columns become whole."""
    floats = [in_doubles(values) for values in columns if _are_floats(values)]
    if floats and all(values.dtype != object for values in columns):
        samples = [exact_numbers(values[:SAMPLE]) for values in columns]
        some = [number for sample in samples for number in sample if number is not None]
        # all have no smaller sum, and no smaller denominator
        if scale_for(some, most_total).is_binary and all(map(_all_finite, floats)):
            power = 2 ** max(_places_in_twos(values) for values in floats)
            if power < scale_for(some, math.inf).factor:
                return Scale(power, True, float)
    written = [whole for whole in map(_as_written, columns) if whole is not None]
    if len(written) == len(columns):
        factor = math.lcm(*(tens // int(np.gcd.reduce(n, initial=tens)) for n, tens in written))
        totals = (int(np.abs(n).astype(object).sum()) * factor // tens for n, tens in written)
        if not floats or sum(totals) < most_total:
            return Scale(factor, False, type_of(columns))
    numbers, counts = list[ExactNumber](), list[int]()
    for values in columns:
        distinct, places = distinct_numbers(values)
        for number, count in zip(distinct, np.bincount(places).tolist(), strict=True):
            if number is not None:
                numbers.append(number)
                counts.append(count)
    return scale_for(numbers, most_total, counts)


def whole_numbers(values: Attribute, scale: Scale) -> np.ndarray | None:
    """Numbers, multiplied, as int64; None where some is no number, not whole, or too large."""
    if _are_floats(values) and scale.is_binary:
        with np.errstate(over="ignore"):
            multiplied = np.ldexp(in_doubles(values), scale.factor.bit_length() - 1)
        is_whole = (np.abs(multiplied) < 2.0**62) & (multiplied == np.rint(multiplied))
        return multiplied.astype(np.int64) if is_whole.all() else None
    if scale.factor == 1 and values.dtype == np.int64:
        return values if values.ndim == 1 else None
    written = _as_written(values)
    if written is not None:
        numbers, tens = written
        common = math.gcd(tens, scale.factor)
        quotients, rests = np.divmod(numbers, tens // common)
        largest = int(np.abs(quotients).max(initial=0)) * (scale.factor // common)
        if rests.any() or largest >= 2**63:
            return None
        return quotients * (scale.factor // common)
    distinct, places = distinct_numbers(values)
    whole = [None if number is None else scale.whole(number) for number in distinct]
    sizes = [2**63 if number is None else abs(number) for number in whole]
    if max(sizes, default=0) >= 2**63:
        return None
    return np.array(whole, dtype=np.int64)[places]


def first_negative(values: Attribute) -> int | None:
    """The first place that holds a number below 0."""
    if values.dtype != object and values.ndim == 1:
        is_negative = values < 0
    else:
        distinct, places = distinct_numbers(values)
        is_negative = np.array([n is not None and n < 0 for n in distinct], dtype=bool)[places]
    return int(is_negative.argmax()) if is_negative.any() else None


def _are_floats(values: Attribute) -> bool:
    return values.dtype.kind == "f" and values.ndim == 1


def _as_written(values: Attribute) -> tuple[np.ndarray, int] | None:
    """Numbers as they are written, as whole ones and the power of ten that these are divided by.

    None where some are none, or the array would not hold them for certain.

    >>> _as_written(np.array([0.1, 2.5, -3.0])), _as_written(np.array([1 / 3]))
    ((array([  1,  25, -30]), 10), None)
    """
    if _are_floats(values):
        floats = in_doubles(values)
    elif values.dtype != object:
        if values.ndim != 1 or values.dtype == bool:
            return None
        floats = values.astype(np.float64)
    else:
        given = values.tolist()
        if not set(map(type, given)) <= {int, Decimal}:
            return None
        # Python refuses to write a whole number of thousands of digits
        whole = [number for number in given if isinstance(number, int)]
        if max(map(abs, whole), default=0) >= 10**SURE_DIGITS:
            return None
        if max(map(len, map(str, given)), default=0) > SURE_DIGITS:
            return None
        floats = np.array([*map(float, given)])
    for places in range(MOST_DIGITS):
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = np.rint(floats * 10.0**places)
            if not (np.abs(numbers) < 10**SURE_DIGITS).all():
                return None
            # both are exact floats, so that this is the float nearest to the decimal
            if (numbers / 10.0**places == floats).all():
                return numbers.astype(np.int64), 10**places
    return None


def _all_finite(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).all())


def _places_in_twos(values: np.ndarray) -> int:
    """The least power of two that makes all floats whole."""
    mantissas, exponents = np.frexp(values)
    bits = (np.abs(mantissas) * 2.0**53).astype(np.int64)
    lowest = np.where(bits == 0, 0, bits & -bits)
    zeros = np.frexp(lowest.astype(np.float64))[1] - 1  # zeros at the end of the 53 bits
    return max(int(np.where(bits == 0, 0, 53 - exponents - zeros).max(initial=0)), 0)


# ---- rounding


def rounded(number: ExactNumber, places: int) -> ExactNumber:
    """A number rounded to so many decimals, in its own type; half-way cases as Python rounds.

    >>> rounded(0.8444, 2), rounded(Decimal("1E-400000000"), 3), rounded(7, 0)
    (0.84, Decimal('0.000'), 7)
    """
    if isinstance(number, Decimal):
        _, digits, exponent = number.as_tuple()
        if isinstance(exponent, int) and exponent >= -places:
            return number
        return number.quantize(Decimal(1).scaleb(-places), context=Context(prec=len(digits) + 1))
    result: ExactNumber = round(number, places)  # type: ignore[assignment]
    return result


def most_places(numbers: Iterable[ExactNumber], most: int) -> int | None:
    """The most decimals that numbers can be rounded to so that none goes beyond ``most``.

    None where they are too large even without decimals.

    >>> most_places([0.5, 99.25], 1023), most_places([5000], 1023)
    (1, None)
    """
    # abs() would round a decimal
    sizes: Iterable[Any] = (
        number.copy_abs() if isinstance(number, Decimal) else abs(number) for number in numbers
    )
    largest: ExactNumber = max(sizes, default=0)
    if largest > most:
        return None
    places, bound = 0, as_fraction(largest) or Fraction(0)
    while places < MOST_PLACES and rounded(bound * 10 ** (places + 1), 0) <= most:
        places += 1
    return places
