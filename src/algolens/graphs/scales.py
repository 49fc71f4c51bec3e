"""A user's numbers as whole ones and back: multiplied by what makes all of them whole, or rounded.

A float can be read in two ways: as it is written (0.1 is a tenth), or as the multiple of a power of
two that it is. A long float, as random.random() gives, takes fewer bits in the second way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from algolens.graphs.attributes import ExactNumber
from algolens.limits import PLACES

LONGEST_POWER = 9  # digits of a power of ten that is written out
MOST_PLACES = PLACES.most


@dataclass(frozen=True)
class Scale:
    """What the numbers of one unit are multiplied by to be whole, and the type they came in."""

    factor: int = 1
    is_binary: bool = False  # floats are read as multiples of a power of two
    type: type[ExactNumber] = int  # of results: int, float, Decimal or Fraction

    def whole(self, number: ExactNumber) -> int | None:
        """A number, multiplied; None where that is not whole."""
        fraction = as_fraction(number, is_binary=self.is_binary)
        if fraction is None or (fraction * self.factor).denominator != 1:
            return None
        return int(fraction * self.factor)

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


def scale_for(numbers: Sequence[ExactNumber], most_total: int) -> Scale:
    """The scale of numbers that may be added up: as they are written where their sum has room.

    Otherwise floats are read in the way that takes fewer bits. Numbers of too many digits do not
    count.

    >>> scale_for([3, Decimal("0.25"), Decimal("1.50"), 0.1], 2**61).factor
    20
    >>> scale_for([0.8444218515250481, 0.7579544029403025, 0.04048437818077755], 2**50).words
    '2**52'
    """
    kept = number_type(numbers)
    written = [as_fraction(number) for number in numbers]
    factor = _common_denominator(written)
    total = sum(abs(fraction) for fraction in written if fraction is not None)
    if kept is float and (total * factor >= most_total or None in written):
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
    rest, places = fraction.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    if rest != 1:
        return fraction
    # the digits of an int64 are fewer than a Decimal rounds to
    return Decimal(int(fraction * 10**places)).scaleb(-places)


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
