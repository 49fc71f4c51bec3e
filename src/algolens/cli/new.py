"""``algolens new``: a file to start an algorithm from."""

from __future__ import annotations

from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from algolens.cli.output import results
from algolens.errors import AlgoLensError


class At(Enum):
    """Where concepts and outputs sit."""

    NODE = "node"
    EDGE = "edge"


def new_command(
    name: Annotated[
        str, typer.Argument(help="The algorithm's name: letters, digits and underscores.")
    ],
    at: Annotated[At, typer.Option(help="Where its outputs sit.")] = At.NODE,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; by default `NAME.py`, here.")
    ] = None,
) -> None:
    """Write a documented file to start an algorithm of your own from; `algolens check` accepts it
    as it is.

    Examples: `algolens new spread` and `algolens new my_matching --at edge`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.algorithms import algorithms
    from algolens.logic.names import name_objection

    wrong = name_objection(name)
    if wrong is not None:
        raise AlgoLensError(f"{name!r} cannot name an algorithm: {wrong}")
    if name in algorithms():
        raise AlgoLensError(f"an algorithm '{name}' is there already: choose another name.")
    path = out or Path(f"{name}.py")
    text = (
        files("algolens.cli")
        .joinpath("templates", f"{at.value}.py.txt")
        .read_text(encoding="utf-8")
    )
    filled = text.replace("NAME", name).replace(
        "CLASS", "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(filled)
    except FileExistsError as problem:
        raise AlgoLensError(
            f"{path} is there already: give another name, or another file with --out."
        ) from problem
    except OSError as problem:
        raise AlgoLensError(
            f"{path} cannot be written ({problem.strerror}): give another file with --out."
        ) from problem
    results.print(
        f"Wrote {path}. Change it, then: algolens check {path}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
