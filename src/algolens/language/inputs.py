"""Inputs as they enter: read from a user's graph and arguments, or checked as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from algolens import arrays
from algolens.arrays import NUMPY, Array
from algolens.errors import GraphError, InputError, UnknownNameError
from algolens.graphs import Graph
from algolens.graphs.attributes import (
    BACK,
    Attribute,
    as_written,
    column,
    differ,
    exact_number,
    joined,
    picked,
)
from algolens.graphs.scales import Scale, first_negative
from algolens.language.fields import Field
from algolens.language.scales import attributes_at, find_scales, places_that_fit
from algolens.language.values import check_values, each, read_values

if TYPE_CHECKING:
    from algolens.language.algorithm import Algorithm


class ReadInputs(dict[str, Array]):
    """Inputs read from a user's graph, and how numbers were made whole."""

    scales: Mapping[str, Scale]


def alike(graph: Graph, inputs: Mapping[str, Array]) -> tuple[Graph, Mapping[str, Array]]:
    """A graph and its inputs of one kind: where some are tensors, all are."""
    if not isinstance(graph, Graph) or not isinstance(inputs, Mapping):
        return graph, inputs  # which is refused
    values = [value for value in inputs.values() if arrays.is_array(value)]
    devices = [graph.device, *map(arrays.device_of, values)]
    device = next((one for one in devices if one != NUMPY), NUMPY)
    if NUMPY not in devices or device == NUMPY:
        return graph, inputs
    moved = ReadInputs(inputs)
    moved.scales = inputs.scales if isinstance(inputs, ReadInputs) else {}
    for name, value in inputs.items():
        if arrays.is_array(value) and arrays.is_numpy(value):
            moved[name] = arrays.to(value, device)
    return graph if graph.device != NUMPY else graph.to(device), moved


def check_inputs(algorithm: Algorithm, graph: Graph, inputs: Mapping[str, Array]) -> None:
    """Refuses a graph and inputs that an algorithm cannot run on."""
    if not isinstance(graph, Graph):
        raise GraphError(
            f"{algorithm.name} runs on an algolens Graph, and a {type(graph).__name__} of "
            f"{type(graph).__module__} came: convert it with from_networkx or from_pyg of "
            "algolens.graphs."
        )
    _check_graph(algorithm, graph)
    if not isinstance(inputs, Mapping):
        raise InputError(
            f"the inputs of {algorithm.name} came as a {type(inputs).__name__}: give a dictionary "
            "of arrays."
        )
    for name, field in _declared(algorithm, inputs).items():
        if name not in inputs:
            raise InputError(
                f"{algorithm.name} needs the input '{name}', a value for every "
                f"{field.at}, and it is missing: give it, or take all inputs from "
                "sample(graph, rng) or read(graph, rng) of the algorithm."
            )
        check_values(name, field, inputs[name], graph)
    algorithm.check(graph, inputs)


def _declared(algorithm: Algorithm, given: Iterable[str]) -> Mapping[str, Field]:
    """The inputs of an algorithm; a name that is none of theirs is refused."""
    declared = algorithm.declaration.inputs
    for name in given:
        if name not in declared:
            raise UnknownNameError(f"input of {algorithm.name}", name, declared)
    return declared


