"""Kruskal's algorithm: the minimum spanning tree, or forest."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_node
from algolens.graphs import Recipe

WORDS = Words(
    examined="lighter_edges_visited & ~last lighter_edges_visited",
    phrases={
        "in_mst": {
            "edge_in_mst": "{me} ({weight}) is in the tree",
            "~lighter_edges_visited": "{me} ({weight}) waits: edges are taken from the lightest on",
            "last lighter_edges_visited": (
                "{me} ({weight}) was rejected: both ends were already connected"
            ),
            "nodes_in_same_set": "{me} ({weight}) is rejected: both ends are already connected",
            "True": "{me} ({weight}) is accepted: it is the lightest left, and joins two sets",
        },
        "parent": "{me} moves to the set of {new}",
        "lighter_edges_visited": (
            "every edge before it has been considered",
            "an edge before it has not been considered",
        ),
        "nodes_in_same_set": (
            "both ends are in the set of {one_end's parent}",
            "its ends are in two sets, of {one_end's parent} and of {other_end's parent}",
        ),
        "edge_in_mst": (
            "it is in the tree",
            "it is not in the tree",
        ),
    },
    lines={
        "start": "every node is a set of its own; the tree is empty",
        "repeat": "for each edge, from the lightest to the heaviest:",
        "lighter_edges_visited & ~last lighter_edges_visited & nodes_in_same_set": (
            "reject the edge if both its ends are in one set"
        ),
        "joins": "otherwise accept it",
        "changes_set": "and move the nodes of one of the two sets to the other",
        "until": "every edge has been considered",
    },
    states={
        "in_mst": "in the tree",
        "lighter_edges_visited": "rejected",
        "none": "not considered yet",
        "parent": "in the set of",
    },
)


class Kruskal(Algorithm):
    """Consider the edges from the lightest to the heaviest: accept an edge if its ends lie in
    different sets, and unite these; reject it otherwise.

    Sets are kept by pointers: every node points to its root. Of two sets that are united, the one
    whose root has the lower priority changes over to the other root.
    """

    name = "kruskal"
    title = "Kruskal's algorithm"
    group = "trees"
    recipe = Recipe(
        ("ladder", "grid", "erdos_renyi", "barabasi_albert"),
        size=8,
        train=500,
        held_out=50,
        test_sizes=(8, 20, 50, 100),
    )

    bits: int = 10  # of a weight, and of a priority

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.EDGE,
            words=WORDS,
            inputs={
                "weight": at_edge(Number(self.bits, low=1)),
                "priority": at_node(Number(self.bits), drawn=True),
            },
            state=("in_mst", "lighter_edges_visited", "parent"),
            start={"in_mst": "False", "lighter_edges_visited": "False", "parent": "me"},
            look={
                "lighter_edges_visited": at_edge(
                    "last lighter_edges_visited | no other edge (~last lighter_edges_visited & "
                    "(its weight, its number) < (my weight, my number))"
                ),
                "nodes_in_same_set": at_edge("one_end's parent = other_end's parent"),
                "edge_in_mst": at_edge("in_mst"),
                "joins": at_edge(
                    "~last lighter_edges_visited & lighter_edges_visited & ~nodes_in_same_set"
                ),
                "has_joining_edge": at_node("some incident edge (joins)"),
                "united": at_node("some node whose parent is me (has_joining_edge)"),
                "wins": at_node(
                    "united & no other node (united & (its priority, its number) > (my priority, "
                    "my number))"
                ),
                "changes_set": at_node("parent's united & ~parent's wins"),
            },
            moves={"parent": "the other node (wins) where changes_set"},
            hints={"parent": at_node(Pointer(Location.NODE))},
            concepts=("lighter_edges_visited", "nodes_in_same_set", "edge_in_mst"),
            outputs={"in_mst": Mask()},
            rules={
                "in_mst": {
                    "true": "edge_in_mst | (lighter_edges_visited & ~nodes_in_same_set)",
                    "false": "~edge_in_mst & (nodes_in_same_set | ~lighter_edges_visited)",
                }
            },
            most_steps=Limit(per=Location.EDGE),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_mst": dict.fromkeys(nx.minimum_spanning_edges(graph, data=False), True)}
