"""Layouts: a word for how a run is drawn, with the fields that it is drawn from.

The page places the elements (``player/layouts.js``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, final

import msgspec

from algolens.errors import DefinitionError
from algolens.language.fields import Field

Fields = Mapping[str, Field]
# what a part of a layout names: in words, and as kinds, at the elements or of the graph
NAMES: Mapping[str, tuple[str, set[str]]] = {
    "field": ("a field at nodes or at edges", {"mask", "category", "number", "pointer"}),
    "number": ("a number at the {at}s", {"number"}),
    "mask": ("a mask at the {at}s", {"mask"}),
    "order": ("a number or a pointer at the {at}s", {"number", "pointer"}),
    "line": ("a number of the graph", {"graph's number"}),
    "mark": (
        "a mask at the {at}s, or a number or a pointer of the graph",
        {"mask", "graph's number", "graph's pointer"},
    ),
    "end": (
        "a pointer of the graph to a node, or a mask at the nodes",
        {"mask", "graph's pointer"},
    ),
}


class Layout:
    """How the elements of a run are placed in a drawing.

    ``parts`` says what each part names; the first names the field whose elements are drawn.
    """

    form: ClassVar[str]
    parts: ClassVar[Mapping[str, str]] = {}

    def check(self, fields: Fields) -> None:
        """Raises a DefinitionError where a field is not there, or is of another kind."""
        called = type(self).__name__
        try:
            msgspec.convert(asdict(self), type(self))  # type: ignore[call-overload]
        except msgspec.ValidationError as problem:
            raise DefinitionError(f"layout {self}: {problem}.") from problem
        at = None
        for part, what in self.parts.items():
            for name in _flat(getattr(self, part)):
                if name not in fields:
                    raise DefinitionError(
                        f"{called} has {part}={name!r}, which is no field: name one of "
                        f"{', '.join(fields)}."
                    )
                field, (words, kinds) = fields[name], NAMES[what]
                at = at or field.at
                whose = "" if field.at == at else f"{field.at}'s "
                fits = f"{whose}{field.kind}" in kinds
                if at not in ("node", "edge") or not (fits and field.to in (None, at)):
                    wanted = words.format(at=at)
                    raise DefinitionError(f"{called} has {part}={name!r}: name {wanted}.")

    def to_json(self, fields: Fields) -> dict[str, Any]:
        """Itself as JSON, as the page of a run reads it."""
        return {"form": self.form, **asdict(self)}  # type: ignore[call-overload]


def _flat(given: Any) -> list[str]:
    """The names in a part: one, several, pairs of them, or none."""
    if isinstance(given, str):
        return [given]
    return [name for part in given or () for name in _flat(part)]


# ---- nodes are places, with edges between them


@final
@dataclass(frozen=True)
class ByEdges(Layout):
    """Nodes near their neighbours; paths, trees and grids as such."""

    form = "edges"


@final
@dataclass(frozen=True)
class Layered(Layout):
    """Every edge leads from left to right; where edges go in a circle, as ByEdges."""

    form = "layered"


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
    parts: ClassVar = {"x": "number", "y": "number", "segments": "end"}


# ---- every element is a box


class BoxLayout(Layout):
    """Every element is a box: on each axis from one number, or cell, to another.

    ``marks`` name elements: a mask where they are, a number of the graph that is a place in the
    order, or a pointer of the graph. ``lines`` are numbers of the graph on the axis of numbers.
    """

    def to_json(self, fields: Fields) -> dict[str, Any]:
        drawn = fields[getattr(self, next(iter(self.parts)))]
        return {**super().to_json(fields), "at": drawn.at}


@final
@dataclass(frozen=True)
class Bars(BoxLayout):
    """A bar for every number, as high as it is; numbers below 0 hang down.

    of: the numbers. order: where each stands from left to right, a number, or a pointer to the one
    before; without it, in the order of the elements.
    """

    of: str
    order: str | None = None
    marks: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    form = "bars"
    parts: ClassVar = {"of": "number", "order": "order", "marks": "mark", "lines": "line"}


@final
@dataclass(frozen=True)
class Heap(BoxLayout):
    """Numbers as a binary tree: the one at place p stands below the one at place (p - 1) // 2.

    of: the numbers. order: their places, from 0 on. out: a mask, of those that are in the tree no
    more: no line leads to them.
    """

    of: str
    order: str | None = None
    out: str | None = None
    marks: tuple[str, ...] = ()

    form = "heap"
    parts: ClassVar = {"of": "number", "order": "order", "out": "mask", "marks": "mark"}


@final
@dataclass(frozen=True)
class Tape(BoxLayout):
    """A row of cells, and below it a second one, which moves along the first.

    of: what stands in the cells. second: a mask, of those in the second row. meets: two marks; the
    cell that the second names stands below the cell that the first names, and until there are
    such, the rows begin together. noted: a number below the cells of the second row.
    """

    of: str
    second: str | None = None
    meets: tuple[str, str] | None = None
    noted: str | None = None
    marks: tuple[str, ...] = ()

    form = "tape"
    parts: ClassVar = {
        "of": "field",
        "second": "mask",
        "meets": "mark",
        "noted": "number",
        "marks": "mark",
    }

    def check(self, fields: Fields) -> None:
        super().check(fields)
        if self.meets is not None and self.second is None:
            raise DefinitionError(f"Tape has meets={self.meets!r}: name the second row too.")


@final
@dataclass(frozen=True)
class Intervals(BoxLayout):
    """A bar for every element on an axis of time, each in a row of its own.

    begin, end: the numbers from which and up to which it reaches; without begin, from 0. order: of
    the rows, from the top; largest_first: from the largest. noted: a number beside the bars.
    """

    end: str
    begin: str | None = None
    order: str | None = None
    largest_first: bool = False
    noted: str | None = None
    lines: tuple[str, ...] = ()

    form = "intervals"
    parts: ClassVar = {
        "end": "number",
        "begin": "number",
        "order": "order",
        "noted": "number",
        "lines": "line",
    }


@final
@dataclass(frozen=True)
class Grid(BoxLayout):
    """The cells of a table, in rows and columns.

    of: what stands in the cells; where: a mask, of the cells that are drawn. row, column: numbers
    that say where each stands. Without them, the elements are the cells row by row: of a table with
    as many rows as columns, or of a triangle, whose row i begins at column i. Those that are left
    over follow down the diagonal. above, beside: numbers over the columns and beside the rows.
    """

    of: str
    row: str | None = None
    column: str | None = None
    triangle: bool = False
    where: str | None = None
    above: str | None = None
    beside: str | None = None

    form = "grid"
    parts: ClassVar = {
        **dict.fromkeys(("of", "row", "column", "above", "beside"), "number"),
        "where": "mask",
    }

    def check(self, fields: Fields) -> None:
        super().check(fields)
        if (self.row is None) != (self.column is None):
            raise DefinitionError(
                f"Grid has row={self.row!r} and column={self.column!r}: give both, or neither."
            )
