"""A run of one graph as JSON, by the names that the user gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from algolens.evaluation import Mistake, compared
from algolens.execution import Run, Stopped
from algolens.graphs import Graph, Location
from algolens.logic import Program
from algolens.reports.steps import because

REASONS = {Stopped.BY_RULE: "rule", Stopped.BY_COUNT: "count", Stopped.BY_LIMIT: "limit"}


def run_as_json(
    run: Run, by: str, program: Program, mistakes: Sequence[Mistake], *, with_trace: bool = False
) -> dict[str, Any]:
    """What was read and what came of it, and with a trace, what was seen and given in every step, and why by a program."""
    location = run.algorithm.declaration.location
    return {
        "algorithm": run.algorithm.name,
        "by": by,
        "inputs": {name: _input(run, name) for name in run.inputs},
        "steps": run.num_steps,
        "stopped": REASONS[Stopped(int(run.stopped[0]))],
        "outputs": {name: _by_name(run.graph, location, run.shown(name)) for name in run.outputs},
        **({"outcome": {name: bool(value[0]) for name, value in run.outcomes.items()}} if run.outcomes else {}),
        "agrees": not mistakes,  # with the algorithm, in every step, in all that is compared
        "compared": list(compared(run)),
        **({"first_mistake": mistakes[0].to_json()} if mistakes else {}),
        **({"trace": [_step(run, step, program) for step in range(run.num_steps)]} if with_trace else {}),
    }


def _input(run: Run, name: str) -> Any:
    """As it was used: a number that was replaced by its rank is that rank."""
    field, values = run.algorithm.declaration.inputs[name], run.inputs[name]
    return _by_name(run.graph, field.location, field.kind.shown(values, run.graph, field.location))


def _step(run: Run, step: int, program: Program) -> dict[str, Any]:
    declaration = run.algorithm.declaration
    elements = range(run.graph.count(declaration.location))

    def named(values: Sequence[Any]) -> Any:
        return _by_name(run.graph, declaration.location, values)

    given = {name: named(run.shown(name, step)) for name in run.outputs}
    if not run.has_concepts:
        return {"step": step + 1, "outputs": given}
    return {
        "step": step + 1,
        "concepts": {name: named(run[name][step].tolist()) for name in declaration.concepts},
        "outputs": given,
        "because": {name: named([because(run, step, i, name, program) for i in elements]) for name in program.rules},
    }


def _by_name(graph: Graph, location: Location, values: Sequence[Any]) -> Any:
    """A value for each node by its name, for each edge by its ends, or one for the graph."""
    if location is Location.GRAPH:
        return values[0]
    if location is Location.NODE:
        return {graph.name_of(i): value for i, value in enumerate(values)}
    return [
        {"source": graph.name_of(u), "target": graph.name_of(v), "value": value}
        for (u, v), value in zip(graph.edges.T.tolist(), values, strict=True)
    ]
