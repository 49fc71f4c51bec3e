"""Breadth-first search tree: the nodes that a source reaches, and the neighbour that each was
reached from.
"""

from algolens.algorithms import Algorithm, Graph, Link, Node, mask, pointer, pointer_or_none
from algolens.lazy import nx


class BfsTree(Algorithm):
    """Each step visits all neighbours of visited nodes. The parent of a node is the visited
    neighbour with the lowest number.
    """

    title, group, graphs = "Breadth-first search tree", "searches", "any"

    example = "A-B A-C B-D C-D C-E D-F E-G F-G G-H"
    source = Graph.input(pointer(Node))

    visited = Node.output(
        mask,
        start="me = graph's source",
        becomes="visited | is_reached",
        tells={
            "visited": "{me} is visited",
            "is_reached": "",
            "True": "{me} is not visited: no visited node leads to it",
        },
        says="it has [not] been visited",
    )
    parent = Node.output(
        pointer_or_none(Node),
        becomes="the incoming link's sender (is_chosen)",
        tells="{me} is reached from {new}, its parent",
    )

    offers = Link.derived("sender's visited & ~receiver's visited")
    is_reached = Node.derived(
        "some incoming link (is_chosen)",
        line="visit every neighbour of a visited node: the next frontier",
        yes="visited nodes lead to it: {predecessors (visited)}",
        no="no visited node leads to it",
    )
    is_chosen = Link.derived(
        "me = least rival (offers) by sender's number",
        line="its parent is the visited neighbour with the lowest number",
    )

    goes_on = "some node (~visited & is_reached)"
    legend = {"visited": "visited", "True": "not visited"}
    starts_with, ends_when = "the source is visited", "no node is newly visited"

    def reference(self, graph, inputs):
        far = nx.single_source_shortest_path_length(graph, inputs["source"])
        before = graph.predecessors if graph.is_directed() else graph.neighbors
        parents = {
            node: min((n for n in before(node) if far.get(n) == far[node] - 1), default=None)
            for node in far
        }
        return {"visited": set(far), "parent": parents}
