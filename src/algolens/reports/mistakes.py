"""First mistakes as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table


def mistakes_table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """A row for each first mistake. found: by size, for each seed its 'graphs_wrong' and some
    'mistakes'.
    """
    wrong = sum(entry["graphs_wrong"] for seeds in found.values() for entry in seeds)
    title = (
        f"First mistakes: {wrong} graphs are wrong somewhere."
        if wrong
        else "No mistake: all graphs are right in every field of every step."
    )
    table = Table(title=title, title_justify="left")
    for column in (
        "nodes",
        "seed",
        "graph",
        "step",
        "field",
        "where",
        "found",
        "true",
        "elements wrong",
    ):
        table.add_column(column)
    for size, seeds in found.items():
        for entry in seeds:
            for each in entry["mistakes"]:
                where = each["at"] if each["element"] is None else f"{each['at']} {each['element']}"
                shown = [
                    each["graph"],
                    each["step"],
                    each["field"],
                    where,
                    each["found"],
                    each["true"],
                    each["wrong"],
                ]
                table.add_row(size, str(entry["seed"]), *map(str, shown))
    return table
