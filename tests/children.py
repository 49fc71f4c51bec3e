"""Work in a forked process that may be killed at any moment, as a user or a lack of memory does."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

TOUCHING = {
    "open",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.mkdir",
    "os.listdir",
    "os.scandir",
}  # audit events: before the act


def forked(work: Callable[[], object]) -> int:
    """Begins work in another process: its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    os._exit(status)


def ended(child: int) -> int:
    """Waits until a process has ended: its exit status, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_before_touching(folder: Path, times: int, work: Callable[[], object]) -> bool:
    """Does work in a process that is killed when it is about to touch what is in a folder for the
    n-th time, from 0 on.

    Whether it was: else it came to its end before.
    """

    def watched() -> None:
        left = times

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event in TOUCHING and str(arguments[0]).startswith(str(folder)):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()

    status = ended(forked(watched))
    assert status in (0, -signal.SIGKILL)
    return status != 0
