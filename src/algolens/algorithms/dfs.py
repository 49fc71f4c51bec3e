"""Depth-first search: every node, and the node that it was entered from."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _walk
from algolens.fields import Location

WORDS = Words(phrases=_walk.PHRASES, lines=_walk.LINES, states=_walk.STATES)


class Dfs(Algorithm):
    """The search enters the lowest unvisited neighbour of the node where it is, or goes back to the
    parent.

    Where it has gone back to a root, the unvisited node of the lowest number is the next root.
    """

    name = "dfs"
    title = "Depth-first search"
    group = "searches"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
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
