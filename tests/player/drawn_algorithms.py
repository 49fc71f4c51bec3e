"""Small algorithms that are drawn as tables and as points of the plane."""

from __future__ import annotations

from algolens.algorithms import Algorithm, Declaration
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node
from algolens.layouts import Grid, Plane


class Table(Algorithm):
    """In the order of their numbers, cells take what they are given."""

    name = "table_of_tests"
    graphs = "any"
    layout = Grid(of="value")

    def declare(self) -> Declaration:
        number = Number(6)
        return Declaration(
            location=Location.NODE,
            inputs={"given": at_node(number)},
            state=("known", "value"),
            start={"known": "False", "value": 0},
            look={
                "is_known": at_node("known"),
                "is_next": at_node("~known & no other node (~known & its number < my number)"),
            },
            concepts=("is_known", "is_next"),
            outputs={"known": Mask(), "value": number},
            moves={"value": "given where is_next"},
            rules={"known": {"true": "is_known | is_next", "false": "~is_known & ~is_next"}},
            continues="is_next",
            only_where={"value": "known"},
        )


class Triangle(Table):
    """The same in a triangle, with numbers beside it."""

    name = "triangle_of_tests"
    layout = Grid(of="value", triangle=True, above="given", where="known")


class Placed(Table):
    """The same where numbers say it."""

    name = "placed_of_tests"
    layout = Grid(of="value", row="given", column="value")


class Points(Algorithm):
    """The lowest point of those that are left is passed over; a segment leads to it."""

    name = "points_of_tests"
    graphs = "any"
    layout = Plane(x="x", y="y", segments=(("base", "is_lowest"), ("base", "base")))

    def declare(self) -> Declaration:
        coordinate = Number(6, signed=True)
        return Declaration(
            location=Location.NODE,
            inputs={
                "x": at_node(coordinate),
                "y": at_node(coordinate),
                "base": at_graph(Pointer(Location.NODE)),
            },
            state=("passed",),
            start={"passed": "False"},
            look={
                "is_passed": at_node("passed"),
                "is_lowest": at_node(
                    "~passed & no other node (~passed & (its y, its number) < (my y, my number))"
                ),
            },
            concepts=("is_passed", "is_lowest"),
            outputs={"passed": Mask()},
            rules={"passed": {"true": "is_passed | is_lowest", "false": "~is_passed & ~is_lowest"}},
            continues="is_lowest",
        )
