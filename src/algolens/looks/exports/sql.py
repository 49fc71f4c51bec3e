"""A look as SQL: a query for each observation, over tables of nodes, edges, links and graphs.

What is said of others is an EXISTS subquery, or a COUNT where others are counted. A mask is 0 or 1,
a category the name of its class, a pointer the id of what it points to; a number that leaves its
bits is refused by a CHECK. Ids are numbered through all graphs; ``number`` is the place inside the
own graph, and both links of an edge have their edge's. The links of undirected edges are the edges,
then all the other way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from algolens.errors import DefinitionError
from algolens.fields import Category, Field, Number
from algolens.graphs import Location
from algolens.logic.formula import Formula, Notation, formula_text
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.moves import Mover
from algolens.looks.relations import Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm, Scope
from algolens.looks.statement import Statement

if TYPE_CHECKING:
    from algolens.looks.look import Look

ID = "id"
ROWS = {Whose.MY: "me", Whose.ITS: "it"}  # the rows that a statement speaks of


def look_to_sql(look: Look) -> str:
    """Tables and queries as one text; what a query gives belongs into the column of its name."""
    return "\n".join([*schema(look), *(f"{query};\n" for query in queries(look).values())])


def schema(look: Look, more: Mapping[str, Field] | None = None) -> list[str]:
    """A CREATE TABLE for each location: a column for each field, sum, observation, and for more."""
    tables = []
    every = {**look.scope.fields, **(more or {})}
    for location in (Location.GRAPH, Location.NODE, Location.EDGE, Location.LINK):
        steps = [step for place, step in STEPS if place is location]
        here = {name: field for name, field in every.items() if field.location is location}
        _check_columns(location, [ID, NUMBER, *steps, *here])
        columns = [f"{sql_column(ID)} INTEGER PRIMARY KEY"]
        columns += [f"{sql_column(NUMBER)} BIGINT"] if location is not Location.GRAPH else []
        columns += [f"{sql_column(step)} INTEGER" for step in steps]
        columns += [_declared(sql_column(name), field) for name, field in here.items()]
        rows = ",\n  ".join(columns)
        tables.append(f"CREATE TABLE {sql_table(location)} (\n  {rows}\n);\n")
    return tables


def _declared(column: str, field: Field) -> str:
    """A column; that of a number refuses one that leaves its bits."""
    match field.kind:
        case Category():
            return f"{column} VARCHAR(255)"
        case Number() as kind:
            return f"{column} BIGINT CHECK ({column} BETWEEN {kind.least} AND {kind.most})"
    return f"{column} BIGINT"


def queries(look: Look) -> dict[str, str]:
    """A query of ids and values for each sum, then each observation, then each field that moves.

    What comes earlier is a column for what comes later; moves go by the state as it was.
    """
    selects = {}
    for name, terms in look.summands.items():
        parts = [_value(term, look.scope, "me") for term in terms]
        parts.append(str(look.totals[name].constant))
        selects[name] = select(" + ".join(parts), name, look.sums[name].location)
    for statement in look.statements:
        selects[statement.name] = observation_to_sql(statement)
    for name in look.moves:
        value = f"me.{sql_column(name)}"
        # the first decides, so it comes last
        for mover in reversed([mover for mover in look.movers if mover.name == name]):
            value = _moved(mover, value)
        selects[name] = select(value, name, look.state[name].location)
    return selects


def observation_to_sql(statement: Statement) -> str:
    """A query of ids and 0 or 1: where it holds. What it names are columns."""
    value = f"CASE WHEN {_condition(statement)} THEN 1 ELSE 0 END"
    return select(value, statement.name, statement.location)


def start_to_sql(look: Look, name: str) -> str:
    """A query of ids and what a field is before the first step. The inputs are columns."""
    start = look.starts[name]
    labels, scope = start.field.kind.labels, Scope(look.starting)
    if start.term is not None:
        value = _value(start.resolved(scope), scope, "me")
    elif start.value is not None:
        value = in_quotes(labels[start.value]) if labels else str(start.value)
    elif start.field.kind.is_truth_value:
        return observation_to_sql(start.cases[0][1])
    else:
        cases = [
            f"WHEN {_condition(statement)} THEN {in_quotes(labels[number])}"
            for number, statement in start.cases
        ]
        value = f"CASE {' '.join(cases)} ELSE {in_quotes(labels[0])} END"
    return select(value, name, start.field.location)


def select(value: str, called: str, location: Location) -> str:
    """A query of ids and a value, by its name, of every row 'me' at a location."""
    return (
        f"SELECT me.{sql_column(ID)}, {value} AS {sql_column(called)}\nFROM {sql_table(location)} "
        f"AS me\nORDER BY me.{sql_column(ID)}"
    )


def _condition(
    statement: Statement, rows: Mapping[Whose, str] = ROWS, body: Formula | None = None
) -> str:
    """Where a statement holds, or a part of it. rows: the alias of the row of either element.

    The quantifiers are written by themselves, and not asked of the statement: see exactness.md.
    """

    def value(term: Term) -> str:
        return _value(statement.resolve(term), statement.scope, rows[term.whose])

    def atom(part: Formula) -> str:
        match part:
            case Quantified(quantity, relation, inner, count):
                is_every = quantity is Quantity.EVERY
                said = _condition(statement, rows, ~inner if is_every else inner)
                there = (
                    f"FROM {sql_table(relation.others)} AS it WHERE "
                    f"{_in_view(relation, statement.scope)} AND ({said})"
                )
                if quantity is Quantity.AT_LEAST:
                    return f"(SELECT COUNT(*) {there}) >= {count}"
                return f"{'NOT ' if is_every else ''}EXISTS (SELECT 1 {there})"
            case Test(term, label):
                return f"{value(term)} = {1 if label is None else in_quotes(label)}"
            case Comparison(left, order, right):
                mark = "<>" if order is Order.DIFFERENT else order.value
                sides = [", ".join(map(value, side)) for side in (left, right)]
                if len(left) > 1:
                    sides = [f"({side})" for side in sides]
                return f"{sides[0]} {mark} {sides[1]}"
        raise TypeError(f"{type(part).__name__} is no part of a look")

    formula = statement.formula if body is None else body
    return formula_text(formula, Notation(" AND ", " OR ", "NOT ", "1 = 1", "1 = 0", atom=atom))


def _in_view(relation: Relation, scope: Scope) -> str:
    """The condition under which a row 'it' is in view of the row 'me'."""
    me, it = (f"{row}.{sql_column(ID)}" for row in ("me", "it"))
    conditions = []
    for join in relation.joins:
        mine, its = join.paths
        if join.through_links:
            links = (
                f"SELECT link.{sql_column(its[0])} FROM {sql_table(Location.LINK)} AS link WHERE "
                f"link.{sql_column(mine[0])} = {me}"
            )
            conditions.append(f"{it} IN ({links})")
        else:
            ends = ((mine, relation.own, "me"), (its, relation.others, "it"))
            sides = [
                _value(scope.resolve(Term(Whose.MY, path), at, None), scope, row)
                for path, at, row in ends
            ]
            conditions.append(" = ".join(sides))
    joined = conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"
    return f"{joined} AND {it} <> {me}" if relation.others_only else joined


def _value(term: ResolvedTerm, scope: Scope, row: str) -> str:
    """What a term is, of a row: a column of its, or looked up step by step."""
    words = [*term.steps, *([] if term.field is None else [term.field])]
    at, value = term.own, f"{row}.{sql_column(words[0] if words else ID)}"
    for step, word in zip(term.steps, words[1:], strict=False):
        at = scope.end_of(step, at)
        table = f"{sql_table(at)} AS t WHERE t.{sql_column(ID)}"
        value = f"(SELECT t.{sql_column(word)} FROM {table} = {value})"
    return value


def _moved(mover: Mover, before: str) -> str:
    """What a field becomes."""
    move = mover.move
    value = _value(mover.value, mover.scope, "me" if move.relation is None else "it")
    if move.relation is not None and mover.mark is not None:
        row = f"it.{sql_column(ID)}"
        table = f"{sql_table(move.relation.others)} AS it"
        marked = _condition(mover.mark, {Whose.MY: "it"})
        first = (
            f"SELECT MIN({row}) FROM {table} WHERE {_in_view(move.relation, mover.scope)} AND "
            f"({marked})"
        )
        value = f"COALESCE((SELECT {value} FROM {table} WHERE {row} = ({first})), {before})"
    if mover.guard is not None:
        value = f"CASE WHEN {_condition(mover.guard)} THEN {value} ELSE {before} END"
    return value


def _check_columns(location: Location, columns: list[str]) -> None:
    """SQL does not tell names apart by their case."""
    seen: dict[str, str] = {}
    for name in columns:
        if name.casefold() in seen:
            raise DefinitionError(
                f"in SQL, '{seen[name.casefold()]}' and '{name}' would be one column of "
                f"{location.value}s: rename the field."
            )
        seen[name.casefold()] = name


def sql_table(location: Location) -> str:
    """The table of a location."""
    return sql_column(location.value)


def sql_column(name: str) -> str:
    """The name of a column or table, between quotation marks, where any is one."""
    return '"' + name.replace('"', '""') + '"'


def in_quotes(text: str) -> str:
    """Any text as a value."""
    return "'" + text.replace("'", "''") + "'"
