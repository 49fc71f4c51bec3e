"""Finding algorithms: every file of this folder, and what other packages offer as entry points."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

import algolens.algorithms
from algolens.algorithms._algorithm import Algorithm
from algolens.errors import DefinitionError, UnknownNameError

ENTRY_POINTS = "algolens.algorithms"


@cache
def algorithms() -> dict[str, type[Algorithm]]:
    """All algorithms by name: those of this folder, then those of other packages.

    Another package adds its own with an entry point of the group ``algolens.algorithms`` that names the class.
    """
    found: dict[str, type[Algorithm]] = {}
    for module in pkgutil.iter_modules(algolens.algorithms.__path__):
        if not module.name.startswith("_"):
            for value in vars(importlib.import_module(f"algolens.algorithms.{module.name}")).values():
                if isinstance(value, type) and issubclass(value, Algorithm) and value is not Algorithm:
                    found[value.name] = value
    for entry in entry_points(group=ENTRY_POINTS):
        value = entry.load()
        if not (isinstance(value, type) and issubclass(value, Algorithm)):
            raise DefinitionError(f"entry point '{entry.name}' ({entry.value}) is no Algorithm: let it name the class.")
        if value.name in found and found[value.name] is not value:
            raise DefinitionError(
                f"entry point '{entry.name}' ({entry.value}): an algorithm '{value.name}' is there already: rename it."
            )
        found[value.name] = value
    return dict(sorted(found.items()))


def algorithm(name: str, **options: int) -> Algorithm:
    """The algorithm of a name, with options where it has them.

    >>> algorithm("coloring", colors=4).options
    {'colors': 4, 'bits': 8}
    """
    if name not in algorithms():
        raise UnknownNameError("algorithm", name, algorithms())
    cls = algorithms()[name]
    for option in options:
        if option not in cls().options:
            raise UnknownNameError(f"option of {name}", option, cls().options)
    return cls(**options)
