"""Moments of a run as static pictures: what the player shows of them, by Matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from algolens.engines import Run
from algolens.engines.numbers import given_numbers
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.fields import Category, Mask, Number, Pointer
from algolens.language.layouts import BoxLayout, Grid, Heap, Moment, Plane, Tape
from algolens.language.words import ENDLESS, NONE, moves_of
from algolens.reports.figures import ANSWERS, DASHES, FORMS, INK, LEGEND, PALE, in_style
from algolens.terminal.names import written
from algolens.terminal.seen import is_endless

Places = Mapping[int, tuple[float, float]]  # of nodes, an edge being about 1 long

INCHES, WIDEST = 0.455, 3.4  # of an edge in small pictures, and of such a picture
POINTS, SMALL = 8.0, 6.0  # radius of a node and size of a text in small pictures, in points
BESIDE = 0.47  # from the middle of a node to that of a text beside it
CELL, LINE = 0.24, 0.13  # inches of a box and of a line of text
MOST_BOXES_NAMED, MOST_NODES_CLEAR = 200, 400  # of more, boxes have no texts, and nodes' lie below
MOST_TRIED = 60  # moments, to find one for the middle of a picture
SLAB, GAP = 0.025, 0.07  # of the height: a bar of nothing; of a cell: the room around a box
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
# where a text may stand: below, above, right, left, then between
ANGLES = np.deg2rad([-90, 90, 0, 180, -45, -135, 45, 135])
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)  # [8, 2]


# ---- what is read of a run


def value_at(run: Run, name: str, moment: int) -> list[Any]:
    """A field after a step; before the first, its start, or 0 where it is no state."""
    if moment:
        return run[name][moment - 1].tolist()
    if name in run.start:
        return run.start[name].tolist()
    return [0] * run.graph.count(run.algorithm.declaration.predicted[name].location)


def layout_moment(run: Run, moment: int) -> Moment:
    """A run after so many steps, as a layout reads it."""
    declaration, layout = run.algorithm.declaration, run.algorithm.layout
    fields = {**declaration.inputs, **declaration.predicted}

    def at(name: str) -> Sequence[int]:
        if name in declaration.inputs:
            return [int(value) for value in run.inputs[name]]
        if name in declaration.state or name in declaration.outputs:
            return [int(value) for value in value_at(run, name, moment)]
        # what is only observed, as the next step sees it
        return run[name][min(moment, run.num_steps - 1)].long().tolist() if run.num_steps else []

    def ever(name: str) -> tuple[int, int]:
        values = [source[name] for source in (run.inputs, run.start) if name in source]
        if name in declaration.predicted and run.num_steps:
            values += [run[name].first, run[name].values]
        known = [int(end) for value in values if len(value) for end in value.long().aminmax()]
        return (min(known), max(known)) if known else (0, 0)

    at_boxes = layout.location(fields) if isinstance(layout, BoxLayout) else Location.NODE
    return Moment(fields, run.graph.count(at_boxes), at, ever)


def _shown_fields(run: Run, at: Location, kind: type) -> list[str]:
    """Outputs and other state of a kind at a location."""
    declaration = run.algorithm.declaration
    fields = (
        (name, declaration.predicted[name]) for name in (*declaration.outputs, *declaration.state)
    )
    return list(
        dict.fromkeys(
            name for name, field in fields if field.location is at and isinstance(field.kind, kind)
        )
    )


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
        for _, case in moves_of(let)
    ]
    return bool(values) and all(
        getattr(value, "column", "") in ("sender", "receiver") for value in values
    )


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes that elements are drawn in: what each is called, and which they have when."""

    names: Sequence[str]
    of: Callable[[int], list[int]]  # after so many steps


