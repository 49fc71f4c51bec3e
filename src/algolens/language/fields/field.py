"""Fields: a value of some kind at some location."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, overload

from algolens.graphs import Location
from algolens.language.fields.kinds import Kind
from algolens.language.fields.number import Number
from algolens.language.fields.records import AnyField
from algolens.reading import as_record


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
            "at": self.location.value,
            **self.kind.to_json(),
            "start_only": self.start_only,
            "drawn": self.drawn,
        }

    @classmethod
    def from_json(cls, value: Any) -> Field:
        """The field that ``to_json`` wrote."""
        record: AnyField = as_record(value, AnyField, "the field")  # type: ignore[arg-type]
        return cls.of(record)

    @classmethod
    def of(cls, record: AnyField) -> Field:
        """The field that a record holds."""
        return cls(record.at, record.kind(), record.start_only, record.drawn)


def numbers_in(fields: Mapping[str, Field]) -> dict[str, Number]:
    """The kinds of those fields that are numbers."""
    return {name: field.kind for name, field in fields.items() if isinstance(field.kind, Number)}


@dataclass(frozen=True)
class Observed:
    """A statement about every element at a location, in the language of looks."""

    location: Location
    text: str


@overload
def at_node(what: Kind, *, start_only: bool = False, drawn: bool = False) -> Field: ...
@overload
def at_node(what: str) -> Observed: ...
def at_node(what: Kind | str, *, start_only: bool = False, drawn: bool = False) -> Field | Observed:
    """A field with a value at every node, or a statement about every node."""
    return _at(Location.NODE, what, start_only, drawn)


@overload
def at_edge(what: Kind, *, start_only: bool = False, drawn: bool = False) -> Field: ...
@overload
def at_edge(what: str) -> Observed: ...
def at_edge(what: Kind | str, *, start_only: bool = False, drawn: bool = False) -> Field | Observed:
    """A field with a value at every edge, or a statement about every edge."""
    return _at(Location.EDGE, what, start_only, drawn)


@overload
def at_link(what: Kind, *, start_only: bool = False, drawn: bool = False) -> Field: ...
@overload
def at_link(what: str) -> Observed: ...
def at_link(what: Kind | str, *, start_only: bool = False, drawn: bool = False) -> Field | Observed:
    """A field with a value at every link (an edge seen from one end), or a statement about it."""
    return _at(Location.LINK, what, start_only, drawn)


@overload
def at_graph(what: Kind, *, start_only: bool = False, drawn: bool = False) -> Field: ...
@overload
def at_graph(what: str) -> Observed: ...
def at_graph(
    what: Kind | str, *, start_only: bool = False, drawn: bool = False
) -> Field | Observed:
    """A field with one value for a whole graph, or a statement about a whole graph."""
    return _at(Location.GRAPH, what, start_only, drawn)


def _at(location: Location, what: Kind | str, start_only: bool, drawn: bool) -> Field | Observed:
    return (
        Observed(location, what)
        if isinstance(what, str)
        else Field(location, what, start_only, drawn)
    )
