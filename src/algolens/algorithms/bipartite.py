"""Two-coloring: two sides such that every edge leads from one to the other, or the news that there
are none.
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Category, Location, Pointer, at_graph, at_link, at_node


class Bipartite(Algorithm):
    """The side of a component's lowest node spreads: who takes it over from a neighbour takes the
    other side.

    Once nothing changes, two neighbours on one side lie on an odd cycle, and the graph is not
    bipartite.
    """

    name = "bipartite"
    group = "choices"
    loops_matter = True

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            state=("side", "component"),
            start={"side": "first", "component": "me"},
            look={
                "is_better": at_link("sender's component's number < receiver's component's number"),
                "is_best": at_link(
                    "is_better & no rival (is_better & (its sender's component's number, its "
                    "number) < (my sender's component's number, my number))"
                ),
                "is_on_second_side": at_node("side is second"),
                "has_better_neighbour": at_node("some incoming link (is_best)"),
                "it_is_on_second_side": at_node(
                    "some incoming link (is_best & sender's side is second)"
                ),
                "shares_side_with_neighbour": at_node(
                    "some neighbour (its component = my component"
                    " & (side is first & my side is first | side is second & my side is second))"
                ),
                "is_bipartite": at_graph("no node (shares_side_with_neighbour)"),
            },
            moves={"component": "the incoming link's sender's component (is_best)"},
            hints={"component": at_node(Pointer(Location.NODE))},
            concepts=(
                "is_on_second_side",
                "has_better_neighbour",
                "it_is_on_second_side",
                "shares_side_with_neighbour",
            ),
            outputs={"side": Category("first", "second")},
            rules={
                "side": {
                    "first": (
                        "(has_better_neighbour & it_is_on_second_side) | (~has_better_neighbour "
                        "& ~is_on_second_side)"
                    ),
                    "second": (
                        "(has_better_neighbour & ~it_is_on_second_side) | (~has_better_neighbour "
                        "& is_on_second_side)"
                    ),
                }
            },
            continues="has_better_neighbour",
            outcomes=("is_bipartite",),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"is_bipartite": nx.is_bipartite(graph)}
