"""A lock that one process holds at a time, and that the system takes back when the process dies."""

from __future__ import annotations

import os
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from algolens.errors import AlgoLensError, AlgoLensWarning, WritingError

if sys.platform == "win32":
    import msvcrt

    def _hold(file: IO[bytes]) -> None:
        file.seek(2**30)  # behind what is written there, for what is locked cannot be read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _hold(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def lock(path: Path, busy: str) -> Iterator[None]:
    """Holds a lock, in a file that is there meanwhile.

    busy: what is said where another holds it, with ``{who}`` in it. On a disk without locks (some
    network disks) the user is warned, and work goes on.
    """
    file = _held(path, busy)
    try:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
        file.flush()
        yield
    finally:
        with suppress(OSError):
            # before it is let go: nobody else can hold this file, and a later one is a new file
            path.unlink()
        file.close()


def _held(path: Path, busy: str) -> IO[bytes]:
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        except OSError as problem:
            raise WritingError(
                f"{path.parent} cannot be written ({problem.strerror}): give another place."
            ) from problem
        try:
            _hold(file)
        except (BlockingIOError, PermissionError) as problem:
            file.seek(0)
            who = file.read(200).decode(errors="replace") or "another process"
            file.close()
            raise AlgoLensError(busy.replace("{who}", who)) from problem
        except OSError as problem:
            remark = (
                f"{path.parent} is on a disk without locks ({problem.strerror}): see to it that "
                "nothing else writes there."
            )
            warnings.warn(remark, AlgoLensWarning, stacklevel=4)
            return file
        if _is_there(file, path):
            return file
        # the process that held it before has deleted the file: this lock protects nothing
        file.close()


def _is_there(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
