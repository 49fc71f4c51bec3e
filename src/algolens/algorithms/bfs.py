"""Breadth-first search: which nodes can be reached from a source."""

from __future__ import annotations

from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.fields import Location, Mask, Pointer, at_graph
from algolens.graphs import Graph


class Bfs(Algorithm):
    """A node becomes visited once it, or a neighbour, is; until a step would change nothing."""

    name = "bfs"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"source": at_graph(Pointer(Location.NODE), start_only=True)},
            state=("visited",),
            concepts=("has_been_visited", "has_visited_neighbours"),
            outputs={"visited": Mask()},
            rules={"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}},
            continues="~has_been_visited & has_visited_neighbours",
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"visited": graph.mark(inputs["source"], Location.NODE)}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        visited = state["visited"]
        return {
            "has_been_visited": visited,
            # the paper's graphs have self-loops: a node is a neighbour of its own
            "has_visited_neighbours": graph.any_over_neighbours(visited, with_self=True),
        }
