"""A run of one graph as JSON, by the names that the user gave: all that it takes to draw it again.
The keys: docs/json.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from torch import Tensor

from algolens import __version__
from algolens.evaluation import Mistake, compared_fields
from algolens.execution import Intervention, Run, Stopped
from algolens.fields import Field, as_written
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import Attribute
from algolens.logic.rule_set import RuleSet
from algolens.terminal.steps import because


@dataclass(frozen=True)
class Asked:
    """What a user asked for, as far as a run does not know it."""

    name: str | None = None  # an algorithm, the folder of a run, or a program's file
    graph: str | None = None
    seed: int | None = None
    notes: Sequence[str] = ()
    interventions: Sequence[Intervention] = ()


NOTHING = Asked()


def run_as_json(
    run: Run,
    by: str,
    rule_set: RuleSet,
    mistakes: Sequence[Mistake],
    asked: Asked = NOTHING,
    *,
    with_trace: bool = False,
) -> dict[str, Any]:
    """What was read and what came of it, and with a trace, what was seen and given in every step,
    and why by a program.
    """
    location = run.algorithm.declaration.location
    return {
        "algolens": __version__,
        "algorithm": run.algorithm.name,
        "options": dict(run.algorithm.options),
        "by": by,
        "asked": {"name": asked.name, "graph": asked.graph, "seed": asked.seed},
        "notes": list(asked.notes),
        "graph": _node_link(run.graph),
        "inputs": {name: _input(run, name) for name in run.inputs},
        "interventions": [_intervention(each, run.graph, location) for each in asked.interventions],
        "start": {name: _shown(run, name, values) for name, values in run.start.items()},
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "outputs": {name: _by_name(run.graph, location, run.shown(name)) for name in run.outputs},
        **(
            {"outcome": {name: bool(value[0]) for name, value in run.outcomes.items()}}
            if run.outcomes
            else {}
        ),
        "agrees": not mistakes,  # with the algorithm, in every step, in all that is compared
        "compared": list(compared_fields(run)),
        **({"first_mistake": _mistake(mistakes[0], run.graph)} if mistakes else {}),
        **(
            {"trace": [_step(run, step, rule_set) for step in range(run.num_steps)]}
            if with_trace
            else {}
        ),
    }


def _node_link(graph: Graph) -> dict[str, Any]:
    """The graph as NetworkX writes and reads it, with what the user said of nodes and edges as they
    wrote it.
    """
    names = [graph.name_of(node) for node in range(graph.num_nodes)]
    of_nodes, of_edges = (
        _rows(graph.node_attributes, graph.num_nodes),
        _rows(graph.edge_attributes, graph.num_edges),
    )
    return {
        "directed": graph.directed,
        "multigraph": False,
        "graph": {},
        "nodes": [{**row, "id": name} for name, row in zip(names, of_nodes, strict=True)],
        "edges": [
            {**row, "source": names[u], "target": names[v]}
            for (u, v), row in zip(graph.edges.T.tolist(), of_edges, strict=True)
        ],
    }


def _rows(attributes: Mapping[str, Attribute], count: int) -> Iterable[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    columns = {
        name: [_plain(value) for value in as_written(column)] for name, column in attributes.items()
    }
    return (
        {name: column[i] for name, column in columns.items() if column[i] is not None}
        for i in range(count)
    )


def _plain(value: Any) -> Any:
    """A value of an attribute as JSON has it; what JSON has not, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return (
        value
        if value is None or isinstance(value, bool | int | str | Decimal | Fraction)
        else str(value)
    )


def _input(run: Run, name: str) -> Any:
    """As it was used: a number that was replaced by its rank is that rank; one that was made whole
    is as it was given.
    """
    return _in_words(run, name, run.algorithm.declaration.inputs[name], run.inputs[name])


def _shown(run: Run, name: str, values: Tensor) -> Any:
    return _in_words(run, name, run.algorithm.declaration.predicted[name], values)


def _in_words(run: Run, name: str, field: Field, values: Tensor) -> Any:
    shown = run.in_own_units(name, field.kind.shown(values, run.graph, field.location))
    return _by_name(run.graph, field.location, shown)


def _intervention(given: Intervention, graph: Graph, location: Location) -> dict[str, Any]:
    places = None if given.elements is None else [int(place) for place in given.elements]
    return {
        "concept": given.concept,
        "value": bool(given.value),
        location.value + "s": None
        if places is None
        else [_element(graph, location, place) for place in places],
        "steps": None if given.steps is None else [step + 1 for step in given.steps],  # type: ignore[attr-defined]
    }


def _mistake(mistake: Mistake, graph: Graph) -> dict[str, Any]:
    place = mistake.element
    name = None if place is None else _element(graph, Location(mistake.at), place)
    return {**mistake.to_json(), "name": name}


def _step(run: Run, step: int, rule_set: RuleSet) -> dict[str, Any]:
    declaration = run.algorithm.declaration
    elements = range(run.graph.count(declaration.location))

    def named(values: Sequence[Any]) -> Any:
        return _by_name(run.graph, declaration.location, values)

    given = {
        "outputs": {name: named(run.shown(name, step)) for name in run.outputs},
        "hints": {name: _shown(run, name, values[step]) for name, values in run.hints.items()},
        "goes_on": bool(run.goes_on[step, 0]),
    }
    if not run.has_concepts:
        return {"step": step + 1, **given}
    return {
        "step": step + 1,
        "concepts": {name: named(run[name][step].tolist()) for name in declaration.concepts},
        **given,
        "because": {
            name: named([because(run, step, i, name, rule_set) for i in elements])
            for name in rule_set.rules
        },
    }


def _element(graph: Graph, location: Location, place: int) -> Any:
    """A node by its name, an edge or a link by its ends."""
    if location is Location.NODE:
        return graph.name_of(place)
    ends = graph.edges if location is Location.EDGE else graph.links
    source, target = ends[:, place].tolist()
    return {"source": graph.name_of(source), "target": graph.name_of(target)}


def _by_name(graph: Graph, location: Location, values: Sequence[Any]) -> Any:
    """A value for each node by its name, for each edge or link by its ends, or one for the
    graph.
    """
    if location is Location.GRAPH:
        return values[0]
    if location is Location.NODE:
        return {graph.name_of(i): value for i, value in enumerate(values)}
    ends = graph.edges if location is Location.EDGE else graph.links
    return [
        {"source": graph.name_of(u), "target": graph.name_of(v), "value": value}
        for (u, v), value in zip(ends.T.tolist(), values, strict=True)
    ]
