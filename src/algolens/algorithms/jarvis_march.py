"""Jarvis march: the corners of a convex hull, one after the other (Jarvis 1973)."""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _points,
)
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Plane

WORDS = Words(
    examined="is_next",
    phrases={
        "is_end": {
            "takes_over": "{me} is the best candidate so far for the next corner",
            "True": "",
        },
        "in_hull": {
            "is_lowest": "{me} is the lowest point: the march begins there",
            "joins": "{me} is the next corner: no point lies further right",
            "is_next & last is_corner": "{me} is passed by: the march is there",
            "is_next": "the candidate stays: {me} does not lie further right",
            "has_joined": "{me} is a corner",
            "True": "{me} is not known as a corner",
        },
        "joins": (
            "no point lies further right",
            "it does not become a corner",
        ),
        "has_joined": (
            "it is a corner",
            "it is not known as a corner",
        ),
        "is_under_way": (
            "the march goes on",
            "the march is back at a corner",
        ),
    },
    lines={
        "start": "no corner is known",
        "is_lowest": "begin at the lowest point",
        "is_next": "look at each point in turn",
        "takes_over": "keep it as candidate if it lies further right than the last one",
        "joins & ~is_lowest": "after all points, the candidate is the next corner",
        "until": "the march comes back to a corner",
    },
    states={
        "is_corner": "where the march is",
        "is_end": "candidate",
        "in_hull": "corner",
        "none": "not known as a corner",
    },
)


class JarvisMarch(Algorithm):
    """From the lowest point on, the next corner is the one with all other points on its left: look
    at each point in turn, and keep the one furthest right.

    The march ends when it comes back to a corner. No three points may be on a line.
    """

    name = "jarvis_march"
    title = "Jarvis march"
    group = "geometry"
    graphs = "any"
    checks = (("no_three_on_a_line", "x", "y"),)
    layout = Plane(x="x", y="y", segments=(("is_corner", "is_end"),))

    bits: int = 12  # of a coordinate

    def declare(self) -> Declaration:
        coordinate = Number(self.bits, signed=True)
        places = ("corner_x", "corner_y", "end_x", "end_y")
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"x": at_node(coordinate), "y": at_node(coordinate)},
            state=("has_begun", "count", *places, "is_corner", "is_end", "in_hull"),
            start={
                "has_begun": "False",
                "count": 0,
                **dict.fromkeys(places, 0),
                "is_corner": "False",
                "is_end": "False",
                "in_hull": "False",
            },
            sums={
                "none": at_graph("0"),
                "count_after": at_graph("count + 1"),
                "along_x": at_graph("end_x - corner_x"),
                "along_y": at_graph("end_y - corner_y"),
                "to_x": at_node("x - graph's corner_x"),
                "to_y": at_node("y - graph's corner_y"),
                "turn": at_node("graph's along_x * to_y - graph's along_y * to_x"),
            },
            look={
                **_forms.FIRST_STEP,
                "is_zero": at_node("number = 0"),
                "is_lowest": at_node(
                    "graph's begins & no other node ((its y, its x, its number) < (my y, my x, my "
                    "number))"
                ),
                "is_next": at_node("~graph's begins & number = graph's count"),
                "looks_on": at_graph("some node (is_next)"),
                "has_no_end": at_graph("some node (last is_corner & last is_end)"),
                "lies_right": at_node("turn <= 0 & ~last is_corner & ~last is_end"),
                "takes_over": at_node("is_next & (graph's has_no_end | lies_right)"),
                "is_replaced": at_graph("some node (takes_over)"),
                "comes_back": at_graph("~begins & ~looks_on & some node (last is_end & in_hull)"),
                "goes_round": at_graph("~begins & ~looks_on & ~comes_back"),
                "begins_round": at_graph("begins | goes_round"),
                "joins": at_node("is_lowest | graph's goes_round & last is_end"),
                "is_corner": at_node("joins | last is_corner & ~graph's goes_round"),
                "is_end": at_node(
                    "takes_over | graph's begins_round & is_zero | last is_end & ~graph's "
                    "is_replaced & ~graph's goes_round"
                ),
                "has_joined": at_node("in_hull"),
                "is_under_way": at_node("~graph's comes_back"),
            },
            moves={
                "count": ["none where goes_round", "count_after where looks_on"],
                "corner_x": "the node's x (joins)",
                "corner_y": "the node's y (joins)",
                "end_x": ["the node's x (takes_over)", "the node's x (is_zero) where begins_round"],
                "end_y": ["the node's y (takes_over)", "the node's y (is_zero) where begins_round"],
            },
            hints={
                "count": at_graph(Number(31)),
                **dict.fromkeys(places, at_graph(coordinate)),
            },
            concepts=("has_joined", "joins", "is_under_way"),
            outputs={"in_hull": Mask()},
            rules={"in_hull": _forms.where_any("has_joined", "joins")},
            continues="is_under_way",
            most_steps=Limit(2, squared=True),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return _points.draw_points(graph, self.bits, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_hull": dict.fromkeys(_points.corners(graph), True)}
