"""Layouts in which every element is a box: bars, heaps, letters on a tape, intervals, tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import compress
from typing import final

from algolens.errors import DefinitionError
from algolens.language.layouts.layout import Box, BoxLayout, Fields, Moment


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

    form, across, upwards = "bars", False, True
    numbers = ("of",)

    def boxes(self, moment: Moment) -> list[Box]:
        return [
            (rank, rank + 1, min(0, value), max(0, value))
            for rank, value in zip(self.ranks(moment), moment.at(self.of), strict=True)
        ]

    def extent(self, moment: Moment) -> Box:
        least, most = zip(*(moment.ever(name) for name in (self.of, *self.lines)), strict=True)
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

    form, across, upwards = "heap", False, False
    lines, numbers, masks = (), ("of",), ("out",)

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
        at = {place: element for element, place in enumerate(ranks)}
        return [
            (element, at[(place - 1) // 2])
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

    form, across, upwards = "tape", False, False
    lines, order, numbers, masks = (), None, ("noted",), ("second",)

    def check(self, fields: Fields) -> None:
        super().check(fields)
        if self.meets is None:
            return
        if not isinstance(self.meets, tuple) or len(self.meets) != 2 or self.second is None:
            raise DefinitionError(
                f"Tape has meets={self.meets!r}: name a cell of each row, as in ('in_text', "
                "'in_pattern'), and in second who is in the second row."
            )
        for name in self.meets:
            self.check_mark(fields, "meets", name)

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

    form, across, upwards = "intervals", True, False
    marks, first, numbers = (), "end", ("begin", "end", "noted")

    def boxes(self, moment: Moment) -> list[Box]:
        ends = moment.at(self.end)
        begins = [0] * moment.count if self.begin is None else moment.at(self.begin)
        return [
            (begin, end, rank, rank + 1)
            for begin, end, rank in zip(begins, ends, self.ranks(moment), strict=True)
        ]

    def extent(self, moment: Moment) -> Box:
        names = [self.end, *self.lines, *([] if self.begin is None else [self.begin])]
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

    form, across, upwards = "grid", False, False
    marks, lines, order = (), (), None
    numbers, masks = ("of", "row", "column", "above", "beside"), ("where",)

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
            places = cells_in_rows(moment.count, self.triangle)
        return [(column, column + 1, row, row + 1) for row, column in places]

    def extent(self, moment: Moment) -> Box:
        if self.row is not None and self.column is not None:
            (top, bottom), (left, right) = moment.ever(self.row), moment.ever(self.column)
            return left, right + 1, top, bottom + 1
        shown = self.shown(moment)
        if not all(shown):
            begin, end, first, last = zip(*compress(self.boxes(moment), shown), strict=True)
            return min(begin), max(end), min(first), max(last)
        size = max((row for row, _ in cells_in_rows(moment.count, self.triangle)), default=0) + 1
        return 0, size, 0, size

    def shown(self, moment: Moment) -> list[bool]:
        """Which cells are drawn; all, where none would be or that is not known yet."""
        values = moment.at(self.where) if self.where is not None else ()
        return [bool(value) for value in values] if any(values) else [True] * moment.count


def cells_in_rows(count: int, triangle: bool) -> list[tuple[int, int]]:
    """The row and the column of so many cells of a square, or of a triangle.

    >>> cells_in_rows(7, triangle=True)
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (3, 3)]
    """
    size = (math.isqrt(8 * count + 1) - 1) // 2 if triangle else math.isqrt(count)
    cells = [(row, column) for row in range(size) for column in range(row if triangle else 0, size)]
    return cells + [(size + more, size + more) for more in range(count - len(cells))]
