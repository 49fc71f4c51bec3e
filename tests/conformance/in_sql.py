"""Programs carried out by a database, step by step, from the parts that are exported."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from algolens.graphs import Graph, Location
from algolens.language.ir import GOES_ON, Field
from algolens.programs import Program
from algolens.programs.sql import Batch, commands, sql_parts
from tests.conformance.cases import Case, Trace


def by_sql(case: Case, base: Any) -> Trace:
    """A run by a database that is empty."""
    parts = sql_parts(Program.of(case.algorithm), directed=case.graph.directed)
    program, steps = case.lowered, list[dict[str, list[Any]]]()
    for command in parts.tables:
        base.execute(command)
    for location, names in parts.columns.items():
        fill(base, location, [(name, column(case, location, name)) for name in names])

    def carry_out(*batches: Batch) -> None:
        for batch in batches:
            for command in commands(batch):
                base.execute(command)

    def is_refused() -> bool:
        found = [] if parts.out_of_bits is None else base.execute(parts.out_of_bits).fetchall()
        return any(row[1] is not None for row in found)

    def read(fields: dict[str, Field]) -> dict[str, list[Any]]:
        return {name: as_numbers(base, name, field) for name, field in fields.items()}

    carry_out(parts.start)
    start = read(program.state)
    carry_out(*parts.look)
    limit = program.times * int(limit_per(case.graph, program.per))
    while not is_refused():
        seen = {
            let.name: Field(let.at, "mask" if is_mask(case, let.name) else "number")
            for let in case.program.lets
        }
        after = read(seen)
        if len(steps) >= limit or (steps and parts.goes_on and not after["goes on"][0]):
            return {"start": start, "steps": steps, "after": after}
        carry_out(parts.step)
        steps.append(after | read(program.outputs | program.state))
        carry_out(*parts.look)
    return {"refused": True}


def limit_per(graph: Graph, per: str) -> int:
    return graph.num_nodes**2 if per == "pair" else graph.count(Location(per))


def is_mask(case: Case, name: str) -> bool:
    return name == GOES_ON or name in case.algorithm.declaration.statements


def column(case: Case, location: Location, name: str) -> list[Any]:
    """A column of a table as a user would fill it."""
    graph, count = case.graph, case.graph.count(location)
    if name in case.inputs:
        values = case.inputs[name].tolist()
        labels = case.program.inputs[name].labels
        return [labels[value] for value in values] if labels else [int(each) for each in values]
    given: dict[str, Any] = {"id": np.arange(count), "graph": np.zeros(count, int)}
    if location is Location.LINK:
        edge = graph.at_links(torch.arange(graph.num_edges))
        given |= {"sender": graph.links[0], "receiver": graph.links[1], "edge": edge}
        given |= {"number": edge, "reverse": graph.reverse_link}
    elif location is Location.EDGE:
        given |= {"one_end": graph.edges[0], "other_end": graph.edges[1]}
    return [int(each) for each in given.get(name, np.arange(count))]


def fill(base: Any, location: Location, columns: list[tuple[str, list[Any]]]) -> None:
    rows = list(zip(*(values for _, values in columns), strict=True))
    if rows:
        marks = ", ".join("?" * len(columns))
        names = ", ".join(f'"{name}"' for name, _ in columns)
        base.executemany(f'INSERT INTO "{location.value}" ({names}) VALUES ({marks})', rows)


def as_numbers(base: Any, name: str, field: Field) -> list[Any]:
    rows = base.execute(f'SELECT "{name}" FROM "{field.at}" ORDER BY "id"').fetchall()
    values = [row[0] for row in rows]
    return [field.labels.index(value) for value in values] if field.labels else values
