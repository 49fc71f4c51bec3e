"""Many numbers of a text at once, exactly: digits and decimal places as two arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MOST_DIGITS = 18  # of a number that an int64 holds for certain
LARGEST_EXACT = 2**53  # up to here every whole number is a float
# whole numbers and decimals as they are mostly written; all others are read one by one
PLAIN = rf"^-?[0-9]{{0,{MOST_DIGITS}}}\.?[0-9]+$"
NEGATIVE_ZERO = r"^-[0.]*$"  # the digits alone would lose its sign
TENS = 10 ** np.arange(MOST_DIGITS + 1)


@dataclass(frozen=True, eq=False)
class DecimalColumn:
    """Numbers as they are written: ``digits / 10**places``, and a whole number without places.

    >>> DecimalColumn(np.array([10, 3]), np.array([2, 0])).tolist()
    [Decimal('0.10'), 3]
    """

    digits: np.ndarray  # [R] int64
    places: np.ndarray  # [R] int8

    def __len__(self) -> int:
        return len(self.digits)

    def __getitem__(self, places: np.ndarray | slice) -> DecimalColumn:
        return DecimalColumn(self.digits[places], self.places[places])

    def __iter__(self) -> Iterator[int | Decimal]:
        return iter(self.tolist())

    def tolist(self) -> list[int | Decimal]:
        """The numbers as Python has them."""
        both = zip(self.digits.tolist(), self.places.tolist(), strict=True)
        return [Decimal(n).scaleb(-places) if places else n for n, places in both]

    @property
    def denominators(self) -> np.ndarray:
        """[R] of each number as a fraction in lowest terms."""
        tens = TENS[self.places]
        return tens // np.gcd(self.digits, tens)

    def times(self, factor: int) -> np.ndarray | None:
        """[R] each number multiplied by what all denominators divide; None: one is too large."""
        denominators = self.denominators
        largest = max(-int(self.digits.min(initial=0)), int(self.digits.max(initial=0)))
        if factor * largest >= 2**63:
            return None
        return self.digits // (TENS[self.places] // denominators) * (factor // denominators)

    def floats(self) -> np.ndarray:
        """[R] the nearest float to each."""
        if np.abs(self.digits).max(initial=0) > LARGEST_EXACT:
            return np.array([float(number) for number in self.tolist()])
        return self.digits / TENS[self.places]  # of two exact floats, which is rounded once


def plain_numbers(texts: pa.ChunkedArray) -> np.ndarray | DecimalColumn | None:
    """The numbers that texts say, where all of them are written plainly; else None.

    >>> plain_numbers(pa.chunked_array([["7", "012"]])), plain_numbers(pa.chunked_array([["1e5"]]))
    (array([ 7, 12]), None)
    """
    is_plain = pc.match_substring_regex(texts, PLAIN)
    if not len(texts) or not pc.all(is_plain).as_py():
        return None
    point = pc.find_substring(texts, ".")
    has_points = pc.max(point).as_py() >= 0
    digits = pc.replace_substring(texts, ".", "") if has_points else texts
    lengths = pc.subtract(
        pc.binary_length(digits), pc.cast(pc.starts_with(digits, "-"), pa.int32())
    )
    if pc.max(lengths).as_py() > MOST_DIGITS:
        return None
    whole = digits.cast(pa.int64()).to_numpy()
    if not has_points:
        return whole
    if pc.any(pc.match_substring_regex(texts, NEGATIVE_ZERO)).as_py():
        return None
    after = pc.subtract(pc.subtract(pc.binary_length(texts), point), 1)
    places = pc.if_else(pc.less(point, 0), 0, after)
    return DecimalColumn(whole, places.cast(pa.int8()).to_numpy())
