"""A run as boxes: bars for numbers, letters on a tape, intervals of time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from algolens.execution import Run
from algolens.layouts import Box, BoxLayout, Grid, Heap, Moment, Tape
from algolens.reports.figures import ANSWERS, INK, PALE
from algolens.reports.run_values import (
    classes_of,
    field_in_words,
    given_texts,
    known_texts,
    layout_moment,
)

# boxes: of more, each is without its name and number
MOST_LABELLED = {"bars": 60, "heap": 63, "tape": 200, "intervals": 60, "grid": 400}
CELL, LANE = 0.24, 0.13  # inches of a column or a row, and of a line of text
LEAST, LARGEST = 1.9, 12.0  # inches
SMALL = 6.0  # points of a text
SLAB = 0.025  # of the height of a drawing: a bar of nothing
GAP = 0.07  # of a column, or a row, on each side of a box


def box_size(run: Run) -> tuple[float, float]:
    """How wide and how high a picture of a run is, in inches."""
    layout = _layout(run)
    left, right, low, high = layout.extent(layout_moment(run, 0))
    wide = LEAST if layout.across else CELL * (right - left) + 0.3
    tall = 1.2 if layout.upwards else CELL * (high - low)
    lanes = 3 + bool(layout.marks) + len(layout.marks) + len(layout.lines)
    return min(LARGEST, max(LEAST, wide)), min(LARGEST, tall + LANE * lanes)


def draw_boxes(axes: Axes, run: Run, moment: int) -> None:
    """A run after so many steps, every element as a box in the color of its class."""
    layout, declaration = _layout(run), run.algorithm.declaration
    now = layout_moment(run, moment)
    at = layout.location(now.fields)
    boxes, extent = layout.boxes(now), layout.extent(now)
    classes = [0] * now.count
    if at is declaration.location:
        classes = classes_of(run, moment)
    for ends in layout.links(now) if isinstance(layout, Heap) else ():
        columns, rows = zip(*(_middle(boxes[end]) for end in ends), strict=True)
        axes.plot(columns, rows, color=INK, linewidth=0.8, zorder=0)
    boxes = [_seen(layout, box, extent) for box in boxes]
    shown = layout.shown(now) if isinstance(layout, Grid) else [True] * now.count
    for box, number in compress(zip(boxes, classes, strict=True), shown):
        _draw_box(axes, layout, box, ANSWERS[number % len(ANSWERS)])
    if now.count <= MOST_LABELLED[layout.form]:
        names = [run.graph.name_at(at, element) for element in range(now.count)]
        numbers = [_texts(run, now, getattr(layout, part, None)) for part in ("of", "noted")]
        for box, *texts in compress(zip(boxes, names, *numbers, strict=True), shown):
            _put_texts(axes, layout, box, extent, texts)
    if isinstance(layout, Grid):
        _put_headers(axes, run, layout, now, boxes)
    lanes = {True: 0, False: 0}
    for mark in layout.marks:
        for element in layout.named(now, mark)[:1]:
            is_above = _is_above(layout, boxes[element])
            said = field_in_words(run, mark)
            _put_mark(axes, layout, boxes[element], extent, said, lanes[is_above])
            lanes[is_above] += 1
    for name in layout.lines:
        said = f"{field_in_words(run, name)} {_texts(run, now, name)[0]}"
        _put_line(axes, layout, extent, now.at(name)[0], said)
    _set_axes(axes, run, layout, (extent, *compress(boxes, shown)))


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[1]) / 2, (box[2] + box[3]) / 2


def _layout(run: Run) -> BoxLayout:
    assert isinstance(run.algorithm.layout, BoxLayout)
    return run.algorithm.layout


def _seen(layout: BoxLayout, box: Box, extent: Box) -> Box:
    """A box as it is drawn: a bar of nothing is a slab on the axis, whose color is seen."""
    left, right, low, high = box
    return (
        (left, right, low, low + SLAB * (extent[3] - extent[2]))
        if (layout.upwards and low == high)
        else box
    )


def _draw_box(axes: Axes, layout: BoxLayout, box: Box, color: str) -> None:
    left, right, low, high = box
    gap_x = GAP if layout.upwards else 0
    gap_y = GAP if layout.across else 0
    axes.add_patch(
        Rectangle(
            (left + gap_x, low + gap_y),
            right - left - 2 * gap_x,
            high - low - 2 * gap_y,
            facecolor=color,
            edgecolor=INK,
            linewidth=0.8,
        )
    )


def _put_texts(axes: Axes, layout: BoxLayout, box: Box, extent: Box, texts: Sequence[str]) -> None:
    """Writes the name of an element, the number in its box or on it, and the one beside it."""
    left, right, low, high = box
    name, number, note = texts
    middle, top = (left + right) / 2, low == 0
    if layout.across:
        _write(axes, name, (extent[0], (low + high) / 2), (-4, 0), "right", "center")
        _write(axes, note, (right, (low + high) / 2), (3, 0), "left", "center")
    elif isinstance(layout, Tape):
        _write(axes, number, (middle, (low + high) / 2), (0, 0), "center", "center")
        if top:
            _write(axes, name, (middle, low), (0, 2), "center", "bottom")
        else:
            _write(axes, f"{name}\n{note}" if note else name, (middle, high), (0, -2))
    elif isinstance(layout, Grid | Heap):
        _write(axes, number, (middle, (low + high) / 2), (0, 0), "center", "center")
    else:
        above = low == 0
        _write(
            axes,
            number,
            (middle, high if above else low),
            (0, 1.5 if above else -1.5),
            "center",
            "bottom" if above else "top",
        )
        _write(axes, name, (middle, extent[2]), (0, -8 if extent[2] < 0 else -2))


def _put_headers(axes: Axes, run: Run, layout: Grid, now: Moment, boxes: Sequence[Box]) -> None:
    """Writes over each column and beside each row what is declared of it.

    Where nothing is, its half of the name of a cell, "row:column"; else its number.
    """
    extent, at = layout.extent(now), layout.location(now.fields)
    for part, axis in (("above", 0), ("beside", 2)):
        texts = _texts(run, now, getattr(layout, part))
        headers: dict[float, str] = {}
        cells = enumerate(zip(boxes, texts, strict=True))
        for element, (box, text) in compress(cells, layout.shown(now)):
            halves = run.graph.name_at(at, element).split(":")
            name = halves[axis == 0] if len(halves) == 2 else f"{box[axis]:g}"
            headers.setdefault(box[axis], text or name)
        for begin, text in headers.items():
            if axis == 0:
                _write(axes, text, (begin + 0.5, extent[2]), (0, 2), "center", "bottom")
            else:
                _write(axes, text, (extent[0], begin + 0.5), (-4, 0), "right", "center")


def _is_above(layout: BoxLayout, box: Box) -> bool:
    """Whether marks of a box stand above it: in the first of two rows of a tape."""
    return isinstance(layout, Tape) and layout.second is not None and box[2] == 0


def _put_mark(axes: Axes, layout: BoxLayout, box: Box, extent: Box, mark: str, lane: int) -> None:
    """Writes a mark below the element that it names; on a tape's first row, above it."""
    left, right, low, high = box
    middle = (left + right) / 2
    if _is_above(layout, box):
        _write(axes, "▼", (middle, low), (0, 9), "center", "bottom")
        _write(axes, mark, (middle, low), (0, 16 + 7 * lane), "center", "bottom")
        return
    bottom = high if isinstance(layout, Tape | Heap) else extent[2]
    if isinstance(layout, Heap):
        _write(axes, mark, (middle, bottom), (0, -2))
        return
    far = 10 + (8 if getattr(layout, "noted", None) or extent[2] < 0 else 0)
    _write(axes, "▲", (middle, bottom), (0, -far))
    _write(axes, mark, (middle, bottom), (0, -far - 7 - 7 * lane))


