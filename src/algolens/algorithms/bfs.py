"""Breadth-first search: which nodes can be reached from a source."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Location, Mask, Pointer, at_graph, at_node


class Bfs(Algorithm):
    """A node becomes visited once it, or a neighbour, is; until a step would change nothing."""

    name = "bfs"
    group = "searches"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
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
