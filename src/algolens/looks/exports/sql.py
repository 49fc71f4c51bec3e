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
from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.logic.printing import Notation, formula_text
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.moves import Mover, Sum
from algolens.looks.parsing import Parser, parse_look
from algolens.looks.reading import Observation, Statement
from algolens.looks.relations import Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm, Scope

if TYPE_CHECKING:
    from algolens.looks.look import Look, Start


ID = "id"
ROWS = {Whose.MY: "me", Whose.ITS: "it"}  # the rows that a statement speaks of


def look_to_sql(look: Look) -> str:
    """The tables, and the queries in order, as one text. What a query gives belongs into the column
    of its name.
    """
    return "\n".join([*schema(look), *(f"{query};\n" for query in queries(look).values())])


def schema(look: Look, more: Mapping[str, Field] | None = None) -> list[str]:
    """A CREATE TABLE for each of the tables, with a column for each field, sum and observation, and
    for more fields.
    """
    found = []
    for location in (Location.GRAPH, Location.NODE, Location.EDGE, Location.LINK):
        columns = [
            sql_column(ID) + " INTEGER PRIMARY KEY",
            *([f"{sql_column(NUMBER)} BIGINT"] if location is not Location.GRAPH else []),
        ]
        columns += [f"{sql_column(step)} INTEGER" for place, step in STEPS if place is location]
        every = {**look.scope.fields, **(more or {})}
        here = {name: field for name, field in every.items() if field.location is location}
        columns += [_declared(name, field) for name, field in here.items()]
        _check_columns(
            location, [ID, NUMBER, *(step for place, step in STEPS if place is location), *here]
        )
        found.append(f"CREATE TABLE {sql_table(location)} (\n  " + ",\n  ".join(columns) + "\n);\n")
    return found


def _declared(name: str, field: Field) -> str:
    """A column; that of a number refuses one that leaves its bits."""
    match field.kind:
        case Category():
            return f"{sql_column(name)} VARCHAR(255)"
        case Number() as kind:
            return (
                f"{sql_column(name)} BIGINT CHECK ({sql_column(name)} BETWEEN {kind.least} AND "
                f"{kind.most})"
            )
    return f"{sql_column(name)} BIGINT"


def queries(look: Look) -> dict[str, str]:
    """A query for each sum, then for each observation, then for each pointer or number that moves:
    ids and values.

    What comes earlier is a column for what comes later; moves go by the state as it was.
    """
    found = {}
    for name, each in look.sums.items():
        total = Sum.parse(each.text)
        parts = [
            _value(look.scope.resolve(term, each.location, None), look.scope, "me")
            for term in total.terms
        ]
        found[name] = select(" + ".join([*parts, str(total.constant)]), name, each.location)
    for reading in look.readings:
        found[reading.observation.name] = observation_to_sql(reading)
    for name in look.moves:
        value = f"me.{sql_column(name)}"
        # the first decides, so it comes last
        for mover in reversed([each for each in look.movers if each.name == name]):
            value = _moved(mover, look.scope, value)
        found[name] = select(value, name, look.state[name].location)
    return found


def observation_to_sql(reading: Statement) -> str:
    """A query of ids and 0 or 1: where it holds. What it reads are columns."""
    holds = _statement(reading, reading.observation.formula, ROWS)
    return select(
        f"CASE WHEN {holds} THEN 1 ELSE 0 END",
        reading.observation.name,
        reading.observation.location,
    )


def start_to_sql(field: Field, start: Start, called: str, starting: Mapping[str, Field]) -> str:
    """A query of ids and what a state field is before the first step. starting: the inputs, which
    are columns.
    """
    scope, at = Scope(starting), field.location

    def said(statement: str) -> str:
        reading = Statement(Observation(called, at, parse_look(statement)), scope)
        return _statement(reading, reading.observation.formula, ROWS)

    match field.kind, start:
        case Mask(), str():
            value = f"CASE WHEN {said(start)} THEN 1 ELSE 0 END"
        case Category(), str():
            value = in_quotes(start)
        case Category() as kind, Mapping():
            cases = " ".join(
                f"WHEN {said(each)} THEN {in_quotes(label)}" for label, each in start.items()
            )
            value = f"CASE {cases} ELSE {in_quotes(kind.labels[0])} END"
        case Number(), int():
            value = str(start)
        case _, str():
            value = _value(
                scope.resolve(Parser(start).whole(lambda parser: parser.term(Whose.MY)), at, None),
                scope,
                "me",
            )
        case _:
            raise TypeError(f"a {type(field.kind).__name__} cannot start as {start!r}")
    return select(value, called, at)


