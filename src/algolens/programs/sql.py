"""A whole program as SQL, for one graph: tables, the start, what is seen, a step, and whether to go
on.

To run it: fill the tables, carry out ``start`` and ``look``; then ``step`` and ``look`` again and
again, as long as ``goes_on`` gives 1 and the limit of steps is not reached. The columns of outputs
then hold what was decided, and those of outcomes what is seen of the graph. Values are as in the
SQL of looks: a mask is 0 or 1, a category the name of its class, a pointer an id.
"""

from __future__ import annotations

from dataclasses import dataclass

from algolens.fields import Field
from algolens.logic import Formula
from algolens.logic.printing import Notation, formula_text
from algolens.looks.exports import sql as looks
from algolens.looks.scope import carried
from algolens.models.exact.exact import going_on
from algolens.programs.whole import Program

NEXT = "next "  # before the name of a field: what it becomes


@dataclass(frozen=True)
class SqlParts:
    """The parts of a program, each a list of statements to carry out in order."""

    tables: list[str]
    start: list[str]
    look: list[str]
    step: list[str]
    goes_on: str | None  # a query that gives 1 or 0; None: the number of steps is fixed


def to_sql(program: Program) -> str:
    """All parts, one after the other, with a comment before each."""
    parts = statements(program)
    goes_on = [] if parts.goes_on is None else [parts.goes_on]
    told = {
        "the tables: fill them with one graph and its inputs": parts.tables,
        "the start": parts.start,
        "what is seen: after the start, and after every step": parts.look,
        "a step": parts.step,
        (
            f"another step? 1 or 0; it takes at most {program.limit}, and is cut short where this "
            "is 1 after them"
        ): goes_on,
    }
    lines = [f"-- {program.name}", *(f"-- {remark}" for remark in program.remarks)]
    for title, each in told.items():
        lines += ["", f"-- {title}", *(f"{statement};" for statement in each)]
    return "\n".join(lines) + "\n"


def statements(program: Program) -> SqlParts:
    """The parts of a program."""
    look, declaration = program.look, program.declaration
    names = {name: name if name in look.fields else carried(name) for name in look.state}
    outputs = {
        name: Field(declaration.location, kind) for name, kind in declaration.outputs.items()
    }
    becoming = {
        NEXT + name: field
        for name, field in {**outputs, **look.state}.items()
        if name not in look.observed
    }
    queries = looks.queries(look)
    decided = {
        name: _decided(program, name, field)
        for name, field in outputs.items()
        if name in program.rules.rules
    }
    moved = {name: queries.pop(name) for name in look.moves}
    fields = {**outputs, **look.state, **look.scope.fields}
    step = [
        _set(fields[name], NEXT + name, query, name) for name, query in {**decided, **moved}.items()
    ]
    step += [_copy(fields[name], name, NEXT + name) for name in {**decided, **moved}]
    step += [
        _copy(look.state[name], column, name)
        for name, column in names.items()
        if name in look.observed
    ]
    reading = going_on(declaration)
    return SqlParts(
        tables=[
            each.rstrip(";\n")
            for each in looks.schema(look, {**outputs, **look.starting, **becoming})
        ],
        start=[
            _set(
                field,
                names[name],
                looks.start_to_sql(field, look.start[name], name, look.starting),
                name,
            )
            for name, field in look.state.items()
        ],
        look=[_set(look.scope.fields[name], name, query, name) for name, query in queries.items()],
        step=step,
        goes_on=None if reading is None else looks.observation_to_sql(reading),
    )


def _decided(program: Program, name: str, field: Field) -> str:
    """What an output is decided to be, by the rules: of every class its own."""
    classes = program.rules.rules[name]
    if field.kind.is_truth_value:
        value = f"CASE WHEN {_rule(classes['true'])} THEN 1 ELSE 0 END"
    else:
        cases = " ".join(
            f"WHEN {_rule(rule)} THEN {looks.in_quotes(label)}" for label, rule in classes.items()
        )
        value = f"CASE {cases} ELSE {looks.in_quotes(next(iter(classes)))} END"
    return looks.select(value, name, field.location)


def _rule(formula: Formula) -> str:
    return formula_text(formula, Notation(" AND ", " OR ", "NOT ", "1 = 1", "1 = 0", name=_holds))


def _holds(concept: str) -> str:
    return f"(me.{looks.sql_column(concept)} = 1)"


def _set(field: Field, column: str, query: str, name: str) -> str:
    """Puts what a query gives for each id, under a name, into a column."""
    table, id_ = looks.sql_table(field.location), looks.sql_column(looks.ID)
    found = (
        f"SELECT found.{looks.sql_column(name)} FROM ({query}) AS found WHERE found.{id_} = "
        f"{table}.{id_}"
    )
    return f"UPDATE {table} SET {looks.sql_column(column)} = ({found})"


def _copy(field: Field, column: str, source: str) -> str:
    return (
        f"UPDATE {looks.sql_table(field.location)} SET {looks.sql_column(column)} = "
        f"{looks.sql_column(source)}"
    )
