"""``algolens list``, ``new``, ``check`` and ``compare``: the commands about algorithms."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    DirectedOption,
    FamilyOption,
    OptionsOption,
    argument,
    complete_algorithms,
    complete_checkable,
    complete_runnable,
    limited,
    load_noted,
    option,
    read_options,
)
from algolens.cli.output import note, print_json, print_result, results, say
from algolens.errors import AlgoLensError, DefinitionError
from algolens.limits import SECONDS, SEED
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from rich.table import Table

    from algolens.algorithms import Algorithm

GROUPS = {
    "searches": "Searches: what can be reached, and how",
    "paths": "Paths: shortest and widest",
    "trees": "Trees: the lightest that join all",
    "parts": "Parts of a graph: what hangs together, and by what",
    "choices": "Choices: colors, sides, sets and pairs",
    "orders": "Orders: before and after, least and next",
    "strings": "Strings: where a pattern stands in a text, and what two words share",
    "tables": "Tables: the best of all ways to split",
    "geometry": "Geometry: points and segments in the plane",
    "others": "Others: your own",
}


def list_command(json: bool = JSON_OPTION) -> None:
    """The algorithms by what they are for: what each does, and what is proven of its network.

    What one declares, its concepts and its rules are shown by `algolens check NAME`. An algorithm
    is one file; another package adds its own through the entry point group `algolens.algorithms`.
    """
    # what loads PyTorch is imported once the options are read
    from algolens.algorithms import algorithms, broken_algorithms

    known, broken = [cls() for cls in algorithms().values()], broken_algorithms()
    if json:
        described = [_described(algorithm) for algorithm in known]
        print_json({"algorithms": described, "broken": broken})
        return
    for group in dict.fromkeys([*GROUPS, *(algorithm.group for algorithm in known)]):
        members = [algorithm for algorithm in known if algorithm.group == group]
        if members:
            results.print(_table(GROUPS.get(group, group), members))
    results.print(
        "Right: the share of test graphs on which the network that ships is right in every step "
        "and everything. `algolens check NAME` shows what one declares; `algolens list --json` "
        "all of this, and how presets depart from the paper."
    )
    for problem in broken:
        say(f"Not read: {problem}")


def _table(title: str, members: list[Algorithm]) -> Table:
    from rich import box
    from rich.table import Table

    from algolens.terminal.declared import purpose_alone

    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE, show_header=False
    )
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for algorithm in members:
        details = Text.assemble(
            (algorithm.title, "bold"),
            "\n",
            purpose_alone(algorithm),
            "\n",
            (_details(algorithm), "dim"),
        )
        table.add_row(algorithm.name, details)
    return table


def _details(algorithm: Algorithm) -> str:
    from algolens.experiment.model import Shipped

    ships = Shipped.of(algorithm.name)
    on = "any graph" if algorithm.graphs == "any" else f"{algorithm.graphs} graphs"
    parts = [f"on {on}", f"reads {', '.join(algorithm.declaration.inputs) or 'nothing'}"]
    parts += [*filter(None, [ships.proven_in_words]), *ships.right_in_words]
    return "; ".join(parts)


def _described(algorithm: Algorithm) -> dict[str, object]:
    """An algorithm for machines."""
    from algolens.experiment import objections, preset
    from algolens.experiment.model import Shipped
    from algolens.reproduction.departures import departures_of
    from algolens.terminal.declared import algorithm_facts, purpose

    declaration, ships = algorithm.declaration, Shipped.of(algorithm.name)
    rule_set = declaration.rule_set
    presets = [name for name, problem in objections(algorithm).items() if problem is None]
    departures = {}
    for name in presets:  # trained with as many seeds as the paper's
        experiment = replace(preset(name, algorithm), seeds=tuple(range(SEEDS)))
        departures[name] = [departure.to_json() for departure in departures_of(experiment)]
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "group": algorithm.group,
        "purpose": purpose(algorithm),
        "about": algorithm_facts(algorithm),
        "graphs": algorithm.graphs,
        "location": declaration.location.value,
        "inputs": list(declaration.inputs),
        "concepts": list(declaration.concepts),
        "outputs": {name: list(kind.labels) for name, kind in declaration.outputs.items()},
        "outcomes": list(declaration.outcomes),
        "rules": {
            output: {label: str(rule) for label, rule in classes.items()}
            for output, classes in rule_set.rules.items()
        },
        "continues": None if rule_set.continues is None else rule_set.continues.as_typed,
        "options": algorithm.options,
        "presets": presets,
        "departures": departures,
        "shipped": ships.proven is not None,
        "proven": ships.proven,
        "cases": ships.cases,
        "graphs_right": dict(ships.right),
    }


class At(Enum):
    """Where concepts and outputs sit."""

    NODE = "node"
    EDGE = "edge"


def new_command(
    name: str = argument(..., "The algorithm's name: letters, digits and underscores."),
    at: At = option(At.NODE, "Where its outputs sit."),
    out: Path | None = option(None, "The file to write; by default `NAME.py`, here."),
) -> None:
    """Write a documented file to start an algorithm of your own from.

    `algolens check` accepts it as it is.
    Examples: `algolens new spread` and `algolens new my_matching --at edge`
    """
    from algolens.logic.names import name_objection  # once the options are read

    wrong = name_objection(name)
    if wrong is not None:
        raise AlgoLensError(f"{name!r} cannot name an algorithm: {wrong}")
    if name in complete_algorithms(name):  # of a user's own, `check` says so
        raise AlgoLensError(f"an algorithm '{name}' is there already: choose another name.")
    path = out or Path(f"{name}.py")
    template = files("algolens.cli").joinpath("templates", f"{at.value}.py.txt")
    class_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    text = template.read_text(encoding="utf-8").replace("NAME", name).replace("CLASS", class_name)
    from algolens.disk import write_file

    write_file(path, text, "give another name, or another file with --out", replace=False)
    say(f"Wrote {path}. Change it, then: algolens check {path}")


def check_command(
    target: str = argument(
        ...,
        "A Python file with algorithms (or `FILE.py:CLASS`), or a known name.",
        metavar="ALGORITHM",
        autocompletion=complete_checkable,
    ),
    option: OptionsOption = None,
    graphs: str | None = option(
        None, "Also try it on graphs of yours: a folder of files.", show_default=False
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int = limited(0, SEED, "For inputs that these graphs lack, and for a family."),
    json: bool = JSON_OPTION,
) -> None:
    """What an algorithm declares, who learns it, an example run, and whether it is right.

    Nothing is trained. Where the class has a `reference`, its runs on random graphs are compared
    with it. Exit status 1 where something is wrong. Examples: `algolens check my_algorithm.py` and
    `algolens check coloring --option colors=7`
    """
    try:
        checked = al.check(
            target,
            graphs=graphs,
            family=family,
            directed=directed,
            data_seed=data_seed,
            **read_options(option),
        )
    except DefinitionError as problem:
        if json:
            print_json({"right": False, "problems": [str(problem)], "algorithms": []})
        else:
            say(f"Wrong: {problem}")
        raise typer.Exit(1) from problem
    print_result(checked, json=json)
    if not checked:
        raise typer.Exit(1)


WHAT = (
    "A program in a .json file, an algorithm's name or file, or a model's folder, for its program."
)


def compare_command(
    first: str = argument(..., WHAT, autocompletion=complete_runnable),
    second: str = argument(..., WHAT, autocompletion=complete_runnable),
    seconds: float = limited(
        60.0, SECONDS, "CPU seconds to look for a difference, and as many for a proof by Z3."
    ),
    json: bool = JSON_OPTION,
) -> None:
    """Whether two programs do the same on every graph; if not, a small graph on which they differ.

    Where neither is seen case by case, Z3 looks for a proof, with what holds in every state that a
    run reaches.

    Examples: `algolens compare coloring runs/coloring-paper` and `algolens compare mine.json
    yours.json`
    """
    names = [name for name in (first, second) if name not in al.list_algorithms()]
    models = {name: load_noted(name) for name in names if Path(name).is_dir()}
    compared = al.compare(
        models.get(first, first), models.get(second, second), seconds=seconds, progress=note
    )
    if json:
        print_json(compared.to_json())
    else:
        results.print(Text(str(compared)))
