"""A user's numbers as they are written, and their sums."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction

from algolens.graphs.attributes import ExactNumber

MOST_DIGITS = 50  # of a sum of decimals


def written(value: ExactNumber) -> str:
    """A number as a person writes it."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(Decimal(value) if isinstance(value, int) else value)


def total(numbers: Sequence[ExactNumber]) -> str:
    """Their sum as in decimals written on paper: exactly, or so called where it has too many
    digits.

    >>> total([Decimal("0.10"), Decimal("0.2")]), total([1, 2])
    ('0.3', '3')
    """
    if all(isinstance(value, int) for value in numbers):
        return written(sum(numbers))
    with localcontext(Context(prec=MOST_DIGITS, traps=[])) as context:
        found = sum(map(_decimal, numbers), Decimal(0)).normalize()
        text = (
            str(int(found))
            if found == found.to_integral_value() and found.adjusted() < MOST_DIGITS
            else str(found)
        )
        return f"about {text}" if context.flags[Inexact] else text


def _decimal(value: ExactNumber) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / value.denominator
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
