"""A whole program in SQL.

To run it, for one graph: fill the tables, and stop where ``refused`` gives an id. Carry out
``start`` and ``look``; then ``step`` and ``look`` again and again, as long as ``goes_on`` gives 1
and the limit of steps is not reached. The columns of outputs then hold what was decided, and those
of outcomes what is seen of the graph.
Values are as in the SQL of looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from algolens.fields import Field, Number
from algolens.graphs import Location
from algolens.logic import Formula
from algolens.logic.formula import formula_text
from algolens.logic.notation import Notation
from algolens.looks.exports.sql import (
    Batch,
    LookQueries,
    all_columns,
    check_columns,
    commands,
    schema,
    state_column,
)
from algolens.looks.exports.sql_rows import (
    ID,
    ME,
    Read,
    in_quotes,
    sql_column,
    sql_table,
)
from algolens.looks.exports.sql_select import Select
from algolens.looks.sums import MOST
from algolens.looks.terms import CONSTANT
from algolens.models.exact.stage import going_on
from algolens.programs.sql_checks import refusals

if TYPE_CHECKING:
    from algolens.programs.program import Program


@dataclass(frozen=True)
class SqlParts:
    """The parts of a program in SQL."""

    columns: Mapping[Location, list[str]]  # of the tables to be filled
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
    look, declaration = program.look, program.declaration
    directed = program.graphs != "undirected" if directed is None else directed
    outputs = {
        name: Field(declaration.location, kind) for name, kind in declaration.outputs.items()
    }
    changing = {state_column(look, name): field for name, field in look.state.items()}
    changing |= {name: field for name, field in outputs.items() if name not in look.state}
    check_columns({**look.starting, **changing, **look.scope.fields})
    queries, goes_on = LookQueries(look, directed), _goes_on(program, directed)
    start = _start(queries, outputs)
    later = queries.reads | (set() if goes_on is None else goes_on.reads)
    refused = refusals(program)
    first = later.union(refused.reads, *(select.reads for select in start.values()))
    fixed = _read(later, look.starting)
    kept = {
        at: [*names, *(name for name, field in changing.items() if field.location is at)]
        for at, names in fixed.items()
    }
    places = {*start, *(read.location for read in first), Location.GRAPH}
    columns = {at: names for at, names in _read(first, look.starting).items() if at in places}
    return SqlParts(
        columns=columns,
        tables=schema(columns, look.starting),
        refused=refused.query,
        start={at: select.query(fixed[at]) for at, select in start.items()},
        look=queries.look(kept),
        step=_step(program, queries, kept),
        goes_on=None if goes_on is None else goes_on.query([ID]),
        out_of_bits=_out_of_bits(program),
    )


def _read(reads: Iterable[Read], fields: Mapping[str, Field]) -> dict[Location, list[str]]:
    """Of what a graph and its inputs give, the ids and what is read."""
    used = {(read.location, read.column) for read in reads}
    return {
        at: [name for name in names if name == ID or (at, name) in used]
        for at, names in all_columns(fields).items()
    }


def _start(queries: LookQueries, outputs: Mapping[str, Field]) -> dict[Location, Select]:
    """The first state; an output that is no state says nothing before the first step."""
    selects = queries.start()
    for name, field in outputs.items():
        if name not in queries.seen.state:
            select = selects.setdefault(field.location, Select(field.location))
            labels = field.kind.labels
            select.values[name] = "0" if field.kind.is_truth_value else in_quotes(labels[0])
    return selects


def _step(program: Program, queries: LookQueries, kept: dict[Location, list[str]]) -> Batch:
    """What is decided, what moves, and what is carried over."""
    look, declaration = program.look, program.declaration
    selects = queries.moves()
    here = selects.setdefault(declaration.location, Select(declaration.location))
    for name, classes in program.rules.rules.items():
        if declaration.outputs[name].is_truth_value:
            here.conditions[name] = _rule(classes["true"])
            continue
        cases = " ".join(
            f"WHEN {_rule(rule)} THEN {in_quotes(label)}" for label, rule in classes.items()
        )
        here.values[name] = f"CASE {cases} ELSE {in_quotes(next(iter(classes)))} END"
    for name, field in look.state.items():
        if name in look.observed:
            select = selects.setdefault(field.location, Select(field.location))
            select.values[state_column(look, name)] = f"{ME}.{sql_column(name)}"
    return {at: select.query(kept[at]) for at, select in selects.items()}


def _rule(formula: Formula) -> str:
    def holds(concept: str) -> str:
        return f"({ME}.{sql_column(concept)} = 1)"

    return formula_text(formula, Notation(" AND ", " OR ", "NOT ", "1 = 1", "1 = 0", name=holds))


def _goes_on(program: Program, directed: bool) -> Select | None:
    """Whether some node (or edge) asks for another step."""
    statement = going_on(program.declaration)
    if statement is None:
        return None
    select = Select(Location.GRAPH, directed=directed)
    select.conditions[statement.name] = select.condition(statement)
    return select


def _out_of_bits(program: Program) -> str | None:
    """The first element of each number that has left its bits."""
    look, parts = program.look, []
    bounds = {name: (total.location, 1 - MOST, MOST - 1) for name, total in look.sums.items()}
    for name, field in look.state.items():
        if isinstance(field.kind, Number):
            bounds[name] = (field.location, field.kind.least, field.kind.most)
    for name, (location, least, most) in bounds.items():
        if CONSTANT.fullmatch(name) is None:
            column = sql_column(name)
            parts.append(
                f"SELECT {in_quotes(name)} AS {sql_column('field')}, MIN({sql_column(ID)}) AS "
                f"{sql_column(ID)} FROM {sql_table(location)} WHERE {column} < {least} OR {column} "
                f"> {most} OR {column} IS NULL"
            )
    return "\nUNION ALL ".join(parts) or None
