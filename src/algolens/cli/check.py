"""``algolens check`` and ``algolens compare``: an algorithm looked over, and two side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli import completion
from algolens.cli.options import JSON_OPTION, OptionsOption, read_options
from algolens.cli.output import print_json, results
from algolens.errors import DefinitionError

if TYPE_CHECKING:
    from algolens.experiment.review import Review


def check_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="A Python file with an algorithm, or the name of a known one.",
            autocompletion=completion.complete_checkable,
        ),
    ],
    option: OptionsOption = None,
    json: bool = JSON_OPTION,
) -> None:
    """What an algorithm declares, in words; who learns it, what a proof takes, an example run, and
    whether it is right.

    Nothing is trained. Where the class has a `reference`, its runs on random graphs are compared
    with it. Exit status 1 where something is wrong. Examples: `algolens check my_algorithm.py` and
    `algolens check coloring --option colors=7`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.checking import check

    try:
        found = check(target, **read_options(option or []))
    except DefinitionError as problem:
        if json:
            print_json({"right": False, "problems": [str(problem)], "algorithms": []})
        else:
            results.print(Text(f"Wrong: {problem}"), soft_wrap=True)
        raise typer.Exit(1) from problem
    if json:
        reviews = [review_json(each) for each in found.reviews]
        print_json({"right": bool(found), "problems": found.problems, "algorithms": reviews})
    else:
        for part in found.parts():
            results.print(part, soft_wrap=isinstance(part, str))
    if not found:
        raise typer.Exit(1)


def review_json(found: Review) -> dict[str, Any]:
    """A review for machines."""
    from algolens.cli.run_json import run_as_json
    from algolens.terminal.declared import declared_json

    chosen, run = found.algorithm, found.example
    return {
        "name": chosen.name,
        "declares": declared_json(chosen),
        "presets": found.presets,
        "provable": found.cases is not None,
        "proof_cases": found.cases,
        "example": None
        if run is None
        else run_as_json(run, "algorithm", chosen.declaration.rule_set, []),
        "random_graphs": found.graphs,
        "stopped_at_limit": found.at_limit,
        "reference": None
        if found.agreement is None
        else {
            "agrees": found.agreement.difference is None,
            "graphs": found.agreement.graphs,
            "compared": list(found.agreement.compared),
            "difference": found.agreement.difference,
        },
        "problems": list(found.problems),
    }


WHAT = (
    "A program in a .json file, an algorithm's name, or the folder of a run, for the program of "
    "its network."
)


def compare_command(
    first: Annotated[str, typer.Argument(help=WHAT, autocompletion=completion.complete_runnable)],
    second: Annotated[str, typer.Argument(help=WHAT, autocompletion=completion.complete_runnable)],
    json: bool = JSON_OPTION,
) -> None:
    """Whether two programs do the same on every graph; if not, the smallest graph found on which
    they differ.

    Examples: `algolens compare coloring runs/coloring-paper` and `algolens compare mine.json
    yours.json`
    """
    from algolens.cli.options import find_model_folder

    # what loads PyTorch is imported once the options are read
    from algolens.front.checking import find_program
    from algolens.programs import compare_programs

    found = compare_programs(
        find_program(first, find_model_folder), find_program(second, find_model_folder)
    )
    if json:
        print_json(found.to_json())
        return
    results.print(Text(str(found)))
