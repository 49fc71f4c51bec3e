"""A graph in memory, carried out by a database: tables of tensors, and a run of what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.engines import Run, Stopped
from algolens.engines.program import Program
from algolens.engines.sql.engine import Engine, Tell, outcomes_of, take_steps
from algolens.engines.sql_select import sql_column
from algolens.engines.sql_source import sql_parts
from algolens.engines.timeline import Timeline
from algolens.graphs import Graph, Location
from algolens.language.inputs import ReadInputs
from algolens.language.ir import NUMBER, At, Field


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
    hir, most = program.program, int(algorithm.max_steps(graph)[0])
    with engine.opened() as tables:
        for at, names in parts.columns.items():
            columns = {name: _column(graph, at, name, hir.inputs, inputs) for name in names}
            tables.load(at, columns)
        steps, stopped = take_steps(
            tables, parts, program, min(most, engine.max_steps or most), tell
        )
        listed = ", ".join(map(sql_column, hir.outputs))
        given = tables.columns(f'SELECT {listed} FROM "{program.at}" ORDER BY "id"')
        outcomes = outcomes_of(tables, program)
    count = graph.count(Location(program.at))
    nothing = torch.zeros(1, count, dtype=torch.bool)
    return Run(
        algorithm=algorithm,
        graph=graph,
        inputs=dict(inputs),
        start=algorithm.start(graph, inputs),
        concepts={name: Timeline.of_rows(nothing) for name in hir.concepts},
        outputs={
            name: Timeline.of_rows(_values(field, given[name])[None])
            for name, field in hir.outputs.items()
        },
        hints={},
        goes_on=torch.tensor([[stopped is Stopped.BY_LIMIT]]),
        lengths=torch.tensor([steps]),
        stopped=torch.tensor([stopped]),
        resting=torch.zeros(count, len(hir.concepts), dtype=torch.bool),
        outcomes={name: torch.tensor([value]) for name, value in outcomes.items()},
        has_concepts=False,
        has_trace=False,
        scales=inputs.scales if isinstance(inputs, ReadInputs) else {},
    )


def _column(
    graph: Graph, at: At, name: str, fields: Mapping[str, Field], inputs: Mapping[str, Tensor]
) -> Any:
    """A column of a table."""
    if name in fields:
        labels, values = fields[name].labels, inputs[name].long().numpy()
        return np.array(labels)[values] if labels else values
    location = Location(at)
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


def _values(field: Field, column: Any) -> Tensor:
    """The values of a field as the library has them."""
    if field.labels:
        return torch.tensor([field.labels.index(str(label)) for label in column])
    values = torch.from_numpy(np.asarray(column, dtype=np.int64).copy())
    return values.bool() if field.kind == "mask" else values
