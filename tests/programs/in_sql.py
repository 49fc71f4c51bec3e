"""A program carried out by a database, step by step."""

from __future__ import annotations

from typing import Any

from algolens.execution import Run
from algolens.fields import Category
from algolens.programs import Program
from algolens.programs.sql import Batch, commands, sql_parts
from tests.looks.seeing import fill, read_column


def by_sql(program: Program, run: Run, base: Any) -> list[dict[str, list[Any]]]:
    """The outputs of every step, as a database gives them."""
    parts, look = sql_parts(program, directed=run.graph.directed), program.look

    def carry_out(*batches: Batch) -> None:
        for batch in batches:
            for command in commands(batch):
                base.execute(command)
        if batches == tuple(parts.look) and parts.out_of_bits is not None:
            wrong = [
                row for row in base.execute(parts.out_of_bits).fetchall() if row[1] is not None
            ]
            assert not wrong, wrong

    for statement in parts.tables:
        base.execute(statement)
    for at, columns in parts.columns.items():
        fill(base, look.starting, run.graph, at, dict(run.inputs), columns)
    if parts.refused is not None:
        wrong = [row for row in base.execute(parts.refused).fetchall() if row[1] is not None]
        assert not wrong, wrong
    steps: list[dict[str, list[Any]]] = []
    carry_out(parts.start)
    carry_out(*parts.look)
    location = program.declaration.location
    while len(steps) < int(program.limit.on(run.graph)):
        carry_out(parts.step)
        carry_out(*parts.look)
        steps.append(
            {name: read_column(base, location, name) for name in program.declaration.outputs}
        )
        if parts.goes_on is not None and base.execute(parts.goes_on).fetchall()[0][1] == 0:
            break
    return steps


def as_in_sql(run: Run, step: int) -> dict[str, list[Any]]:
    """The outputs of a step of a run, as a database has them."""
    kinds = run.algorithm.declaration.outputs
    values = {name: run[name][step].long().tolist() for name in kinds}
    return {
        name: [kind.labels[value] for value in values[name]]
        if isinstance(kind, Category)
        else values[name]
        for name, kind in kinds.items()
    }
