"""Classes of a user's own, as parts of networks: found in a file by their names FILE.py:CLASS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from torch import Tensor, nn

from algolens.algorithms import OWN, find_own_file, import_file
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.models.architecture import Architecture

GAVE = "forward gave latent states"  # of a processor
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
    own = find_own_file(name, part, "Mine", sha256)
    if own is None:
        raise AlgoLensError(f"{part} '{name}' names no class: give my_file.py:Mine, say.")
    path, class_name, now = own.path, own.name, own.sha256
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


def refuse_nan(values: Tensor, whose: str) -> Tensor:
    """What a user's class gave, unless there is NaN in it, which would count as some answer."""
    if bool(values.isnan().any()):
        raise DefinitionError(
            f"{whose} with NaN in it: let it divide by no 0 and take no logarithm or root of what "
            "has none, or train with a lower learning rate."
        )
    return values


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
