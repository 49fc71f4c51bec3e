"""A user's numbers as whole ones: multiplied by their common denominator, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import lcm

from algolens.graphs.attributes import ExactNumber

MOST_DIGITS = 1000  # of a number that is multiplied; those beyond it have no room in any case


def common_denominator(numbers: Iterable[ExactNumber]) -> int:
    """The least whole number that makes all of them whole; those of too many digits have no say.

    >>> common_denominator([3, Decimal("0.25"), Decimal("1.50"), 0.1])
    20
    """
    fractions = map(as_fraction, numbers)
    return lcm(*(each.denominator for each in fractions if each is not None))


def as_fraction(number: ExactNumber) -> Fraction | None:
    """A number as it is written, a float as Python writes it (0.1 is a tenth); None where it has
    too many digits.
    """
    if isinstance(number, float):
        number = Decimal(repr(number))
    if isinstance(number, Decimal):
        exponent = number.as_tuple().exponent
        if number and (
            not isinstance(exponent, int) or max(-exponent, number.adjusted()) > MOST_DIGITS
        ):
            return None
    return Fraction(number)


def in_whole_numbers(number: ExactNumber, scale: int) -> int | None:
    """A number multiplied by ``scale``; None where that is not whole."""
    fraction = as_fraction(number)
    return (
        None if fraction is None or (fraction * scale).denominator != 1 else int(fraction * scale)
    )


def divided(number: int, scale: int) -> int | Decimal | Fraction:
    """A whole number of the ``scale``-th part of a user's unit, in the user's own: whole, as a
    decimal where one is exact.

    >>> divided(1275, 100), divided(1200, 100), divided(1, 3)
    (Decimal('12.75'), 12, Fraction(1, 3))
    """
    fraction = Fraction(number, scale)
    rest, places = fraction.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    if rest != 1:
        return fraction
    if not places:
        return int(fraction)
    # the digits of an int64 are fewer than a Decimal rounds to
    return Decimal(int(fraction * 10**places)).scaleb(-places)
