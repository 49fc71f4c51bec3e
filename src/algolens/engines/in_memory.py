"""A graph in memory, carried out by a database: tables of tensors, and a run of what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.algorithms._inputs import ReadInputs
from algolens.engines.engine import Engine, Tell, take_steps
from algolens.execution import Run, Stopped
from algolens.execution.timeline import Timeline
from algolens.fields import Category, Field, Kind
from algolens.graphs import Graph, Location
from algolens.looks.scope import NUMBER
from algolens.programs import Program
from algolens.programs.sql import sql_parts
from algolens.programs.sql_select import ID, sql_column, sql_table


def run_in_tables(
    engine: Engine,
    program: Program,
    algorithm: Algorithm,
    graph: Graph,
    inputs: Mapping[str, Tensor],
    tell: Tell | None = None,
) -> Run:
    """The run of a program on one graph, by a database; its last step alone is kept."""
    parts = sql_parts(program, directed=graph.directed)
    declaration, most = program.declaration, int(algorithm.max_steps(graph)[0])
    with engine.opened() as tables:
        for location, names in parts.columns.items():
            columns = {
                name: _column(graph, location, name, program.look.starting, inputs)
                for name in names
            }
            tables.load(location.value, columns)
        steps, stopped = take_steps(
            tables, parts, program, min(most, engine.max_steps or most), tell
        )
        listed = ", ".join(map(sql_column, declaration.outputs))
        table, id_ = sql_table(declaration.location), sql_column(ID)
        given = tables.columns(f"SELECT {listed} FROM {table} ORDER BY {id_}")
        outcomes = {
            name: tables.rows(f"SELECT {sql_column(name)} FROM {sql_table(Location.GRAPH)}")[0][0]
            for name in declaration.outcomes
        }
    count = graph.count(declaration.location)
    nothing = torch.zeros(1, count, dtype=torch.bool)
    return Run(
        algorithm=algorithm,
        graph=graph,
        inputs=dict(inputs),
        start=algorithm.start(graph, inputs),
        concepts={name: Timeline.of_rows(nothing) for name in declaration.concepts},
        outputs={
            name: Timeline.of_rows(_values(kind, given[name])[None])
            for name, kind in declaration.outputs.items()
        },
        hints={},
        goes_on=torch.tensor([[stopped is Stopped.BY_LIMIT]]),
        lengths=torch.tensor([steps]),
        stopped=torch.tensor([stopped]),
        resting=torch.zeros(count, len(declaration.concepts), dtype=torch.bool),
        outcomes={name: torch.tensor([bool(value)]) for name, value in outcomes.items()},
        has_concepts=False,
        has_trace=False,
        scales=inputs.scales if isinstance(inputs, ReadInputs) else {},
    )


def _column(
    graph: Graph,
    location: Location,
    name: str,
    fields: Mapping[str, Field],
    inputs: Mapping[str, Tensor],
) -> Any:
    """A column of the table of a location."""
    if name in fields:
        kind, values = fields[name].kind, inputs[name].long().numpy()
        return np.array(kind.labels)[values] if isinstance(kind, Category) else values
    match name:
        case "id":
            return np.arange(graph.count(location))
        case "sender" | "receiver":
            return graph.links[int(name == "receiver")].numpy()
        case "one_end" | "other_end":
            return graph.edges[int(name == "other_end")].numpy()
        case "edge":
            return graph.at_links(torch.arange(graph.num_edges)).numpy()
        case "reverse":
            return graph.reverse_link.numpy()
        case "graph":
            return graph.owner(location).numpy()
    assert name == NUMBER
    return graph.place(location).numpy()


def _values(kind: Kind, column: Any) -> Tensor:
    """The values of a field as the library has them."""
    if isinstance(kind, Category):
        places = {label: place for place, label in enumerate(kind.labels)}
        return torch.tensor([places[str(label)] for label in column], dtype=torch.int64)
    values = torch.from_numpy(np.asarray(column, dtype=np.int64).copy())
    return values.bool() if kind.is_truth_value else values
