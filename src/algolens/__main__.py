"""The command, also as ``python -m algolens``: Ctrl-C ends it in one line, whenever it comes."""

from __future__ import annotations

import atexit
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ASKED = (signal.SIGINT, signal.SIGTERM)


def run_command() -> None:
    """Runs the command. It may be asked to end while its parts are imported, or taken apart."""
    _answer(_end)
    # the last thing of ours: what Python does then takes a while, and the status is known
    atexit.register(_answer, signal.SIG_IGN)
    from algolens.cli import main

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    finally:
        _answer(_end)


def _answer(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for asked in ASKED:
        signal.signal(asked, handler)


def _end(*_: object) -> None:
    """Ends at once: nothing is half-written, and what is imported could catch an exception."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


if __name__ == "__main__":
    run_command()