def read_inputs(
    algorithm: Algorithm,
    graph: Graph,
    rng: np.random.Generator,
    arguments: Mapping[str, Any],
    *,
    draw_all: bool,
) -> tuple[dict[str, Array], list[str]]:
    """Inputs from the arguments, the graph's attributes, or drawn; and what to tell the user."""
    declared = _declared(algorithm, arguments)
    _check_graph(algorithm, graph)
    inputs, to_draw = ReadInputs(), []
    notes = [*remarks_on_reading(graph), *graph.notes]
    given = {name: _attributes(graph, name, field, arguments) for name, field in declared.items()}
    columns = {name: there[name] for name, there in given.items() if name in there}
    scales, can_grow = find_scales(algorithm, columns), "bits" in algorithm.options
    inputs.scales = {name: scale or Scale() for name, scale in scales.items()}
    for name, field in declared.items():
        there, scale = given[name], scales.get(name)
        if name in there:
            notes += _ways_read(algorithm, graph, name, field)
            _check_signs(algorithm, name, field, there[name], graph, scale)
            find_places = partial(places_that_fit, algorithm, columns, name, can_grow=can_grow)
            inputs[name], said = read_values(
                name, field, there[name], graph, scale, can_grow=can_grow, find_places=find_places
            )
            notes += said
        elif _is_source(field):
            inputs[name], _ = read_values(name, field, column([graph.name_of(0)]), graph)
            notes.append(f"{name} is node '{graph.name_of(0)}', the first: none was named.")
        elif graph.count(field.at) == 0:
            to_draw.append(name)  # nothing is to be drawn, so nothing is missing
        elif field.drawn or draw_all:
            to_draw.append(name)
            notes.append(
                f"the {name} of {each(field.at)} is drawn at random: the graph has "
                f"none{_instead(there)}."
            )
        else:
            raise GraphError(_missing(algorithm, name, field, there))
    if to_draw:
        drawn = algorithm.sample(graph, rng)
        inputs |= {name: drawn[name] for name in to_draw}
    inputs.update(arrays.all_to(inputs, graph.device))
    check_inputs(algorithm, graph, inputs)
    return inputs, notes


def _check_graph(algorithm: Algorithm, graph: Graph) -> None:
    """Refuses a graph on which the algorithm makes no sense, by its directions, loops and edges."""
    if algorithm.graphs == "directed" and not graph.directed:
        raise GraphError(
            f"{algorithm.name} runs on directed graphs, and this one is undirected: read an edge "
            "list with --directed (in Python, with directed=True), or give a file that says "
            "directed."
        )
    if algorithm.graphs == "undirected" and graph.directed:
        raise GraphError(
            f"{algorithm.name} runs on undirected graphs, and this one is directed: forget the "
            "directions with --undirected (in Python, with directed=False; of a Graph, with "
            "undirected(graph) of algolens.graphs)."
        )
    if algorithm.loops_matter and graph.loops:
        raise GraphError(
            f"{graph.describe('node', graph.loops[0])} has a self-loop, which changes what "
            f"{algorithm.name} finds, and which it does not see: take it out of the graph."
        )
    if algorithm.parallel_edges_matter and graph.parallel:
        raise GraphError(
            f"{graph.describe('edge', graph.parallel[0])} stands more than once, which "
            f"changes what {algorithm.name} finds, and which it does not see: keep one of them."
        )


def remarks_on_reading(graph: Graph) -> list[str]:
    """What a user should know of self-loops and parallel edges."""
    notes = []
    if graph.loops:
        many = f" (there are {len(graph.loops)} such)" if len(graph.loops) > 1 else ""
        notes.append(
            f"the self-loop at {graph.describe('node', graph.loops[0])} is left out{many}."
        )
    if graph.parallel:
        many = f" (there are {len(graph.parallel)} such)" if len(graph.parallel) > 1 else ""
        notes.append(
            f"{graph.describe('edge', graph.parallel[0])} stands more than once, and is "
            f"read as one edge{many}."
        )
    return notes


