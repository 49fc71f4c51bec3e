"""Breadth-first search tree: the nodes that a source reaches, and the neighbour that each was
reached from.
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Pointer, at_graph, at_link, at_node

WORDS = Words(
    phrases={
        "parent": "{me} is reached from {new}, its parent",
        "visited": {
            "has_been_visited": "{me} is visited",
            "is_reached": "",
            "True": "{me} is not visited: no visited node leads to it",
        },
        "has_been_visited": (
            "it has been visited",
            "it has not been visited",
        ),
        "is_reached": (
            "visited nodes lead to it: {predecessors (visited)}",
            "no visited node leads to it",
        ),
    },
    lines={
        "start": "the source is visited",
        "is_reached": "visit every neighbour of a visited node: the next frontier",
        "is_chosen": "its parent is the visited neighbour with the lowest number",
        "until": "no node is newly visited",
    },
    states={
        "visited": "visited",
        "none": "not visited",
    },
)


class BfsTree(Algorithm):
    """Each step visits all neighbours of visited nodes. The parent of a node is the visited
    neighbour with the lowest number.
    """

    name = "bfs_tree"
    title = "Breadth-first search tree"
    group = "searches"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"source": at_graph(Pointer(Location.NODE), start_only=True)},
            state=("visited", "parent"),
            start={"visited": "me = graph's source", "parent": "me"},
            look={
                "offers": at_link("sender's visited & ~receiver's visited"),
                "is_chosen": at_link(
                    "offers & no rival (offers & its sender's number < my sender's number)"
                ),
                "has_been_visited": at_node("visited"),
                "is_reached": at_node("some incoming link (is_chosen)"),
            },
            moves={"parent": "the incoming link's sender (is_chosen)"},
            concepts=("has_been_visited", "is_reached"),
            outputs={"visited": Mask(), "parent": Pointer(Location.NODE, itself_is_none=True)},
            rules={
                "visited": _forms.where_any("has_been_visited", "is_reached"),
            },
            continues="~has_been_visited & is_reached",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        far = nx.single_source_shortest_path_length(graph, inputs["source"])
        before = graph.predecessors if graph.is_directed() else graph.neighbors
        parents = {
            node: min((n for n in before(node) if far.get(n) == far[node] - 1), default=None)
            for node in far
        }
        return {"visited": dict.fromkeys(far, True), "parent": parents}
