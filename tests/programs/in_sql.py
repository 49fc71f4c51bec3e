"""A program carried out by a database, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from algolens.engines import Run
from algolens.engines.program import Program
from algolens.engines.sql_source import Batch, SqlParts, commands, sql_parts
from algolens.graphs import Graph
from algolens.language.ir import At, Field


def by_sql(program: Program, run: Run, base: Any) -> list[dict[str, list[Any]]]:
    """The outputs of every step, as a database gives them."""
    parts = sql_parts(program, directed=run.graph.directed)

    def carry_out(*batches: Batch) -> None:
        for batch in batches:
            for command in commands(batch):
                base.execute(command)
        if batches == tuple(parts.look):
            assert not (wrong := refused(base, parts.out_of_bits)), wrong

    fill(base, parts, program.program.inputs, run.graph, run.inputs)
    assert not (wrong := refused(base, parts.refused)), wrong
    steps: list[dict[str, list[Any]]] = []
    carry_out(parts.start)
    carry_out(*parts.look)
    while len(steps) < int(program.limit.on(run.graph)[0]):
        carry_out(parts.step)
        carry_out(*parts.look)
        steps.append({name: read(base, program.at, name) for name in program.program.outputs})
        if parts.goes_on is not None and base.execute(parts.goes_on).fetchall()[0][1] == 0:
            break
    return steps


def refused(base: Any, query: str | None) -> list[Any]:
    """What a query of refusals finds."""
    found = [] if query is None else base.execute(query).fetchall()
    return [row for row in found if row[1] is not None]


def read(base: Any, at: At, name: str) -> list[Any]:
    """A column of a table, every element once and in order."""
    rows = base.execute(f'SELECT "id", "{name}" FROM "{at}" ORDER BY "id"').fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    return [row[1] for row in rows]


def fill(
    base: Any,
    parts: SqlParts,
    fields: Mapping[str, Field],
    graph: Graph,
    inputs: Mapping[str, np.ndarray],
) -> None:
    """Makes the tables of a program, and fills them with one graph and its inputs."""
    for command in parts.tables:
        base.execute(command)
    for at, names in parts.columns.items():
        columns = [_column(graph, at, name) for name in names if name not in inputs]
        for name in names:
            if name in inputs:
                values, labels = inputs[name].astype(int).tolist(), fields[name].labels
                columns.append([labels[value] for value in values] if labels else values)
        ordered = [
            *(name for name in names if name not in inputs),
            *filter(inputs.__contains__, names),
        ]
        rows = list(zip(*columns, strict=True))
        if rows:
            listed, marks = ", ".join(f'"{name}"' for name in ordered), ", ".join("?" * len(names))
            base.executemany(f'INSERT INTO "{at}" ({listed}) VALUES ({marks})', rows)


def _column(graph: Graph, at: At, name: str) -> list[int]:
    """A column of one graph, as a user would fill it."""
    count = graph.count(at)
    given: dict[str, Any] = {"graph": np.zeros(count, int)}
    if at == "link":
        edge = graph.at_links(np.arange(graph.num_edges))
        given |= {"sender": graph.links[0], "receiver": graph.links[1], "edge": edge}
        given |= {"number": edge, "reverse": graph.reverse_link}
    elif at == "edge":
        given |= {"one_end": graph.edges[0], "other_end": graph.edges[1]}
    return [int(each) for each in given.get(name, np.arange(count))]


def as_in_sql(run: Run, step: int) -> dict[str, list[Any]]:
    """The outputs of a step of a run, as a database has them."""
    kinds = run.algorithm.declaration.outputs
    values = {name: run[name][step].astype(int).tolist() for name in kinds}
    return {
        name: [kind.labels[value] for value in values[name]] if kind.labels else values[name]
        for name, kind in kinds.items()
    }
