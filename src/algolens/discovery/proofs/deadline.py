"""The end of the time that a proof may take: every loop of a proof looks at it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


class OutOfTimeError(Exception):
    """The time of a proof is over. It ends there, and nothing is proven."""


def check_time(until: float) -> None:
    """Ends a proof whose time is over. until: CPU deadline, as ``time.process_time()`` counts."""
    if time.process_time() > until:
        raise OutOfTimeError


def in_time(items: Iterable[Item], until: float) -> Iterator[Item]:
    """Items, one by one, as long as there is time."""
    for item in items:
        check_time(until)
        yield item
