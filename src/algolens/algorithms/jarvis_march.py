"""Jarvis march: the corners of a convex hull, one after the other (Jarvis 1973)."""

from algolens.algorithms import Graph, Node, mask, number, per
from algolens.algorithms._hull import ConvexHull
from algolens.language.layouts import Plane

XY = ConvexHull.coordinate


class JarvisMarch(ConvexHull):
    """From the lowest point on, the next corner is the one with all other points on its left: look
    at each point in turn, and keep the one furthest right.

    The march ends when it comes back to a corner. No three points may be on a line.
    """

    example, items = "0,0 5,1 8,5 7,9 3,8 0,3 4,2 5,6", ("points", "x", "y")
    layout = Plane(x="x", y="y", segments=(("is_corner", "is_end"),))

    is_zero = Node.derived("number = 0")
    is_lowest = Node.derived(
        "graph's begins & me = least node by y, x, number", line="begin at the lowest point"
    )

    # a round: each point in turn
    is_next = Node.derived(
        "~graph's begins & number = graph's count", line="look at each point in turn"
    )
    looks_on = Graph.derived("some node (is_next)")
    count = Graph.state(number(31), becomes=["0 where goes_round", "count + 1 where looks_on"])
    turn = Node.derived(
        "(graph's end_x - graph's corner_x) * (y - graph's corner_y) - (graph's end_y - graph's "
        "corner_y) * (x - graph's corner_x)"
    )
    lies_right = Node.derived("turn <= 0 & ~is_corner & ~is_end")
    has_no_end = Graph.derived("some node (is_corner & is_end)")
    takes_over = Node.derived(
        "is_next & (graph's has_no_end | lies_right)",
        line="keep it as candidate if it lies further right than the last one",
    )
    is_replaced = Graph.derived("some node (takes_over)")

    # after a round: the candidate is the next corner
    comes_back = Graph.derived("~begins & ~looks_on & some node (is_end & in_hull)")
    goes_round = Graph.derived("~begins & ~looks_on & ~comes_back")
    begins_round = Graph.derived("begins | goes_round")
    joins = Node.derived(
        "is_lowest | graph's goes_round & is_end",
        yes="no point lies further right",
        no="it does not become a corner",
    )
    in_hull = Node.output(
        mask,
        becomes="in_hull | joins",
        tells={
            "is_lowest": "{me} is the lowest point: the march begins there",
            "joins": "{me} is the next corner: no point lies further right",
            "is_next & is_corner": "{me} is passed by: the march is there",
            "is_next": "The candidate stays: {me} does not lie further right",
            "in_hull": "{me} is a corner",
            "True": "{me} is not known as a corner",
        },
        yes="it is a corner",
        no="it is not known as a corner",
        line={"joins & ~is_lowest": "after all points, the candidate is the next corner"},
    )
    is_end = Node.state(
        mask,
        becomes="takes_over | graph's begins_round & is_zero | is_end & ~graph's is_replaced & "
        "~graph's goes_round",
        tells={"takes_over": "{me} is the best candidate so far for the next corner", "True": ""},
    )
    end_x = Graph.state(
        XY, becomes=["the node's x (takes_over)", "the node's x (is_zero) where begins_round"]
    )
    end_y = Graph.state(
        XY, becomes=["the node's y (takes_over)", "the node's y (is_zero) where begins_round"]
    )
    is_corner = Node.state(mask, becomes="joins | is_corner & ~graph's goes_round")
    corner_x = Graph.state(XY, becomes="the node's x (joins)")
    corner_y = Graph.state(XY, becomes="the node's y (joins)")
    is_under_way = Node.derived(
        "~graph's comes_back", yes="the march goes on", no="the march is back at a corner"
    )

    goes_on = "some node (is_under_way)"
    most_steps = 2 * per(Node, Node)
    examines = "is_next"
    legend = {
        "is_corner": "where the march is",
        "is_end": "candidate",
        "in_hull": "corner",
        "True": "not known as a corner",
    }
    starts_with, ends_when = "no corner is known", "the march comes back to a corner"
