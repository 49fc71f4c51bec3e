"""The command, also as ``python -m algolens``: Ctrl-C ends it in one line from the first moment."""

import os
import signal
import sys


def run_command() -> None:
    """Runs the command. It may be asked to end while its parts are still imported."""
    before = {asked: signal.signal(asked, _end) for asked in (signal.SIGINT, signal.SIGTERM)}
    from algolens.cli import main

    for asked, handler in before.items():
        signal.signal(asked, handler)
    try:
        main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


def _end(*_: object) -> None:
    """Ends at once: nothing is written yet, and what is imported could catch an exception."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


if __name__ == "__main__":
    run_command()
