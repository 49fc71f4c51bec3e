"""The layers of the library, in order: each imports only from those before it."""

import inspect
from pathlib import Path

import algolens

LAYERS = (
    "errors",
    "lazy",
    "arrays",
    "limits",
    "disk",
    "reading",
    "memory",
    "logic",
    "graphs",
    "language",
    "algorithms",
    "engines",
    "data",
    "models",
    "evaluation",
    "proofs",  # up to here, but for its `equality`, reaches the code that a certificate rests on
    "processes",
    "protocol",
    "rules",
    "dispatch",
    "training",
    "extraction",
    "records",
    "discovery",
    "text",
    "reports",
    "experiment",
    "reproduction",
    "player",
    "api",
    "clrs",
    "cli",
)


def layer_files(last: str) -> list[Path]:
    """The source files of all layers up to one."""
    root = Path(inspect.getfile(algolens)).parent
    layers = LAYERS[: LAYERS.index(last) + 1]
    return sorted(
        path
        for path in root.rglob("*.py")
        if path.relative_to(root).parts[0].removesuffix(".py") in layers
    )
