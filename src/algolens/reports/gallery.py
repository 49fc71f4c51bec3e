"""A run in three small pictures, whatever the algorithm: its start, its middle and its end on one
graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.graphs import Location
from algolens.reports.figures import ANSWERS, INK, PALE, in_style
from algolens.terminal.names import written

RADIUS = 0.27
SHRINK = 7.0  # points
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
Places = Mapping[int, tuple[float, float]]


@in_style
def draw_run(run: Run, places: Places) -> Figure:
    """Node colors are masks, classes or groups, thick lines edges that are chosen, arrows pointers,
    small numbers numbers.

    run: of one graph. places: where each node is drawn.
    """
    middle = run.num_steps // 2
    moments = list(dict.fromkeys([0, middle, run.num_steps]))
    figure = Figure(figsize=(2.05 * len(moments), 1.75), layout="constrained")
    for axes, moment in zip(
        figure.subplots(1, len(moments), squeeze=False)[0], moments, strict=True
    ):
        draw_moment(axes, run, moment, places)
        title = "start" if moment == 0 else f"step {moment} of {run.num_steps}"
        axes.set_title(title, fontsize=7.5, color=INK)
    return figure


def draw_moment(axes: Axes, run: Run, moment: int, places: Places, shrink: float = SHRINK) -> None:
    """A run after so many steps, on axes that are there. places: where each node is drawn, an edge
    being about 1 long.

    shrink: points from the middle of a node to where an arrow ends.
    """
    declaration = run.algorithm.declaration
    at_edges = declaration.location is Location.EDGE
    values = {name: _at(run, name, moment) for name in declaration.outputs}
    _edges(axes, run, values if at_edges else {}, places, shrink)
    colors = [0] * run.graph.num_nodes if at_edges else _classes(run, values)
    for node, place in places.items():
        color = "white" if at_edges else ANSWERS[colors[node] % len(ANSWERS)]
        axes.add_patch(
            Circle(place, RADIUS, facecolor=color, edgecolor=INK, linewidth=0.7, zorder=3)
        )
        axes.text(
            *place,
            run.graph.name_of(node),
            fontsize=7,
            parse_math=False,
            ha="center",
            va="center",
            zorder=4,
            color=INK,
        )
    pointers = [name for name, kind in declaration.outputs.items() if kind.itself_is_none]
    if pointers and _groups(run) is None:
        # of several, the last: it is what the others lead to
        _arrows(axes, values[pointers[-1]], places, shrink)
    for name, kind in declaration.outputs.items():
        if kind.is_number and not at_edges:
            _numbers(axes, _shown(run, name, values[name], values), places, below=True)
    for name, field in declaration.inputs.items():
        if (
            field.kind.is_number
            and field.location is declaration.location is Location.NODE
            and name != "end"
        ):
            told = _given(run, name)
            if "end" in declaration.inputs:  # a span of time
                told = [
                    f"{begin}-{end}" for begin, end in zip(told, _given(run, "end"), strict=True)
                ]
            _numbers(axes, told, places, below=False)
        elif field.kind.points_to is not None and field.location is Location.GRAPH:
            ring = Circle(
                places[int(run.inputs[name][0])],
                RADIUS + 0.07,
                fill=False,
                edgecolor=INK,
                linewidth=0.9,
                zorder=3,
            )
            axes.add_patch(ring)
    columns, rows = zip(*places.values(), strict=True)
    axes.set_xlim(min(columns) - 0.55, max(columns) + 0.55)
    axes.set_ylim(min(rows) - 0.6, max(rows) + 0.6)
    axes.set_aspect("equal")
    axes.axis("off")


def _at(run: Run, name: str, moment: int) -> list[Any]:
    """The values of an output before the first step, or after one; nothing yet where it is no
    state.
    """
    if moment:
        return run[name][moment - 1].tolist()
    first = run.start.get(name)
    return (
        [0] * run.graph.count(run.algorithm.declaration.location)
        if first is None
        else first.tolist()
    )


def _classes(run: Run, values: Mapping[str, list[Any]]) -> list[int]:
    """A color for each node: its class; else its group; else the last of the masks that holds."""
    outputs = run.algorithm.declaration.outputs
    for name, kind in outputs.items():
        if kind.labels and not kind.is_truth_value:
            # of two classes, none is that of nothing done
            offset = 1 if len(kind.labels) == 2 else 0
            return [value + offset for value in values[name]]
    group = _groups(run)
    if group is not None:
        return [1 + value % (len(ANSWERS) - 1) for value in values[group]]
    masks = [name for name, kind in outputs.items() if kind.is_truth_value]
    return [
        max((i + 1 for i, name in enumerate(masks) if values[name][node]), default=0)
        for node in range(run.graph.num_nodes)
    ]


def _groups(run: Run) -> str | None:
    """The output that says which group a node belongs to, by a pointer to one of them."""
    outputs = run.algorithm.declaration.outputs
    return next(
        (
            name
            for name, kind in outputs.items()
            if kind.points_to is not None and not kind.itself_is_none
        ),
        None,
    )


def _edges(
    axes: Axes, run: Run, chosen: Mapping[str, list[Any]], places: Places, shrink: float
) -> None:
    numbers = _edge_numbers(run)
    marks = next(iter(chosen.values()), [0] * run.graph.num_edges)
    for place, (u, v) in enumerate(run.graph.edges.T.tolist()):
        color = ANSWERS[int(marks[place]) % len(ANSWERS)] if marks[place] else PALE
        width = 3.5 if marks[place] else 1.0
        if run.graph.directed:
            _arrow(axes, places[u], places[v], color, width, shrink)
        else:
            (x, y), (x2, y2) = places[u], places[v]
            axes.plot(
                [x, x2], [y, y2], color=color, linewidth=width, zorder=1, solid_capstyle="round"
            )
        if numbers:
            x, y = ((a + b) / 2 for a, b in zip(places[u], places[v], strict=True))
            axes.text(
                x,
                y,
                numbers[place],
                fontsize=6,
                ha="center",
                va="center",
                bbox=BOXED,
                zorder=4,
                color=INK,
            )


def _edge_numbers(run: Run) -> list[str]:
    """The numbers that edges come with, as the user wrote them; nothing where they have none."""
    inputs = run.algorithm.declaration.inputs
    named = [
        name
        for name, field in inputs.items()
        if field.kind.is_number and field.location is Location.EDGE
    ]
    return _given(run, named[0]) if named else []


def _given(run: Run, name: str) -> list[str]:
    return [written(number) for number in given_numbers(run.algorithm, run.graph, run.inputs, name)]


def _arrows(axes: Axes, pointers: list[int], places: Places, shrink: float) -> None:
    for node, to in enumerate(pointers):
        if to != node:
            _arrow(axes, places[node], places[to], INK, 1.6, shrink)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    color: str,
    width: float,
    shrink: float,
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=shrink,
            color=color,
            linewidth=width,
            shrinkA=shrink,
            shrinkB=shrink,
            zorder=2,
        )
    )


def _shown(run: Run, name: str, numbers: list[Any], values: Mapping[str, list[Any]]) -> list[str]:
    """Numbers, where they say something already."""
    where = run.algorithm.declaration.only_where.get(name)
    there = [True] * len(numbers) if where is None else values[where]
    own = run.in_own_units(name, numbers)
    return [str(number) if is_there else "" for number, is_there in zip(own, there, strict=True)]


def _numbers(axes: Axes, numbers: list[Any], places: Places, *, below: bool) -> None:
    for node, (x, y) in places.items():
        height, side = (y - RADIUS - 0.05, "top") if below else (y + RADIUS + 0.05, "bottom")
        axes.text(
            x,
            height,
            str(numbers[node]),
            fontsize=6,
            ha="center",
            va=side,
            color=INK,
            bbox=BOXED,
            zorder=2.5,
        )
