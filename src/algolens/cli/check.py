"""``algolens check``: what an algorithm declares, and whether anything is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli import completion
from algolens.cli.options import JSON_OPTION, OptionsOption, check_options, read_options
from algolens.cli.output import print_json, results
from algolens.errors import AlgoLensError, DefinitionError

if TYPE_CHECKING:
    from algolens.algorithms import Algorithm
    from algolens.experiment.review import Review


def check_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="A Python file with an algorithm, or the name of a known one.",
            autocompletion=completion.checkable,
        ),
    ],
    option: OptionsOption = None,
    json: bool = JSON_OPTION,
) -> None:
    """What an algorithm declares, in words; who learns it, what a proof takes, an example run, and whether it is right.

    Nothing is trained. Where the class has a `reference`, its runs on random graphs are compared with it. Exit status 1 where
    something is wrong. Examples: `algolens check my_algorithm.py` and `algolens check coloring --option colors=7`
    """
    from algolens.experiment.review import review  # what loads PyTorch is imported once the options are read

    try:
        found = _algorithms(target, read_options(option or []))
    except DefinitionError as problem:
        if json:
            print_json({"right": False, "problems": [str(problem)], "algorithms": []})
        else:
            results.print(Text(f"Wrong: {problem}"), soft_wrap=True)
        raise typer.Exit(1) from problem
    reviews = [review(each) for each in found]
    problems = [f"{each.algorithm.name}: {wrong}" for each in reviews for wrong in each.problems]
    if json:
        print_json({"right": not problems, "problems": problems, "algorithms": [review_json(each) for each in reviews]})
    else:
        for each in reviews:
            _show(each)
        for wrong in problems:
            results.print(Text(f"Wrong: {wrong}"), soft_wrap=True)
        if not problems:
            results.print("Nothing is wrong.", highlight=False)
    if problems:
        raise typer.Exit(1)


def review_json(found: Review) -> dict[str, Any]:
    """A review for machines."""
    from algolens.cli.run_json import run_as_json
    from algolens.reports.declared import declared_json

    chosen, run = found.algorithm, found.example
    return {
        "name": chosen.name,
        "declares": declared_json(chosen),
        "presets": found.presets,
        "provable": found.cases is not None,
        "proof_cases": found.cases,
        "example": None if run is None else run_as_json(run, "algorithm", chosen.declaration.program, []),
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


def _algorithms(target: str, options: dict[str, int]) -> list[Algorithm]:
    from algolens.algorithms import add_file, algorithm

    path = Path(target)
    if path.suffix != ".py" and not path.is_file():
        found = [type(algorithm(target))]
    elif path.is_file():
        found = add_file(path)
    else:
        raise AlgoLensError(f"{target}: there is no such file. `algolens new NAME` writes one to start from.")
    for cls in found:
        check_options(options, cls())
    return [cls(**options) for cls in found]


def _show(found: Review) -> None:
    from algolens.reports import steps
    from algolens.reports.declared import about, declared_lines
    from algolens.reports.summary import counted

    results.print(Text(f"{found.algorithm.name}: {about(found.algorithm)}", style="bold"), soft_wrap=True)
    for line in [*declared_lines(found.algorithm), "", *_learning(found), *_running(found), ""]:
        results.print(Text(line), soft_wrap=True)
    if found.example is not None:
        size = counted(found.example.graph.num_nodes, "node")
        results.print(Text(f"An example, on {size} and {counted(found.example.graph.num_edges, 'edge')}:", style="bold"))
        for part in steps(found.example):
            results.print(part)
    results.print()


def _learning(found: Review) -> Iterator[str]:
    if found.learnt_by:
        yield f"Learnt by the presets: {', '.join(found.learnt_by)}."
    reasons: dict[str, list[str]] = {}
    for name, problem in found.presets.items():
        if problem is not None:
            reasons.setdefault(problem, []).append(name)
    yield from (f"Not by {', '.join(names)}: {reason}" for reason, names in reasons.items())
    if found.cases is None:
        yield "Nothing can be proven of a network for it."
    else:
        parts = ", ".join(f"{name} {count:,}" for name, count in found.cases.items())
        yield f"Provable by the preset exact, in at most {sum(found.cases.values()):,} cases: {parts}."


def _running(found: Review) -> Iterator[str]:
    if found.at_limit:
        yield f"On {found.at_limit} of {found.graphs} random graphs it asked for more steps than max_steps() allows."
    if found.agreement is None:
        yield f"It ran on {found.graphs} random graphs. It has no reference() to be compared with."
    elif found.agreement.difference is None:
        compared = ", ".join(found.agreement.compared)
        yield f"It agrees with its reference on {found.agreement.graphs} random graphs, in {compared}."
