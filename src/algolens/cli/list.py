"""``algolens list``: the algorithms there are."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rich.text import Text

from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, results
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from rich.table import Table

    from algolens.algorithms import Algorithm
    from algolens.protocol import Departure

GROUPS = {
    "searches": "Searches: what can be reached, and how",
    "paths": "Paths: shortest and widest",
    "trees": "Trees: the lightest that join all",
    "parts": "Parts of a graph: what hangs together, and by what",
    "choices": "Choices: colors, sides, sets and pairs",
    "orders": "Orders: before and after, least and next",
    "others": "Others: your own",
}


def list_command(json: bool = JSON_OPTION) -> None:
    """The algorithms by what they are for: what each does, on which graphs, and what is proven of
    the network that ships.

    What one declares, its concepts and its rules are shown by `algolens check NAME`. An algorithm
    is one file; another package adds its own through the entry point group `algolens.algorithms`.
    """
    # what loads PyTorch is imported once the options are read
    from algolens.algorithms import algorithms

    found = [cls() for cls in algorithms().values()]
    if json:
        print_json({"algorithms": [_described(algorithm) for algorithm in found]})
        return
    for group in dict.fromkeys([*GROUPS, *(algorithm.group for algorithm in found)]):
        members = [algorithm for algorithm in found if algorithm.group == group]
        if members:
            results.print(_table(GROUPS.get(group, group), members))
    results.print(
        "Right: the share of test graphs on which the network that ships is right in every step "
        "and everything. `algolens check NAME` shows what one declares; `algolens list --json` "
        "all of this, and how presets depart from the paper.",
        highlight=False,
    )


def _table(title: str, members: list[Algorithm]) -> Table:
    from rich import box
    from rich.table import Table

    from algolens.terminal.declared import purpose

    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE, show_header=False
    )
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for algorithm in members:
        table.add_row(
            algorithm.name, Text.assemble(purpose(algorithm), "\n", (_details(algorithm), "dim"))
        )
    return table


def _details(algorithm: Algorithm) -> str:
    ships = Shipped.of(algorithm.name)
    on = "any graph" if algorithm.graphs == "any" else f"{algorithm.graphs} graphs"
    parts = [f"on {on}", f"reads {', '.join(algorithm.declaration.inputs) or 'nothing'}"]
    if ships.proven is not None:
        parts.append(f"proven in {ships.cases:,} cases" if ships.proven else "not proven")
    parts += [
        f"{right:g} % right at {', '.join(sizes)} nodes" for right, sizes in ships.by_share.items()
    ]
    return "; ".join(parts)


@dataclass(frozen=True)
class Shipped:
    """What is known of the model that ships for an algorithm."""

    proven: bool | None = None  # None where none ships
    cases: int | None = None  # of the proof
    # percent of test graphs right in everything, by size
    right: Mapping[str, float] = field(default_factory=dict)

    @property
    def by_share(self) -> dict[float, list[str]]:
        """The sizes at which so many percent are right."""
        return {
            share: [size for size, right in self.right.items() if right == share]
            for share in self.right.values()
        }

    @classmethod
    def of(cls, name: str) -> Shipped:
        """The proof of the network that ships, made now, and its scores, as its folder has them."""
        from algolens.certification import proof
        from algolens.experiment import load_model, shipped_folder

        folder = shipped_folder(name)
        if folder is None:
            return cls()
        scores = json_module.loads((folder / "scores.json").read_text(encoding="utf-8"))["sizes"]
        right = {size: values["graphs_right"] for size, values in scores.items()}
        checks = proof(load_model(name).network.only(0))
        return cls(
            not any(check.failures for check in checks), sum(check.cases for check in checks), right
        )


def _described(algorithm: Algorithm) -> dict[str, object]:
    from algolens.experiment import shipped_folder
    from algolens.terminal.declared import algorithm_facts, purpose

    declaration = algorithm.declaration
    rule_set = declaration.rule_set
    ships = Shipped.of(algorithm.name)
    return {
        "name": algorithm.name,
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
        "presets": _presets(algorithm),
        "departures": {
            name: [each.to_json() for each in _departures(algorithm, name)]
            for name in _presets(algorithm)
        },
        "shipped": shipped_folder(algorithm.name) is not None,
        "proven": ships.proven,
        "cases": ships.cases,
        "graphs_right": dict(ships.right),
    }


def _departures(algorithm: Algorithm, name: str) -> list[Departure]:
    """How a preset, trained with as many seeds as the paper's, differs from the paper."""
    from algolens.experiment import preset
    from algolens.reproduction.departures import departures_of

    return departures_of(replace(preset(name, algorithm), seeds=tuple(range(SEEDS))))


def _presets(algorithm: Algorithm) -> list[str]:
    """The presets that learn an algorithm."""
    from algolens.experiment import objections

    return [name for name, problem in objections(algorithm).items() if problem is None]
