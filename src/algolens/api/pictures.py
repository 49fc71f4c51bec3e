"""A step of a run as a static picture, by Matplotlib, in the colors and forms of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from algolens.arrays import NUMPY, to
from algolens.engines import Run
from algolens.engines.numbers import given_numbers
from algolens.errors import GraphError
from algolens.graphs import At
from algolens.language import ir
from algolens.language.fields import Kind
from algolens.language.layouts import Grid, Plane
from algolens.language.words import ENDLESS, NONE
from algolens.player.part import MOST_NODES, root_of
from algolens.reports.figures import ANSWERS, DASHES, FORMS, INK, LEGEND, PALE, Picture
from algolens.reports.layout import laid_out
from algolens.text.names import written
from algolens.text.seen import is_endless

if TYPE_CHECKING:
    from algolens.api.execution import Execution

Places = Mapping[int, tuple[float, float]]  # of nodes, an edge being about 1 long

INCHES, LARGEST, LEAST = 0.85, 12.0, 4.5  # of an edge, where there is room, and of a picture
ROOM_FOR_TITLE = 0.4  # inches
POINTS, RADIUS, SMALL = 72, 0.27, 6.0  # of an inch; of a node, by an edge; of a text, in points
MOST_LETTERS = 8  # of a name that stands in a node in letters of the usual size
SIDE = 8  # edges on the longer side of a plane
BESIDE = 0.47  # from the middle of a node to that of a text beside it
MOST_CLEAR = 400  # nodes; of more, texts lie below
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
# where a text may stand: below, above, right, left, then between; [8, 2]
ANGLES = np.deg2rad([-90, 90, 0, 180, -45, -135, 45, 135])
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
ALONG = np.linspace(0, 1, 21)[:, None, None]  # parts of an edge that a text keeps clear of
BOLD = 1.6  # the width of pointers and of segments


def plot(execution: Execution, step: int, axes: Axes | None = None) -> Axes:
    """The graph after a step, 0 being the start."""
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(figsize=_size(execution), layout="constrained")[1]
    _draw(axes, execution, step)
    return axes


def as_svg(execution: Execution) -> str:
    """The graph when all is done, as an SVG element."""
    figure = Figure(figsize=_size(execution), layout="constrained")
    _draw(figure.subplots(), execution, execution.steps)
    return Picture("run", "", figure).svg("run")


def laid_out_places(run: Run) -> Places:
    """Where each node is drawn: the player counts from the top down, Matplotlib the other way."""
    if run.graph.num_nodes > MOST_NODES:
        raise GraphError(
            f"a picture shows {MOST_NODES:,} nodes at most, and this graph has "
            f"{run.graph.num_nodes:,}: take a smaller one, or read the run by its result."
        )
    layout = run.algorithm.layout
    if isinstance(layout, Plane):
        points = np.stack([value_at(run, name, 0) for name in (layout.x, layout.y)], 1)
        drawn = points * [1, -1] * (SIDE / max(*np.ptp(points, axis=0), 1))
    else:
        drawn = laid_out(run.graph, root_of(run), layout).places
    return {node: (float(x), -float(y)) for node, (x, y) in enumerate(drawn)}


def _unit(execution: Execution) -> tuple[float, float, float]:
    """Columns and rows of a picture, and the inches of an edge."""
    columns, rows = np.ptp(list(execution.places.values()), axis=0).tolist()
    return columns, rows, min(INCHES, LARGEST / (max(columns, rows) + 1.2))


def _size(execution: Execution) -> tuple[float, float]:
    columns, rows, inches = _unit(execution)
    return max(LEAST, inches * (columns + 1.1)), inches * (rows + 1.2) + 0.16 + ROOM_FOR_TITLE


def _draw(axes: Axes, execution: Execution, step: int) -> None:
    run = execution.run
    draw_moment(axes, run, step, execution.places, RADIUS * _unit(execution)[2] * POINTS)
    by = "" if execution.by == "algorithm" else f", by {execution.by}"
    when = "start" if step == 0 else f"step {step} of {execution.steps}"
    axes.set_title(f"{run.algorithm.title}{by}: {when}", fontsize=9, color=INK)
    if handles := _legend(run, step):
        below = {"bbox_to_anchor": (0.5, 0.02), "ncols": len(handles), **LEGEND}
        axes.legend(handles=handles, loc="upper center", **below)


# ---- what is read of a run


def value_at(run: Run, name: str, moment: int) -> np.ndarray:
    """Return a field after a number of steps; a feature has its value in the next step."""
    declaration = run.algorithm.declaration
    if name in run.inputs:
        return to(run.inputs[name], NUMPY)
    if name not in declaration.state and name not in declaration.outputs and run.num_steps:
        return to(run[name][min(moment, run.num_steps - 1)], NUMPY)
    if moment:
        return to(run[name][moment - 1], NUMPY)
    if name in run.start:
        return to(run.start[name], NUMPY)
    return np.zeros(run.graph.count(declaration.predicted[name].at), int)


def _shown_fields(run: Run, at: At, kind: Kind) -> list[str]:
    """Outputs and other state of a kind at a location."""
    declaration = run.algorithm.declaration
    return [
        name
        for name in dict.fromkeys((*declaration.outputs, *declaration.state))
        if declaration.predicted[name].at == at and declaration.predicted[name].kind == kind
    ]


def _is_arrow(run: Run, name: str) -> bool:
    """Whether a pointer leads to another node; others say which set a node is in."""
    declaration = run.algorithm.declaration
    if declaration.predicted[name].itself_is_none:
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


def classes_at(run: Run, at: At, moment: int) -> tuple[list[str], np.ndarray] | None:
    """Return the names of the classes at a location, and the class of each element.

    Classes are their category, else the sets they are in (where they are alone, their masks), else
    their masks: the first state that holds, as the algorithm names them. None where nothing is
    decided of them.
    """
    declaration = run.algorithm.declaration
    words, count = declaration.words, run.graph.count(at)
    for name in _shown_fields(run, at, "category"):
        labels = declaration.predicted[name].classes
        said = [words.states.get(label, f"{name.replace('_', ' ')} {label}") for label in labels]
        first = int(len(labels) == 2)  # of two classes, none is that of nothing done
        return [""] * first + said, value_at(run, name, moment) + first
    masks = _shown_fields(run, at, "mask")
    masks = [name for name in words.states if name in masks] or masks[::-1]
    said = [words.states.get(name, name.removeprefix("is_").replace("_", " ")) for name in masks]
    none = words.states.get(NONE) if at == declaration.location else None
    names = [none or f"not {said[-1]}", *said] if masks else ["alone"]
    held = [value_at(run, name, moment) for name in masks]
    holds = np.array(held, bool).reshape(len(masks), count)
    numbers = np.where(holds.any(0), 1 + holds.argmax(0), 0) if masks else np.zeros(count, int)
    for name in _shown_fields(run, at, "pointer"):
        # in a table, a pointer names another cell
        if not isinstance(run.algorithm.layout, Grid) and not _is_arrow(run, name):
            pointers = value_at(run, name, moment)
            roots = np.unique(run[name].values) if run.num_steps else pointers
            is_alone = np.bincount(pointers, minlength=1)[pointers] == 1
            of_set = len(names) + np.searchsorted(roots, pointers)
            return names, np.where(is_alone, numbers, of_set)
    return (names, numbers) if masks else None


def _texts(run: Run, moment: int, name: str) -> list[str]:
    """A number of every element as its user would write it; nothing where it says nothing yet."""
    if name in run.inputs:
        return [*map(written, given_numbers(run.algorithm, run.graph, run.inputs, name))]
    where = run.algorithm.declaration.only_where.get(name)
    numbers = run.in_own_units(name, value_at(run, name, moment).tolist())
    return [
        (ENDLESS if is_endless(run, name, place) else written(number))
        if where is None or value_at(run, where, moment)[place]
        else ""
        for place, number in enumerate(numbers)
    ]


# ---- what is drawn


def _legend(run: Run, moment: int) -> list[Line2D]:
    """The color and form of each class that is seen at a moment, with its name."""
    at, handles = run.algorithm.declaration.location, []
    names, numbers = classes_at(run, at, moment) or ([], np.zeros(0, int))
    for number in np.unique(numbers).tolist():
        if number >= len(names) or not names[number]:
            continue  # a set has no name
        if at == "edge":
            style, color, width = _line(number)
            look = {"linestyle": style, "color": color, "linewidth": width}
        else:
            look = {
                "marker": _form(number),
                "linestyle": "none",
                "markerfacecolor": _color(number),
                "markeredgecolor": INK,
                "markersize": 6,
            }
        handles.append(Line2D([], [], label=names[number], **look))
    return handles


def _place(number: int) -> int:
    """Of a class, that of its color and form; 0 is that of nothing done."""
    return 0 if number == 0 else 1 + (number - 1) % (len(ANSWERS) - 1)


def _color(number: int) -> str:
    return ANSWERS[_place(number)]


def _form(number: int) -> str:
    return FORMS[_place(number)]


def _line(number: int, radius: float = 8.0) -> tuple[Any, str, float]:
    """Style, color and width of an edge of a class."""
    color, width = (_color(number), radius / 3) if number else (PALE, 1.0)
    return DASHES[_place(number)], color, width


def draw_moment(axes: Axes, run: Run, moment: int, places: Places, radius: float) -> None:
    """A run after so many steps: nodes and edges in the colors of their classes, pointers as
    arrows, numbers beside both. radius: of a node, in points.
    """
    declaration, graph, layout = run.algorithm.declaration, run.graph, run.algorithm.layout
    edges = to(graph.edges, NUMPY).T
    segments: list[tuple[int, int]] = []
    if isinstance(layout, Plane):  # of points in a plane, edges are not looked at
        radius, edges = 0.6 * radius, edges[:0]
        ends = ([_end(run, name, moment) for name in pair] for pair in layout.segments)
        segments = [(u, v) for u, v in ends if u is not None and v is not None]
    nodes = partial(nx.draw_networkx_nodes, nx.Graph(), places, ax=axes, edgecolors=INK)
    whole, size = nx.empty_graph(graph.num_nodes, nx.DiGraph), (2 * radius) ** 2
    lines = partial(
        nx.draw_networkx_edges, whole, places, ax=axes, node_size=size, arrowsize=radius
    )
    _, marks = classes_at(run, "edge", moment) or ([], np.zeros(len(edges), int))
    for number in np.unique(marks[: len(edges)]):
        style, color, width = _line(number, radius)
        look = {"style": [style], "edge_color": color, "width": width}
        lines(edges[marks == number], arrowstyle="-|>" if graph.directed else "-", **look)
    lines(segments, width=BOLD, arrowstyle="-")
    pointers = [name for name in _shown_fields(run, "node", "pointer") if _is_arrow(run, name)]
    known = {*map(tuple, edges.tolist()), *map(tuple, edges[:, ::-1].tolist())}
    # of several pointers, the last is what the others lead to; along edges, arrows lead from the
    # parent on, as in the page: they are a tree
    arrows = [
        (target, node) if (target, node) in known else (node, target)
        for name in [name for name in pointers if name in run.outputs][-1:]
        for node, target in enumerate(value_at(run, name, moment).tolist())
        if target != node
    ]
    lines(arrows, width=BOLD)
    at_nodes = classes_at(run, "node", moment)
    numbers = np.zeros(graph.num_nodes, int) if at_nodes is None else at_nodes[1]
    for number in np.unique(numbers):
        color = "white" if at_nodes is None else _color(number)
        share = 0.8 if _form(number) in "sD" else 1  # of a circle as wide
        members = np.flatnonzero(numbers == number).tolist()
        nodes(members, share * size, color, _form(number), linewidths=0.8)
    points = np.array([places[node] for node in range(graph.num_nodes)])

    def write(place: np.ndarray, text: str, **look: Any) -> None:
        look = {"fontsize": SMALL, "color": INK, **look}
        axes.text(place[0], place[1], text, ha="center", va="center", parse_math=False, **look)

    beside = [name for name in _shown_fields(run, "node", "number") if name in run.outputs]
    for name, field in declaration.inputs.items():
        if field.kind == "pointer" and field.at == "graph":
            nodes([int(run.inputs[name][0])], 1.5 * size, "none")
        elif field.kind == "number" and field.at == "edge":
            for ends, text in zip(edges, _texts(run, moment, name), strict=False):
                write(points[ends].mean(0), text, bbox=BOXED)
        elif field.kind == "number" and field.at == declaration.location:
            is_place = isinstance(layout, Plane) and name in (layout.x, layout.y)
            beside += [] if is_place else [name]
    lists = [_texts(run, moment, name) for name in beside]
    wanted = [(node, text) for texts in lists for node, text in enumerate(texts) if text]
    clear = _clear_places(points, edges, [node for node, _ in wanted])
    for place, (_, text) in zip(clear, wanted, strict=True):
        write(place, text, bbox=BOXED)
    for node, place in enumerate(points):
        name = graph.name_of(node)
        write(place, name, fontsize=SMALL * min(1, MOST_LETTERS / max(len(name), 1)))
    low, high = points.min(0) - 0.65, points.max(0) + 0.65
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.axis("off")


def _end(run: Run, name: str, moment: int) -> int | None:
    """The node that a pointer of the graph names, or the first that a mask at nodes marks."""
    values = value_at(run, name, moment)
    fields = run.algorithm.declaration.fields
    if fields[name].at != "graph":
        values = np.flatnonzero(values)
    return int(values[0]) if len(values) else None


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
