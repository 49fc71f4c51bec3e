"""Articulation points: nodes whose removal splits a component (Hopcroft and Tarjan 1973)."""

from algolens.algorithms import Node, mask
from algolens.algorithms._low_points import LowPoints
from algolens.lazy import nx


class ArticulationPoints(LowPoints):
    """A node is an articulation point if a child of it in the search tree cannot get above it any
    other way; a root, if it has two children.

    In time O(n + m), as dfs.
    """

    group = "parts"

    example = "A-B B-C C-A C-D D-E E-F F-D E-G"
    stays_below = Node.derived("is_dead_end & parent != me & low >= parent's entered")
    has_child_below = Node.derived(
        "parent != me & some node whose parent is me (stays_below)",
        yes="a child cannot get above it any other way",
        no="no child that is left now is cut off",
    )
    is_forked_root = Node.derived(
        "parent = me & at least 2 nodes whose parent is me (it != me)",
        yes="it is a root with two children",
        no="it is no root with two children",
    )
    is_cut = Node.output(
        mask,
        becomes="is_cut | has_child_below | is_forked_root",
        tells={
            "has_child_below": "{me} is an articulation point: {nodes whose parent is me "
            "(stays_below)} cannot get above it any other way",
            "is_forked_root": "{me} is an articulation point: it is a root of the search with two "
            "children",
            "is_cut": "{me} is an articulation point",
            "True": "{me} is not known as an articulation point",
        },
        says="it is [not] known as an articulation point",
        line={
            "has_child_below | is_forked_root": "a node is an articulation point if a child cannot "
            "get above it, or a root with two children"
        },
    )

    legend = {
        "current": "where the search stands",
        "is_cut": "articulation point",
        "visited": "visited",
        "True": "not visited",
    }

    def reference(self, graph, inputs):
        return {"is_cut": set(nx.articulation_points(graph))}
