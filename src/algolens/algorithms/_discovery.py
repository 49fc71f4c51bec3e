"""Finding algorithms: files of this folder, files that the user names, and entry points."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import algolens
import algolens.algorithms
from algolens.algorithms._own_files import OWN, sha256_of
from algolens.errors import DefinitionError, ReadingError, UnknownNameError
from algolens.language.algorithm import Algorithm

SHIPPED = Path(algolens.__file__).parent / "shipped"  # models that come with the package
ENTRY_POINTS = "algolens.algorithms"
FILES = "ALGOLENS_ALGORITHMS"  # the environment variable that names files, separated as in PATH
# files that were added while the program runs: the SHA-256 of their text then, and what they define
ADDED: dict[Path, tuple[str, list[type[Algorithm]]]] = {}
_BROKEN: list[str] = []  # what is wrong with files and entry points that give no algorithm


@cache
def algorithms() -> dict[str, type[Algorithm]]:
    """All algorithms by name: those of this folder, of the user's files, and of other packages.

    A file is named in the environment variable ``ALGOLENS_ALGORITHMS``. Another package adds its
    own with an entry point of the group ``algolens.algorithms`` that names the class. What is wrong
    with one of them is told by ``broken_algorithms``, and hides no other.
    """
    _BROKEN.clear()
    known = {cls.name: cls for cls in _of_this_folder() if cls.variant_of is None}
    added = [(str(path), cls) for path, (_, classes) in ADDED.items() for cls in classes]
    for where, cls in [*_of_files(), *added, *_of_packages()]:
        if known.setdefault(cls.name, cls) is not cls:
            _BROKEN.append(f"{where}: an algorithm '{cls.name}' is there already: rename it.")
    return dict(sorted(known.items()))


def broken_algorithms() -> list[str]:
    """What is wrong with files and entry points that should give an algorithm, in a line each."""
    algorithms()
    return [" ".join(problem.split()) for problem in _BROKEN]


def unknown_algorithm(name: object, hint: str = "") -> UnknownNameError:
    """The error where no algorithm has a name; it may be in a file that is broken."""
    broken = "".join(f" Not read: {problem}" for problem in broken_algorithms())
    file = Path(f"{name}.py")
    if file.is_file():
        hint += f" {file} is here: give {file} instead of {name}, or export {FILES}={file} first."
    return UnknownNameError("algorithm", name, algorithms(), hint + broken)


@cache
def variants() -> dict[str, type[Algorithm]]:
    """The variants of other algorithms in this folder, by name; ``algorithms`` leaves them out."""
    return {cls.name: cls for cls in _of_this_folder() if cls.variant_of is not None}


def _of_this_folder() -> Iterator[type[Algorithm]]:
    for module in pkgutil.iter_modules(algolens.algorithms.__path__):
        if not module.name.startswith("_"):
            yield from _defined_in(importlib.import_module(f"algolens.algorithms.{module.name}"))


def _of_files() -> Iterator[tuple[str, type[Algorithm]]]:
    for name in filter(None, os.environ.get(FILES, "").split(os.pathsep)):
        if Path(name).resolve() in ADDED:
            continue
        if not Path(name).is_file():
            raise ReadingError(
                f"{FILES} names {name}, and no such file is there: correct the path, which counts "
                f"from the current folder unless it is a whole one, or unset {FILES}."
            )
        try:
            classes = _of_file(Path(name))
        except DefinitionError as problem:
            _BROKEN.append(f"{FILES}: {problem}")
        else:
            yield from ((f"{FILES}: {name}", cls) for cls in classes)


def add_file(path: Path) -> list[type[Algorithm]]:
    """Add a file of algorithms, as if ``ALGOLENS_ALGORITHMS`` had named it.

    Returns
    -------
    list of type
        The algorithms that it defines.
    """
    place, classes = path.resolve(), _of_file(path)
    ADDED[place] = sha256_of(path), classes
    algorithms.cache_clear()
    for cls in classes:
        if algorithms()[cls.name] is not cls:
            del ADDED[place]
            algorithms.cache_clear()
            raise DefinitionError(f"{path}: an algorithm '{cls.name}' is there already: rename it.")
    return classes


def algorithm_in_file(given: str) -> type[Algorithm] | None:
    """The algorithm that ``FILE.py`` or ``FILE.py:Class`` names; None: what is given is no file.

    The file is run, and its algorithms are known by their names from then on.
    """
    own = OWN.fullmatch(given)
    if own is None:
        return None
    path, name = Path(own["file"]), own["name"]
    sha256, added = ADDED.get(path.resolve(), ("", []))
    is_known = path.is_file() and sha256 == sha256_of(path)
    classes = {cls.__name__: cls for cls in (added if is_known else add_file(path))}
    if name is None and len(classes) > 1:
        choices = " or ".join(f"{path}:{cls}" for cls in classes)
        raise DefinitionError(f"{path} defines several algorithms: give {choices}.")
    if name is not None and name not in classes:
        raise UnknownNameError(f"algorithm in {path}", name, classes)
    return classes[name or next(iter(classes))]


def _of_file(path: Path) -> list[type[Algorithm]]:
    if classes := _defined_in(import_file(path)):
        return classes
    raise DefinitionError(f"{path} defines no Algorithm: let it define a class that is one.")


def _of_packages() -> Iterator[tuple[str, type[Algorithm]]]:
    for entry in entry_points(group=ENTRY_POINTS):
        where = f"entry point '{entry.name}' ({entry.value})"
        try:
            value = entry.load()
        except Exception as problem:  # it is another package's: any error in it is told
            _BROKEN.append(f"{where} cannot be loaded ({type(problem).__name__}: {problem}).")
            continue
        if isinstance(value, type) and issubclass(value, Algorithm):
            yield where, value
        else:
            _BROKEN.append(f"{where} is no Algorithm: let it name the class.")


def _defined_in(module: ModuleType) -> list[type[Algorithm]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Algorithm)
        and value.__module__ == module.__name__
    ]


def import_file(path: Path) -> ModuleType:
    """Runs a user's file as a module."""
    if not path.is_file():
        raise DefinitionError(f"{path} is not there: give its path from here, or the whole path.")
    name = f"algolens_user_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise DefinitionError(f"{path} is no Python file: name a file that ends in .py.")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look there for what annotations name
    try:
        specification.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        said = f" cannot be imported ({type(problem).__name__}: {problem})."
        said = f": {problem}" if isinstance(problem, DefinitionError) else said
        raise DefinitionError(f"{path}{said}") from problem
    return module


def algorithm(name: str, **options: int) -> Algorithm:
    """The algorithm of a name, with options where it has them.

    >>> algorithm("coloring", colors=4).options
    {'colors': 4, 'bits': 8}
    """
    cls = algorithms().get(name) or variants().get(name)
    if cls is None:
        raise unknown_algorithm(name)
    return cls(**options)


def shipped_folder(name: str) -> Path | None:
    """The folder of the model that ships for an algorithm, if one does."""
    folder = SHIPPED / name
    return folder if name in algorithms() and (folder / "experiment.json").is_file() else None


def shipped_names() -> list[str]:
    """The algorithms whose models ship."""
    return [name for name in algorithms() if shipped_folder(name) is not None]
