"""Names and numbers as a user gave them, as they are printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from typing import Any

from algolens.errors import visible
from algolens.graphs import At, Graph
from algolens.graphs.attributes import ExactNumber, Letter

MOST_LISTED = 40  # names of a list; of more, so many are shown and the others are counted

# what separates names in lists, ways, edges and columns
SEPARATORS = re.compile(r'[,;"()]|: | - |->|\s\s|^\s|\s$|^and \d')
WORDS_OF_OURS = ("", "-", "...", "none")


def quoted(name: str) -> str:
    r"""A name as it is; in quotes, with control marks spelt out, where it could be misread.

    >>> print(quoted("Well 7"), quoted("Smith, Ann"), quoted("red\x1b[31m"), quoted("none"))
    Well 7 "Smith, Ann" "red\x1b[31m" "none"
    """
    if visible(name) == name and name not in WORDS_OF_OURS and SEPARATORS.search(name) is None:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{visible(escaped)}"'


def element_name(graph: Graph, location: At, place: int) -> str:
    """What the user calls a node; an edge or a link by its ends."""
    if location == "node":
        return quoted(graph.name_of(place))
    return arrow(graph, location).join(
        quoted(graph.name_of(node)) for node in graph.ends(location)[:, place].tolist()
    )


def arrow(graph: Graph, location: At = "edge") -> str:
    """What stands between the ends of an edge or a link."""
    return " -> " if graph.directed or location == "link" else " - "


def listed(
    elements: Sequence[Any], most: int | None = MOST_LISTED, name: Callable[[Any], str] = str
) -> str:
    """Names one after the other, and how many are left out of a long list. most: None for all.

    name: gives the name of an element; of those that are left out, it is not asked.

    >>> listed(["a", "b", "c", "d", "e"], 3)
    'a, b, c and 2 more'
    >>> listed([])
    'none'
    """
    if most is None or len(elements) <= most + 1:  # "and 1 more" would take the place of a name
        return ", ".join(map(name, elements)) or "none"
    return f"{', '.join(map(name, elements[:most]))} and {len(elements) - most:,} more"


def value_in_words(value: Any) -> str:
    """A value of an output in a cell: a name as a user gave it, a class by its label, a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return written(value)
    return "-" if value is None else quoted(str(value))


MOST_DIGITS = 50  # of a sum of decimals


def written(value: ExactNumber) -> str:
    """A number as a person writes it."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, int) and not isinstance(value, Letter):
        return str(Decimal(value))  # of any length
    return str(value)


def total(numbers: Sequence[ExactNumber]) -> str:
    """Their sum as decimals: exact, or with 'about' where it has too many digits.

    >>> total([Decimal("0.10"), Decimal("0.2")]), total([1, 2])
    ('0.3', '3')
    """
    if all(isinstance(value, int) for value in numbers):
        return written(sum(numbers))
    with localcontext(Context(prec=MOST_DIGITS, traps=[])) as context:
        result = sum(map(_decimal, numbers), Decimal(0)).normalize()
        is_whole = result == result.to_integral_value() and result.adjusted() < MOST_DIGITS
        text = str(int(result) if is_whole else result)
        return f"about {text}" if context.flags[Inexact] else text


def _decimal(value: ExactNumber) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / value.denominator
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