def classes_at(run: Run, at: Location) -> Classes | None:
    """Of the elements at a location: their category, else the sets they are in, else their masks.

    None where nothing is decided of them.
    """
    declaration = run.algorithm.declaration
    words = declaration.words
    for name in _shown_fields(run, at, Category):
        labels = declaration.predicted[name].kind.labels
        said = [words.states.get(label, f"{name.replace('_', ' ')} {label}") for label in labels]
        first = int(len(labels) == 2)  # of two classes, none is that of nothing done
        return Classes(["", *said] if first else said, partial(_category, run, name, first))
    held = _held(run, at, _shown_fields(run, at, Mask))
    if not isinstance(run.algorithm.layout, Grid):  # in a table, a pointer names another cell
        for name in _shown_fields(run, at, Pointer):
            if not _is_arrow(run, name):
                return _sets(run, name, held)
    return held


def _category(run: Run, name: str, first: int, moment: int) -> list[int]:
    return [value + first for value in value_at(run, name, moment)]


def _held(run: Run, at: Location, masks: Sequence[str]) -> Classes | None:
    """The first state that holds, as the algorithm names them; of other masks, the last."""
    if not masks:
        return None
    declaration = run.algorithm.declaration
    words = declaration.words
    names = [name for name in words.states if name in masks] or list(masks)[::-1]
    said = [words.states.get(name, name.removeprefix("is_").replace("_", " ")) for name in names]
    none = words.states.get(NONE) if at is declaration.location else None

    def of(moment: int) -> list[int]:
        values = np.array([value_at(run, name, moment) for name in names], dtype=bool)
        return np.where(values.any(0), values.argmax(0) + 1, 0).tolist()

    return Classes([none or f"not {said[-1]}", *said], of)


def _sets(run: Run, name: str, held: Classes | None) -> Classes:
    """Elements of a set in its color; those that are alone by what holds of them."""
    known = held or Classes(["alone"], lambda moment: [0] * len(value_at(run, name, moment)))
    roots = sorted({*run[name].values.tolist()}) if run.num_steps else []
    numbers = {root: len(known.names) + place for place, root in enumerate(roots)}

    def of(moment: int) -> list[int]:
        pointers = value_at(run, name, moment)
        sizes = np.bincount(pointers, minlength=1)
        return [
            numbers.get(root, len(known.names)) if sizes[root] > 1 else alone
            for root, alone in zip(pointers, known.of(moment), strict=True)
        ]

    return Classes(known.names, of)


def _pointer(run: Run) -> str | None:
    """The output that is drawn as arrows. Of several, the last: it is what the others lead to."""
    arrows = [
        name
        for name in _shown_fields(run, Location.NODE, Pointer)
        if name in run.outputs and _is_arrow(run, name)
    ]
    return arrows[-1] if arrows else None


def _texts(run: Run, moment: int, name: str | None, count: int) -> list[str]:
    """A number of every element as its user would write it; nothing where it says nothing yet."""
    if name is None:
        return [""] * count
    if name in run.inputs:
        numbers = given_numbers(run.algorithm, run.graph, run.inputs, name)
        return [written(number) for number in numbers]
    where = run.algorithm.declaration.only_where.get(name)
    now = layout_moment(run, moment)
    holds = [True] * count if where is None else now.at(where)
    numbers = run.in_own_units(name, list(now.at(name)))
    return [
        (ENDLESS if is_endless(run, name, place) else written(number)) if known else ""
        for place, (number, known) in enumerate(zip(numbers, holds, strict=True))
    ]


# ---- pictures


@in_style
def draw_run(run: Run, places: Places) -> Figure:
    """A run of one graph at its start, in its middle and at its end."""
    moments = _moments(run)
    wide, high = picture_size(run, places)
    figure = Figure(figsize=(wide * len(moments), high), layout="constrained")
    panels = figure.subplots(1, len(moments), squeeze=False)[0]
    for axes, moment in zip(panels, moments, strict=True):
        draw_moment(axes, run, moment, places)
        title = "start" if moment == 0 else f"step {moment} of {run.num_steps}"
        axes.set_title(title, fontsize=7.5, color=INK)
    if handles := legend_of(run, moments):
        # below all of them, and as wide as these
        figure.set_figheight(high + 0.2)
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), **LEGEND)
    return figure


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
    columns, rows = (np.ptp(axis) for axis in zip(*drawn.values(), strict=True))
    unit = min(inches, widest / (max(columns, rows) + 1.2))
    return unit * (columns + 1.1), unit * (rows + 1.2) + 0.16


