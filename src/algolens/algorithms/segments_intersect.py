"""Segment intersection: whether two line segments meet, by four cross products (CLRS, section
33.1).
"""

from fractions import Fraction

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms, _points
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Plane

ENDS = ("p1", "p2", "p3", "p4")

WORDS = Words(
    examined="is_tested",
    phrases={
        "turn_1": "the cross product of {k} with the line from {i} to {j} is {new}",
        "turn_2": "the cross product of {k} with the line from {i} to {j} is {new}",
        "turn_3": "the cross product of {k} with the line from {i} to {j} is {new}",
        "turn_4": "the cross product of {k} with the line from {i} to {j} is {new}",
        "tested": {
            "is_tested": "{me} is tested against the line from {graph's i} to {graph's j}",
            "has_been_tested": "{me} has been tested",
            "True": "{me} is not tested",
        },
        "has_been_tested": (
            "it has been tested",
            "it has not been tested",
        ),
        "is_tested": (
            "it is the end that is tested now",
            "it is not tested now",
        ),
        "intersects": (
            (
                "the segments meet: each has the ends of the other on two sides, or an end lies "
                "on the other"
            ),
            (
                "the segments do not meet: one lies on one side of the other's line, and touches "
                "it nowhere"
            ),
        ),
    },
    lines={
        "start": "no end is tested",
        "repeat": "for each of the four ends:",
        "is_tested": "find on which side of the other segment's line it lies",
        "until": "all four are tested",
    },
    states={
        "tested": "tested",
        "none": "not tested",
    },
)


class SegmentsIntersect(Algorithm):
    """For each end of the two segments, find on which side of the other segment's line it lies.

    They meet where each line has the other segment's ends on two sides, or where an end lies on the
    other segment.
    """

    name = "segments_intersect"
    title = "Segment intersection"
    group = "geometry"
    graphs = "any"
    layout = Plane(x="x", y="y", segments=(("p1", "p2"), ("p3", "p4")))

    bits: int = 10  # of a coordinate

    def declare(self) -> Declaration:
        coordinate, point = Number(self.bits, signed=True), at_graph(Pointer(Location.NODE))
        turns = ("turn_1", "turn_2", "turn_3", "turn_4")
        touched = {f"on_{place}": f"is_on & count = {place - 1}" for place in range(1, 5)}
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "x": at_node(coordinate),
                "y": at_node(coordinate),
                **dict.fromkeys(ENDS, point),
            },
            state=("count", "i", "j", "k", *turns, *touched, "tested"),
            start={
                "count": 0,
                "i": "p3",
                "j": "p4",
                "k": "p1",
                **dict.fromkeys(turns, 0),
                **dict.fromkeys(touched, "False"),
                "tested": "False",
            },
            sums={
                "count_after": at_graph("count + 1"),
                "along_x": at_graph("j's x - i's x"),
                "along_y": at_graph("j's y - i's y"),
                "to_x": at_graph("k's x - i's x"),
                "to_y": at_graph("k's y - i's y"),
                "turn": at_graph("to_x * along_y - along_x * to_y"),
            },
            look={
                "is_within_x": at_graph(
                    "i's x <= k's x & k's x <= j's x | j's x <= k's x & k's x <= i's x"
                ),
                "is_within_y": at_graph(
                    "i's y <= k's y & k's y <= j's y | j's y <= k's y & k's y <= i's y"
                ),
                "is_on": at_graph("is_within_x & is_within_y"),
                "is_first": at_graph("count = 0"),
                "is_second": at_graph("count = 1"),
                "is_third": at_graph("count = 2"),
                "is_fourth": at_graph("count = 3"),
                **{name: at_graph(f"{said} | last {name}") for name, said in touched.items()},
                "parts_first": at_graph("turn_1 > 0 & turn_2 < 0 | turn_1 < 0 & turn_2 > 0"),
                "parts_second": at_graph("turn_3 > 0 & turn_4 < 0 | turn_3 < 0 & turn_4 > 0"),
                "touches_first": at_graph("turn_1 = 0 & last on_1 | turn_2 = 0 & last on_2"),
                "touches_second": at_graph("turn_3 = 0 & last on_3 | turn_4 = 0 & last on_4"),
                "intersects": at_graph(
                    "parts_first & parts_second | touches_first | touches_second"
                ),
                "has_been_tested": at_node("tested"),
                "is_tested": at_node("me = graph's k"),
            },
            moves={
                "count": "count_after",
                "i": "p1 where is_second",
                "j": "p2 where is_second",
                "k": ["p2 where is_first", "p3 where is_second", "p4 where is_third"],
                "turn_1": "turn where is_first",
                "turn_2": "turn where is_second",
                "turn_3": "turn where is_third",
                "turn_4": "turn where is_fourth",
            },
            hints={
                "count": at_graph(Number(3)),
                "i": point,
                "j": point,
                "k": point,
                **dict.fromkeys(turns, at_graph(Number(62, signed=True))),
            },
            concepts=("has_been_tested", "is_tested"),
            outputs={"tested": Mask()},
            rules={"tested": _forms.where_any("has_been_tested", "is_tested")},
            outcomes=("intersects",),
            most_steps=Limit(4, Location.GRAPH),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        # few values, so that ends often lie on the other segment's line, or many
        most = 2 if rng.random() < 0.5 else 2 ** min(self.bits - 1, _points.MOST_DRAWN)
        drawn = rng.integers(-most, most, (2, graph.num_nodes))
        placed = {name: torch.from_numpy(values) for name, values in zip("xy", drawn, strict=True)}
        return {**super().sample(graph, rng), **placed}

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        ends = [inputs[name] for name in ENDS]
        points = [(graph.nodes[end]["x"], graph.nodes[end]["y"]) for end in ends]
        return {"tested": dict.fromkeys(ends, True), "intersects": _meet(*points)}


Point = tuple[int, int]


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether a + t (b - a) = c + u (d - c) for some t and u from 0 to 1."""
    (rx, ry), (sx, sy) = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1])
    qx, qy = c[0] - a[0], c[1] - a[1]
    size = rx * sy - ry * sx
    if size:
        t, u = Fraction(qx * sy - qy * sx, size), Fraction(qx * ry - qy * rx, size)
        return 0 <= t <= 1 and 0 <= u <= 1
    if qx * ry != qy * rx or qx * sy != qy * sx:
        return False  # they are parallel
    # all on a line, or a point each: in the order of a dictionary they overlap
    return max(min(a, b), min(c, d)) <= min(max(a, b), max(c, d))
