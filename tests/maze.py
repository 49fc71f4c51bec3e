"""An algorithm that reads an input of every sort: what is reached from a source, through open doors
and past walls.
"""

from __future__ import annotations

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.fields import Category, Location, Mask, Number, Pointer, at_edge, at_graph, at_node
from algolens.graphs import Graph

WATER = 2


class Maze(Algorithm):
    """A node is reached from a reached neighbour through an open door, unless it is a wall or
    water.
    """

    name = "maze"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={
                "source": at_graph(Pointer(Location.NODE), start_only=True),
                "lives": at_graph(Number(4), start_only=True),
                "wall": at_node(Mask()),
                "terrain": at_node(Category(3)),
                "open": at_edge(Mask()),
            },
            state=("reached",),
            concepts=("has_been_reached", "has_reached_neighbours", "is_free"),
            outputs={"reached": Mask()},
            rules={
                "reached": {
                    "true": "has_been_reached | (has_reached_neighbours & is_free)",
                    "false": "~has_been_reached & ~(has_reached_neighbours & is_free)",
                }
            },
            continues="~has_been_reached & has_reached_neighbours & is_free",
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"reached": graph.mark(inputs["source"], Location.NODE)}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        reached = state["reached"]
        u, v = graph.edges[:, inputs["open"]]
        heard = torch.zeros_like(reached)
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