def _moments(run: Run) -> list[int]:
    """The start, the end, and the moment nearest to the middle that shows something else."""
    last, middle = run.num_steps, run.num_steps // 2
    classes = list(filter(None, (classes_at(run, at) for at in (Location.NODE, Location.EDGE))))
    is_placed = isinstance(run.algorithm.layout, BoxLayout | Plane)
    numbers = _shown_fields(run, run.algorithm.declaration.location, Number)
    names = [name for name in numbers if is_placed or name in run.outputs]
    names += filter(None, (_pointer(run),))
    if is_placed:
        names += [*run.algorithm.declaration.state]

    def shown(moment: int) -> list[Any]:
        values = [value_at(run, name, moment) for name in names]
        return [*(each.of(moment) for each in classes), *values]

    seen = [shown(0), shown(last)]
    between = sorted(range(1, last), key=lambda moment: abs(moment - middle))[:MOST_TRIED]
    chosen = next((moment for moment in between if shown(moment) not in seen), None)
    return [0, last] if chosen is None else [0, chosen, last]


def legend_of(run: Run, moments: Iterable[int]) -> list[Line2D]:
    """The color and form of each class that is seen at some moments, with its name."""
    at = run.algorithm.declaration.location
    if (classes := classes_at(run, at)) is None:
        return []
    has_boxes = isinstance(run.algorithm.layout, BoxLayout)
    handles = []
    for number in sorted({number for moment in moments for number in classes.of(moment)}):
        if number >= len(classes.names) or not classes.names[number]:
            continue
        look: dict[str, Any] = {"linestyle": "none", "marker": "s" if has_boxes else _form(number)}
        look |= {"markersize": 6, "markerfacecolor": _color(number), "markeredgecolor": INK}
        if at is Location.EDGE and not has_boxes:
            look = {"linewidth": 2.7 if number else 1.0, "linestyle": DASHES[_place(number)]}
            look |= {"color": _color(number) if number else PALE}
        handles.append(Line2D([], [], label=classes.names[number], **look))
    return handles


def _place(number: int) -> int:
    """Of a class, that of its color and form; 0 is that of nothing done."""
    return 0 if number == 0 else 1 + (number - 1) % (len(ANSWERS) - 1)


def _color(number: int) -> str:
    return ANSWERS[_place(number)]


def _form(number: int) -> str:
    return FORMS[_place(number)]


def draw_moment(axes: Axes, run: Run, moment: int, places: Places, radius: float = POINTS) -> None:
    """A run after so many steps. radius: of a node, in points."""
    if isinstance(run.algorithm.layout, BoxLayout):
        _draw_boxes(axes, run, moment, run.algorithm.layout)
    else:
        _draw_graph(axes, run, moment, places, radius)


def _write(
    axes: Axes,
    text: str,
    place: tuple[float, float],
    down: float = 0.0,
    across: str = "center",
    level: str = "center",
    *,
    right: float = 0.0,
    boxed: bool = False,
) -> None:
    """Writes a text so many points below a place and to its right."""
    axes.annotate(
        text,
        place,
        (right, -down),
        textcoords="offset points",
        ha=across,
        va=level,
        fontsize=SMALL,
        color=INK,
        annotation_clip=False,
        bbox=BOXED if boxed else None,
    )


