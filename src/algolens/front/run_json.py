"""A run of one graph as JSON, by the names that the user gave; the keys are in docs/json.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from algolens import __version__
from algolens.engines import Intervention, Run, Stopped
from algolens.evaluation import compared_fields
from algolens.evaluation.rightness import Side
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import Attribute, as_written
from algolens.graphs.convert import edges_as_named
from algolens.language.fields import Field
from algolens.terminal.reasons import reasons_at
from algolens.terminal.sentences import Sentences

NOTHING = {"name": None, "graph": None, "seed": None}


def run_as_json(
    side: Side,
    *,
    asked: Mapping[str, Any] = NOTHING,
    notes: Sequence[str] = (),
    interventions: Sequence[Intervention] = (),
    trace: bool = False,
) -> dict[str, Any]:
    """What was read, and what came of it.

    asked: what a user named: the ``name`` of what was run, the ``graph`` and the ``seed``. trace:
    with every step.
    """
    run, mistake = side.run, side.mistake
    graph, declaration = run.graph, run.algorithm.declaration
    location = declaration.location
    document = {
        "algolens": __version__,
        "algorithm": run.algorithm.name,
        "options": dict(run.algorithm.options),
        "by": side.by,
        "asked": dict(asked),
        "notes": list(notes),
        "graph": _node_link(graph),
        # as used: a number that was replaced by its rank is that rank
        "inputs": _values(run, declaration.inputs, run.inputs),
        "interventions": [_intervention(given, graph, location) for given in interventions],
        "start": _values(run, declaration.predicted, run.start),
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "outputs": {name: _by_name(graph, location, run.shown(name)) for name in run.outputs},
    }
    if run.outcomes:
        document["outcome"] = {name: bool(value[0]) for name, value in run.outcomes.items()}
    document["agrees"] = mistake is None  # with the algorithm, in every step
    document["compared"] = list(compared_fields(run))
    if mistake is not None:
        place = mistake.element
        name = None if place is None else _element(graph, Location(mistake.at), place)
        document["first_mistake"] = {**mistake.to_json(), "name": name}
    if trace:
        sentences = Sentences(run.with_trace(), side.rule_set)
        document["trace"] = [_step(run, step, sentences) for step in range(run.num_steps)]
    return document


def _node_link(graph: Graph) -> dict[str, Any]:
    """The graph as NetworkX writes it, with attributes as the user wrote them."""
    edges, at_edges = edges_as_named(graph)
    return {
        "directed": graph.directed,
        "multigraph": False,
        "graph": {},
        "nodes": [
            {**row, "id": graph.name_of(node)}
            for node, row in enumerate(_rows(graph.node_attributes, graph.num_nodes))
        ],
        "edges": [
            {**row, **ends}
            for ends, row in zip(_ends(graph, edges), _rows(at_edges, graph.num_edges), strict=True)
        ],
    }


def _ends(graph: Graph, pairs: np.ndarray) -> list[dict[str, str]]:
    """The names of the two ends of each pair [2, E]."""
    return [{"source": graph.name_of(u), "target": graph.name_of(v)} for u, v in pairs.T.tolist()]


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
        return [_plain(item) for item in value]
    is_json = value is None or isinstance(value, bool | int | str | Decimal | Fraction)
    return value if is_json else str(value)


def _values(
    run: Run, fields: Mapping[str, Field], values: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """Values of fields by the user's names, in the user's numbers."""
    named = {}
    for name, some in values.items():
        location = fields[name].location
        shown = fields[name].kind.shown(some, run.graph, location)
        named[name] = _by_name(run.graph, location, run.in_own_units(name, shown))
    return named


def _intervention(given: Intervention, graph: Graph, location: Location) -> dict[str, Any]:
    elements, steps = given.elements, given.steps
    return {
        "concept": given.concept,
        "value": bool(given.value),
        f"{location.value}s": None
        if elements is None
        else [_element(graph, location, int(place)) for place in elements],
        "steps": None if steps is None else [step + 1 for step in steps],  # type: ignore[attr-defined]
    }


def _step(run: Run, step: int, sentences: Sentences) -> dict[str, Any]:
    declaration, rule_set = run.algorithm.declaration, sentences.rule_set
    named = partial(_by_name, run.graph, declaration.location)
    document: dict[str, Any] = {"step": step + 1}
    if run.has_concepts:
        document["concepts"] = {
            name: named(run[name][step].tolist()) for name in declaration.concepts
        }
    document["outputs"] = {name: named(run.shown(name, step)) for name in run.outputs}
    hints = {name: values[step] for name, values in run.hints.items()}
    document["hints"] = _values(run, declaration.predicted, hints)
    document["goes_on"] = bool(run.goes_on[step, 0])
    if run.has_concepts:
        document["because"] = {
            name: named(reasons_at(run, step, name, rule_set)) for name in rule_set.rules
        }
    document["told"] = [
        {"field": told.name, "sentence": told.sentence, "formula": told.formula}
        for told in sentences.told(step)
    ]
    return document


def _element(graph: Graph, location: Location, place: int) -> Any:
    """A node by its name, an edge or a link by its ends."""
    if location is Location.NODE:
        return graph.name_of(place)
    source, target = graph.ends(location)[:, place].tolist()
    return {"source": graph.name_of(source), "target": graph.name_of(target)}


def _by_name(graph: Graph, location: Location, values: Sequence[Any]) -> Any:
    """A value for each node by its name, for each edge or link by its ends, or the graph's.

    Edges are in the user's order.
    """
    if location is Location.GRAPH:
        return values[0]
    if location is Location.NODE:
        return {graph.name_of(i): value for i, value in enumerate(values)}
    order = graph.named_order(location)
    named = _ends(graph, graph.ends(location)[:, order])
    return [
        {**ends, "value": values[place]} for ends, place in zip(named, order.tolist(), strict=True)
    ]
