"""The command, also as ``python -m algolens``: Ctrl-C ends it in one line from the first moment."""

import sys


def main() -> None:
    """Runs the command. Importing its parts takes a moment, in which Ctrl-C may come, too."""
    try:
        from algolens.cli import main as command

        command()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