def _draw_graph(axes: Axes, run: Run, moment: int, places: Places, radius: float) -> None:
    """Nodes and edges in the colors of their classes, pointers as arrows, numbers beside both."""
    declaration, graph, layout = run.algorithm.declaration, run.graph, run.algorithm.layout
    is_plane = isinstance(layout, Plane)
    if is_plane:
        places, radius = plane_places(run, moment), 0.6 * radius
    points = np.array([places[node] for node in range(graph.num_nodes)])
    # of points in a plane, edges are not looked at
    edges = np.empty((0, 2), int) if is_plane else graph.edges.T.numpy()
    at_edges, at_nodes = classes_at(run, Location.EDGE), classes_at(run, Location.NODE)
    marks = np.zeros(len(edges), int) if at_edges is None else np.array(at_edges.of(moment))
    for number in np.unique(marks):
        look = {"color": _color(number) if number else PALE, "linestyle": DASHES[_place(number)]}
        look["linewidth"] = radius / 3 if number else 1.0
        _draw_lines(axes, points[edges[marks == number]], radius, has_heads=graph.directed, **look)
    if (pointer := _pointer(run)) is not None:
        known = {(u, v) for u, v in edges.tolist()} | {(v, u) for u, v in edges.tolist()}
        pairs = enumerate(value_at(run, pointer, moment))
        # along edges, arrows lead from the parent on, as in the player: they are a tree
        arrows = [
            (target, node) if (target, node) in known else (node, target)
            for node, target in pairs
            if target != node
        ]
        ends = points[np.array(arrows, int).reshape(-1, 2)]
        _draw_lines(axes, ends, radius, has_heads=True, color=INK, linewidth=1.6)
    if isinstance(layout, Plane):
        ends = points[np.array(layout.ends(layout_moment(run, moment)), int).reshape(-1, 2)]
        _draw_lines(axes, ends, radius, has_heads=False, color=INK, linewidth=1.6)
    classes = np.zeros(len(points), int) if at_nodes is None else np.array(at_nodes.of(moment))
    for number in np.unique(classes):
        columns, rows = points[classes == number].T
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
    for node, place in enumerate(points.tolist()):
        _write(axes, graph.name_of(node), place)
    beside = [name for name in _shown_fields(run, Location.NODE, Number) if name in run.outputs]
    for name, field in declaration.inputs.items():
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH:
            column, row = points[int(run.inputs[name][0])]
            ring: dict[str, Any] = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.9}
            axes.scatter(column, row, s=(2.5 * radius) ** 2, zorder=2, **ring)
        elif isinstance(field.kind, Number) and field.location is Location.EDGE and len(edges):
            texts = _texts(run, moment, name, len(edges))
            for place, text in zip(points[edges].mean(1).tolist(), texts, strict=True):
                _write(axes, text, place, boxed=True)
        elif isinstance(field.kind, Number) and field.location is declaration.location:
            is_place = isinstance(layout, Plane) and name in (layout.x, layout.y)
            beside += [] if is_place else [name]
    lists = [_texts(run, moment, name, len(points)) for name in beside]
    wanted = [(node, text) for each in lists for node, text in enumerate(each) if text]
    labelled = [node for node, _ in wanted]
    for place, (_, text) in zip(_clear_places(points, edges, labelled), wanted, strict=True):
        _write(axes, text, place, boxed=True)
    low, high = points.min(0) - 0.65, points.max(0) + 0.65
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.axis("off")


def _draw_lines(
    axes: Axes, ends: np.ndarray, radius: float, *, has_heads: bool, **look: Any
) -> None:
    """Lines, or arrows between nodes. ends: [lines, 2, 2]."""
    if not has_heads:
        axes.add_collection(LineCollection(list(ends), zorder=1, **look))
        return
    for begin, end in ends.tolist():
        style = {
            "arrowstyle": "-|>",
            "mutation_scale": radius,
            "shrinkA": radius,
            "shrinkB": radius,
        }
        axes.annotate("", end, begin, arrowprops={**style, **look}, zorder=1)