def _put_line(axes: Axes, layout: BoxLayout, extent: Box, value: float, text: str) -> None:
    style: dict[str, Any] = {"color": INK, "linewidth": 1.0, "linestyle": (0, (4, 2))}
    if layout.across:
        axes.vlines(value, extent[2], extent[3], **style)
        _write(axes, text, (value, -0.1), (0, 0), "center", "bottom")
    else:
        axes.axhline(value, **style)
        _write(axes, text, (0, value), (0, 1.5), "left", "bottom")


def _set_axes(axes: Axes, run: Run, layout: BoxLayout, boxes: Sequence[Box]) -> None:
    left, right, low, high = zip(*boxes, strict=True)
    more = 0.02 * (max(right) - min(left)) if layout.across else 0.2
    axes.set_xlim(min(left) - more, max(right) + more)
    top, bottom = max(high), min(low)
    above = len(layout.lines) if layout.across else 1 + len(layout.marks)
    room = 0.12 * (top - bottom or 1) if layout.upwards else 0.1 + 0.6 * above
    # rows are counted from the top down, numbers from the bottom up
    axes.set_ylim(*((bottom, top + room) if layout.upwards else (top + 0.05, bottom - room)))
    axes.set_yticks([])
    for side in axes.spines:
        axes.spines[side].set_visible(side == "bottom" and layout.across)
        axes.spines[side].set_color(PALE)
    if not layout.across:
        axes.set_xticks([])
        if layout.upwards:
            axes.axhline(0, color=PALE, linewidth=0.8, zorder=0)
        return
    factor = run.scale_of(layout.main).factor
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / factor:g}")
    axes.tick_params(labelsize=SMALL, color=PALE, length=2)


def _write(
    axes: Axes,
    text: str,
    place: tuple[float, float],
    away: tuple[float, float],
    across: str = "center",
    down: str = "top",
) -> None:
    """Writes a text so many points away from a place; a dollar sign begins no formula."""
    axes.annotate(
        text,
        place,
        away,
        textcoords="offset points",
        ha=across,
        va=down,
        fontsize=SMALL,
        color=INK,
        annotation_clip=False,
    )


def _texts(run: Run, now: Moment, name: str | None) -> list[str]:
    """A number of every element as the user would write it; nothing where there is none."""
    if name is None:
        return [""] * now.count
    if name in run.inputs:
        return given_texts(run, name)
    where = run.algorithm.declaration.only_where.get(name, name)
    return known_texts(run, name, {field: list(now.at(field)) for field in (name, where)})
