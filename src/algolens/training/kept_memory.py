"""Memory that every step of training takes and frees, kept by the process in the meantime."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

# settings of glibc's mallopt
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
NEVER = -1  # of TRIM_THRESHOLD
LARGEST = 32 * 2**20  # of MMAP_THRESHOLD; glibc's own threshold grows up to it
USUAL_MAPS = 65_536  # of MMAP_MAX


@contextmanager
def kept_memory() -> Iterator[None]:
    """Freed memory is not given back meanwhile: fetching it anew takes a fifth of a step.

    Only glibc (Linux) is asked; elsewhere this does nothing.
    """
    try:
        library = ctypes.CDLL("libc.so.6")
        change, give_back = library.mallopt, library.malloc_trim
    except (AttributeError, OSError):
        yield
        return
    change(MMAP_MAX, 0)
    change(TRIM_THRESHOLD, NEVER)
    try:
        yield
    finally:
        change(MMAP_MAX, USUAL_MAPS)
        change(MMAP_THRESHOLD, LARGEST)
        change(TRIM_THRESHOLD, 2 * LARGEST)
        give_back(0)
