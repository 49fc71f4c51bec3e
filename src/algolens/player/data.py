"""All that the page of a run shows, as JSON: the graph, what is declared, and every step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from algolens.engines import Run
from algolens.engines.numbers import given_numbers
from algolens.errors import AlgoLensError, GraphError
from algolens.evaluation import Side
from algolens.graphs import At
from algolens.language.layouts import BoxLayout, Plane
from algolens.language.scales import attributes_at
from algolens.player.declared import SHAPES, algorithm_data
from algolens.player.part import Part, choose_part, root_of
from algolens.player.steps import side_data, whole_values
from algolens.text.names import written


def pages_data(
    sides: Sequence[Side], graph_name: str, *, around: int | None = None
) -> list[dict[str, Any]]:
    """The pages of runs of several algorithms on one graph, one for each algorithm.

    Nodes stand at the same places in all of them.
    """
    groups = [
        list(group) for _, group in groupby(sides, key=lambda side: repr(side.run.algorithm))
    ] or [[]]
    first = page_data(groups[0], graph_name, around=around)
    if around is None and first["part"] is not None:
        around = first["part"]["around"]
    pages = [first, *(page_data(group, graph_name, around=around) for group in groups[1:])]
    graph = sides[0].run.graph
    for page, (side, *_) in zip(pages[1:], groups[1:], strict=True):
        if (side.run.graph.num_nodes, side.run.graph.directed) != (
            graph.num_nodes,
            graph.directed,
        ) or not np.array_equal(side.run.graph.edges, graph.edges):
            raise AlgoLensError(
                f"{first['algorithm']['name']} and {page['algorithm']['name']} do not run on one "
                "graph: their nodes, edges or directions differ. Show them on two pages."
            )
        if page["graph"]["places"] and first["graph"]["places"]:
            page["graph"] = {**page["graph"], "places": first["graph"]["places"]}
    return pages


def page_data(
    sides: Sequence[Side], graph_name: str, *, around: int | None = None
) -> dict[str, Any]:
    """The page of runs of one algorithm, as JSON.

    graph_name: what the user calls the graph. around: a node near which it is shown; None: all of
    it where there is room, else a part.
    """
    if not sides:
        raise AlgoLensError("there is no run to show: give at least one.")
    run = sides[0].run
    if run.graph.num_graphs != 1:
        raise GraphError(
            f"a page shows a run of one graph, and this one is of {run.graph.num_graphs}: take one "
            "of them."
        )
    for side in sides[1:]:
        if side.run.algorithm != run.algorithm or not _same_task(side.run, run):
            raise AlgoLensError(
                "runs of one algorithm that stand side by side are of one graph and one set of "
                "inputs."
            )
    fields, part = run.algorithm.declaration.inputs, choose_part(sides, around)
    document = {
        "graph_name": graph_name,
        "shapes": SHAPES,
        "algorithm": algorithm_data(run.algorithm, run.graph),
        "inputs": {
            name: whole_values(part.values(run.inputs[name], fields[name])) for name in fields
        },
        "given": {
            name: _given(run, name, part)
            for name, field in fields.items()
            if field.kind == "number"
        },
        "drawn": [
            name for name, field in fields.items() if field.drawn and not _is_carried(run, name)
        ],
        "scales": _scales(run),
        "sides": [side_data(side, part) for side in sides],
        "part": None if part.around is None else _part(part),
    }
    # last, for it names all that pointers lead to
    return {**document, "graph": _graph(run, part)}


def _part(part: Part) -> dict[str, Any]:
    """What is told of a part, and which numbers its elements have in the whole."""
    drawn: tuple[At, ...] = ("node", "edge")
    return {
        "told": part.told,
        "around": part.around,
        "numbers": {at: part.shown[at].tolist() for at in drawn},
        "counts": {at: part.whole.count(at) for at in drawn},
    }


def _same_task(one: Run, other: Run) -> bool:
    return np.array_equal(one.graph.edges, other.graph.edges) and all(
        np.array_equal(value, other.inputs[name]) for name, value in one.inputs.items()
    )


# ---- the graph


def _graph(run: Run, part: Part) -> dict[str, Any]:
    nodes, root = part.shown["node"].tolist(), root_of(run)
    number = None if root is None else part.number("node", root)
    root_here = None if number is None or number >= len(nodes) else number
    layout = run.algorithm.layout
    # boxes, and points of the plane, are placed by the page, from fields
    places = np.zeros((0, 2))
    form = layout.form
    if not isinstance(layout, BoxLayout | Plane):
        # imported lazily: igraph and scikit-learn take most of a second to load
        from algolens.reports.layout import laid_out

        drawn = laid_out(part.graph, root_here, layout)
        places, form = drawn.places, drawn.form
    return {
        "directed": run.graph.directed,
        "nodes": [run.graph.name_of(node) for node in nodes],
        "edges": part.edges.T.tolist(),
        **part.edges_as_named(),
        "places": places.round(3).tolist(),
        "form": form,
        "outside": part.names_outside(),
    }


def _scales(run: Run) -> dict[str, int]:
    """What the user's numbers were multiplied by to be whole, by field, where they were."""
    units = run.algorithm.declaration.units
    scales = {name: run.scale_of(name).factor for name in units}
    return {name: scale for name, scale in scales.items() if scale != 1}


def _given(run: Run, name: str, part: Part) -> list[str]:
    """An input's numbers as the user wrote them."""
    numbers = given_numbers(run.algorithm, run.graph, run.inputs, name)
    field = run.algorithm.declaration.inputs[name]
    return [written(numbers[place]) for place in part.shown[field.at].tolist()]


def _is_carried(run: Run, name: str) -> bool:
    """Whether the user's graph carries an input, which is else drawn at random."""
    return name in attributes_at(run.graph, run.algorithm.declaration.inputs[name].at)