def select(value: str, called: str, location: Location) -> str:
    """A query of ids and a value, by its name, of every row 'me' at a location."""
    return (
        f"SELECT me.{sql_column(ID)}, {value} AS {sql_column(called)}\nFROM {sql_table(location)} "
        f"AS me\nORDER BY me.{sql_column(ID)}"
    )


def _statement(reading: Statement, formula: Formula, rows: Mapping[Whose, str]) -> str:
    """A condition. rows: the alias of the row that each term speaks of."""

    def atom(found: Formula) -> str:
        match found:
            case Quantified(quantity, relation, body, count):
                said = _statement(reading, ~body if quantity is Quantity.EVERY else body, rows)
                there = (
                    f"FROM {sql_table(relation.others)} AS it WHERE "
                    f"{_in_view(relation, reading.scope)} AND ({said})"
                )
                if quantity is Quantity.AT_LEAST:
                    return f"(SELECT COUNT(*) {there}) >= {count}"
                return f"{'NOT ' if quantity is Quantity.EVERY else ''}EXISTS (SELECT 1 {there})"
            case Test(term, label):
                value = _value(reading.resolve(term), reading.scope, rows[term.whose])
                return f"{value} = {1 if label is None else in_quotes(label)}"
            case Comparison(left, order, right):
                sides = [
                    ", ".join(
                        _value(reading.resolve(t), reading.scope, rows[t.whose]) for t in side
                    )
                    for side in (left, right)
                ]
                mark = {Order.DIFFERENT: "<>"}.get(order, order.value)
                return (
                    f"{sides[0]} {mark} {sides[1]}"
                    if len(left) == 1
                    else f"({sides[0]}) {mark} ({sides[1]})"
                )
        raise TypeError(f"{type(found).__name__} is no part of a look")

    return formula_text(formula, Notation(" AND ", " OR ", "NOT ", "1 = 1", "1 = 0", atom=atom))


def _in_view(relation: Relation, scope: Scope) -> str:
    """The condition under which a row 'it' is in view of the row 'me'."""
    found = []
    for join in relation.joins:
        mine, its = join.paths
        if join.through_links:
            lead = f"link.{sql_column(mine[0])} = me.{sql_column(ID)}"
            links = (
                f"SELECT link.{sql_column(its[0])} FROM {sql_table(Location.LINK)} AS link WHERE "
                f"{lead}"
            )
            found.append(f"it.{sql_column(ID)} IN ({links})")
        else:
            ends = ((mine, relation.own, "me"), (its, relation.others, "it"))
            sides = [
                _value(scope.resolve(Term(Whose.MY, path), at, None), scope, row)
                for path, at, row in ends
            ]
            found.append(" = ".join(sides))
    joined = found[0] if len(found) == 1 else f"({' OR '.join(found)})"
    return (
        f"{joined} AND it.{sql_column(ID)} <> me.{sql_column(ID)}"
        if relation.others_only
        else joined
    )


def _value(term: ResolvedTerm, scope: Scope, row: str) -> str:
    """What a term is, of a row: a column of its, or looked up step by step."""
    at, found, first = term.own, f"{row}.{sql_column(ID)}", True
    for word in [*term.steps, *([] if term.field is None else [term.field])]:
        if first:
            found = f"{row}.{sql_column(word)}"
        else:
            found = (
                f"(SELECT t.{sql_column(word)} FROM {sql_table(at)} AS t WHERE t.{sql_column(ID)} "
                f"= {found})"
            )
        at, first = _leads_to(word, at, scope), False
    return found


def _leads_to(word: str, at: Location, scope: Scope) -> Location:
    if (at, word) in STEPS:
        return STEPS[at, word]
    kind = scope.fields[word].kind if word in scope.fields else None
    return kind.to if isinstance(kind, Pointer) else at


def _moved(mover: Mover, scope: Scope, before: str) -> str:
    """What a field becomes."""
    move = mover.move
    value = _value(mover.value, scope, "me" if move.relation is None else "it")
    if move.relation is not None and mover.mark is not None:
        table, marked = (
            sql_table(move.relation.others),
            _statement(mover.mark, mover.mark.observation.formula, {Whose.MY: "it"}),
        )
        first = (
            f"SELECT MIN(it.{sql_column(ID)}) FROM {table} AS it WHERE "
            f"{_in_view(move.relation, scope)} AND ({marked})"
        )
        value = (
            f"COALESCE((SELECT {value} FROM {table} AS it WHERE it.{sql_column(ID)} = ({first})), "
            f"{before})"
        )
    if mover.guard is not None:
        value = (
            f"CASE WHEN {_statement(mover.guard, mover.guard.observation.formula, ROWS)} THEN "
            f"{value} ELSE {before} END"
        )
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
