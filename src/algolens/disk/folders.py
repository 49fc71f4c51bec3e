"""A folder in another's place: at every moment one of the two stands under the name, or can be put
back there.

While it is replaced, the new folder stands beside it as ``.NAME.new`` until it is whole, and the
old one after that, under this name or as ``.NAME.old``. Whoever replaces a folder holds its lock,
so these names are nobody else's.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of linux/fcntl.h and linux/fs.h


def put_together(folder: Path) -> Path:
    """Where the new folder is put together."""
    return folder.with_name(f".{folder.name}.new")


def set_aside(folder: Path) -> Path:
    """Where the old one is, while neither stands under the name."""
    return folder.with_name(f".{folder.name}.old")


def put_in_place(folder: Path) -> None:
    """Gives the new folder its name; what had the name is then beside it, to be put away."""
    new = put_together(folder)
    if not folder.exists():
        os.rename(new, folder)
    elif not exchange(new, folder):
        os.rename(folder, set_aside(folder))
        # killed before this, the next who holds the lock puts the old one back
        os.rename(new, folder)


def exchange(one: Path, other: Path) -> bool:
    """Lets two folders change their names in a single step; False where the system, or the disk,
    cannot.
    """
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):  # a C library without it
        return False
    names = [ctypes.c_char_p(os.fsencode(path.absolute())) for path in (one, other)]
    return bool(rename(AT_FDCWD, names[0], AT_FDCWD, names[1], ctypes.c_uint(RENAME_EXCHANGE)) == 0)
