"""The tables that a program reads, made of a user's by queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.engines.given_tables import ID, MOST_NODES, NAME, NAMED_AT, NAMES, GivenTables
from algolens.errors import GraphError, InputError, UnknownNameError
from algolens.fields import Number, Pointer
from algolens.graphs import Location
from algolens.programs.sql_select import in_quotes, sql_column, sql_table

SPREAD, SPREAD_TOO = 2_654_435_761, 40_503  # odd, so that different numbers stay different
ENDS = "ends"  # the table of the ends of edges, where results are of edges


def fill_tables(
    given: GivenTables,
    columns: Mapping[Location, Sequence[str]],
    arguments: Mapping[str, Any],
    seed: int,
) -> None:
    """Makes the tables that a program reads, of columns that it names."""
    batch = {}
    edges = sql_table(Location.EDGE)
    if given.algorithm.declaration.location is Location.EDGE:
        is_turned, at = f"{sql_column(NAMED_AT)} % 2 = 1", sql_column(NAMED_AT)
        source = f'CASE WHEN {is_turned} THEN "other_end" ELSE "one_end" END AS "source"'
        target = f'CASE WHEN {is_turned} THEN "one_end" ELSE "other_end" END AS "target"'
        batch[ENDS] = f"SELECT {ID}, {at}, {source}, {target} FROM {edges}"
    for location, names in columns.items():
        if location is Location.GRAPH:
            given.tables.load("graph", _graph(given, names, arguments))
        elif location is Location.LINK:
            batch["link"] = _links(given, names)
        else:
            listed = ", ".join(_column(given, location, name, seed) for name in names)
            batch[location.value] = f"SELECT {listed} FROM {sql_table(location)}"
    given.tables.make(batch)
    if Location.EDGE not in columns:
        given.tables.drop("edge")


def _column(given: GivenTables, location: Location, name: str, seed: int) -> str:
    field = given.algorithm.declaration.inputs.get(name)
    if field is None or name in given.inputs_at(location):
        return sql_column(name)
    if not field.drawn or not isinstance(field.kind, Number):
        file = given.files.get(location)
        where = f"{file} has no column '{name}'" if file else f"'{name}' is missing"
        raise GraphError(
            f"{where}, and {given.algorithm.name} reads one of every {location.value}: give it"
            + ("." if file else " in a table of nodes (--nodes).")
        )
    given.notes.append(
        f"the {name} of each {location.value} is spread by its number and the seed: the table "
        "has none."
    )
    numbers = [ID] if location is Location.NODE else ['"one_end"', '"other_end"']
    spread = " + ".join(
        f"{number} * {times}" for number, times in zip(numbers, (SPREAD, SPREAD_TOO), strict=False)
    )
    drawn = f"({spread} + {seed % MOST_NODES}) % {MOST_NODES}"
    low = f" + {field.kind.low}" if field.kind.low else ""
    return f"{drawn}{low} AS {sql_column(name)}"


def _links(given: GivenTables, names: Sequence[str]) -> str:
    """The links of all edges, each way where edges have no direction."""
    back = 0 if given.directed else given.num_nodes**2
    ways = []
    for is_back in (False,) if given.directed else (False, True):
        ends = ["one_end", "other_end"][:: -1 if is_back else 1]
        known = {
            "id": f"{ID} + {back}" if is_back else ID,
            "number": sql_column("number"),
            "sender": sql_column(ends[0]),
            "receiver": sql_column(ends[1]),
            "edge": ID,
            "reverse": ID if is_back or given.directed else f"{ID} + {back}",
            "graph": sql_column("graph"),
        }
        unknown = [name for name in names if name not in known]
        if unknown:
            raise GraphError(
                f"'{unknown[0]}' of {given.algorithm.name} is a value for each direction of an "
                "edge, which is not read from tables: leave --out away."
            )
        listed = ", ".join(f"{known[name]} AS {sql_column(name)}" for name in names)
        ways.append(f"SELECT {listed} FROM {sql_table(Location.EDGE)}")
    return " UNION ALL ".join(ways)


def _graph(
    given: GivenTables, names: Sequence[str], arguments: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """The one row of the graph: what is given of it."""
    row: dict[str, list[Any]] = {}
    for name in names:
        field = given.algorithm.declaration.inputs.get(name)
        if field is None:
            row[name] = [0]
        elif isinstance(field.kind, Pointer):
            row[name] = [_pointer(given, name, arguments)]
        else:
            value = str(arguments.get(name, ""))
            if not isinstance(field.kind, Number) or not value.lstrip("-").isdecimal():
                raise InputError(
                    f"{name} of {given.algorithm.name} is '{value}': give a whole number "
                    f"(--{name} 3; in Python, {name}=3)."
                )
            row[name] = [int(value)]
    return row


def _pointer(given: GivenTables, name: str, arguments: Mapping[str, Any]) -> int:
    """The id of the node that an argument names; the first, where none is named."""
    if name not in arguments:
        first = int(given.tables.rows(f"SELECT MIN({ID}) FROM {sql_column(NAMES)}")[0][0])
        given.notes.append(f"{name} is node '{given.name_of(first)}', the first: none was named.")
        return first
    called = str(arguments[name])
    is_number = called.isdecimal() and int(called) < MOST_NODES
    wanted = in_quotes(called) if given.is_text else called if is_number else "-1"
    query = f"SELECT {ID} FROM {sql_column(NAMES)} WHERE {NAME} = {wanted}"
    rows = given.tables.rows(query)
    if not rows:
        some = given.tables.rows(f"SELECT {NAME} FROM {sql_column(NAMES)} LIMIT 12")
        raise UnknownNameError("node", called, [one for (one,) in some])
    return int(rows[0][0])
