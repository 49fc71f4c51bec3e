"""A whole program in SQL.

To run it, for one graph: fill the tables, and stop where ``refused`` gives an id. Carry out
``start`` and ``look``; then ``step`` and ``look`` again and again, as long as ``goes_on`` gives 1
and the limit of steps is not reached. The columns of outputs then hold what was decided, and those
of outcomes what is seen of the graph.
Values are as in the SQL of looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from algolens.engines.sql_checks import refusals
from algolens.engines.sql_select import (
    ID,
    Columns,
    Select,
    in_quotes,
    in_stages,
    sql_column,
)
from algolens.errors import DefinitionError
from algolens.language import ir
from algolens.language.ir import GOES_ON, NUMBER, STEPS, At, Const, Let, Within, reads
from algolens.language.lower import lower, unshared

if TYPE_CHECKING:
    from algolens.engines.program import Program

PLACES: tuple[At, ...] = ("graph", "node", "edge", "link")
Batch = Mapping[str, str]  # of each table that is made anew, the query of its rows


@dataclass(frozen=True)
class SqlParts:
    """The parts of a program in SQL."""

    columns: Mapping[At, list[str]]  # of the tables to be filled
    tables: list[str]  # commands that make them
    # a query of checks and ids: inputs that are refused, before the start; None: none is
    refused: str | None
    start: Batch
    look: list[Batch]
    step: Batch
    goes_on: str | None  # a query that gives 1 or 0; None: the number of steps is fixed
    # a query of fields and ids: numbers that have left their bits, after a look; None: none can
    out_of_bits: str | None


def to_sql(program: Program) -> str:
    """All parts, one after the other, with a comment before each."""
    parts = sql_parts(program)
    bits, goes_on = parts.out_of_bits, parts.goes_on
    titles: dict[str, list[str]] = {
        "the tables: fill them with one graph and its inputs": parts.tables,
        "inputs that are refused: where an id comes, stop; all else is then wrong": (
            [] if parts.refused is None else [parts.refused]
        ),
        "the start": commands(parts.start),
        "what is seen: after the start, and after every step": [
            command for batch in parts.look for command in commands(batch)
        ],
        "numbers that have left their bits: where an id comes, stop; all else is then wrong": (
            [] if bits is None else [bits]
        ),
        "a step" + ("" if goes_on else f": take {program.limit}"): commands(parts.step),
        (
            f"another step? 1 or 0; it takes at most {program.limit}, and is cut short where this "
            "is 1 after them"
        ): [] if goes_on is None else [goes_on],
    }
    lines = [f"-- {program.name}", *(f"-- {remark}" for remark in program.remarks)]
    for title, listed in titles.items():
        if listed:
            lines += ["", f"-- {title}", *(f"{command};" for command in listed)]
    return "\n".join(lines) + "\n"


def sql_parts(program: Program, *, directed: bool | None = None) -> SqlParts:
    """The parts of a program in SQL. directed: whether the graph is; None: as the program says."""
    directed = program.graphs != "undirected" if directed is None else directed
    written, refused = program.program, refusals(program)
    lowered = unshared(lower(written), (let.name for let in written.lets))
    columns = Columns(lowered, directed)
    state = lowered.outputs | lowered.state  # what a step writes
    seen = {(let.at, let.name) for let in lowered.lets}
    steps = [*lowered.lets, *lowered.becomes]
    later = {(at, name) for let in steps for at, name, _ in reads(let.value)}
    first = later | {(at, name) for let in lowered.start for at, name, _ in reads(let.value)}
    if any(at == "side" for at, _ in first):
        later |= {("link", "sender"), ("link", "receiver")}
        first |= later
    first |= refused.reads
    places = {at for at, _ in first} | {field.at for field in state.values()} | {"graph"}
    places |= {let.at for let in steps}
    fixed = _given(later, lowered)
    kept = {
        at: [*names, *(name for name, field in state.items() if field.at == at)]
        for at, names in fixed.items()
    }
    every = {*lowered.inputs.items(), *state.items()}
    _check_columns(
        {
            at: [
                *(ID, NUMBER, *(step for place, step in STEPS if place == at)),
                *(name for name, field in every if field.at == at),
                *(name for place, name in seen if place == at),
            ]
            for at in PLACES
        }
    )
    filled = {at: names for at, names in _given(first, lowered).items() if at in places}
    known, look = {at: list(names) for at, names in kept.items()}, list[Batch]()
    for stage in in_stages(lowered.lets, columns):
        look.append({at: select.query(known[at]) for at, select in stage.items()})
        for at, select in stage.items():
            known[at] += select.given
    return SqlParts(
        columns=filled,
        tables=_tables(filled, lowered),
        refused=refused.query,
        start=_batch(_started(lowered), columns, fixed),
        look=look,
        step=_batch(map(_unbounded, lowered.becomes), columns, fixed),
        goes_on=f"SELECT {sql_column(ID)}, {sql_column(GOES_ON)} FROM {sql_column('graph')}"
        if ("graph", GOES_ON) in seen
        else None,
        out_of_bits=_out_of_bits(lowered),
    )


def _given(read: Iterable[tuple[At, str]], program: ir.Program) -> dict[At, list[str]]:
    """Of what a graph and its inputs give, the ids and what is read."""
    used, columns = {*read}, dict[At, list[str]]()
    for at in PLACES:
        steps = [step for place, step in STEPS if place == at]
        inputs = [name for name, field in program.inputs.items() if field.at == at]
        names = [NUMBER, *steps, *inputs]
        columns[at] = [ID, *(name for name in names if (at, name) in used)]
    return columns


def _check_columns(columns: Mapping[At, Iterable[str]]) -> None:
    """SQL does not tell names apart by their case."""
    for at, names in columns.items():
        seen: dict[str, str] = {}
        for name in names:
            if seen.setdefault(name.casefold(), name) != name:
                raise DefinitionError(
                    f"in SQL, '{seen[name.casefold()]}' and '{name}' would be one column of {at}s: "
                    "rename the field."
                )


def _tables(columns: Mapping[At, list[str]], program: ir.Program) -> list[str]:
    """A CREATE TABLE for each table, to be filled."""
    tables = []
    for at, names in columns.items():
        typed = []
        for name in names:
            is_category = name in program.inputs and program.inputs[name].kind == "category"
            typed.append(f"  {sql_column(name)} {'VARCHAR(255)' if is_category else 'BIGINT'}")
        tables.append(f"CREATE TABLE {sql_column(at)} (\n" + ",\n".join(typed) + "\n)")
    return tables


def _started(program: ir.Program) -> Iterator[Let]:
    """The first state; an output that is no state says nothing before the first step."""
    yield from map(_unbounded, program.start)
    for name, field in program.outputs.items():
        if name not in program.state:
            yield Let(name, field.at, Const(False) if field.kind == "mask" else Const(0))


def _unbounded(let: Let) -> Let:
    """A let whose bounds are asked for afterwards, so that what leaves them can be named."""
    return replace(let, value=let.value.of) if isinstance(let.value, Within) else let


def _batch(lets: Iterable[Let], columns: Columns, kept: Mapping[At, list[str]]) -> Batch:
    """Queries that compute lets of all tables at once."""
    selects: dict[At, Select] = {}
    for let in lets:
        selects.setdefault(let.at, Select(columns, let.at)).give(let)
    return {at: select.query(kept[at]) for at, select in selects.items()}


def _out_of_bits(program: ir.Program) -> str | None:
    """The first element of each number that has left its bits."""
    parts, bounds = [], {}
    for let in (*program.start, *program.lets, *program.becomes):
        if isinstance(let.value, Within):
            bounds[let.at, let.name] = let.value.least, let.value.most
    for (at, name), (least, most) in bounds.items():
        column = sql_column(name)
        parts.append(
            f"SELECT {in_quotes(name)} AS {sql_column('field')}, MIN({sql_column(ID)}) AS "
            f"{sql_column(ID)} FROM {sql_column(at)} WHERE {column} < {least} OR {column} "
            f"> {most} OR {column} IS NULL"
        )
    return "\nUNION ALL ".join(parts) or None


def commands(batch: Batch) -> list[str]:
    """What a batch does: each table is made of those before, then takes its place."""
    made = []
    for table, query in batch.items():
        made.append(f'CREATE TABLE "new {table}" AS\n{query}')
    for table in batch:
        made.append(f'DROP TABLE IF EXISTS "{table}"')
        made.append(f'ALTER TABLE "new {table}" RENAME TO "{table}"')
    return made