def _ways_read(algorithm: Algorithm, graph: Graph, name: str, field: Field) -> list[str]:
    """Refuses values of both ways where one is read; tells where one value is read both ways."""
    there, back = graph.edge_attributes, name + BACK
    if field.at == "link" and not graph.directed and back not in there:
        return [f"the {name} of each edge counts both ways: the graph has no {back}."]
    if back not in there or back in algorithm.declaration.inputs:
        return []
    if field.at == "link" and graph.directed:
        raise GraphError(
            f"edges of a directed graph lead one way, and they have {name} and {back}: give the "
            f"way back as an edge of its own with a {name}, or read it with --undirected (in "
            "Python, directed=False)."
        )
    if field.at == "edge" and not graph.directed:
        both, edges = joined([there[name], there[back]]), np.arange(graph.num_edges)
        for edge in edges[differ(both, edges, edges + graph.num_edges)].tolist():
            ways = np.array([edge, edge + graph.num_edges])
            # from its first node as the user named them
            one, other = as_written(picked(both, ways[::-1] if graph.is_turned[edge] else ways))
            if one != other and (
                exact_number(one) is None or exact_number(one) != exact_number(other)
            ):
                raise GraphError(
                    f"{algorithm.name} reads one {name} for every edge, and "
                    f"{graph.describe('edge', edge)} has {_or_none(one)}, and "
                    f"{_or_none(other)} back: give both the same or, in a directed graph, an edge "
                    "each way."
                )
    return []


def _or_none(value: Any) -> Any:
    return "none" if value is None else value


def _check_signs(
    algorithm: Algorithm,
    name: str,
    field: Field,
    values: Attribute,
    graph: Graph,
    scale: Scale | None,
) -> None:
    """Refuses negative numbers where an algorithm takes none, and names algorithms that do."""
    if field.kind != "number" or field.signed or scale is None or field.at == "graph":
        return
    place = first_negative(values)
    if place is not None:
        given = as_written(picked(values, np.array([place])))[0]
        raise InputError(
            f"{algorithm.name} needs a {name} that is not negative: "
            f"{graph.describe(field.at, place)} has "
            f"{given}{_taking_negatives(algorithm, name)}."
        )


def _taking_negatives(algorithm: Algorithm, name: str) -> str:
    """Algorithms that find the same numbers from such as may be negative."""
    from algolens.algorithms._discovery import algorithms

    wanted = {
        output for output, one in algorithm.declaration.outputs.items() if one.kind == "number"
    }
    found = []
    for other, cls in algorithms().items():
        field = cls().declaration.inputs.get(name)
        gives_them = wanted and wanted <= cls().declaration.outputs.keys()
        if field is not None and field.signed and gives_them:
            found.append(other)
    accept = "accepts" if len(found) == 1 else "accept"
    return f"; use {' or '.join(found)}, which {accept} a negative {name}" if found else ""


def _attributes(
    graph: Graph, name: str, field: Field, arguments: Mapping[str, Any]
) -> Mapping[str, Attribute]:
    """What there is to read a field from, by name."""
    there = attributes_at(graph, field.at)
    if name in arguments and field.at != "graph":
        raise InputError(
            f"'{name}' has a value for every {field.at}, and one argument came: give "
            f"it as an attribute of the graph's {_bearer(field)}s."
        )
    if name in arguments:
        there = {name: column([arguments[name]])}
    if _is_source(field) and name in there:
        (given,) = there[name].tolist()
        if str(given) not in graph.place_of:
            raise UnknownNameError(
                "node", given, graph.place_of, f" Name a node of the graph as {name}."
            )
    return there


def _is_source(field: Field) -> bool:
    """Whether it is one node of the graph."""
    return field.at == "graph" and field.to == "node"


def _missing(algorithm: Algorithm, name: str, field: Field, there: Mapping[str, Attribute]) -> str:
    if field.at == "graph":
        return (
            f"{algorithm.name} needs a '{name}' for the graph ({field.wanted}): give it, as "
            f"in --input {name}=VALUE."
        )
    how = {
        "node": "add it to the graph (to an edge list, with --nodes FILE)",
        "link": f"give edges a '{name}' and, for the way back, a '{name}{BACK}'",
    }.get(field.at, "add it to the graph")
    return (
        f"{algorithm.name} needs a '{name}' for every {field.at}, and the graph has "
        f"none{_instead(there)}: {how}, or run an algorithm that reads none."
    )


def _bearer(field: Field) -> str:
    """What a user's graph has a field's values at: links are in no file, their edges are."""
    return "edge" if field.at == "link" else field.at


def _instead(there: Mapping[str, Attribute]) -> str:
    return f" (it has {', '.join(there)})" if there else ""
