"""Breadth-first search: which nodes can be reached from a source."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Location, Mask, Pointer, at_graph, at_node

WORDS = Words(
    phrases={
        "visited": {
            "has_been_visited": "{me} is visited",
            "has_visited_neighbours": "{me} is reached from {predecessors (visited)}",
            "True": "{me} is not visited: no visited node leads to it",
        },
        "has_been_visited": (
            "it has been visited",
            "it has not been visited",
        ),
        "has_visited_neighbours": {
            "has_been_visited": "it has been visited",
            "has_visited_neighbours": "visited nodes lead to it: {predecessors (visited)}",
            "True": "no visited node leads to it",
        },
    },
    lines={
        "start": "the source is visited",
        "has_visited_neighbours & ~has_been_visited": (
            "visit every neighbour of a visited node: the next frontier"
        ),
        "until": "no node is newly visited",
    },
    states={
        "visited": "visited",
        "none": "not visited",
    },
)


class Bfs(Algorithm):
    """Each step visits all neighbours of visited nodes, until none is new."""

    name = "bfs"
    title = "Breadth-first search"
    group = "searches"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"source": at_graph(Pointer(Location.NODE), start_only=True)},
            state=("visited",),
            start={"visited": "me = graph's source"},
            look={
                "has_been_visited": at_node("visited"),
                # the paper's graphs have self-loops: a node is a neighbour of its own; where edges
                # have a direction, it counts
                "has_visited_neighbours": at_node("visited | some predecessor (visited)"),
            },
            concepts=("has_been_visited", "has_visited_neighbours"),
            outputs={"visited": Mask()},
            rules={
                "visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}
            },
            continues="~has_been_visited & has_visited_neighbours",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        source = inputs["source"]
        return {"visited": dict.fromkeys([source, *nx.descendants(graph, source)], True)}