def _clear_places(
    points: np.ndarray, edges: np.ndarray, labelled: Sequence[int]
) -> list[tuple[float, float]]:
    """A place for the text of each of some nodes, where it lies on no edge, node or other text."""
    if len(points) > MOST_NODES_CLEAR:
        return [(points[node][0], points[node][1] - BESIDE) for node in labelled]
    ends = edges[edges[:, 0] != edges[:, 1]]
    taken = np.concatenate([points, points[ends].mean(axis=1)])  # edges' texts are in their middle
    found = []
    for node in labelled:
        candidates = points[node] + BESIDE * DIRECTIONS
        apart = candidates[:, None] - np.delete(taken, node, axis=0)[None]
        room = np.abs(apart).max(axis=2).min(axis=1, initial=BESIDE)
        incident = ends[(ends == node).any(axis=1)]
        rays = (
            points[np.where(incident[:, 0] == node, incident[:, 1], incident[:, 0])] - points[node]
        )
        rays /= np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-9)
        along = DIRECTIONS @ rays.T  # [8, edges]: how far a candidate lies along an edge
        across = np.where(along > 0, np.sqrt(np.clip(1 - along**2, 0, 1)), 1.0)
        room = np.minimum(room, BESIDE * across.min(axis=1, initial=1.0))
        chosen = candidates[int(room.round(3).argmax())]
        taken = np.concatenate([taken, chosen[None]])
        found.append((float(chosen[0]), float(chosen[1])))
    return found


def plane_places(run: Run, moment: int = 0) -> Places:
    """Where points of the plane are drawn; Matplotlib counts upwards."""
    assert isinstance(run.algorithm.layout, Plane)
    drawn = run.algorithm.layout.places(layout_moment(run, moment))
    return {node: (x, -y) for node, (x, y) in enumerate(drawn)}


def _draw_boxes(axes: Axes, run: Run, moment: int, layout: BoxLayout) -> None:
    """Every element as a box in the color of its class: bars, a heap, tapes, intervals, a table."""
    now = layout_moment(run, moment)
    at = layout.location(now.fields)
    boxes, extent = layout.boxes(now), layout.extent(now)
    classes = classes_at(run, at)
    numbers = [0] * now.count if classes is None else classes.of(moment)
    if isinstance(layout, Heap):
        middles = np.array(boxes).reshape(-1, 2, 2).mean(2)
        links = middles[np.array(layout.links(now), int).reshape(-1, 2)]
        _draw_lines(axes, links, POINTS, has_heads=False, color=INK, linewidth=0.8)
    shown = layout.shown(now) if isinstance(layout, Grid) else [True] * now.count
    said, noted = (
        _texts(run, moment, getattr(layout, part, None), now.count) for part in ("of", "noted")
    )
    is_named = now.count <= MOST_BOXES_NAMED
    thin = SLAB * (extent[3] - extent[2])  # a bar of nothing is a slab, whose color is seen
    for element in compress(range(now.count), shown):
        left, right, low, high = boxes[element]
        gap = (GAP, 0) if layout.upwards else (0, GAP) if layout.across else (0, 0)
        tall = high - low if high > low or not layout.upwards else thin
        corner = left + gap[0], low + gap[1]
        box = Rectangle(corner, right - left - 2 * gap[0], tall - 2 * gap[1], linewidth=0.8)
        box.set(facecolor=_color(numbers[element]), edgecolor=INK)
        axes.add_patch(box)
        if not is_named:
            continue
        middle = (left + right) / 2, (low + high) / 2
        name = "" if isinstance(layout, Grid | Heap) else run.graph.name_at(at, element)
        below = "\n".join(filter(None, (name, noted[element])))
        if layout.across:
            _write(axes, name, (extent[0], middle[1]), right=-4, across="right")
            _write(axes, noted[element], (right, middle[1]), right=3, across="left")
        elif layout.upwards:
            ends = (high, -1.5, "bottom") if low == 0 else (low, 1.5, "top")
            _write(axes, said[element], (middle[0], ends[0]), ends[1], level=ends[2])
            _write(axes, below, (middle[0], extent[2]), 8 if extent[2] < 0 else 2, level="top")
        else:
            _write(axes, said[element], middle)
            if _is_upper(layout, boxes[element]):
                _write(axes, below, (middle[0], low), -2, level="bottom")
            else:
                _write(axes, below, (middle[0], high), 2, level="top")
    if isinstance(layout, Grid):
        _write_headers(axes, run, moment, layout, list(compress(enumerate(boxes), shown)))
    named = [(e, mark) for mark in layout.marks for e in layout.named(now, mark)[:1]]
    for lane, (element, mark) in enumerate(named):
        left, right, low, high = boxes[element]
        words = field_in_words(run, mark)
        far = 2 if isinstance(layout, Heap) else 10 + 8 * (any(noted) or extent[2] < 0)
        if _is_upper(layout, boxes[element]):
            place = (left + right) / 2, low
            _write(axes, "▼", place, -far, level="bottom")
            _write(axes, words, place, -far - 7 - 7 * lane, level="bottom")
            continue
        place = (left + right) / 2, high if isinstance(layout, Tape | Heap) else extent[2]
        _write(axes, "▲", place, far, level="top")
        _write(axes, words, place, far + 7 + 7 * lane, level="top")
    for name in layout.lines:
        line = axes.axvline if layout.across else axes.axhline
        value = now.at(name)[0]
        line(value, color=INK, linewidth=1.0, linestyle=(0, (4, 2)))
        said_of = f"{field_in_words(run, name)} {_texts(run, moment, name, 1)[0]}"
        place = (value, 0) if layout.across else (0, value)
        _write(axes, said_of, place, -1.5, "center" if layout.across else "left", "bottom")
    _set_axes(axes, run, layout, [extent, *compress(boxes, shown)])


