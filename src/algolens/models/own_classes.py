"""Classes of a user's own, as parts of networks: found in a file by their names FILE.py:CLASS."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from torch import nn

from algolens.algorithms import import_file
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.models.architecture import Architecture

OWN = re.compile(r"(?P<file>.+\.py)(?::(?P<name>\w+))?")
SHA256: dict[str, str] = {}  # of each file that was run, by the class's name


def own_file(architecture: Architecture) -> Path | None:
    """The file that holds the processor or network of an architecture, where it is the user's own.

    Parameters
    ----------
    architecture : Architecture
        What a network is made of.

    Returns
    -------
    Path or None
        As the user named it; None where no file is named.
    """
    own = OWN.fullmatch(architecture.processor)
    return None if own is None else Path(own["file"])


def add_class(
    part: str,
    name: str,
    known: dict[str, type[nn.Module]],
    sha256: str | None,
    try_out: Callable[[str], None] = lambda _: None,
) -> str:
    """Run the file of a class, so that it is known by its name; the SHA-256 of the file's text.

    part: what it is of a network, in a word. sha256: what the text should have, where it is known.
    """
    own = OWN.fullmatch(name)
    if own is None or own["name"] is None:
        file = "my_file.py" if own is None else name
        raise AlgoLensError(f"{part} '{name}' names no class: give {file}:Mine, say.")
    path, class_name = Path(own["file"]), own["name"]
    if not path.is_file():
        raise AlgoLensError(
            f"the {part} '{name}' is in {path}, which is not there: work in the folder that it "
            f"is given from ({Path.cwd()} is the current one), or put the file there."
        )
    now = sha256_of(path)
    if sha256 not in (None, now):
        raise AlgoLensError(
            f"{path} is not as it was when '{name}' was trained, and was not run: put its text of "
            "then there, or train again."
        )
    if name in known:
        if SHA256.get(name) != now:
            raise AlgoLensError(
                f"{path} is not as it was when '{name}' was first read: start Python anew, or give "
                "the file another name."
            )
        return now
    known[name], SHA256[name] = _class_in(path, class_name), now
    try:
        try_out(name)
    except Exception as problem:  # whatever a user's class raises, they should read in one line
        del known[name]
        raise DefinitionError(
            f"{path}: {class_name} is no {part} ({first_line(problem)})."
        ) from problem
    return now


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's text."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def first_line(problem: Exception) -> str:
    """What a user's own code raised, in one line."""
    said = (str(problem).splitlines() or [""])[0]
    return said if isinstance(problem, AlgoLensError) else f"{type(problem).__name__}: {said}"


def _class_in(path: Path, name: str) -> type[nn.Module]:
    module = import_file(path)
    modules = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, nn.Module)
    }
    if name not in modules:
        own = [key for key, value in modules.items() if value.__module__ == module.__name__]
        raise UnknownNameError(f"module of PyTorch in {path}", name, own)
    return modules[name]
