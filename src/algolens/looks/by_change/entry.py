"""What Python calls of the kernel: compiled once, and kept on disk where that can be written."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

from algolens.looks.by_change import kernel
from algolens.looks.by_change.structures import STAMP, pointer_to

Entry = Callable[..., Any]
FILES = (
    "layout",
    "structures",
    "heaps",
    "terms",
    "settling",
    "views",
    "observing",
    "moving",
    "kernel",
    "entry",
)


def _stamp() -> int:
    """A number that changes with any file of the kernel."""
    digest = sha256()
    for name in FILES:
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return int.from_bytes(digest.digest()[:7], "big")


def _kept(function: Entry) -> Entry:
    """Compiled once where it can be kept on disk, else in every process."""
    make: Any = numba.njit
    try:
        return make(cache=True)(function)
    except RuntimeError:  # no folder can be written
        return make(function)


def _entries(stamp: int) -> tuple[Entry, Entry]:
    """The stamp is a part of what is kept: Numba itself looks at this file alone for changes."""

    @_kept
    def advance(m, fields, steps, elements, values, keeps):
        m[STAMP] = stamp
        columns = pointer_to(fields), pointer_to(steps), pointer_to(elements), pointer_to(values)
        return kernel.advance(pointer_to(m), *columns, len(fields), keeps)

    @_kept
    def sort_by_field(fields, order, ends):
        ends[0] = stamp * 0
        return kernel.sort_by_field(fields, order, ends)

    return advance, sort_by_field


advance, sort_by_field = _entries(_stamp())


def is_compiled() -> bool:
    """Whether the kernel is compiled: in this process, or kept on disk by one before it."""
    advancing: Any = advance
    if getattr(advancing, "signatures", True):  # which a plain function of Python has not
        return True
    kept: Any = getattr(advancing, "_cache", None)
    try:
        return any(Path(kept.cache_path).glob("entry.*advance*.nbc"))
    except (AttributeError, OSError):
        return False