def _is_upper(layout: BoxLayout, box: Any) -> bool:
    """Whether a box is in the first of two rows of a tape: its texts stand above it."""
    return isinstance(layout, Tape) and layout.second is not None and box[2] == 0


def field_in_words(run: Run, name: str) -> str:
    """What a field is called for readers."""
    words = run.algorithm.declaration.words
    return words.names.get(name) or words.states.get(name) or name.replace("_", " ")


def _write_headers(
    axes: Axes, run: Run, moment: int, layout: Grid, cells: Sequence[tuple[int, Any]]
) -> None:
    """Writes over columns and beside rows what is declared of them.

    Where nothing is, its half of the name of a cell, "row:column"; else its number.
    """
    now = layout_moment(run, moment)
    extent, at = layout.extent(now), layout.location(now.fields)
    for part, axis in (("above", 0), ("beside", 2)):
        texts = _texts(run, moment, getattr(layout, part), now.count)
        headers: dict[float, str] = {}
        for element, box in cells:
            halves = run.graph.name_at(at, element).split(":")
            name = halves[axis == 0] if len(halves) == 2 else f"{box[axis]:g}"
            headers.setdefault(box[axis], texts[element] or name)
        for begin, text in headers.items():
            if axis == 0:
                _write(axes, text, (begin + 0.5, extent[2]), -2, level="bottom")
            else:
                _write(axes, text, (extent[0], begin + 0.5), right=-4, across="right")


def _set_axes(axes: Axes, run: Run, layout: BoxLayout, boxes: Sequence[Any]) -> None:
    lefts, rights, lows, highs = zip(*boxes, strict=True)
    room = 0.02 * (max(rights) - min(lefts)) if layout.across else 0.2
    axes.set_xlim(min(lefts) - room, max(rights) + room)
    top, bottom = max(highs), min(lows)
    # rows are counted from the top down, numbers from the bottom up
    more = 0.12 * (top - bottom or 1) if layout.upwards else 0.7 + 0.6 * len(layout.marks)
    axes.set_ylim(*((bottom, top + more) if layout.upwards else (top + 0.05, bottom - more)))
    axes.spines[["left", "top", "right"]].set_visible(False)
    axes.spines["bottom"].set(visible=layout.across, color=PALE)
    axes.set_yticks([])
    if layout.across:
        factor = run.scale_of(layout.main).factor
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / factor:g}")
        axes.tick_params(labelsize=SMALL, color=PALE, length=2)
    else:
        axes.set_xticks([])
        if layout.upwards:
            axes.axhline(0, color=PALE, linewidth=0.8, zorder=0)
