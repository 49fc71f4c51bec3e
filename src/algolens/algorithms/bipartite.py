"""Two-coloring (bipartite test): put the nodes on two sides such that every edge leads across, or
report that it is impossible.
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Category, Location, Pointer, at_graph, at_link, at_node

WORDS = Words(
    phrases={
        "component": "{me} follows {its sender}, takes the other side and points to {new}",
        "side": {
            "has_better_neighbour": "",
            "shares_side_with_neighbour": (
                "{me} stays on the {new} side, with a neighbour on the same side"
            ),
            "True": "{me} stays on the {new} side",
        },
        "is_on_second_side": (
            "it is on the second side",
            "it is on the first side",
        ),
        "has_better_neighbour": (
            "a neighbour points to a lower node",
            "no neighbour points to a lower node",
        ),
        "it_is_on_second_side": (
            "the neighbour it follows is on the second side",
            "the neighbour it follows, if any, is on the first side",
        ),
        "shares_side_with_neighbour": (
            "a neighbour is on its side",
            "no neighbour is on its side",
        ),
        "is_bipartite": (
            "no two neighbours are on one side: the graph is bipartite",
            (
                "{nodes (shares_side_with_neighbour)} have neighbours on their own side: the "
                "graph is not bipartite"
            ),
        ),
    },
    lines={
        "start": "every node is on the first side and points to itself",
        "has_better_neighbour": (
            "every node follows the neighbour that points to the lowest node, and takes the other "
            "side than it"
        ),
        "shares_side_with_neighbour": (
            "two neighbours on one side show that the graph is not bipartite"
        ),
        "until": "no node follows another any more",
    },
    states={
        "first": "on the first side",
        "second": "on the second side",
    },
)


class Bipartite(Algorithm):
    """Sides spread from the lowest node of each component: a node takes the other side than the
    neighbour it follows.

    Once nothing changes, two neighbours on one side lie on an odd cycle, and the graph is not
    bipartite.
    """

    name = "bipartite"
    title = "Two-coloring (bipartite test)"
    group = "choices"
    loops_matter = True

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
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
