"""Fields: a value of some kind at some location."""

from __future__ import annotations

from dataclasses import dataclass

from algolens.fields.kinds import Kind
from algolens.graphs import Location


@dataclass(frozen=True)
class Field:
    """A kind of value at a location, as an algorithm declares it."""

    location: Location
    kind: Kind
    start_only: bool = False  # an input that only the start reads; a network never sees it
    drawn: bool = False  # an input that is random by nature: drawn where a user's graph does not carry it


def at_node(kind: Kind, *, start_only: bool = False, drawn: bool = False) -> Field:
    """A field with a value at every node."""
    return Field(Location.NODE, kind, start_only, drawn)


def at_edge(kind: Kind, *, start_only: bool = False, drawn: bool = False) -> Field:
    """A field with a value at every edge."""
    return Field(Location.EDGE, kind, start_only, drawn)


def at_graph(kind: Kind, *, start_only: bool = False, drawn: bool = False) -> Field:
    """A field with one value for a whole graph."""
    return Field(Location.GRAPH, kind, start_only, drawn)
