"""Graham scan: the corners of a convex hull, by a stack (Graham 1972)."""

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
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Plane

WORDS = Words(
    examined="is_current",
    phrases={
        "count": (
            "the points are ranked by angle: each counts whether point {count} comes before it"
        ),
        "in_hull": {
            "is_begun_from": "{me} is the lowest point: the hull begins there",
            "is_popped": "{me} is popped: the next point turns right there, so it lies inside",
            "is_pushed": "{me} is pushed: the hull turns left there so far",
            "has_joined": "{me} is on the stack",
            "is_current": "",
            "True": "{me} is not on the stack",
        },
        "joins": (
            "it is put on the stack",
            "it is not put on the stack",
        ),
        "has_joined": (
            "it is on the stack",
            "it is not on the stack",
        ),
        "is_popped": (
            "it is taken off the stack",
            "it is not taken off the stack",
        ),
        "is_under_way": (
            "points are left",
            "no point is left",
        ),
    },
    lines={
        "start": "the stack is empty",
        "is_begun_from": "begin with the lowest point",
        "ranks": "rank all points by their angle around it",
        "is_popped": "pop points from the stack while the next point turns right there",
        "is_pushed": "push the next point",
        "until": "every point was pushed",
    },
    states={
        "is_top": "top of the stack",
        "in_hull": "on the stack",
        "none": "not on the stack",
    },
    names={
        "rank": "rank by angle",
    },
)


class GrahamScan(Algorithm):
    """In the order of their angle around the lowest point, push each point on a stack, after
    popping those that it leaves inside.

    The order is found by cross products: one point a step, every other one counts whether that
    comes before it. No three points may be on a line.
    """

    name = "graham_scan"
    title = "Graham scan"
    group = "geometry"
    graphs = "any"
    checks = (("no_three_on_a_line", "x", "y"),)
    layout = Plane(x="x", y="y")

    bits: int = 12  # of a coordinate

    def declare(self) -> Declaration:
        coordinate, place = Number(self.bits, signed=True), Number(31)
        points = ("lowest", "pivot", "top", "below")
        placed = [f"{point}_{axis}" for point in points for axis in "xy"]
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"x": at_node(coordinate), "y": at_node(coordinate)},
            state=(
                *("has_begun", "count", "scanned", "rank", "under"),
                *placed,
                *("is_lowest", "is_top", "in_hull"),
            ),
            start={
                "has_begun": "False",
                "count": 0,
                "scanned": 0,
                "rank": 0,
                "under": "me",
                **dict.fromkeys(placed, 0),
                "is_lowest": "False",
                "is_top": "False",
                "in_hull": "False",
            },
            sums={
                "count_after": at_graph("count + 1"),
                "scanned_after": at_graph("scanned + 1"),
                "rank_after": at_node("rank + 1"),
                "pivot_east": at_graph("pivot_x - lowest_x"),
                "pivot_north": at_graph("pivot_y - lowest_y"),
                "east": at_node("x - graph's lowest_x"),
                "north": at_node("y - graph's lowest_y"),
                "spread": at_node("graph's pivot_east * north - graph's pivot_north * east"),
                "along_x": at_graph("top_x - below_x"),
                "along_y": at_graph("top_y - below_y"),
                "to_x": at_node("x - graph's below_x"),
                "to_y": at_node("y - graph's below_y"),
                "turn": at_node("graph's along_x * to_y - graph's along_y * to_x"),
            },
            look={
                **_forms.FIRST_STEP,
                "is_begun_from": at_node(
                    "graph's begins & no other node ((its y, its x, its number) < (my y, my x, my "
                    "number))"
                ),
                "is_lowest": at_node("is_begun_from | last is_lowest"),
                "ranks": at_graph("~begins & some node (its number = my count)"),
                "is_behind": at_node("graph's ranks & spread > 0"),
                "is_next_pivot": at_node(
                    "graph's begins & number = 0 | graph's ranks & number = graph's count_after"
                ),
                "is_current": at_node(
                    "~graph's begins & ~graph's ranks & ~last is_lowest & rank = graph's scanned"
                ),
                "is_left_inside": at_graph("some node (is_current & its turn <= 0)"),
                "pops": at_graph("scanned >= 2 & is_left_inside"),
                "pushes": at_graph("~pops & some node (is_current)"),
                "is_pushed": at_node("graph's pushes & is_current"),
                "is_popped": at_node("graph's pops & last is_top"),
                "is_uncovered": at_node("some node whose under is me (is_popped)"),
                "joins": at_node("is_begun_from | is_pushed"),
                "is_top": at_node(
                    "joins | is_uncovered | last is_top & ~graph's pops & ~graph's pushes"
                ),
                "has_joined": at_node("in_hull"),
                "is_under_way": at_node(
                    "graph's begins | graph's ranks | graph's pops | graph's pushes"
                ),
            },
            moves={
                "count": "count_after where ranks",
                "scanned": "scanned_after where pushes",
                "rank": "rank_after where is_behind",
                "under": ["me where is_popped", "the other node (last is_top) where is_pushed"],
                **{f"lowest_{axis}": f"the node's {axis} (is_begun_from)" for axis in "xy"},
                **{f"pivot_{axis}": f"the node's {axis} (is_next_pivot)" for axis in "xy"},
                **{
                    f"top_{axis}": [f"the node's {axis} (joins)", f"below_{axis} where pops"]
                    for axis in "xy"
                },
                **{
                    f"below_{axis}": [
                        f"top_{axis} where pushes",
                        f"the node's under's under's {axis} (is_popped)",
                    ]
                    for axis in "xy"
                },
            },
            hints={
                "count": at_graph(place),
                "scanned": at_graph(place),
                "rank": at_node(place),
                "under": at_node(Pointer(Location.NODE, itself_is_none=True)),
                **dict.fromkeys(placed, at_graph(coordinate)),
            },
            concepts=("has_joined", "joins", "is_popped", "is_under_way"),
            outputs={"in_hull": Mask()},
            rules={
                "in_hull": {
                    "true": "joins | has_joined & ~is_popped",
                    "false": "~joins & (~has_joined | is_popped)",
                }
            },
            continues="is_under_way",
            most_steps=Limit(3),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return _points.draw_points(graph, self.bits, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_hull": dict.fromkeys(_points.corners(graph), True)}
