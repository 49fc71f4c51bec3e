"""The command ``algolens``."""

from algolens.cli.app import main

__all__ = ["main"]
