"""Graphs as pictures: what is decided at nodes and edges, and moments of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.execution import Run
from algolens.fields import Number, Pointer
from algolens.graphs import Location
from algolens.layouts import BoxLayout, Plane
from algolens.reports.box_drawing import box_size, draw_boxes
from algolens.reports.figures import ANSWERS, INK, PALE, in_style
from algolens.reports.run_values import (
    classes_of,
    given_texts,
    group_of,
    known_texts,
    layout_moment,
    value_at,
)

RADIUS = 0.27  # of a node, where an edge is about 1 long
INCHES, WIDEST = 0.455, 3.4  # of an edge in small pictures, and of such a picture
POINTS = 8.0  # the same in points, in small pictures
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
Places = Mapping[int, tuple[float, float]]


def draw_graph(
    axes: Axes,
    places: Places,
    edges: Sequence[Sequence[int]],
    *,
    directed: bool,
    names: Sequence[str],
    colors: Sequence[str],
    marks: Sequence[int] | None,
    radius: float,
) -> None:
    """Nodes with their names, and edges between them.

    colors: of each node. marks: of each edge, its class, drawn thick where it is not 0; None: edges
    have none. radius: of a node, in points.
    """
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(places)
    graph.add_edges_from(edges)
    classes = [int(mark) for mark in marks or [0] * len(edges)]
    size = (2 * radius) ** 2
    arrows = {"arrowsize": radius, "node_size": size} if directed else {}
    nx.draw_networkx_edges(
        graph,
        places,
        edges,
        width=[radius / 2 if mark else 1.0 for mark in classes],
        edge_color=[ANSWERS[mark % len(ANSWERS)] if mark else PALE for mark in classes],
        ax=axes,
        **arrows,
    )
    nx.draw_networkx_nodes(
        graph, places, node_size=size, node_color=colors, edgecolors=INK, linewidths=0.8, ax=axes
    )
    put_texts(axes, places, names, size=7)
    axes.set_aspect("equal")
    axes.axis("off")


def put_texts(
    axes: Axes,
    places: Places,
    texts: Sequence[str],
    *,
    size: float = 6,
    above: float = 0.0,
    boxed: bool = False,
) -> None:
    """Writes a text at each node. above: how far over its middle; below it where negative."""
    nx.draw_networkx_labels(
        nx.empty_graph(len(texts)),
        {node: (x, y + above) for node, (x, y) in places.items()},
        # a dollar sign begins no formula
        dict(enumerate(texts)),
        font_size=size,
        font_color=INK,
        verticalalignment="bottom" if above > 0 else "top" if above < 0 else "center",
        bbox=BOXED if boxed else None,
        clip_on=False,
        ax=axes,
    )


def put_edge_texts(
    axes: Axes, places: Places, edges: Sequence[Sequence[int]], texts: Sequence[str]
) -> None:
    """Writes a text in the middle of each edge."""
    middles = {
        i: ((places[u][0] + places[v][0]) / 2, (places[u][1] + places[v][1]) / 2)
        for i, (u, v) in enumerate(edges)
    }
    put_texts(axes, middles, texts, boxed=True)


def put_ring(axes: Axes, places: Places, node: int, radius: float) -> None:
    """Draws a ring around a node that an input points to."""
    nx.draw_networkx_nodes(
        nx.empty_graph([node]),
        places,
        node_size=(2.5 * radius) ** 2,
        node_color="none",
        edgecolors=INK,
        linewidths=0.9,
        ax=axes,
    )


@in_style
def draw_run(run: Run, places: Places) -> Figure:
    """A run of one graph at its start, in its middle and at its end."""
    moments = list(dict.fromkeys([0, run.num_steps // 2, run.num_steps]))
    if isinstance(run.algorithm.layout, BoxLayout):
        wide, high = box_size(run)
    else:
        drawn = plane_places(run) if isinstance(run.algorithm.layout, Plane) else places
        columns, rows = ([place[axis] for place in drawn.values()] for axis in (0, 1))
        unit = min(INCHES, WIDEST / (max(columns) - min(columns) + 1.1))
        wide = round(unit * (max(columns) - min(columns) + 1.1), 2)
        high = round(unit * (max(rows) - min(rows) + 1.2) + 0.16, 2)
    figure = Figure(figsize=(wide * len(moments), high), layout="constrained")
    # points of a plane may be close
    radius = POINTS * (0.6 if isinstance(run.algorithm.layout, Plane) else 1)
    panels = figure.subplots(1, len(moments), squeeze=False)[0]
    for axes, moment in zip(panels, moments, strict=True):
        draw_moment(axes, run, moment, places, radius)
        title = "start" if moment == 0 else f"step {moment} of {run.num_steps}"
        axes.set_title(title, fontsize=7.5, color=INK)
    return figure


def draw_moment(axes: Axes, run: Run, moment: int, places: Places, radius: float = POINTS) -> None:
    """A run after so many steps: colors are masks, classes or groups, arrows are pointers.

    places: where each node is drawn, an edge being about 1 long. radius: of a node, in points.
    """
    if isinstance(run.algorithm.layout, BoxLayout):
        draw_boxes(axes, run, moment)
        return
    declaration, graph, layout = run.algorithm.declaration, run.graph, run.algorithm.layout
    if isinstance(layout, Plane):
        places = plane_places(run, moment)
    at_edges = declaration.location is Location.EDGE
    edges = graph.edges.T.tolist()
    values = {name: value_at(run, name, moment) for name in declaration.outputs}
    colors = ["white"] * graph.num_nodes
    if not at_edges:
        colors = [ANSWERS[number % len(ANSWERS)] for number in classes_of(run, values)]
    draw_graph(
        axes,
        places,
        edges,
        directed=graph.directed,
        names=[graph.name_of(node) for node in range(graph.num_nodes)],
        colors=colors,
        marks=next(iter(values.values())) if at_edges else None,
        radius=radius,
    )
    pointers = [
        name
        for name, kind in declaration.outputs.items()
        if isinstance(kind, Pointer) and kind.itself_is_none
    ]
    if pointers and group_of(run) is None:
        # of several, the last: it is what the others lead to
        _draw_pointers(axes, values[pointers[-1]], places, radius)
    if isinstance(layout, Plane):
        for ends in layout.ends(layout_moment(run, moment)):
            columns, rows = zip(*(places[end] for end in ends), strict=True)
            axes.plot(columns, rows, color=INK, linewidth=1.6, zorder=0)
    for name, kind in declaration.outputs.items():
        if isinstance(kind, Number) and not at_edges:
            put_texts(
                axes, places, known_texts(run, name, values), above=-RADIUS - 0.05, boxed=True
            )
    for name, field in declaration.inputs.items():
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH:
            put_ring(axes, places, int(run.inputs[name][0]), radius)
        elif isinstance(field.kind, Number) and field.location is Location.EDGE:
            put_edge_texts(axes, places, edges, given_texts(run, name))
        elif isinstance(layout, Plane) and name in (layout.x, layout.y):
            continue
        elif isinstance(field.kind, Number) and field.location is declaration.location:
            put_texts(axes, places, given_texts(run, name), above=RADIUS + 0.05, boxed=True)
    columns, rows = zip(*places.values(), strict=True)
    axes.set_xlim(min(columns) - 0.55, max(columns) + 0.55)
    axes.set_ylim(min(rows) - 0.6, max(rows) + 0.6)


def plane_places(run: Run, moment: int = 0) -> Places:
    """Where points of the plane are drawn; Matplotlib counts upwards."""
    assert isinstance(run.algorithm.layout, Plane)
    drawn = run.algorithm.layout.places(layout_moment(run, moment))
    return {node: (x, -y) for node, (x, y) in enumerate(drawn)}


def _draw_pointers(axes: Axes, targets: list[int], places: Places, radius: float) -> None:
    graph = nx.DiGraph((node, target) for node, target in enumerate(targets) if target != node)
    nx.draw_networkx_edges(
        graph,
        places,
        width=1.6,
        edge_color=INK,
        arrowsize=radius,
        node_size=(2 * radius) ** 2,
        ax=axes,
    )
