"""``python -m algolens``: the command."""

from algolens.cli import main

if __name__ == "__main__":
    main()
