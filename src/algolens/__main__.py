"""The command, also as ``python -m algolens``: Ctrl-C ends it in one line, whenever it comes.

Until signals are answered, only what must be is imported: ``signal`` loads ten modules, ``_signal``
none.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import atexit
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def run_command() -> None:
    """Runs the command. It may be asked to end while its parts are imported, or taken apart.

    While a command works, it answers by itself, and puts away what it has begun.
    """
    _answer(_end)
    atexit.register(_answer, signal.SIG_IGN)  # the status is known by then
    from algolens.cli import main

    try:
        main()
    except SystemExit as ended:
        _leave(ended.code if isinstance(ended.code, int) else 0)


def _leave(status: int) -> None:
    """Ends without taking 2,500 modules apart, which costs as much as many a command."""
    import sys
    import threading
    from contextlib import suppress

    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _answer(handler: Callable[[int, FrameType | None], None] | int) -> None:
    for asked in (signal.SIGINT, signal.SIGTERM):
        # what a shell has ignored for all that run behind it stays ignored
        if signal.getsignal(asked) != signal.SIG_IGN:
            signal.signal(asked, handler)


def _end(*_: object) -> None:
    """Ends at once: nothing is half-written, and what is imported could catch an exception."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


if __name__ == "__main__":
    run_command()
