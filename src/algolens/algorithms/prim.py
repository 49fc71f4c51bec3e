"""Prim's algorithm: the minimum spanning tree of the nodes that a source is connected to."""

from algolens.algorithms import (
    Algorithm,
    Bits,
    Edge,
    Graph,
    Link,
    Node,
    mask,
    number,
    pointer,
    pointer_or_none,
)
from algolens.lazy import nx


class Prim(Algorithm):
    """Add the lightest edge that leads out of the tree, and the node at its other end; of equal
    ones, the first.
    """

    title, group = "Prim's algorithm", "trees"
    example = "A-B:4 B-C:8 C-D:7 D-E:9 A-F:3 B-F:11 C-G:2 F-G:6 G-E:10 F-H:1"
    bits = Bits(10)  # of a weight

    weight = Edge.input(number(bits, low=1))
    source = Graph.input(pointer(Node))

    in_tree = Node.output(
        mask,
        start="me = graph's source",
        becomes="in_tree | is_reached",
        tells={
            "in_tree": "{me} is in the tree",
            "is_reached": "",
            "True": "{me} is not in the tree: a lighter edge leads elsewhere, or none leads to it",
        },
        says="it is [not] in the tree",
    )
    parent = Node.output(
        pointer_or_none(Node),
        becomes="the incoming link's sender (is_lightest)",
        tells="{me} joins the tree by its edge to {new} ({its edge's weight}), the lightest that "
        "leads out of the tree",
    )

    leads_out = Link.derived("sender's in_tree & ~receiver's in_tree")
    is_lightest = Link.derived(
        "me = least link (leads_out) by edge's weight, number",
        line="find the lightest edge that leads out of the tree",
    )
    is_reached = Node.derived(
        "some incoming link (is_lightest)",
        line="add the node at its other end",
        yes="the lightest edge out of the tree leads to it",
        no="the lightest edge out of the tree does not lead to it",
    )

    goes_on = "some node (is_reached)"
    legend = {"in_tree": "in the tree", "True": "not in the tree"}
    starts_with, ends_when = "the tree is the source alone", "no edge leads out of the tree"

    def reference(self, graph, inputs):
        tree = nx.minimum_spanning_tree(graph)
        parents = {v: u for u, v in nx.bfs_edges(tree, inputs["source"])}
        return {"in_tree": {inputs["source"], *parents}, "parent": parents}
