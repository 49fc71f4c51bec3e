"""``algolens list``: the algorithms there are."""

from __future__ import annotations

import inspect
from dataclasses import replace

from rich.table import Table

from algolens.algorithms import Algorithm, algorithms
from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, results
from algolens.experiment import departures_of, objections, preset, shipped_folder
from algolens.experiment.reproduce import SEEDS
from algolens.protocol import Departure


def list_command(json: bool = JSON_OPTION) -> None:
    """The algorithms, with their concepts and their true rules.

    An algorithm is one file; another package adds its own through the entry point group `algolens.algorithms`.
    """
    found = [cls() for cls in algorithms().values()]
    if json:
        print_json({"algorithms": [_described(algorithm) for algorithm in found]})
        return
    table = Table(show_lines=True)
    for column in ("algorithm", "concepts", "true rules"):
        table.add_column(column)
    for algorithm in found:
        what = f"[bold]{algorithm.name}[/]\n{inspect.getdoc(algorithm)}".split("\n\n")[0]
        table.add_row(what, "\n".join(algorithm.declaration.concepts), str(algorithm.declaration.program))
    results.print(table)
    departing = "; ".join(f"{algorithm.name}: {_counted(algorithm)}" for algorithm in found)
    results.print(
        f"Points in which presets depart from the paper ({departing}): `algolens list --json` names them all.", highlight=False
    )


def _described(algorithm: Algorithm) -> dict[str, object]:
    declaration = algorithm.declaration
    program = declaration.program
    return {
        "name": algorithm.name,
        "about": (inspect.getdoc(algorithm) or "").split("\n\n")[0],
        "location": declaration.location.value,
        "inputs": list(declaration.inputs),
        "concepts": list(declaration.concepts),
        "outputs": {name: list(kind.labels) for name, kind in declaration.outputs.items()},
        "rules": {output: {label: str(rule) for label, rule in classes.items()} for output, classes in program.rules.items()},
        "continues": None if program.continues is None else program.continues.as_typed,
        "options": algorithm.options,
        "presets": _presets(algorithm),
        "departures": {name: [each.to_json() for each in _departures(algorithm, name)] for name in _presets(algorithm)},
        "shipped": shipped_folder(algorithm.name) is not None,
    }


def _counted(algorithm: Algorithm) -> str:
    return ", ".join(f"{name} {len(_departures(algorithm, name))}" for name in _presets(algorithm))


def _departures(algorithm: Algorithm, name: str) -> list[Departure]:
    """How a preset, trained with as many seeds as the paper's, differs from the paper."""
    return departures_of(replace(preset(name, algorithm), seeds=tuple(range(SEEDS))))


def _presets(algorithm: Algorithm) -> list[str]:
    """The presets that learn an algorithm."""
    return [name for name, problem in objections(algorithm).items() if problem is None]
