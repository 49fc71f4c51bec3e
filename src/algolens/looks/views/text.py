"""A look as a listing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from algolens.looks.moves import Sum
from algolens.looks.writing import write

if TYPE_CHECKING:
    from algolens.looks.look import Look


def look_to_text(look: Look) -> str:
    """All of it, a line for each: how the state begins, sums, observations with where they sit,
    moves.
    """
    parts = [
        ("begins", [(name, "", said) for name, said in started(look)]),
        ("adds", sums(look)),
        ("sees", writings(look)),
        ("moves", [(name, "", said) for name, said in moved(look)]),
    ]
    wide = max(len(name) for _, rows in parts for name, _, _ in rows)
    lines = []
    for title, rows in parts:
        lines += [title] if rows else []
        lines += [f"  {where:<5} {name:<{wide}}  {said}" for name, where, said in rows]
    return "\n".join(lines)


def writings(look: Look) -> list[tuple[str, str, str]]:
    """Each observation: its name, where it sits, and its statement."""
    found = [each.observation for each in look.readings]
    return [(each.name, each.location.value, write(each.formula)) for each in found]


def sums(look: Look) -> list[tuple[str, str, str]]:
    """Each sum: its name, where it sits, and what is added."""
    return [
        (name, each.location.value, str(Sum.parse(each.text))) for name, each in look.sums.items()
    ]


def moved(look: Look) -> list[tuple[str, str]]:
    """Each move: what moves, and what it becomes; of several, the first that applies."""
    return [(mover.name, str(mover.move)) for mover in look.movers]


def started(look: Look) -> list[tuple[str, str]]:
    """Each state field, and how it begins."""
    return [
        (name, _begins(look.start[name], field.kind.labels)) for name, field in look.state.items()
    ]


def _begins(start: str | int | Mapping[str, str], labels: tuple[str, ...]) -> str:
    if isinstance(start, Mapping):
        return "; ".join(
            [
                *(f"{label} where {statement}" for label, statement in start.items()),
                f"else {labels[0]}",
            ]
        )
    return str(start)
