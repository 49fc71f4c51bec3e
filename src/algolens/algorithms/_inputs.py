"""Inputs as they enter: read from a user's graph and arguments, or checked where they come as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from algolens.errors import GraphError, InputError, UnknownNameError
from algolens.fields import Field, Location, Pointer, check_values, read_values
from algolens.graphs import Graph
from algolens.graphs.attributes import Attribute, column

if TYPE_CHECKING:
    from algolens.algorithms._algorithm import Algorithm


def check_inputs(algorithm: Algorithm, graph: Graph, inputs: Mapping[str, Tensor]) -> None:
    """Refuses, in one line, a graph and inputs that an algorithm cannot run on; one pass over each input, batched."""
    if not isinstance(graph, Graph):
        raise GraphError(
            f"{algorithm.name} runs on an algolens Graph, and a {type(graph).__name__} of {type(graph).__module__} came: "
            "convert it with from_networkx or from_pyg of algolens.graphs."
        )
    if not isinstance(inputs, Mapping):
        raise InputError(f"the inputs of {algorithm.name} came as a {type(inputs).__name__}: give a dictionary of tensors.")
    for name in inputs:
        if name not in algorithm.declaration.inputs:
            raise UnknownNameError(f"input of {algorithm.name}", name, algorithm.declaration.inputs)
    for name, field in algorithm.declaration.inputs.items():
        if name not in inputs:
            raise InputError(
                f"{algorithm.name} needs the input '{name}', a value for every {field.location.value}, and it is missing: "
                "give it, or take all inputs from sample(graph, rng) or read(graph, rng) of the algorithm."
            )
        check_values(name, field, inputs[name], graph)
    algorithm.check(graph, inputs)


def read_inputs(
    algorithm: Algorithm, graph: Graph, rng: np.random.Generator, arguments: Mapping[str, Any], *, draw_all: bool
) -> tuple[dict[str, Tensor], list[str]]:
    """Inputs for one graph of a user: from the arguments, the graph's attributes, or drawn; and what to tell the user."""
    for argument in arguments:
        if argument not in algorithm.declaration.inputs:
            raise UnknownNameError(f"input of {algorithm.name}", argument, algorithm.declaration.inputs)
    inputs: dict[str, Tensor] = {}
    notes = list(graph.notes)
    to_draw = []
    for name, field in algorithm.declaration.inputs.items():
        there = _attributes(graph, name, field, arguments)
        if name in there:
            inputs[name], said = read_values(name, field, there[name], graph)
            notes += said
        elif field.location is Location.GRAPH and isinstance(field.kind, Pointer) and field.kind.to is Location.NODE:
            inputs[name], _ = read_values(name, field, column([graph.name_of(0)]), graph)
            notes.append(f"{name} is node '{graph.name_of(0)}', the first: none was named.")
        elif graph.count(field.location) == 0:
            to_draw.append(name)  # nothing is to be drawn, so nothing is missing
        elif field.drawn or draw_all:
            to_draw.append(name)
            notes.append(f"the {name} of {_each(field)} is drawn at random: the graph has none{_instead(there)}.")
        else:
            raise GraphError(_missing(algorithm, name, field, there))
    if to_draw:
        drawn = algorithm.sample(graph, rng)
        inputs |= {name: drawn[name] for name in to_draw}
    check_inputs(algorithm, graph, inputs)
    return inputs, notes


def attributes_at(graph: Graph, location: Location) -> Mapping[str, Attribute]:
    """What a graph carries at a location; of a link, or a whole graph, nothing."""
    return {Location.NODE: graph.node_attributes, Location.EDGE: graph.edge_attributes, Location.LINK: {}, Location.GRAPH: {}}[
        location
    ]


def _attributes(graph: Graph, name: str, field: Field, arguments: Mapping[str, Any]) -> Mapping[str, Attribute]:
    """What there is to read a field from, by name."""
    if name not in arguments:
        return attributes_at(graph, field.location)
    if field.location is not Location.GRAPH:
        raise InputError(
            f"'{name}' has a value for every {field.location.value}, and one argument came: give it as an attribute of the "
            f"graph's {field.location.value}s."
        )
    given = arguments[name]
    if isinstance(field.kind, Pointer) and field.kind.to is Location.NODE and str(given) not in graph.place_of:
        raise UnknownNameError("node", given, graph.place_of, f" Name a node of the graph as {name}.")
    return {name: column([given])}


def _missing(algorithm: Algorithm, name: str, field: Field, there: Mapping[str, Attribute]) -> str:
    if field.location is Location.GRAPH:
        return f"{algorithm.name} needs a '{name}' for the graph ({field.kind.wanted}): give it, as in --input {name}=VALUE."
    return (
        f"{algorithm.name} needs a '{name}' for every {field.location.value}, and the graph has none{_instead(there)}: add it "
        "to the graph, or run an algorithm that reads none."
    )


def _each(field: Field) -> str:
    return "the graph" if field.location is Location.GRAPH else f"each {field.location.value}"


def _instead(there: Mapping[str, Attribute]) -> str:
    return f" (it has {', '.join(there)})" if there else ""
