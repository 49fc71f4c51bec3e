"""Segment intersection: whether two line segments meet, by four cross products (CLRS, section
33.1).
"""

from __future__ import annotations

from fractions import Fraction

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number, per, pointer
from algolens.language import points
from algolens.language.layouts import Plane

CROSS, POINT = number(62, signed=True), pointer(Node)


class SegmentsIntersect(Algorithm):
    """For each end of the two segments, find on which side of the other segment's line it lies.

    They meet where each line has the other segment's ends on two sides, or where an end lies on the
    other segment.
    """

    title, group, graphs = "Segment intersection", "geometry", "any"
    example, items = "0,0 8,6 1,6 7,1", ("points", "x", "y")
    layout = Plane(x="x", y="y", segments=(("p1", "p2"), ("p3", "p4")))
    bits = Bits(10)  # of a coordinate

    x, y = Node.input(number(bits, signed=True)), Node.input(number(bits, signed=True))
    p1, p2, p3, p4 = (Graph.input(POINT) for _ in range(4))

    # step by step, the end k is tested against the line from i to j
    count = Graph.state(number(3), becomes="count + 1")
    is_first, is_second = Graph.derived("count = 0"), Graph.derived("count = 1")
    is_third, is_fourth = Graph.derived("count = 2"), Graph.derived("count = 3")
    i = Graph.state(POINT, start="p3", becomes="p1 where is_second")
    j = Graph.state(POINT, start="p4", becomes="p2 where is_second")
    k = Graph.state(
        POINT, start="p1", becomes=["p2 where is_first", "p3 where is_second", "p4 where is_third"]
    )

    along_x, along_y = Graph.derived("j's x - i's x"), Graph.derived("j's y - i's y")
    to_x, to_y = Graph.derived("k's x - i's x"), Graph.derived("k's y - i's y")
    turn = Graph.derived("to_x * along_y - along_x * to_y")  # its sign: the side where k lies
    turn_1, turn_2, turn_3, turn_4 = (
        Graph.state(
            CROSS,
            becomes=f"turn where {turns}",
            tells="The cross product of {k} with the line from {i} to {j} is {new}",
        )
        for turns in ("is_first", "is_second", "is_third", "is_fourth")
    )
    is_within_x, is_within_y = (
        Graph.derived(
            f"i's {x} <= k's {x} & k's {x} <= j's {x} | j's {x} <= k's {x} & k's {x} <= i's {x}"
        )
        for x in "xy"
    )
    is_on = Graph.derived("is_within_x & is_within_y")
    on_1, on_2, on_3, on_4 = (
        Graph.state(mask, becomes=f"is_on & {turns} | on_{number}")
        for number, turns in enumerate(("is_first", "is_second", "is_third", "is_fourth"), 1)
    )

    is_tested = Node.derived(
        "me = graph's k",
        line="find on which side of the other segment's line it lies",
        yes="it is the end that is tested now",
        no="it is not tested now",
    )
    tested = Node.output(
        mask,
        becomes="tested | is_tested",
        tells={
            "is_tested": "{me} is tested against the line from {graph's i} to {graph's j}",
            "tested": "{me} has been tested",
            "True": "{me} is not tested",
        },
        says="it has [not] been tested",
    )

    parts_first = Graph.derived("turn_1 > 0 & turn_2 < 0 | turn_1 < 0 & turn_2 > 0")
    parts_second = Graph.derived("turn_3 > 0 & turn_4 < 0 | turn_3 < 0 & turn_4 > 0")
    touches_first = Graph.derived("turn_1 = 0 & on_1 | turn_2 = 0 & on_2")
    touches_second = Graph.derived("turn_3 = 0 & on_3 | turn_4 = 0 & on_4")
    intersects = Graph.derived(
        "parts_first & parts_second | touches_first | touches_second",
        yes="the segments meet: each has the ends of the other on two sides, or an end lies on the "
        "other",
        no="the segments do not meet: one lies on one side of the other's line, and touches it "
        "nowhere",
    )
    outcomes, examines, most_steps = ("intersects",), "is_tested", 4 * per(Graph)
    legend = {"tested": "tested", "True": "not tested"}
    starts_with, repeats = "no end is tested", "for each of the four ends:"
    ends_when = "all four are tested"

    def sample(self, graph, rng):
        # few values, so that ends often lie on the other segment's line, or many
        most = 2 if rng.random() < 0.5 else 2 ** min(self.bits - 1, points.MOST_DRAWN)
        drawn = rng.integers(-most, most, (2, graph.num_nodes))
        placed = dict(zip("xy", drawn, strict=True))
        return {**super().sample(graph, rng), **placed}

    def reference(self, graph, inputs):
        ends = [inputs[name] for name in ("p1", "p2", "p3", "p4")]
        points = [(graph.nodes[end]["x"], graph.nodes[end]["y"]) for end in ends]
        return {"tested": set(ends), "intersects": _meet(*points)}


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
