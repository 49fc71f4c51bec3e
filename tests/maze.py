"""An algorithm that reads an input of every sort: what is reached from a source, through open doors
and past walls.
"""

from __future__ import annotations

import networkx as nx

from algolens import graphs
from algolens.algorithms import (
    Algorithm,
    Edge,
    Graph,
    Node,
    Values,
    category,
    mask,
    number,
    pointer,
)
from algolens.arrays import Array

WATER = 2


class Maze(Algorithm):
    """A node is reached from a reached neighbour through an open door, unless it is a wall or
    water.
    """

    source = Graph.input(pointer(Node), start_only=True)
    lives = Graph.input(number(4), start_only=True)
    wall = Node.input(mask)
    terrain = Node.input(category(3))
    open = Edge.input(mask)

    has_been_reached, has_reached_neighbours = Node.concept(), Node.concept()
    is_free = Node.concept()
    reached = Node.output(mask, becomes="has_been_reached | has_reached_neighbours & is_free")

    goes_on = "some node (~has_been_reached & has_reached_neighbours & is_free)"

    def start(self, graph: graphs.Graph, inputs: Values) -> dict[str, Array]:
        return {"reached": graph.mark(inputs["source"], "node")}

    def perceive(self, graph: graphs.Graph, inputs: Values, state: Values) -> dict[str, Array]:
        reached = state["reached"]
        u, v = graph.edges[:, inputs["open"]]
        heard = reached & ~reached
        heard[u[reached[v]]] = True
        heard[v[reached[u]]] = True
        return {
            "has_been_reached": reached,
            "has_reached_neighbours": heard,
            "is_free": ~inputs["wall"] & (inputs["terrain"] != WATER),
        }


def reached(graph: nx.Graph, source: object) -> set[object]:
    """The same by NetworkX, from the attributes of a graph."""
    free = [
        n
        for n, a in graph.nodes(data=True)
        if n == source or (not a["wall"] and a["terrain"] != WATER)
    ]
    doors = nx.Graph(graph.subgraph(free))
    doors.remove_edges_from([(u, v) for u, v, is_open in doors.edges(data="open") if not is_open])
    return nx.node_connected_component(doors, source)
