"""Where each layout places the elements of a run, written once more in Python: the page is held to
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import compress

import networkx as nx
import numpy as np

from algolens.api.pictures import value_at
from algolens.arrays import NUMPY, to
from algolens.engines import Run
from algolens.graphs.cells import cells_within
from algolens.language.fields import Field
from algolens.language.layouts import (
    Bars,
    BoxLayout,
    Grid,
    Heap,
    Intervals,
    Layout,
    Plane,
    Tape,
)

Box = tuple[float, float, float, float]  # left, right, low, high
SIDE = 8  # the longer side of a plane, where an edge is about 1 long


@dataclass(frozen=True)
class Moment:
    """The fields of a run at one moment, as a layout reads them."""

    fields: Mapping[str, Field]
    count: int  # of the elements
    at: Callable[[str], Sequence[int]]  # a field's values; none where they are not known
    ever: Callable[[str], tuple[int, int]]  # the least and the greatest value in the whole run


def moment_of(run: Run, moment: int) -> Moment:
    """A run after so many steps."""
    declaration, layout = run.algorithm.declaration, run.algorithm.layout
    fields = {**declaration.inputs, **declaration.predicted}

    def at(name: str) -> Sequence[int]:
        if (
            name not in {*run.inputs, *declaration.state, *declaration.outputs}
            and not run.num_steps
        ):
            return []
        return value_at(run, name, moment).astype(int).tolist()

    def ever(name: str) -> tuple[int, int]:
        known = [to(source[name], NUMPY) for source in (run.inputs, run.start) if name in source]
        if name in declaration.predicted and run.num_steps:
            known += [to(values, NUMPY) for values in (run[name].first, run[name].values)]
        values = np.concatenate([*known, [0] if not any(map(len, known)) else []])
        return int(values.min()), int(values.max())

    drawn = getattr(layout, next(iter(layout.parts)))
    return Moment(fields, run.graph.count(fields[drawn].at), at, ever)


# ---- points


def places(layout: Plane, moment: Moment) -> list[tuple[float, float]]:
    """Where every node is drawn, from 0 to 8 on the longer side, the first axis to the right and
    the other down.
    """
    x, y = moment.at(layout.x), moment.at(layout.y)
    (left, right), (low, high) = moment.ever(layout.x), moment.ever(layout.y)
    unit = max(right - left, high - low, 1) / SIDE
    return [((a - left) / unit, (high - b) / unit) for a, b in zip(x, y, strict=True)]


def segments(layout: Plane, moment: Moment) -> list[tuple[int, int]]:
    """The nodes between which there are segments."""
    drawn = []
    for pair in layout.segments:
        begin, end = (_node(moment, name) for name in pair)
        if begin is not None and end is not None and begin != end:
            drawn.append((begin, end))
    return drawn


def _node(moment: Moment, name: str) -> int | None:
    values = moment.at(name)
    if moment.fields[name].at != "graph":
        values = [*compress(range(moment.count), values)]
    return next(iter(values), None)


# ---- boxes


def named(layout: BoxLayout, moment: Moment, mark: str) -> list[int]:
    """The elements that a mark names."""
    field, values = moment.fields[mark], moment.at(mark)
    if field.at != "graph":
        return [*compress(range(moment.count), values)]
    order, places = getattr(layout, "order", None), range(moment.count)
    ordered: Sequence[int] = places
    if field.kind == "number" and order is not None:
        ordered = moment.at(order)
    return [element for element, place in enumerate(ordered) if place in values[:1]]


def ranks(layout: Layout, moment: Moment) -> list[int]:
    """The place of every element in the order; of equals, the first comes first."""
    order: Sequence[int] = range(moment.count)
    name = getattr(layout, "order", None)
    if name is not None:
        values = moment.at(name)
        if moment.fields[name].kind == "pointer":
            order = _chained(values)
        else:
            largest_first = getattr(layout, "largest_first", False)
            order = sorted(order, key=values.__getitem__, reverse=largest_first)
    found = dict(zip(order, range(moment.count), strict=True))
    return [found[element] for element in range(moment.count)]


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


@singledispatch
def boxes(layout: BoxLayout, moment: Moment) -> list[Box]:
    """The box of every element."""
    raise NotImplementedError


@singledispatch
def extent(layout: BoxLayout, moment: Moment) -> Box:
    """What the drawing shows at every moment of a run."""
    raise NotImplementedError


@boxes.register
def _(layout: Bars, moment: Moment) -> list[Box]:
    return [
        (rank, rank + 1, min(0, value), max(0, value))
        for rank, value in zip(ranks(layout, moment), moment.at(layout.of), strict=True)
    ]


@extent.register
def _(layout: Bars, moment: Moment) -> Box:
    least, most = zip(*map(moment.ever, (layout.of, *layout.lines)), strict=True)
    return 0, moment.count, min(0, *least), max(0, *most)


@boxes.register
def _(layout: Heap, moment: Moment) -> list[Box]:
    levels = moment.count.bit_length()
    found: list[Box] = []
    for place in ranks(layout, moment):
        level = (place + 1).bit_length() - 1
        wide = 2 ** (levels - 1 - level)  # cells that a number has with all below it
        left = wide * (place + 1 - 2**level) + (wide - 1) / 2
        found.append((left, left + 1, 2 * level, 2 * level + 1))
    return found


@extent.register
def _(_: Heap, moment: Moment) -> Box:
    levels = max(1, moment.count.bit_length())
    return 0, 2 ** (levels - 1), 0, 2 * levels - 1


@boxes.register
def _(layout: Tape, moment: Moment) -> list[Box]:
    below = [0] * moment.count if layout.second is None else moment.at(layout.second)
    lengths, columns = [0, 0], []
    for row in below:
        columns.append(lengths[row])
        lengths[row] += 1
    shift = 0
    if layout.meets is not None:
        upper, lower = (named(layout, moment, name) for name in layout.meets)
        if upper and lower:
            shift = columns[upper[0]] - columns[lower[0]]
    return [
        (column + shift * row, column + shift * row + 1, row, row + 1)
        for row, column in zip(map(int, below), columns, strict=True)
    ]


@extent.register
def _(layout: Tape, moment: Moment) -> Box:
    below = 0 if layout.second is None else sum(moment.at(layout.second))
    return 0, max(below, moment.count - below), 0, 1 if layout.second is None else 2


@boxes.register
def _(layout: Intervals, moment: Moment) -> list[Box]:
    begins = [0] * moment.count if layout.begin is None else moment.at(layout.begin)
    rows = zip(begins, moment.at(layout.end), ranks(layout, moment), strict=True)
    return [(begin, end, rank, rank + 1) for begin, end, rank in rows]


@extent.register
def _(layout: Intervals, moment: Moment) -> Box:
    names = filter(None, (layout.begin, layout.end, *layout.lines))
    least, most = zip(*map(moment.ever, names), strict=True)
    return min(0, *least), max(0, *most), 0, moment.count


@boxes.register
def _(layout: Grid, moment: Moment) -> list[Box]:
    if layout.row is not None and layout.column is not None:
        cells = list(zip(moment.at(layout.row), moment.at(layout.column), strict=True))
    else:
        within = cells_within("intervals" if layout.triangle else "pairs", moment.count)
        cells = list(zip(within.row.tolist(), within.column.tolist(), strict=True))
    return [(column, column + 1, row, row + 1) for row, column in cells]


@extent.register
def _(layout: Grid, moment: Moment) -> Box:
    if layout.row is not None and layout.column is not None:
        (top, bottom), (left, right) = moment.ever(layout.row), moment.ever(layout.column)
        return left, right + 1, top, bottom + 1
    values = moment.at(layout.where) if layout.where is not None else ()
    shown = [bool(value) for value in values] if any(values) else [True] * moment.count
    drawn = [*compress(boxes(layout, moment), shown)]
    begin, end, first, last = zip(*(drawn or [(0, 1, 0, 1)]), strict=True)
    return min(begin), max(end), min(first), max(last)
