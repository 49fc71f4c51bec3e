"""The tables that a program reads, made of a user's by queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.engines.sql.given_tables import MOST_NODES, NAMED_AT, GivenTables
from algolens.engines.sql_select import in_quotes, sql_column
from algolens.errors import GraphError, InputError, UnknownNameError
from algolens.language.ir import At

SPREAD, SPREAD_TOO = 2_654_435_761, 40_503  # odd, so that different numbers stay different


def fill_tables(
    given: GivenTables,
    columns: Mapping[At, Sequence[str]],
    arguments: Mapping[str, Any],
    seed: int,
) -> None:
    """Makes the tables that a program reads, of columns that it names.

    Where results are of edges, a table ``ends`` has the ends of edges, as the user names them.
    """
    batch: dict[str, str] = {}
    if given.keeps_order:
        source, target = (
            f'CASE WHEN "{NAMED_AT}" % 2 = {turned} THEN one_end ELSE other_end END'
            for turned in (0, 1)
        )
        batch["ends"] = f"""SELECT "id", "{NAMED_AT}", {source} AS "source", {target} AS "target"
            FROM "edge" """
    for at, names in columns.items():
        if at == "graph":
            given.tables.load(at, {name: [_of_graph(given, name, arguments)] for name in names})
        elif at == "link":
            batch[at] = _links(given, names)
        else:
            listed = ", ".join(_column(given, at, name, seed) for name in names)
            batch[at] = f'SELECT {listed} FROM "{at}"'
    given.tables.make(batch)
    if "edge" not in columns:
        given.tables.drop("edge")


def _column(given: GivenTables, at: At, name: str, seed: int) -> str:
    field = given.inputs.get(name)
    if field is None or name in given.inputs_at(at):
        return sql_column(name)
    if not field.drawn or field.kind != "number":
        file = given.files.get(at)
        where = f"{file} has no column '{name}'" if file else f"'{name}' is missing"
        raise GraphError(
            f"{where}, and {given.algorithm.name} reads one of every {at}: give it"
            + ("." if file else " in a table of nodes (--nodes).")
        )
    given.notes.append(
        f"the {name} of each {at} is spread by its number and the seed: the table has none."
    )
    spread = f'"id" * {SPREAD}'
    if at == "edge":
        spread = f"one_end * {SPREAD} + other_end * {SPREAD_TOO}"
    return f"({spread} + {seed % MOST_NODES}) % {MOST_NODES} + {field.low} AS {sql_column(name)}"


def _links(given: GivenTables, names: Sequence[str]) -> str:
    """The links of all edges, each way where edges have no direction."""
    back = "" if given.directed else f" + {given.num_nodes**2}"
    ways = [("", back, "one_end", "other_end"), (back, "", "other_end", "one_end")]
    made = []
    for here, there, sender, receiver in ways[: 1 if given.directed else 2]:
        known = {
            "id": f'"id"{here}',
            "number": '"number"',
            "sender": sender,
            "receiver": receiver,
            "edge": '"id"',
            "reverse": f'"id"{there}',
            "graph": '"graph"',
        }
        unknown = [name for name in names if name not in known]
        if unknown:
            raise GraphError(
                f"'{unknown[0]}' of {given.algorithm.name} is a value for each direction of an "
                "edge, which is not read from tables: leave --out away."
            )
        listed = ", ".join(f"{known[name]} AS {sql_column(name)}" for name in names)
        made.append(f'SELECT {listed} FROM "edge"')
    return " UNION ALL ".join(made)


def _of_graph(given: GivenTables, name: str, arguments: Mapping[str, Any]) -> int:
    """What is given of the graph."""
    field = given.inputs.get(name)
    if field is None:
        return 0
    if field.kind == "pointer":
        return _pointer(given, name, arguments)
    value = str(arguments.get(name, ""))
    if field.kind != "number" or not value.lstrip("-").isdecimal():
        raise InputError(
            f"{name} of {given.algorithm.name} is '{value}': give a whole number (--{name} 3; in "
            f"Python, {name}=3)."
        )
    return int(value)


def _pointer(given: GivenTables, name: str, arguments: Mapping[str, Any]) -> int:
    """The id of the node that an argument names; the first, where none is named."""
    if name not in arguments:
        first = int(given.tables.rows('SELECT MIN("id") FROM "name"')[0][0])
        given.notes.append(f"{name} is node '{given.name_of(first)}', the first: none was named.")
        return first
    called = str(arguments[name])
    is_number = called.isdecimal() and int(called) < MOST_NODES
    wanted = in_quotes(called) if given.is_text else called if is_number else "-1"
    rows = given.tables.rows(f'SELECT "id" FROM "name" WHERE "name" = {wanted}')
    if not rows:
        some = given.tables.rows('SELECT "name" FROM "name" LIMIT 12')
        raise UnknownNameError("node", called, [one for (one,) in some])
    return int(rows[0][0])
