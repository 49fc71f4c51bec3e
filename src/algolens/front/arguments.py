"""Values as a user of Python gives them, read where they enter."""

from __future__ import annotations

from numbers import Integral
from os import PathLike
from pathlib import Path

from algolens.errors import AlgoLensError


def whole_number(given: object) -> int | None:
    """A whole number, of Python or of NumPy; None where it is none. True and False are none.

    >>> whole_number(3), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    return int(given) if isinstance(given, Integral) and not isinstance(given, bool) else None


def path_of(given: object, what: str) -> Path:
    """The path of a file or folder. what: how a message calls it."""
    if not isinstance(given, str | PathLike):
        raise AlgoLensError(
            f"{what} takes a path, and a {type(given).__name__} came: give one, as text or as a "
            "Path."
        )
    return Path(given)
