"""Graham scan: the corners of a convex hull, by a stack (Graham 1972)."""

from algolens.algorithms import Graph, Node, mask, number, per, pointer_or_none
from algolens.algorithms._hull import ConvexHull
from algolens.language.layouts import Plane

XY, PLACE = ConvexHull.coordinate, number(31)


class GrahamScan(ConvexHull):
    """In the order of their angle around the lowest point, push each point on a stack, after
    popping those that it leaves inside.

    The order is found by cross products: one point a step, every other one counts whether that
    comes before it. No three points may be on a line.
    """

    layout = Plane(x="x", y="y")

    # first, the lowest point; it begins the hull
    example, items = "0,0 5,1 8,5 7,9 3,8 0,3 4,2 5,6", ("points", "x", "y")
    is_begun_from = Node.derived(
        "graph's begins & me = least node by y, x, number", line="begin with the lowest point"
    )
    is_lowest = Node.state(mask, becomes="is_begun_from | is_lowest")
    lowest_x = Graph.state(XY, becomes="the node's x (is_begun_from)")
    lowest_y = Graph.state(XY, becomes="the node's y (is_begun_from)")

    # then, one pivot a step: the points behind it have a rank higher by one
    ranks = Graph.derived(
        "~begins & some node (number = my count)", line="rank all points by their angle around it"
    )
    count = Graph.state(
        PLACE,
        becomes="count + 1 where ranks",
        tells="The points are ranked by angle: each counts whether point {count} comes before it",
    )
    is_next_pivot = Node.derived(
        "graph's begins & number = 0 | graph's ranks & number = graph's count + 1"
    )
    pivot_x = Graph.state(XY, becomes="the node's x (is_next_pivot)")
    pivot_y = Graph.state(XY, becomes="the node's y (is_next_pivot)")
    spread = Node.derived(
        "(graph's pivot_x - graph's lowest_x) * (y - graph's lowest_y) - (graph's pivot_y - "
        "graph's lowest_y) * (x - graph's lowest_x)"
    )
    is_behind = Node.derived("graph's ranks & spread > 0")
    rank = Node.state(PLACE, becomes="rank + 1 where is_behind", title="rank by angle")

    # at last, point by point in this order; top and below are the upper two on the stack
    is_current = Node.derived(
        "~graph's begins & ~graph's ranks & ~is_lowest & rank = graph's scanned"
    )
    turn = Node.derived(
        "(graph's top_x - graph's below_x) * (y - graph's below_y) - (graph's top_y - graph's "
        "below_y) * (x - graph's below_x)"
    )
    is_left_inside = Graph.derived("some node (is_current & turn <= 0)")
    pops = Graph.derived("scanned >= 2 & is_left_inside")
    is_popped = Node.derived(
        "graph's pops & is_top",
        says="it is [not] taken off the stack",
        line="pop points from the stack while the next point turns right there",
    )
    is_uncovered = Node.derived("some node whose under is me (is_popped)")
    pushes = Graph.derived("~pops & some node (is_current)")
    is_pushed = Node.derived("graph's pushes & is_current", line="push the next point")
    joins = Node.derived("is_begun_from | is_pushed", says="it is [not] put on the stack")
    scanned = Graph.state(PLACE, becomes="scanned + 1 where pushes")
    top_x = Graph.state(XY, becomes=["the node's x (joins)", "below_x where pops"])
    top_y = Graph.state(XY, becomes=["the node's y (joins)", "below_y where pops"])
    below_x = Graph.state(
        XY, becomes=["top_x where pushes", "the node's under's under's x (is_popped)"]
    )
    below_y = Graph.state(
        XY, becomes=["top_y where pushes", "the node's under's under's y (is_popped)"]
    )
    under = Node.state(
        pointer_or_none(Node),
        becomes=["me where is_popped", "the other node (is_top) where is_pushed"],
    )
    in_hull = Node.output(
        mask,
        becomes="joins | in_hull & ~is_popped",
        tells={
            "is_begun_from": "{me} is the lowest point: the hull begins there",
            "is_popped": "{me} is popped: the next point turns right there, so it lies inside",
            "is_pushed": "{me} is pushed: the hull turns left there so far",
            "in_hull": "{me} is on the stack",
            "is_current": "",
            "True": "{me} is not on the stack",
        },
        says="it is [not] on the stack",
    )
    is_top = Node.state(
        mask, becomes="joins | is_uncovered | is_top & ~graph's pops & ~graph's pushes"
    )
    is_under_way = Node.derived(
        "graph's begins | graph's ranks | graph's pops | graph's pushes",
        yes="points are left",
        no="no point is left",
    )

    goes_on = "some node (is_under_way)"
    most_steps = 3 * per(Node)
    examines = "is_current"
    legend = {"is_top": "top of the stack", "in_hull": "on the stack", "True": "not on the stack"}
    starts_with, ends_when = "the stack is empty", "every point was pushed"
