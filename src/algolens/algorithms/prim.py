"""Prim's algorithm: the minimum spanning tree of the nodes that a source is connected to."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node

WORDS = Words(
    phrases={
        "parent": (
            "{me} joins the tree by its edge to {new} ({its edge's weight}), the lightest that "
            "leads out of the tree"
        ),
        "in_tree": {
            "is_in_tree": "{me} is in the tree",
            "is_reached": "",
            "True": (
                "{me} is not in the tree: a lighter edge leads elsewhere, or none leads to it"
            ),
        },
        "is_in_tree": (
            "it is in the tree",
            "it is not in the tree",
        ),
        "is_reached": (
            "the lightest edge out of the tree leads to it",
            "the lightest edge out of the tree does not lead to it",
        ),
    },
    lines={
        "start": "the tree is the source alone",
        "is_lightest": "find the lightest edge that leads out of the tree",
        "is_reached": "add the node at its other end",
        "until": "no edge leads out of the tree",
    },
    states={
        "in_tree": "in the tree",
        "none": "not in the tree",
    },
)


class Prim(Algorithm):
    """Add the lightest edge that leads out of the tree, and the node at its other end; of equal
    ones, the first.
    """

    name = "prim"
    title = "Prim's algorithm"
    group = "trees"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        lighter = "(its edge's weight, its number) < (my edge's weight, my number)"
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "weight": at_edge(Number(self.bits, low=1)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=("in_tree", "parent"),
            start={"in_tree": "me = graph's source", "parent": "me"},
            look={
                "leads_out": at_link("sender's in_tree & ~receiver's in_tree"),
                "is_lightest": at_link(f"leads_out & no other link (leads_out & {lighter})"),
                "is_in_tree": at_node("in_tree"),
                "is_reached": at_node("some incoming link (is_lightest)"),
            },
            moves={"parent": "the incoming link's sender (is_lightest)"},
            concepts=("is_in_tree", "is_reached"),
            outputs={"in_tree": Mask(), "parent": Pointer(Location.NODE, itself_is_none=True)},
            rules={
                "in_tree": {"true": "is_in_tree | is_reached", "false": "~is_in_tree & ~is_reached"}
            },
            continues="is_reached",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        tree = nx.minimum_spanning_tree(graph)
        parents = {v: u for u, v in nx.bfs_edges(tree, inputs["source"])}
        return {"in_tree": dict.fromkeys([inputs["source"], *parents], True), "parent": parents}
