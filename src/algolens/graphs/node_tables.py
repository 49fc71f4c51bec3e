"""What a table says of nodes, added to the nodes of a graph."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from algolens.graphs.attributes import Attribute, as_written, column
from algolens.graphs.tables import UserTable

MOST_NAMED = 5


def join_nodes(
    nodes: list[Hashable], attributes: Mapping[str, Attribute], table: UserTable, notes: list[str]
) -> tuple[list[Hashable], dict[str, Attribute]]:
    """The nodes with those that only the table has, and all their attributes.

    An empty cell says nothing. notes: takes what a user should know.
    """
    own = as_written(table.attribute("node"))
    number = {str(node): place for place, node in enumerate(nodes)}
    added = [node for node in own if node is not None and str(node) not in number]
    places = _places(own, {**number, **_numbered(added, len(nodes))}, table)
    values = {
        name: _spread(attributes.get(name), table, name, places, len(nodes) + len(added), own)
        for name in dict.fromkeys([*attributes, *table.columns])
        if name != "node"
    }
    notes += table.notes
    if added and table.is_file:
        shown = ", ".join(f"'{node}'" for node in added[:MOST_NAMED])
        more = ", ..." if len(added) > MOST_NAMED else ""
        notes.append(
            f"{table.name} lists nodes that no edge has; they are added as lone nodes: "
            f"{shown}{more}."
        )
    there = {name: column(of_all) for name, of_all in values.items() if any_there(of_all)}
    return [*nodes, *added], there


def _numbered(added: list[Hashable], first: int) -> dict[str, int]:
    return {str(node): first + place for place, node in enumerate(added)}


def _places(own: list[Any], number: Mapping[str, int], table: UserTable) -> np.ndarray:
    """The node of each row; one that is missing, or stands twice, is refused."""
    listed: set[str] = set()
    for row, node in enumerate(own):
        if node is None:
            raise table.error(
                f"{table.where(row)}: the node is missing. Name it, or take the row out."
            )
        if str(node) in listed:
            raise table.error(
                f"{table.where(row)}: node '{node}' stands twice. Keep one of the rows."
            )
        listed.add(str(node))
    return np.array([number[str(node)] for node in own], dtype=np.int64)


def _spread(
    known: Attribute | None,
    table: UserTable,
    name: str,
    places: np.ndarray,
    count: int,
    own: list[Any],
) -> list[Any]:
    """An attribute of all nodes; what the graph itself says is not said again."""
    of_all: list[Any] = [None] * count
    if known is not None:
        of_all[: len(known)] = as_written(known)
    if name in table.columns:
        for row, value in enumerate(as_written(table.attribute(name))):
            if value is None:
                continue
            place = places[row]
            if of_all[place] is not None:
                raise table.error(
                    f"{table.where(row)}: the graph itself says that {name} of node '{own[row]}' "
                    f"is '{of_all[place]}'. Keep one of them."
                )
            of_all[place] = value
    return of_all


def any_there(values: list[Any]) -> bool:
    """Whether some value is one."""
    return any(value is not None for value in values)
