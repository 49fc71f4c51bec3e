"""Depth-first search of a whole graph: every node, and the node that it was entered from."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, _walk
from algolens.fields import Location


class Dfs(Algorithm):
    """From where it stands, the search enters the unvisited neighbour of the lowest number, or goes
    back to the parent.

    Where it has gone back to a root, the unvisited node of the lowest number is the next root.
    """

    name = "dfs"
    group = "searches"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            state=_walk.STATE,
            start=_walk.START,
            look=_walk.walk_look(),
            moves=_walk.MOVES,
            concepts=_walk.CONCEPTS,
            outputs=_walk.OUTPUTS,
            rules=_walk.RULES,
            continues=_walk.CONTINUES,
            most_steps=Limit(_walk.STEPS_PER_NODE),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {
            "visited": dict.fromkeys(graph, True),
            "parent": {v: u for u, v in nx.dfs_edges(graph)},
        }
