"""Fields: a value of some kind at some location."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from algolens.graphs import Location
from algolens.language import ir
from algolens.language.fields.kinds import Category, Kind, Mask, Pointer
from algolens.language.fields.number import Number


@dataclass(frozen=True)
class Field:
    """A kind of value at a location, as an algorithm declares it."""

    location: Location
    kind: Kind
    start_only: bool = False  # an input that only the start reads; a network never sees it
    # an input that is random by nature: drawn where a user's graph does not carry it
    drawn: bool = False

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "at": self.location,
            **self.kind.to_json(),
            "start_only": self.start_only,
            "drawn": self.drawn,
        }


def to_field(one: ir.Field, *, start_only: bool = False) -> Field:
    """A column of a program as a field: where it sits, and its kind."""
    kind: Kind = Mask()
    match one.kind:
        case "category":
            kind = Category(*one.labels)
        case "number":
            kind = Number(one.bits, one.low, one.distinct, one.signed)
        case "pointer":
            assert one.to is not None
            kind = Pointer(Location(one.to), itself_is_none=one.itself_is_none)
    return Field(Location(one.at), kind, start_only or one.start_only, one.drawn)


def numbers_in(fields: Mapping[str, Field]) -> dict[str, Number]:
    """The kinds of those fields that are numbers."""
    return {name: field.kind for name, field in fields.items() if isinstance(field.kind, Number)}


# a field with a value at every node, edge or link (an edge seen from one end), or one for a graph
at_node, at_edge = partial(Field, Location.NODE), partial(Field, Location.EDGE)
at_link, at_graph = partial(Field, Location.LINK), partial(Field, Location.GRAPH)
