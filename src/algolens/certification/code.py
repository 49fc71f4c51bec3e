"""The fingerprint of the code that a certificate rests on."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from pathlib import Path

import algolens
from algolens.algorithms import Algorithm

# What is true (the algorithm and the steps that follow from it), what a network computes, and what is proven of it. Graphs,
# rules' formulas and data sets are left out, for they change often and say nothing of a network; so are files that only read or draw.
LAYERS = ("fields", "looks", "algorithms", "execution", "models", "certification")


@cache
def code_fingerprint(algorithm: type[Algorithm]) -> str | None:
    """SHA-256 of the version, of these layers' source, and of the files that define the algorithm; None without source.

    Of the folder of algorithms only what all are made with counts, and the algorithm's own file: a new one changes nothing.
    """
    root = Path(inspect.getfile(algolens)).parent
    files = {path for layer in LAYERS for path in (root / layer).rglob("*.py")}
    files -= {path for path in (root / "algorithms").glob("*.py") if not path.name.startswith("_")}
    digest = hashlib.sha256(algolens.__version__.encode())
    try:
        for path in sorted(files):
            digest.update(f"\n{path.relative_to(root).as_posix()}\n{path.read_text(encoding='utf-8')}".encode())
        for each in algorithm.__mro__:
            if issubclass(each, Algorithm) and each is not Algorithm:
                digest.update(f"\n{each.__qualname__}\n{Path(inspect.getfile(each)).read_text(encoding='utf-8')}".encode())
    except (OSError, TypeError):  # typed into a session, or packed away
        return None
    return digest.hexdigest()
