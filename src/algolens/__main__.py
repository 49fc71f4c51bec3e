"""The command, also as ``python -m algolens``: Ctrl-C ends it in one line from the first moment."""

import sys


def run_command() -> None:
    """Runs the command. Importing its parts takes a moment, in which Ctrl-C may come, too."""
    try:
        from algolens.cli import main

        main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run_command()
