"""``algolens list``: the algorithms there are."""

from __future__ import annotations

import inspect

from rich.table import Table

from algolens.algorithms import Algorithm, algorithms
from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, results
from algolens.experiment import objections, shipped_folder


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
        "continues": None if program.continues is None else str(program.continues),
        "options": algorithm.options,
        "presets": [name for name, problem in objections(algorithm).items() if problem is None],
        "shipped": shipped_folder(algorithm.name) is not None,
    }
