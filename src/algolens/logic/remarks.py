"""Remarks: sentences on what was measured of rules, which every export carries."""

from __future__ import annotations

import math
from collections.abc import Sequence

WARNING = "WARNING: "
# how a remark begins on what may do otherwise elsewhere
SAMPLED = "These rules were drawn from a network's own run"


def warnings(lines: Sequence[str]) -> list[str]:
    """Those remarks that warn."""
    return [line for line in lines if line.startswith(WARNING)]


def said(sentence: str, *, is_right: bool) -> str:
    """A remark, which warns unless all is right."""
    return sentence[0].upper() + sentence[1:] if is_right else WARNING + sentence


def percent(share: float) -> str:
    """A share in percent, rounded down, so that only the whole is called 100 %.

    >>> percent(1.0), percent(0.999999)
    ('100.00 %', '99.99 %')
    """
    return f"{math.floor(10_000 * share + 1e-9) / 100:.2f} %"


def counted(share: float, total: int, what: str) -> str:
    """'k of n (p %)', or 'all n'.

    >>> counted(0.9996, 10_000, "steps")
    '9,996 of 10,000 steps (99.96 %)'
    """
    return (
        f"all {total:,} {what}"
        if share == 1
        else f"{round(share * total):,} of {total:,} {what} ({percent(share)})"
    )
