"""Whether the parts of a declaration are what they are to be: dictionaries, tuples of names,
fields, statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from algolens.algorithms._limit import Limit
from algolens.errors import DefinitionError
from algolens.fields import Field, Kind, Location, Observed
from algolens.logic import Formula, GoOn

if TYPE_CHECKING:
    from algolens.algorithms._declaration import Declaration

MOST_SHOWN = 60  # characters of a value


def check_shapes(declaration: Declaration) -> None:
    """Refuses, in one line, a part that is of another type than a declaration needs; what it says
    is checked after this.
    """
    for part, (is_right, wanted) in ALONE.items():
        value = getattr(declaration, part)
        if not is_right(value):
            raise DefinitionError(f"{part} is {_came(value)}: write {wanted}.")
    for part, (is_right, wanted) in BY_NAME.items():
        given = getattr(declaration, part)
        if not isinstance(given, Mapping):
            raise DefinitionError(
                f"{part} is {_came(given)}: write a dictionary that has for each name {wanted}."
            )
        for name, value in given.items():
            if not is_right(value):
                raise DefinitionError(f"{part}[{name!r}] is {_came(value)}: write {wanted}.")


def _came(value: object) -> str:
    """A value as it is written, on one line; a long one is cut."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}..."


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(each, str) for each in value)
    )


def _is_field(value: Any) -> bool:
    return isinstance(value, Field) and isinstance(value.kind, Kind)


def _is_rules(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str | Formula) for each in value.values()
    )


Shape = tuple[Callable[[Any], bool], str]  # whether a value is so, and in words what to write
_NAMES = "a tuple of names, as in ('visited',)"
ALONE: Mapping[str, Shape] = {
    "location": (lambda value: isinstance(value, Location), "Location.NODE or Location.EDGE"),
    "concepts": (_is_names, _NAMES),
    "state": (_is_names, _NAMES),
    "outcomes": (_is_names, _NAMES),
    "continues": (
        lambda value: value is None or isinstance(value, str | GoOn),
        "a rule as text, or None for fixed steps",
    ),
    "most_steps": (
        lambda value: isinstance(value, Limit),
        "a Limit, as in Limit(2): twice as many as there are nodes",
    ),
}
_FIELD: Shape = (_is_field, "a field, as in at_node(Mask())")
_STATEMENT: Shape = (
    lambda value: isinstance(value, Observed),
    "a statement and where it is made, as in at_node('visited')",
)
BY_NAME: Mapping[str, Shape] = {
    "outputs": (lambda value: isinstance(value, Kind), "a kind, as in Mask()"),
    "rules": (_is_rules, "a rule for each class, as in {'true': 'seen', 'false': '~seen'}"),
    "inputs": _FIELD,
    "hints": _FIELD,
    "look": _STATEMENT,
    "moves": (
        lambda value: isinstance(value, str) or _is_names(value),
        "a move as text, or several",
    ),
    "sums": _STATEMENT,
    "start": (lambda _: True, "how it begins"),  # which is checked by its kind
    "only_where": (lambda value: isinstance(value, str), "the name of an output that is a mask"),
}
