"""Layouts in which nodes are places, with edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algolens.errors import DefinitionError
from algolens.language.fields import Location, Mask, Number
from algolens.language.layouts.layout import Fields, Layout, Moment


@final
@dataclass(frozen=True)
class ByEdges(Layout):
    """Nodes near their neighbours; paths, trees and grids as such."""

    form = "edges"

    def check(self, fields: Fields) -> None:
        """It reads no field."""


@final
@dataclass(frozen=True)
class Layered(Layout):
    """Every edge leads from left to right; where edges go in a circle, as ByEdges."""

    form = "layered"

    def check(self, fields: Fields) -> None:
        """It reads no field."""


@final
@dataclass(frozen=True)
class Plane(Layout):
    """Nodes where their coordinates say, and segments between some of them.

    x, y: numbers at the nodes. segments: pairs of names, each a pointer of the graph to a node or a
    mask at nodes, which is drawn from the first node that it marks.
    """

    x: str
    y: str
    segments: tuple[tuple[str, str], ...] = ()

    form = "plane"

    def check(self, fields: Fields) -> None:
        for part in ("x", "y"):
            field = self.field(fields, part, getattr(self, part))
            if not isinstance(field.kind, Number) or field.location is not Location.NODE:
                raise self.refuse(part, getattr(self, part), "a number at the nodes")
        if not isinstance(self.segments, tuple) or any(
            not isinstance(ends, tuple) or len(ends) != 2 for ends in self.segments
        ):
            raise DefinitionError(
                f"Plane has segments={self.segments!r}: name the ends of each, as in (('p1', "
                "'p2'),)."
            )
        for name in [end for ends in self.segments for end in ends]:
            field = self.field(fields, "segments", name)
            is_pointer = field.location is Location.GRAPH and field.kind.points_to is Location.NODE
            if not is_pointer and not (
                isinstance(field.kind, Mask) and field.location is Location.NODE
            ):
                raise self.refuse(
                    "segments", name, "a pointer of the graph to a node, or a mask at the nodes"
                )

    def places(self, moment: Moment) -> list[tuple[float, float]]:
        """Where every node is drawn, from 0 to 8 on the longer side, the first axis to the right
        and the other down.
        """
        x, y = moment.at(self.x), moment.at(self.y)
        (left, right), (low, high) = moment.ever(self.x), moment.ever(self.y)
        unit = max(right - left, high - low, 1) / SIDE
        return [((a - left) / unit, (high - b) / unit) for a, b in zip(x, y, strict=True)]

    def ends(self, moment: Moment) -> list[tuple[int, int]]:
        """The nodes between which there are segments."""
        drawn = []
        for pair in self.segments:
            nodes = [self._named(moment, name) for name in pair]
            if None not in nodes and nodes[0] != nodes[1]:
                drawn.append((nodes[0], nodes[1]))
        return drawn  # type: ignore[return-value]

    def _named(self, moment: Moment, name: str) -> int | None:
        values = moment.at(name)
        if moment.fields[name].location is Location.GRAPH:
            return values[0] if len(values) else None
        return next((node for node, holds in enumerate(values) if holds), None)


SIDE = 8  # the longer side of a plane, where an edge is about 1 long
