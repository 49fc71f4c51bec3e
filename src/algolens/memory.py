"""What memory there is, and whether it suffices for a piece of work, before the work begins."""

from __future__ import annotations

import os
import re
from pathlib import Path

from algolens.errors import AlgoLensError, ReadingError, brief

VARIABLE = "ALGOLENS_MAX_MEMORY"
SIZES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
LEAST, MOST = 10**6, 10**15
MEMINFO, GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


class MemoryNeedError(AlgoLensError):
    """Work that needs more memory than there is."""


def check_memory(needed: float, what: str, instead: str) -> None:
    """Refuses work that needs more than there is.

    Parameters
    ----------
    needed
        Bytes, about.
    what
        The work, as in 'a grid of 50 nodes'.
    instead
        What to change, as in 'give fewer nodes'.
    """
    there, is_given = memory_there()
    if needed > there:
        has = "are allowed" if is_given else "are free"
        raise MemoryNeedError(
            f"{what} needs about {in_bytes(needed)} of memory, and {in_bytes(there)} {has}: "
            f"{instead}."
        )


def memory_there() -> tuple[int, bool]:
    """The bytes that work may take, and whether a user said so."""
    given = os.environ.get(VARIABLE)
    return (read_size(given, VARIABLE), True) if given else (_free(), False)


def read_size(text: str, said: str) -> int:
    """Bytes as a user types them.

    >>> read_size("1.5 GB", "--max-memory")
    1500000000
    """
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?b)?\s*", text, re.IGNORECASE)
    size = 0.0 if match is None else float(match[1]) * SIZES[(match[2] or "").lower().lstrip("b")]
    if not LEAST <= size <= MOST:
        raise AlgoLensError(
            f"{said} is '{brief(text)}': give memory from {in_bytes(LEAST)} to {in_bytes(MOST)}, "
            "as in 4GB or 500MB."
        )
    return int(size)


def in_bytes(size: float) -> str:
    """A size in words.

    >>> in_bytes(6.2e9), in_bytes(3e25)
    ('6.2 GB', '3e+13 TB')
    """
    name, unit = next(
        ((name.upper(), unit) for name, unit in SIZES.items() if unit > 1 and size < unit * 1_000),
        ("TB", SIZES["tb"]),
    )
    number = size / unit
    return f"{number:.1f} {name}" if number < 1e5 else f"{number:.2g} {name}"


def _free() -> int:
    """What the machine has free, and the group of processes that this one is in."""
    free = [MOST]  # where the system does not say
    if hasattr(os, "sysconf"):
        free.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    free += _numbers(MEMINFO, r"MemAvailable:\s+(\d+) kB", 1_024)
    for most in _numbers(GROUP / "memory.max", r"(\d+)", 1):
        used = _numbers(GROUP / "memory.stat", r"anon (\d+)", 1)
        free.append(max(most - sum(used), 0))
    return min(free)


def _numbers(path: Path, pattern: str, unit: int) -> list[int]:
    """What a file of the system says; nothing where there is none."""
    from algolens.reading import read_text  # commands import this module, and start at once

    try:
        match = re.search(pattern, read_text(path))
    except ReadingError:
        return []
    return [] if match is None else [int(match[1]) * unit]
