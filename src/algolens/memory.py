"""What memory there is, and whether it suffices for a piece of work, before and during it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from time import monotonic

from algolens.errors import AlgoLensError, ReadingError, brief

VARIABLE = "ALGOLENS_MAX_MEMORY"
SIZES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
LEAST, MOST = 10**6, 10**15
MEMINFO, GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")
TAKEN = Path("/proc/self/statm")
SECONDS_BETWEEN_LOOKS = 0.05
LARGE = 2**24  # bytes at once, before which one always looks
SPARE = 2**27  # of the machine's free bytes, so many stay free
LESS = (
    "give fewer or smaller graphs (--sizes, --graphs), or allow more with --max-memory (in "
    "Python, ALGOLENS_MAX_MEMORY)"
)
_last_look = 0.0
# what is being done, and what to change where it takes too much
_phase: ContextVar[tuple[str, str]] = ContextVar("phase", default=("this work", LESS))
# where it is shown
shown: ContextVar[Callable[[str], AbstractContextManager[object]]] = ContextVar(
    "shown", default=nullcontext
)


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
    there, allowed = memory_there()
    if needed > there:
        has = "are free"
        if allowed:
            has = f"of the {in_bytes(allowed)} that are allowed are left"
        raise MemoryNeedError(
            f"{what} needs about {in_bytes(needed)} of memory, and {in_bytes(there)} {has}: "
            f"{instead}."
        )


def memory_there() -> tuple[int, int]:
    """The bytes that work may still take, and those that a user allows the process; 0: no word."""
    given = os.environ.get(VARIABLE)
    if not given:
        return _free(), 0
    allowed = read_size(given, VARIABLE)
    return max(0, allowed - _taken()), allowed


@contextmanager
def phase(what: str, instead: str = LESS) -> Iterator[None]:
    """A piece of work that may take long: boards show it, and it is named where it grows too large.

    Parameters
    ----------
    what
        The work, as in 'scoring bfs at 20 nodes'.
    instead
        What to change where memory does not suffice.
    """
    before = _phase.set((what, instead))
    try:
        with shown.get()(what):
            yield
    finally:
        _phase.reset(before)


def check_growth(more: int = 0) -> None:
    """Stops work that has outgrown the memory, or is about to; called often while it goes on.

    more: bytes that are taken next.
    """
    global _last_look
    if more < LARGE and monotonic() - _last_look < SECONDS_BETWEEN_LOOKS:
        return
    _last_look = monotonic()
    there, allowed = memory_there()
    if more + (0 if allowed else SPARE) <= there and there:
        return
    what, instead = _phase.get()
    has = f"{in_bytes(allowed)} are allowed" if allowed else f"only {in_bytes(there)} are left free"
    raise MemoryNeedError(
        f"{what} has grown to {in_bytes(_taken() + more)} of memory, and {has}: {instead}."
    )


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


def _taken() -> int:
    """The bytes that this process takes; 0 where the system does not say."""
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    return sum(_numbers(TAKEN, r"^\d+ (\d+)", page))


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
