"""The fingerprint of the code that a certificate rests on."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from pathlib import Path

import algolens
from algolens.algorithms import Algorithm

# All that a run, a proof and a trial go through: these layers import no others.
LAYERS = (
    "errors",
    "disk",
    "logic",
    "graphs",
    "fields",
    "looks",
    "algorithms",
    "execution",
    "data",
    "models",
    "evaluation",
    "certification",
)


@cache
def code_fingerprint(algorithm: type[Algorithm]) -> str | None:
    """SHA-256 of the version, of these layers' source, and of the files that define the algorithm;
    None without source.

    Of the folder of algorithms only what all are made with counts, and the algorithm's own file: a
    new one changes nothing.
    """
    root = Path(inspect.getfile(algolens)).parent
    files = {
        path
        for path in root.rglob("*.py")
        if path.relative_to(root).parts[0].removesuffix(".py") in LAYERS
    }
    files -= {path for path in (root / "algorithms").glob("*.py") if not path.name.startswith("_")}
    digest = hashlib.sha256(algolens.__version__.encode())
    try:
        for path in sorted(files):
            digest.update(
                f"\n{path.relative_to(root).as_posix()}\n{path.read_text(encoding='utf-8')}".encode()
            )
        for each in algorithm.__mro__:
            if issubclass(each, Algorithm) and each is not Algorithm:
                digest.update(
                    f"\n{each.__qualname__}\n{Path(inspect.getfile(each)).read_text(encoding='utf-8')}".encode()
                )
    except (OSError, TypeError):  # typed into a session, or packed away
        return None
    return digest.hexdigest()
