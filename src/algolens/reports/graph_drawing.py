"""Graphs as pictures: what is decided at nodes and edges, and moments of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from algolens.execution import Run
from algolens.fields import Number, Pointer
from algolens.graphs import Location
from algolens.layouts import BoxLayout, Plane
from algolens.reports.box_drawing import box_size, draw_boxes
from algolens.reports.figures import ANSWERS, DASHES, FORMS, INK, PALE, in_style
from algolens.reports.label_places import Places, label_places
from algolens.reports.run_values import (
    class_names,
    classes_of,
    given_texts,
    group_of,
    known_texts,
    layout_moment,
    shown_pointer,
    value_at,
)

RADIUS = 0.27  # of a node, where an edge is about 1 long
INCHES, WIDEST = 0.455, 3.4  # of an edge in small pictures, and of such a picture
BESIDE = 0.47  # from the middle of a node to that of a text beside it
POINTS = 8.0  # the same in points, in small pictures
MOST_TRIED = 60  # moments, to find one for the middle of a picture
LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 7, "labelcolor": INK}
BOXED = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
MOST_LABELLED = 400  # nodes: of more, texts stand below each


def draw_graph(
    axes: Axes,
    places: Places,
    edges: Sequence[Sequence[int]],
    *,
    directed: bool,
    names: Sequence[str],
    classes: Sequence[int] | None,
    marks: Sequence[int] | None,
    radius: float,
) -> None:
    """Nodes with their names, and edges between them.

    classes: of each node, which has its color and form; None: nodes have none. marks: the same of
    each edge, drawn thick where it is 1. radius: of a node, in points.
    """
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(places)
    size = (2 * radius) ** 2
    arrows = {"arrowsize": radius, "node_size": size} if directed else {}
    by_mark = _by_class(marks or [0] * len(edges))
    for mark, numbers in by_mark.items():
        chosen = [(edges[number][0], edges[number][1]) for number in numbers]
        nx.draw_networkx_edges(
            nx.DiGraph(chosen) if directed else nx.Graph(chosen),
            places,
            chosen,
            width=1.0 if mark == 0 else radius / 3,
            edge_color=PALE if mark == 0 else ANSWERS[mark],
            style=DASHES[mark],
            ax=axes,
            **arrows,
        )
    for number, nodes in _by_class(classes or [0] * len(places)).items():
        nx.draw_networkx_nodes(
            graph,
            places,
            nodelist=nodes,
            node_size=size * (0.8 if FORMS[number] in "sD" else 1),
            node_shape=FORMS[number],
            node_color="white" if classes is None else ANSWERS[number],
            edgecolors=INK,
            linewidths=0.8,
            ax=axes,
        )
    put_texts(axes, places, names, size=7)
    axes.set_aspect("equal")
    axes.axis("off")


def _by_class(classes: Sequence[int]) -> dict[int, list[int]]:
    """The elements of each class that can be told apart."""
    found: dict[int, list[int]] = {}
    for element, number in enumerate(classes):
        shown = 0 if number == 0 else 1 + (int(number) - 1) % (len(ANSWERS) - 1)
        found.setdefault(shown, []).append(element)
    return found


def put_texts(
    axes: Axes, places: Places, texts: Sequence[str], *, size: float = 6, boxed: bool = False
) -> None:
    """Writes a text at each place."""
    nx.draw_networkx_labels(
        nx.empty_graph(len(texts)),
        places,
        # a dollar sign begins no formula
        dict(enumerate(texts)),
        font_size=size,
        font_color=INK,
        bbox=BOXED if boxed else None,
        clip_on=False,
        ax=axes,
    )


def put_beside(
    axes: Axes,
    places: Places,
    edges: Sequence[Sequence[int]],
    lists: Sequence[Sequence[str]],
    distance: float = BESIDE,
) -> None:
    """Writes texts beside the nodes, each where there is room. lists: a text for each node."""
    wanted = [(node, text) for texts in lists for node, text in enumerate(texts) if text]
    if len(places) <= MOST_LABELLED:
        found = label_places(places, edges, [node for node, _ in wanted], distance)
    else:
        found = [(places[node][0], places[node][1] - distance) for node, _ in wanted]
    put_texts(axes, dict(enumerate(found)), [text for _, text in wanted], boxed=True)


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
    moments = _moments(run)
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
    if handles := legend_of(run, moments):
        # below all of them, and as wide as these
        figure.set_figheight(high + 0.2)
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), **LEGEND)
    return figure


def _moments(run: Run) -> list[int]:
    """The start, the end, and the moment nearest to the middle that shows something else."""
    last, middle = run.num_steps, run.num_steps // 2
    seen = [_shown(run, 0), _shown(run, last)]
    between = sorted(range(1, last), key=lambda moment: abs(moment - middle))[:MOST_TRIED]
    chosen = next((moment for moment in between if _shown(run, moment) not in seen), None)
    return [0, last] if chosen is None else [0, chosen, last]


def _shown(run: Run, moment: int) -> list[Any]:
    """What a picture shows of a moment; what is only carried along does not count."""
    declaration = run.algorithm.declaration
    if isinstance(run.algorithm.layout, BoxLayout | Plane):
        names = [*dict.fromkeys((*declaration.outputs, *declaration.state))]
    else:
        drawn = (Number,) if group_of(run) is not None else (Number, Pointer)
        names = [name for name, kind in declaration.outputs.items() if isinstance(kind, drawn)]
    return [classes_of(run, moment), *(value_at(run, name, moment) for name in names)]


def legend_of(run: Run, moments: Sequence[int]) -> list[Line2D]:
    """What the classes that are seen at some moments are called, for a legend."""
    seen = {number for moment in moments for number in classes_of(run, moment)}
    at_edges = run.algorithm.declaration.location is Location.EDGE
    boxes = isinstance(run.algorithm.layout, BoxLayout)
    return class_handles(class_names(run), seen, at_edges=at_edges, boxes=boxes)


def class_handles(
    names: Sequence[str], classes: Iterable[int], *, at_edges: bool, boxes: bool = False
) -> list[Line2D]:
    """The color and form of each class that is seen, with its name. boxes: they have one form."""
    seen = sorted(classes)
    if at_edges:
        return [
            Line2D(
                [],
                [],
                label=names[mark],
                linewidth=1.0 if mark == 0 else 2.7,
                color=PALE if mark == 0 else ANSWERS[mark % len(ANSWERS)],
                linestyle=DASHES[mark % len(DASHES)],
            )
            for mark in seen
            if mark < len(names)
        ]
    return [
        Line2D(
            [],
            [],
            label=names[number],
            linestyle="none",
            marker="s" if boxes else FORMS[number % len(FORMS)],
            markersize=6,
            markerfacecolor=ANSWERS[number % len(ANSWERS)],
            markeredgecolor=INK,
            markeredgewidth=0.8,
        )
        for number in seen
        if number < len(names) and names[number]
    ]


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
    # of points in a plane, edges are not looked at
    edges = [] if isinstance(layout, Plane) else graph.edges.T.tolist()
    values = {name: value_at(run, name, moment) for name in declaration.outputs}
    classes = classes_of(run, moment)
    draw_graph(
        axes,
        places,
        edges,
        directed=graph.directed,
        names=[graph.name_of(node) for node in range(graph.num_nodes)],
        classes=None if at_edges else classes,
        marks=classes if at_edges else None,
        radius=radius,
    )
    if (pointer := shown_pointer(run)) is not None:
        draw_pointers(axes, values[pointer], places, radius, edges)
    if isinstance(layout, Plane):
        for ends in layout.ends(layout_moment(run, moment)):
            columns, rows = zip(*(places[end] for end in ends), strict=True)
            axes.plot(columns, rows, color=INK, linewidth=1.6, zorder=0)
    beside = [
        known_texts(run, name, values)
        for name, kind in declaration.outputs.items()
        if isinstance(kind, Number) and not at_edges
    ]
    for name, field in declaration.inputs.items():
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH:
            put_ring(axes, places, int(run.inputs[name][0]), radius)
        elif isinstance(field.kind, Number) and field.location is Location.EDGE:
            put_edge_texts(axes, places, edges, given_texts(run, name))
        elif isinstance(layout, Plane) and name in (layout.x, layout.y):
            continue
        elif isinstance(field.kind, Number) and field.location is declaration.location:
            beside.append(given_texts(run, name))
    put_beside(axes, places, edges, beside)
    columns, rows = zip(*places.values(), strict=True)
    axes.set_xlim(min(columns) - 0.65, max(columns) + 0.65)
    axes.set_ylim(min(rows) - 0.65, max(rows) + 0.65)


def plane_places(run: Run, moment: int = 0) -> Places:
    """Where points of the plane are drawn; Matplotlib counts upwards."""
    assert isinstance(run.algorithm.layout, Plane)
    drawn = run.algorithm.layout.places(layout_moment(run, moment))
    return {node: (x, -y) for node, (x, y) in enumerate(drawn)}


def draw_pointers(
    axes: Axes,
    targets: Sequence[int],
    places: Places,
    radius: float,
    edges: Sequence[Sequence[int]] = (),
) -> None:
    """An arrow from each node to the one that it points to.

    edges: along these, arrows lead from the parent on, as in the player: they are a tree.
    """
    known = {(one, other) for u, v in edges for one, other in ((u, v), (v, u))}
    graph = nx.DiGraph(
        (target, node) if (target, node) in known else (node, target)
        for node, target in enumerate(targets)
        if target != node
    )
    nx.draw_networkx_edges(
        graph,
        places,
        width=1.6,
        edge_color=INK,
        arrowsize=radius,
        node_size=(2 * radius) ** 2,
        ax=axes,
    )
