"""Kruskal's algorithm: the minimum spanning tree, or forest."""

from algolens.algorithms import Algorithm, Bits, Edge, Node, mask, number, per, pointer
from algolens.graphs import Recipe
from algolens.lazy import nx


class Kruskal(Algorithm):
    """Consider the edges from the lightest to the heaviest: accept an edge if its ends lie in
    different sets, and unite these; reject it otherwise.

    Sets are kept by pointers: every node points to its root. Of two sets that are united, the one
    whose root has the lower priority changes over to the other root.
    """

    title, group = "Kruskal's algorithm", "trees"
    example = "A-B:4 B-C:8 C-D:7 D-E:9 A-F:3 B-F:11 C-G:2 F-G:6 G-E:10 F-H:1"
    recipe = Recipe(
        ("ladder", "grid", "erdos_renyi", "barabasi_albert"),
        size=8,
        train=500,
        held_out=50,
        test_sizes=(8, 20, 50, 100),
    )
    bits = Bits(10)  # of a weight, and of a priority

    weight = Edge.input(number(bits, low=1))
    priority = Node.input(number(bits), drawn=True)

    considered = Edge.state(mask, becomes="lighter_edges_visited")
    in_mst = Edge.output(
        mask,
        becomes="edge_in_mst | lighter_edges_visited & ~nodes_in_same_set",
        tells={
            "edge_in_mst": "{me} ({weight}) is in the tree",
            "~lighter_edges_visited": "{me} ({weight}) waits: edges are taken from the lightest on",
            "considered": "{me} ({weight}) was rejected: both ends were already connected",
            "nodes_in_same_set": "{me} ({weight}) is rejected: both ends are already connected",
            "True": "{me} ({weight}) is accepted: it is the lightest left, and joins two sets",
        },
    )
    parent = Node.state(
        pointer(Node),
        becomes="the other node (wins) where changes_set",
        tells="{me} moves from the set of {parent} to that of {new}",
    )

    lighter_edges_visited = Edge.concept(
        "considered | me = least edge (~considered) by weight, number",
        yes="every edge before it has been considered",
        no="an edge before it has not been considered",
    )
    nodes_in_same_set = Edge.concept(
        "one_end's parent = other_end's parent",
        yes="both ends are in the set of {one_end's parent}",
        no="its ends are in two sets, of {one_end's parent} and of {other_end's parent}",
        line={
            "lighter_edges_visited & ~considered & nodes_in_same_set": "reject the edge if both "
            "its ends are in one set",
            "joins": "otherwise accept it",
        },
    )
    edge_in_mst = Edge.concept("in_mst", says="it is [not] in the tree")

    joins = Edge.derived("~considered & lighter_edges_visited & ~nodes_in_same_set")
    has_joining_edge = Node.derived("some incident edge (joins)")
    united = Node.derived("some node whose parent is me (has_joining_edge)")
    wins = Node.derived("me = greatest node (united) by priority, number")
    changes_set = Node.derived(
        "parent's united & ~parent's wins",
        line="and move the nodes of one of the two sets to the other",
    )

    most_steps = per(Edge)
    examines = "lighter_edges_visited & ~considered"
    legend = {
        "parent": "in the set of",
        "in_mst": "in the tree",
        "considered": "rejected",
        "True": "not considered yet",
    }
    starts_with = "every node is a set of its own; the tree is empty"
    repeats = "for each edge, from the lightest to the heaviest:"
    ends_when = "every edge has been considered"

    def reference(self, graph, inputs):
        return {"in_mst": set(nx.minimum_spanning_edges(graph, data=False))}
