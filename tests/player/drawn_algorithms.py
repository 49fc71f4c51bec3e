"""Small algorithms that are drawn as tables and as points of the plane."""

from __future__ import annotations

from algolens.algorithms import Algorithm, Graph, Node, mask, number, pointer
from algolens.language.layouts import Grid, Plane


class TableOfTests(Algorithm):
    """In the order of their numbers, cells take what they are given."""

    graphs = "any"
    layout = Grid(of="value")

    given = Node.input(number(6))

    known = Node.output(mask, start="False", becomes="known | is_next")
    value = Node.output(number(6), start=0, becomes="given where is_next", only_where="known")
    is_next = Node.derived("me = least node (~known) by number")

    goes_on = "some node (is_next)"


class TriangleOfTests(TableOfTests):
    """The same in a triangle, with numbers beside it."""

    layout = Grid(of="value", triangle=True, above="given", where="known")


class PlacedOfTests(TableOfTests):
    """The same where numbers say it."""

    layout = Grid(of="value", row="given", column="value")


class PointsOfTests(Algorithm):
    """The lowest point of those that are left is passed over; a segment leads to it."""

    graphs = "any"
    layout = Plane(x="x", y="y", segments=(("base", "is_lowest"), ("base", "base")))

    x = Node.input(number(6, signed=True))
    y = Node.input(number(6, signed=True))
    base = Graph.input(pointer(Node))

    passed = Node.output(mask, start="False", becomes="passed | is_lowest")
    is_lowest = Node.derived("me = least node (~passed) by y, number")

    goes_on = "some node (is_lowest)"
