"""Moments of a run as static pictures, by Matplotlib, in the colors and forms of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from algolens.arrays import NUMPY, to
from algolens.engines import Run
from algolens.engines.numbers import given_numbers
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.fields import Category, Mask, Number, Pointer
from algolens.language.layouts import BoxLayout, Grid, Heap, Moment, Plane, Tape
from algolens.language.words import ENDLESS, NONE
from algolens.reports.figures import ANSWERS, DASHES, FORMS, INK, PALE
from algolens.text.names import written
from algolens.text.seen import is_endless

Places = Mapping[int, tuple[float, float]]  # of nodes, an edge being about 1 long

INCHES, WIDEST = 0.455, 3.4  # of an edge in small pictures, and of such a picture
POINTS, SMALL = 8.0, 6.0  # radius of a node and size of a text in small pictures, in points
BESIDE = 0.47  # from the middle of a node to that of a text beside it
CELL, LINE = 0.24, 0.13  # inches of a box and of a line of text
MOST_NAMED, MOST_CLEAR = 200, 400  # of more, boxes have no texts, and nodes' lie below
SLAB, GAP = 0.025, 0.07  # of the height: a bar of nothing; of a cell: the room around a box
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
# where a text may stand: below, above, right, left, then between; [8, 2]
ANGLES = np.deg2rad([-90, 90, 0, 180, -45, -135, 45, 135])
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
ALONG = np.linspace(0, 1, 21)[:, None, None]  # parts of an edge that a text keeps clear of
BOLD: dict[str, Any] = {"color": INK, "linewidth": 1.6}  # lines of pointers and of segments


# ---- what is read of a run


def value_at(run: Run, name: str, moment: int) -> np.ndarray:
    """A field after a step; before the first, its start, or 0 where it is no state."""
    if moment:
        return to(run[name][moment - 1], NUMPY)
    if name in run.start:
        return to(run.start[name], NUMPY)
    at = run.algorithm.declaration.predicted[name].location
    return np.zeros(run.graph.count(at), int)


def layout_moment(run: Run, moment: int) -> Moment:
    """A run after so many steps, as a layout reads it."""
    declaration, layout = run.algorithm.declaration, run.algorithm.layout
    fields = {**declaration.inputs, **declaration.predicted}

    def at(name: str) -> Sequence[int]:
        if name in declaration.inputs:
            values = run.inputs[name]
        elif name in declaration.state or name in declaration.outputs:
            values = value_at(run, name, moment)
        elif run.num_steps:  # what is only observed, as the next step sees it
            values = run[name][min(moment, run.num_steps - 1)]
        else:
            return []
        return to(values, NUMPY).astype(int).tolist()

    def ever(name: str) -> tuple[int, int]:
        known = [to(source[name], NUMPY) for source in (run.inputs, run.start) if name in source]
        if name in declaration.predicted and run.num_steps:
            known += [to(values, NUMPY) for values in (run[name].first, run[name].values)]
        values = np.concatenate([*known, [0] if not any(map(len, known)) else []])
        return int(values.min()), int(values.max())

    at_boxes = layout.location(fields) if isinstance(layout, BoxLayout) else Location.NODE
    return Moment(fields, run.graph.count(at_boxes), at, ever)


def _shown_fields(run: Run, at: Location, kind: type) -> list[str]:
    """Outputs and other state of a kind at a location."""
    declaration = run.algorithm.declaration
    return [
        name
        for name in dict.fromkeys((*declaration.outputs, *declaration.state))
        if declaration.predicted[name].location is at
        and isinstance(declaration.predicted[name].kind, kind)
    ]


def _is_arrow(run: Run, name: str) -> bool:
    """Whether a pointer leads to another node; others say which set a node is in."""
    declaration = run.algorithm.declaration
    kind = declaration.predicted[name].kind
    if isinstance(kind, Pointer) and kind.itself_is_none:
        return True
    values = [
        case.value if isinstance(case, ir.The) else case
        for let in (() if declaration.in_python else declaration.program.becomes)
        if let.name == name
        for _, case in let.cases
    ]
    return bool(values) and all(
        getattr(value, "column", "") in ("sender", "receiver") for value in values
    )


def classes_at(run: Run, at: Location, moment: int) -> tuple[list[str], np.ndarray] | None:
    """What the classes of the elements at a location are called, and which each is in.

    Classes are their category, else the sets they are in (where they are alone, their masks), else
    their masks: the first state that holds, as the algorithm names them. None where nothing is
    decided of them.
    """
    declaration = run.algorithm.declaration
    words, count = declaration.words, run.graph.count(at)
    for name in _shown_fields(run, at, Category):
        labels = declaration.predicted[name].kind.labels
        said = [words.states.get(label, f"{name.replace('_', ' ')} {label}") for label in labels]
        first = int(len(labels) == 2)  # of two classes, none is that of nothing done
        return [""] * first + said, value_at(run, name, moment) + first
    masks = _shown_fields(run, at, Mask)
    masks = [name for name in words.states if name in masks] or masks[::-1]
    said = [words.states.get(name, name.removeprefix("is_").replace("_", " ")) for name in masks]
    none = words.states.get(NONE) if at is declaration.location else None
    names = [none or f"not {said[-1]}", *said] if masks else ["alone"]
    holds = np.array([value_at(run, name, moment) for name in masks], bool).reshape(-1, count)
    numbers = np.where(holds.any(0), 1 + holds.argmax(0), 0) if masks else np.zeros(count, int)
    for name in _shown_fields(run, at, Pointer):
        # in a table, a pointer names another cell
        if not isinstance(run.algorithm.layout, Grid) and not _is_arrow(run, name):
            pointers = value_at(run, name, moment)
            roots = np.unique(run[name].values) if run.num_steps else pointers
            is_alone = np.bincount(pointers, minlength=1)[pointers] == 1
            of_set = len(names) + np.searchsorted(roots, pointers)
            return names, np.where(is_alone, numbers, of_set)
    return (names, numbers) if masks else None


def _texts(run: Run, moment: int, name: str | None, count: int) -> list[str]:
    """A number of every element as its user would write it; nothing where it says nothing yet."""
    if name is None:
        return [""] * count
    if name in run.inputs:
        return [*map(written, given_numbers(run.algorithm, run.graph, run.inputs, name))]
    where = run.algorithm.declaration.only_where.get(name)
    now = layout_moment(run, moment)
    numbers = run.in_own_units(name, list(now.at(name)))
    holds = [True] * count if where is None else now.at(where)
    return [
        (ENDLESS if is_endless(run, name, place) else written(number)) if known else ""
        for place, (number, known) in enumerate(zip(numbers, holds, strict=True))
    ]


# ---- pictures


def picture_size(
    run: Run, places: Places, inches: float = INCHES, widest: float = WIDEST
) -> tuple[float, float]:
    """How wide and how high a picture of a moment is, in inches. inches: of an edge."""
    layout = run.algorithm.layout
    if isinstance(layout, BoxLayout):
        left, right, low, high = layout.extent(layout_moment(run, 0))
        wide = 0.0 if layout.across else CELL * (right - left) + 0.3
        tall = 1.2 if layout.upwards else CELL * (high - low)
        lines = 3 + 2 * len(layout.marks) + len(layout.lines)
        return min(12.0, max(1.9, wide)), min(12.0, tall + LINE * lines)
    drawn = plane_places(run) if isinstance(layout, Plane) else places
    columns, rows = np.ptp(list(drawn.values()), axis=0)
    unit = min(inches, widest / (max(columns, rows) + 1.2))
    return unit * (columns + 1.1), unit * (rows + 1.2) + 0.16


def legend_of(run: Run, moments: Iterable[int]) -> list[Line2D]:
    """The color and form of each class that is seen at some moments, with its name."""
    at, has_boxes = run.algorithm.declaration.location, isinstance(run.algorithm.layout, BoxLayout)
    known = [classes for moment in moments if (classes := classes_at(run, at, moment)) is not None]
    handles = []
    for number in np.unique([numbers for _, numbers in known]).astype(int):
        if number >= len(known[0][0]) or not known[0][0][number]:
            continue  # a set has no name
        if at is Location.EDGE and not has_boxes:
            look = _line(number)
        else:
            look = {
                "marker": "s" if has_boxes else _form(number),
                "linestyle": "none",
                "markerfacecolor": _color(number),
                "markeredgecolor": INK,
                "markersize": 6,
            }
        handles.append(Line2D([], [], label=known[0][0][number], **look))
    return handles


def _place(number: int) -> int:
    """Of a class, that of its color and form; 0 is that of nothing done."""
    return 0 if number == 0 else 1 + (number - 1) % (len(ANSWERS) - 1)


def _color(number: int) -> str:
    return ANSWERS[_place(number)]


def _form(number: int) -> str:
    return FORMS[_place(number)]


def _line(number: int, radius: float = POINTS) -> dict[str, Any]:
    """How an edge of a class is drawn."""
    color, width = (_color(number), radius / 3) if number else (PALE, 1)
    return {"linestyle": DASHES[_place(number)], "color": color, "linewidth": width}


def draw_moment(axes: Axes, run: Run, moment: int, places: Places, radius: float = POINTS) -> None:
    """A run after so many steps. radius: of a node, in points."""
    if isinstance(run.algorithm.layout, BoxLayout):
        _draw_boxes(axes, run, moment, run.algorithm.layout)
    else:
        _draw_graph(axes, run, moment, places, radius)


def _write(axes: Axes, text: str, place: Any, up: float = 0, **look: Any) -> None:
    """Writes a text so many points above a place, in its middle unless it is said otherwise."""
    look = {"ha": "center", "va": "center", "fontsize": SMALL, "color": INK, **look}
    axes.annotate(text, place, (0, up), textcoords="offset points", annotation_clip=False, **look)


def _draw_graph(axes: Axes, run: Run, moment: int, places: Places, radius: float) -> None:
    """Nodes and edges in the colors of their classes, pointers as arrows, numbers beside both."""
    declaration, graph, layout = run.algorithm.declaration, run.graph, run.algorithm.layout
    edges = to(graph.edges, NUMPY).T
    segments: list[tuple[int, int]] = []
    if isinstance(layout, Plane):  # of points in a plane, edges are not looked at
        places, radius, edges = plane_places(run, moment), 0.6 * radius, edges[:0]
        segments = layout.ends(layout_moment(run, moment))
    points = np.array([places[node] for node in range(graph.num_nodes)])
    _, marks = classes_at(run, Location.EDGE, moment) or ([], np.zeros(len(edges), int))
    for number in np.unique(marks[: len(edges)]):
        ends = points[edges[marks == number]]
        _draw_lines(axes, ends, radius, has_heads=graph.directed, **_line(number, radius))
    _draw_lines(axes, points[np.array(segments, int).reshape(-1, 2)], radius, **BOLD)
    pointers = [name for name in _shown_fields(run, Location.NODE, Pointer) if _is_arrow(run, name)]
    known = {*map(tuple, edges.tolist()), *map(tuple, edges[:, ::-1].tolist())}
    # of several pointers, the last is what the others lead to; along edges, arrows lead from the
    # parent on, as in the page: they are a tree
    arrows = [
        (target, node) if (target, node) in known else (node, target)
        for name in [name for name in pointers if name in run.outputs][-1:]
        for node, target in enumerate(value_at(run, name, moment).tolist())
        if target != node
    ]
    ends = points[np.array(arrows, int).reshape(-1, 2)]
    _draw_lines(axes, ends, radius, has_heads=True, **BOLD)
    at_nodes = classes_at(run, Location.NODE, moment)
    numbers = np.zeros(len(points), int) if at_nodes is None else at_nodes[1]
    for number in np.unique(numbers):
        columns, rows = points[numbers == number].T
        axes.scatter(
            columns,
            rows,
            s=(2 * radius) ** 2 * (0.8 if _form(number) in "sD" else 1),
            marker=_form(number),
            facecolor="white" if at_nodes is None else _color(number),
            edgecolor=INK,
            linewidth=0.8,
            zorder=2,
        )
    beside = [name for name in _shown_fields(run, Location.NODE, Number) if name in run.outputs]
    for name, field in declaration.inputs.items():
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH:
            x, y = points[int(run.inputs[name][0])]
            axes.scatter(x, y, s=(2.5 * radius) ** 2, facecolor="none", edgecolor=INK, zorder=2)
        elif isinstance(field.kind, Number) and field.location is Location.EDGE:
            texts = _texts(run, moment, name, graph.num_edges)
            for ends, text in zip(edges, texts, strict=False):
                _write(axes, text, points[ends].mean(0), bbox=BOXED)
        elif isinstance(field.kind, Number) and field.location is declaration.location:
            is_place = isinstance(layout, Plane) and name in (layout.x, layout.y)
            beside += [] if is_place else [name]
    lists = [_texts(run, moment, name, len(points)) for name in beside]
    wanted = [(node, text) for texts in lists for node, text in enumerate(texts) if text]
    clear = _clear_places(points, edges, [node for node, _ in wanted])
    for place, (_, text) in zip(clear, wanted, strict=True):
        _write(axes, text, place, bbox=BOXED)
    for node, place in enumerate(points):
        _write(axes, graph.name_of(node), place)
    low, high = points.min(0) - 0.65, points.max(0) + 0.65
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.axis("off")


def _draw_lines(
    axes: Axes, ends: np.ndarray, radius: float, *, has_heads: bool = False, **look: Any
) -> None:
    """Lines, or arrows between nodes. ends: [lines, 2, 2]."""
    if not has_heads:
        axes.add_collection(LineCollection(list(ends), zorder=1, **look))
        return
    style = {"arrowstyle": "-|>", "mutation_scale": radius, "shrinkA": radius, "shrinkB": radius}
    for begin, end in ends.tolist():
        axes.annotate("", end, begin, arrowprops={**style, **look}, zorder=1)


def _clear_places(
    points: np.ndarray, edges: np.ndarray, labelled: Sequence[int]
) -> list[np.ndarray]:
    """A place for the text of each of some nodes, far from edges, nodes and other texts."""
    if len(points) > MOST_CLEAR:
        return [points[node] - (0, BESIDE) for node in labelled]
    begin, end = points[edges[:, 0]], points[edges[:, 1]]
    taken = np.concatenate([points, (begin + ALONG * (end - begin)).reshape(-1, 2)])
    chosen: list[np.ndarray] = []
    for node in labelled:
        candidates = points[node] + BESIDE * DIRECTIONS
        room = np.linalg.norm(candidates[:, None] - taken, axis=2).min(1)
        chosen.append(candidates[room.round(3).argmax()])
        taken = np.concatenate([taken, chosen[-1:]])
    return chosen


def plane_places(run: Run, moment: int = 0) -> Places:
    """Where points of the plane are drawn; Matplotlib counts upwards."""
    assert isinstance(run.algorithm.layout, Plane)
    drawn = run.algorithm.layout.places(layout_moment(run, moment))
    return {node: (x, -y) for node, (x, y) in enumerate(drawn)}


def _draw_boxes(axes: Axes, run: Run, moment: int, layout: BoxLayout) -> None:
    """Every element as a box in the color of its class: bars, a heap, tapes, intervals, a table."""
    now = layout_moment(run, moment)
    at, extent = layout.location(now.fields), layout.extent(now)
    boxes = np.array(layout.boxes(now), float).reshape(-1, 4)
    shown = layout.shown(now) if isinstance(layout, Grid) else [True] * now.count
    elements = [*compress(range(now.count), shown)]
    left, right, low, high = boxes[elements].T
    _, numbers = classes_at(run, at, moment) or ([], np.zeros(now.count, int))
    if isinstance(layout, Heap):
        middles = boxes.reshape(-1, 2, 2).mean(2)
        links = middles[np.array(layout.links(now), int).reshape(-1, 2)]
        _draw_lines(axes, links, POINTS, color=INK, linewidth=0.8)
    # a bar of nothing is a slab, whose color is seen
    tall = np.maximum(high - low, SLAB * (extent[3] - extent[2]) if layout.upwards else 0)
    aside, above = GAP * layout.upwards, GAP * layout.across
    colors = [_color(number) for number in numbers[elements]]
    look: dict[str, Any] = {"align": "edge", "color": colors, "edgecolor": INK, "linewidth": 0.8}
    axes.bar(left + aside, tall - 2 * above, right - left - 2 * aside, low + above, **look)
    room = 0.02 * (extent[1] - extent[0]) if layout.across else 0.2
    axes.set_xlim(left.min(initial=extent[0]) - room, right.max(initial=extent[1]) + room)
    # rows are counted from the top down, numbers from the bottom up
    top = 0.7 + 0.6 * len(layout.marks) if layout.across or isinstance(layout, Tape) else 0
    axes.set_ylim(extent[2:] if layout.upwards else (extent[3], extent[2] - top))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=SMALL, labelcolor=INK)
    if layout.across:
        factor = run.scale_of(layout.main).factor
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / factor:g}")
    else:
        axes.set_xticks([])
    axes.set_yticks([])
    if layout.upwards:
        axes.axhline(0, color=PALE, linewidth=0.8, zorder=0)
    if now.count <= MOST_NAMED:
        _write_boxes(axes, run, moment, layout, {each: boxes[each] for each in elements})
    for name in layout.lines:
        value, line = now.at(name)[0], axes.axvline if layout.across else axes.axhline
        line(value, color=INK, linewidth=1.0, linestyle=(0, (4, 2)))
        words = f"{field_in_words(run, name)} {_texts(run, moment, name, 1)[0]}"
        place = (value, 0) if layout.across else (axes.get_xlim()[0], value)
        _write(axes, words, place, 1.5, ha="center" if layout.across else "left", va="bottom")


def _write_boxes(
    axes: Axes, run: Run, moment: int, layout: BoxLayout, boxes: Mapping[int, np.ndarray]
) -> None:
    """Writes what stands in boxes, and below them, or at the margins, names and marks."""
    now = layout_moment(run, moment)
    at, bottom = layout.location(now.fields), layout.extent(now)[2]
    said, noted = (
        _texts(run, moment, getattr(layout, part, None), now.count) for part in ("of", "noted")
    )
    marks = [(field_in_words(run, mark), layout.named(now, mark)[:1]) for mark in layout.marks]
    rows, columns = dict[float, str](), dict[float, str]()
    for element, (left, right, low, high) in boxes.items():
        name, x, y = run.graph.name_at(at, element), (left + right) / 2, (low + high) / 2
        if layout.across:
            rows[y] = name
            _write(axes, f" {noted[element]}", (right, y), ha="left")
            continue
        if layout.upwards:
            _write(axes, said[element], (x, high if low >= 0 else low), 5 if low >= 0 else -5)
        else:
            _write(axes, said[element], (x, y))
        if isinstance(layout, Grid):
            row, _, column = name.partition(":")
            rows.setdefault(y, row if column else f"{low:g}")
            columns.setdefault(x, column or f"{left:g}")
            continue
        lines = [] if isinstance(layout, Heap) else [name]
        lines += [noted[element]] * bool(noted[element])
        lines += [mark if element in named else "" for mark, named in marks]  # each on its line
        if isinstance(layout, Tape) and layout.second is not None and low == 0:
            _write(axes, "\n".join(lines[::-1]).lstrip(), (x, low), 2, va="bottom")
        else:
            end = bottom if layout.upwards else high
            _write(axes, "\n".join(lines).rstrip(), (x, end), -2, va="top")
    if rows:
        axes.set_yticks(list(rows), list(rows.values()))
    if columns:
        axes.set_xticks(list(columns), list(columns.values()))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)


def field_in_words(run: Run, name: str) -> str:
    """What a field is called for readers."""
    words = run.algorithm.declaration.words
    return words.names.get(name) or words.states.get(name) or name.replace("_", " ")
