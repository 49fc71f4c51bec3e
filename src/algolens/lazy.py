"""Libraries that take long to import, imported when something of them is first used.

>>> from algolens.lazy import nx
>>> nx
networkx, imported when it is used
>>> nx.path_graph(3).number_of_edges()
2
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError

__all__ = [
    "F",
    "csgraph",
    "csv",
    "exports",
    "is_instance",
    "nx",
    "pa",
    "parquet",
    "pc",
    "require",
    "sparse",
    "torch",
]

# what an extra installs
EXTRAS = {
    "igraph": "pictures",
    "matplotlib": "pictures",
    "pandas": "table",
    "pyarrow": "files",
    "sympy": "sympy",
    "torch_geometric": "pyg",
}


class Library:
    """A module that is imported when it is first asked for a name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        self._module = self._module or require(self._name)
        return getattr(self._module, name)

    def __repr__(self) -> str:
        return f"{self._name}, imported when it is used"


if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa
    import pyarrow.compute as pc
    import torch
    import torch.nn.functional as F
    from pyarrow import csv, parquet
    from scipy import sparse
    from scipy.sparse import csgraph
else:
    nx, torch = Library("networkx"), Library("torch")
    F = Library("torch.nn.functional")
    pa, pc = Library("pyarrow"), Library("pyarrow.compute")
    csv, parquet = Library("pyarrow.csv"), Library("pyarrow.parquet")
    sparse, csgraph = Library("scipy.sparse"), Library("scipy.sparse.csgraph")


def require(name: str) -> Any:
    """A module; where what it imports is not there, the line that says which extra brings it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        if library not in EXTRAS:
            raise
        raise AlgoLensError(
            f"{library} is not installed: pip install 'algolens[{EXTRAS[library]}]'."
        ) from missing


def is_instance(value: object, module: str, *names: str) -> bool:
    """Whether a value is of a class of a library, which is imported by then if it is.

    >>> is_instance(1, "networkx", "Graph")
    False
    """
    library = sys.modules.get(module)
    return library is not None and isinstance(
        value, tuple(getattr(library, name) for name in names)
    )


def exports(package: str, *modules: str) -> Callable[[str], Any]:
    """``__getattr__`` of a package that offers what its modules define: they are imported one
    after the other until one has the name that is asked for.
    """

    def find(name: str) -> Any:
        for module in modules if not name.startswith("__") else ():
            found = import_module(f"{package}.{module}")
            if name == module:
                return found
            if hasattr(found, name):
                return getattr(found, name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return find
