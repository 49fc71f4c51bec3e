"""Layouts: a word for how a run is drawn, with the fields that it is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any, ClassVar, final

import msgspec

from algolens.errors import DefinitionError
from algolens.graphs.cells import cells_within
from algolens.language.fields import Field, Location, Number, Pointer
from algolens.lazy import nx

Box = tuple[float, float, float, float]  # left, right, low, high
Fields = Mapping[str, Field]
SIDE = 8  # the longer side of a plane, where an edge is about 1 long


@final
@dataclass(frozen=True)
class Moment:
    """The fields of a run at one moment, as a layout reads them."""

    fields: Fields
    count: int  # of the elements
    at: Callable[[str], Sequence[int]]  # a field's values; none where they are not known
    ever: Callable[[str], tuple[int, int]]  # the least and the greatest value in the whole run


# what a part of a layout names: in words, and as kinds, at the elements or of the graph
NAMES: Mapping[str, tuple[str, set[str]]] = {
    "field": ("a field at nodes or at edges", {"Mask", "Category", "Number", "Pointer"}),
    "number": ("a number at the {at}s", {"Number"}),
    "mask": ("a mask at the {at}s", {"Mask"}),
    "order": ("a number or a pointer at the {at}s", {"Number", "Pointer"}),
    "line": ("a number of the graph", {"graph's Number"}),
    "mark": (
        "a mask at the {at}s, or a number or a pointer of the graph",
        {"Mask", "graph's Number", "graph's Pointer"},
    ),
    "end": (
        "a pointer of the graph to a node, or a mask at the nodes",
        {"Mask", "graph's Pointer"},
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
                at = at or field.location
                whose = "" if field.location == at else f"{field.location}'s "
                fits = f"{whose}{type(field.kind).__name__}" in kinds
                if at not in ("node", "edge") or not (fits and field.kind.points_to in (None, at)):
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
            begin, end = (self._node(moment, name) for name in pair)
            if begin is not None and end is not None and begin != end:
                drawn.append((begin, end))
        return drawn

    def _node(self, moment: Moment, name: str) -> int | None:
        values = moment.at(name)
        if moment.fields[name].location != "graph":
            values = [*compress(range(moment.count), values)]
        return next(iter(values), None)


# ---- every element is a box


class BoxLayout(Layout):
    """Every element is a box: on each axis from one number, or cell, to another.

    ``marks`` name elements: a mask where they are, a number of the graph that is a place in the
    order, or a pointer of the graph. ``lines`` are numbers of the graph on the axis of numbers.
    """

    across: ClassVar[bool] = False  # whether the axis from left to right is one of numbers
    upwards: ClassVar[bool] = False  # whether the other axis is one of numbers
    marks: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    order: str | None = None
    largest_first: bool = False

    @property
    def main(self) -> str:
        """The field whose elements are drawn."""
        return str(getattr(self, next(iter(self.parts))))

    def boxes(self, moment: Moment) -> list[Box]:
        """The box of every element."""
        raise NotImplementedError

    def extent(self, moment: Moment) -> Box:
        """What the drawing shows at every moment of a run."""
        raise NotImplementedError

    def location(self, fields: Fields) -> Location:
        """Where the elements that are drawn are."""
        return fields[self.main].location

    def to_json(self, fields: Fields) -> dict[str, Any]:
        return {**super().to_json(fields), "at": self.location(fields).value}

    def named(self, moment: Moment, mark: str) -> list[int]:
        """The elements that a mark names."""
        field, values = moment.fields[mark], moment.at(mark)
        if field.location != "graph":
            return [*compress(range(moment.count), values)]
        places: Sequence[int] = range(moment.count)
        if isinstance(field.kind, Number) and self.order is not None:
            places = moment.at(self.order)
        return [element for element, place in enumerate(places) if place in values[:1]]

    def ranks(self, moment: Moment) -> list[int]:
        """The place of every element in the order; of equals, the first comes first."""
        order: Sequence[int] = range(moment.count)
        if self.order is not None:
            values = moment.at(self.order)
            if isinstance(moment.fields[self.order].kind, Pointer):
                order = _chained(values)
            else:
                order = sorted(order, key=values.__getitem__, reverse=self.largest_first)
        ranks = dict(zip(order, range(moment.count), strict=True))
        return [ranks[element] for element in range(moment.count)]


def _chained(pointers: Sequence[int]) -> list[int]:
    """Elements after those that they point to: the longest chain first, of equals the first."""
    forest = nx.empty_graph(len(pointers), nx.DiGraph)
    forest.add_edges_from((to, element) for element, to in enumerate(pointers) if to != element)
    heads = [element for element, to in enumerate(pointers) if to == element]
    chains, met = [], set[int]()
    # what points in a circle has no head, and begins anywhere
    for head in [*heads, *forest]:
        if head not in met:
            chains.append(list(nx.dfs_preorder_nodes(forest, head)))
            met.update(chains[-1])
    return [element for chain in sorted(chains, key=len, reverse=True) for element in chain]


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

    form, upwards = "bars", True
    parts: ClassVar = {"of": "number", "order": "order", "marks": "mark", "lines": "line"}

    def boxes(self, moment: Moment) -> list[Box]:
        return [
            (rank, rank + 1, min(0, value), max(0, value))
            for rank, value in zip(self.ranks(moment), moment.at(self.of), strict=True)
        ]

    def extent(self, moment: Moment) -> Box:
        least, most = zip(*map(moment.ever, (self.of, *self.lines)), strict=True)
        return 0, moment.count, min(0, *least), max(0, *most)


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

    def boxes(self, moment: Moment) -> list[Box]:
        levels = moment.count.bit_length()
        found: list[Box] = []
        for place in self.ranks(moment):
            level = (place + 1).bit_length() - 1
            wide = 2 ** (levels - 1 - level)  # cells that a number has with all below it
            left = wide * (place + 1 - 2**level) + (wide - 1) / 2
            found.append((left, left + 1, 2 * level, 2 * level + 1))
        return found

    def extent(self, moment: Moment) -> Box:
        levels = max(1, moment.count.bit_length())
        return 0, 2 ** (levels - 1), 0, 2 * levels - 1

    def links(self, moment: Moment) -> list[tuple[int, int]]:
        """Each number in the tree but the first, and the one that it stands below."""
        ranks = self.ranks(moment)
        out = [0] * moment.count if self.out is None else moment.at(self.out)
        return [
            (element, ranks.index((place - 1) // 2))
            for element, place in enumerate(ranks)
            if place and not out[element]
        ]


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

    def boxes(self, moment: Moment) -> list[Box]:
        below = [0] * moment.count if self.second is None else moment.at(self.second)
        lengths, columns = [0, 0], []
        for row in below:
            columns.append(lengths[row])
            lengths[row] += 1
        shift = 0
        if self.meets is not None:
            upper, lower = (self.named(moment, name) for name in self.meets)
            if upper and lower:
                shift = columns[upper[0]] - columns[lower[0]]
        return [
            (column + shift * row, column + shift * row + 1, row, row + 1)
            for row, column in zip(map(int, below), columns, strict=True)
        ]

    def extent(self, moment: Moment) -> Box:
        below = 0 if self.second is None else sum(moment.at(self.second))
        return 0, max(below, moment.count - below), 0, 1 if self.second is None else 2


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

    form, across = "intervals", True
    parts: ClassVar = {
        "end": "number",
        "begin": "number",
        "order": "order",
        "noted": "number",
        "lines": "line",
    }

    def boxes(self, moment: Moment) -> list[Box]:
        begins = [0] * moment.count if self.begin is None else moment.at(self.begin)
        rows = zip(begins, moment.at(self.end), self.ranks(moment), strict=True)
        return [(begin, end, rank, rank + 1) for begin, end, rank in rows]

    def extent(self, moment: Moment) -> Box:
        names = filter(None, (self.begin, self.end, *self.lines))
        least, most = zip(*map(moment.ever, names), strict=True)
        return min(0, *least), max(0, *most), 0, moment.count


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

    def boxes(self, moment: Moment) -> list[Box]:
        if self.row is not None and self.column is not None:
            places = list(zip(moment.at(self.row), moment.at(self.column), strict=True))
        else:
            cells = cells_within("intervals" if self.triangle else "pairs", moment.count)
            places = list(zip(cells.row.tolist(), cells.column.tolist(), strict=True))
        return [(column, column + 1, row, row + 1) for row, column in places]

    def extent(self, moment: Moment) -> Box:
        if self.row is not None and self.column is not None:
            (top, bottom), (left, right) = moment.ever(self.row), moment.ever(self.column)
            return left, right + 1, top, bottom + 1
        shown = [*compress(self.boxes(moment), self.shown(moment))]
        begin, end, first, last = zip(*(shown or [(0, 1, 0, 1)]), strict=True)
        return min(begin), max(end), min(first), max(last)

    def shown(self, moment: Moment) -> list[bool]:
        """Which cells are drawn; all, where none would be or that is not known yet."""
        values = moment.at(self.where) if self.where is not None else ()
        return [bool(value) for value in values] if any(values) else [True] * moment.count
