"""A look as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algolens.logic.exports import in_code
from algolens.looks.views.text import moved, started, sums, writings

if TYPE_CHECKING:
    from algolens.looks.look import Look


def look_to_markdown(look: Look) -> str:
    """A table of what is seen: observation, where, statement; and of sums, moves and the start
    where there are such.
    """
    parts = [
        (("state", "begins"), [(name, "", said) for name, said in started(look)]),
        (("number", "where", "sum"), sums(look)),
        (("observation", "where", "statement"), writings(look)),
        (("state", "becomes"), [(name, "", said) for name, said in moved(look)]),
    ]
    return "\n".join(_table(columns, rows) for columns, rows in parts if rows)


def _table(columns: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, where, said in rows:
        lines.append(
            f"| {' | '.join([in_code(name), *([where] if where else []), in_code(said)])} |"
        )
    return "\n".join(lines) + "\n"
