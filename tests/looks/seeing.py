"""A look on random graphs by the library, by its Python source and by its SQL: one law for all."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms._program import of_look, to_field
from algolens.fields import Category, Field, Pointer
from algolens.graphs import Graph, Location
from algolens.language import ir
from algolens.looks import Look
from algolens.looks.scope import STEPS, carried
from algolens.programs.python_source import to_python
from algolens.programs.sql import commands, parts_of_nodes

Values = dict[str, Tensor]
LOCATIONS = (Location.GRAPH, Location.NODE, Location.EDGE, Location.LINK)


def drawn(look: Look, graph: Graph, rng: np.random.Generator) -> tuple[Values, Values]:
    """Inputs and a state, any at all. Numbers are small, so that many are equal."""
    state = {name: _draw(field, graph, rng) for name, field in look.state.items()}
    inputs = {name: _draw(field, graph, rng) for name, field in look.starting.items()}
    return inputs, state


def by_library(look: Look, graph: Graph, inputs: Values, state: Values) -> Values:
    return look.on(graph)(inputs, state)


def as_program(look: Look) -> ir.Program:
    """A look alone: what it names is given, and a step is what moves."""
    lets, moved = of_look(look)
    fields = {name: to_field(field) for name, field in look.fields.items()}
    outputs = {name: to_field(look.state[name]) for name in moved}
    becomes = tuple(moved.values())
    return ir.Program("look", fields, {}, (), tuple(lets), becomes, outputs=outputs)


def by_python(look: Look, graph: Graph, inputs: Values, state: Values) -> dict[str, np.ndarray]:
    """By the exported module, which is executed with nothing but NumPy at hand."""
    module: dict[str, Any] = {}
    program, empty = as_program(look), dict.fromkeys(look.fields, (-(2**62), 2**62))
    exec(
        to_python(program, title="", remarks="", bounds=empty, classes={}, outputs=(), outcomes=()),
        module,
    )
    made = module["graph_of"](graph.num_nodes, graph.edges.T.numpy(), graph.directed)
    given = {name: value.numpy() for name, value in _named(look, inputs, state).items()}
    seen = module["look"](made, given)
    found = {name: seen[name] for name in look.observed}
    return found | module["step"](made, {**given, **seen})


def by_sql(
    look: Look, graph: Graph, inputs: Values, state: Values, base: Any = None
) -> dict[str, list[int]]:
    """By a database: all that is seen is a column in the end; then the moves are made."""
    base = base or sqlite3.connect(":memory:")
    program = as_program(look)
    parts = parts_of_nodes(program, graph.directed)
    for table in parts.tables:
        base.execute(table)
    values = _named(look, inputs, state)
    for location, columns in parts.columns.items():
        fill(base, look.fields, graph, location, values, columns)
    for batch in parts.look:
        for command in commands(batch):
            base.execute(command)
    result = {name: read_column(base, one.location, name) for name, one in look.observed.items()}
    for command in commands(parts.step):
        base.execute(command)
    moved = {name: read_column(base, look.state[name].location, name) for name in look.moves}
    return result | moved


def _named(look: Look, inputs: Values, state: Values) -> Values:
    """Inputs and state, as observations call them."""
    values = {name: value for name, value in inputs.items() if name in look.fields}
    return values | {
        name if name in look.fields else carried(name): value for name, value in state.items()
    }


def read_column(base: Any, location: Location, name: str) -> list[Any]:
    """A column of the table of a location, every element once and in order."""
    query = f'SELECT "id", "{name}" FROM "{location.value}" ORDER BY "id"'
    rows = base.execute(query).fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    return [row[1] for row in rows]


def as_ids(look: Look, graph: Graph, found: Values) -> dict[str, list[int]]:
    """What the library found, with pointers numbered through the batch, as in SQL."""
    result = {}
    for name, value in found.items():
        field = look.state.get(name)
        if field is not None and name in look.moves and isinstance(field.kind, Pointer):
            value = value + graph.first(field.kind.to)[graph.owner(field.location)]
        result[name] = value.long().tolist()
    return result


def _draw(field: Any, graph: Graph, rng: np.random.Generator) -> Tensor:
    if hasattr(field.kind, "bits"):
        return torch.from_numpy(
            rng.integers(field.kind.low, field.kind.low + 4, graph.count(field.location))
        )
    return field.kind.draw(graph, field.location, rng)


def fill(
    base: Any,
    fields: Mapping[str, Field],
    graph: Graph,
    location: Location,
    values: Values,
    wanted: Sequence[str],
) -> None:
    """Fills wanted columns of a location's table with a graph's elements and values there."""
    count = graph.count(location)
    columns: dict[str, list[Any]] = {"id": list(range(count))}
    if location is not Location.GRAPH:
        columns["number"] = graph.place(location).tolist()
    steps = {
        "sender": lambda: graph.links[0],
        "receiver": lambda: graph.links[1],
        "edge": lambda: graph.at_links(torch.arange(graph.num_edges)),
        "reverse": lambda: graph.reverse_link,
        "one_end": lambda: graph.edges[0],
        "other_end": lambda: graph.edges[1],
        "graph": lambda: graph.owner(location),
    }
    columns |= {step: steps[step]().tolist() for place, step in STEPS if place is location}
    for name, value in values.items():
        field = fields[name]
        if field.location is not location:
            continue
        if isinstance(field.kind, Pointer):
            value = value + graph.first(field.kind.to)[graph.owner(location)]
        cells = value.long().tolist()
        columns[name] = (
            [field.kind.labels[cell] for cell in cells]
            if isinstance(field.kind, Category)
            else cells
        )
    columns = {name: columns[name] for name in wanted}
    marks, named = ", ".join("?" * len(columns)), ", ".join(f'"{name}"' for name in columns)
    rows = list(zip(*columns.values(), strict=True))
    if rows:
        base.executemany(f'INSERT INTO "{location.value}" ({named}) VALUES ({marks})', rows)
