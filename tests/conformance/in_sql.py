"""Programs carried out by a database, step by step, from the parts that are exported."""

from __future__ import annotations

from typing import Any

from algolens.engines.program import Program
from algolens.engines.sql_source import Batch, commands, sql_parts
from algolens.graphs import Graph
from algolens.language.finite import columns
from algolens.language.ir import GOES_ON, Field, Per
from tests.conformance.cases import Case, Trace
from tests.programs.in_sql import fill, read, refused


def by_sql(case: Case, base: Any, *, sees: bool = True) -> Trace:
    """A run by a database that is empty. sees: whether with all that is seen on the way."""
    parts = sql_parts(Program.of(case.algorithm), directed=case.graph.directed, sees=sees)
    program, steps = case.program, list[dict[str, list[Any]]]()
    fill(base, parts, program.inputs, case.graph, case.inputs)
    kinds = columns(program)
    lets = [let for let in program.lets if sees or let.name in (GOES_ON, *program.outcomes)]
    seen = {let.name: kinds[let.at, let.name] for let in lets}

    def carry_out(*batches: Batch) -> None:
        for batch in batches:
            for command in commands(batch):
                base.execute(command)

    def values(fields: dict[str, Field]) -> dict[str, list[Any]]:
        return {name: as_numbers(base, name, field) for name, field in fields.items()}

    carry_out(parts.start)
    start = values(program.state)
    carry_out(*parts.look)
    limit = program.times * int(limit_per(case.graph, program.per))
    while not refused(base, parts.out_of_bits):
        after = values(seen)
        if len(steps) >= limit or (steps and parts.goes_on and not after["goes on"][0]):
            return {"start": start, "steps": steps, "after": after}
        carry_out(parts.step)
        steps.append(after | values(program.outputs | program.state))
        carry_out(*parts.look)
    return {"refused": True}


def limit_per(graph: Graph, per: Per) -> int:
    return graph.num_nodes**2 if per == "pair" else graph.count(per)


def as_numbers(base: Any, name: str, field: Field) -> list[Any]:
    found = read(base, field.at, name)
    return [field.labels.index(value) for value in found] if field.labels else found
