"""Pictures of a run: one step, and the last for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.engines import Run
from algolens.errors import GraphError
from algolens.language.layouts import Plane
from algolens.player.part import MOST_NODES, root_of
from algolens.reports.drawing import (
    Places,
    draw_moment,
    legend_of,
    picture_size,
    plane_places,
)
from algolens.reports.figures import INK, LEGEND, Picture
from algolens.reports.layout import laid_out

if TYPE_CHECKING:
    from algolens.api.execution import Execution

INCHES, LARGEST, LEAST = 0.85, 12.0, 2.5  # of an edge, where there is room, and of a picture
ROOM_FOR_TITLE = 0.3  # inches
POINTS, RADIUS = 72, 0.27  # of an inch; of a node, where an edge is about 1 long


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


def _draw(axes: Axes, execution: Execution, step: int) -> None:
    run, places = execution.run, execution.places
    columns, rows = (np.ptp(axis) for axis in zip(*places.values(), strict=True))
    inches = min(INCHES, LARGEST / (max(columns, rows) + 1.2))
    draw_moment(axes, run, step, places, radius=RADIUS * inches * POINTS)
    title = "start" if step == 0 else f"step {step} of {execution.steps}"
    axes.set_title(f"{run.algorithm.title} by {execution.by}, {title}", fontsize=9, color=INK)
    if handles := legend_of(run, [step]):
        below = {"bbox_to_anchor": (0.5, 0.02), "ncols": len(handles), **LEGEND}
        axes.legend(handles=handles, loc="upper center", **below)


def laid_out_places(run: Run) -> Places:
    """Where each node is drawn: the player counts from the top down, Matplotlib the other way."""
    if run.graph.num_nodes > MOST_NODES:
        raise GraphError(
            f"a picture shows {MOST_NODES:,} nodes at most, and this graph has "
            f"{run.graph.num_nodes:,}: take a smaller one, or read the run by its result."
        )
    if isinstance(run.algorithm.layout, Plane):
        return plane_places(run)
    drawn = laid_out(run.graph, root_of(run), run.algorithm.layout).places
    return {node: (float(x), -float(y)) for node, (x, y) in enumerate(drawn)}


def _size(execution: Execution) -> tuple[float, float]:
    wide, high = picture_size(execution.run, execution.places, INCHES, LARGEST)
    return max(LEAST, wide), high + ROOM_FOR_TITLE
