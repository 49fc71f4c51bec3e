"""``algolens compare``: whether two programs do the same."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from algolens.cli import completion
from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, results

WHAT = (
    "A program in a .json file, an algorithm's name, or the folder of a run, for the program of "
    "its network."
)


def compare_command(
    first: Annotated[str, typer.Argument(help=WHAT, autocompletion=completion.runnable)],
    second: Annotated[str, typer.Argument(help=WHAT, autocompletion=completion.runnable)],
    json: bool = JSON_OPTION,
) -> None:
    """Whether two programs do the same on every graph; if not, the smallest graph found on which
    they differ.

    Examples: `algolens compare coloring runs/coloring-paper` and `algolens compare mine.json
    yours.json`
    """
    from algolens.cli.runs import find_run

    # what loads PyTorch is imported once the options are read
    from algolens.front.comparing import find_program
    from algolens.programs import compare

    found = compare(find_program(first, find_run), find_program(second, find_run))
    if json:
        print_json(found.to_json())
        return
    results.print(Text(str(found)))
