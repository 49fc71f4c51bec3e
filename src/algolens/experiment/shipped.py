"""The models that come with the package: an algorithm's name means its own."""

from __future__ import annotations

from pathlib import Path

import algolens
from algolens.algorithms import algorithms

SHIPPED = Path(algolens.__file__).parent / "shipped"


def shipped_folder(name: str) -> Path | None:
    """The folder of the model that ships for an algorithm; None where there is none, or no such
    algorithm.
    """
    folder = SHIPPED / name
    return folder if name in algorithms() and (folder / "experiment.json").is_file() else None


def shipped_names() -> list[str]:
    """The algorithms whose models ship."""
    return [name for name in algorithms() if shipped_folder(name) is not None]
