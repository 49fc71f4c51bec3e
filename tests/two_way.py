"""An algorithm with an input at links: shortest ways where each direction has its own cost."""

from __future__ import annotations

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_link, at_node


class TwoWay(Algorithm):
    """Shortest ways from a source, where each direction of an edge has a cost of its own."""

    name = "two_way"
    graphs = "any"

    bits: int = 8  # of a cost

    def declare(self) -> Declaration:
        nearer = "(its distance, its number) < (my distance, my number)"
        return Declaration(
            location=Location.NODE,
            inputs={
                "cost": at_link(Number(self.bits)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=("reached", "done", "distance"),
            start={"reached": "me = graph's source", "done": "False", "distance": 0},
            sums={"offer": at_link("sender's distance + cost")},
            look={
                "is_waiting": at_node("reached & ~done"),
                "is_next": at_node(f"is_waiting & no other node (is_waiting & {nearer})"),
                "improves": at_link(
                    "sender's is_next & (~receiver's reached | offer < receiver's distance)"
                ),
                "is_reached": at_node("reached"),
                "is_done": at_node("done"),
                "is_improved": at_node("some incoming link (improves)"),
            },
            moves={"distance": "the incoming link's offer (improves)"},
            concepts=("is_reached", "is_done", "is_next", "is_improved"),
            outputs={"reached": Mask(), "done": Mask(), "distance": Number(62, signed=True)},
            rules={
                "reached": {
                    "true": "is_reached | is_improved",
                    "false": "~is_reached & ~is_improved",
                },
                "done": {"true": "is_done | is_next", "false": "~is_done & ~is_next"},
            },
            continues="is_next",
            only_where={"distance": "reached"},
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        ways = nx.DiGraph()
        ways.add_nodes_from(graph)
        for u, v, costs in graph.edges(data=True):
            ways.add_edge(u, v, cost=costs["cost"])
            if not graph.is_directed():
                ways.add_edge(v, u, cost=costs["cost_back"])
        distance = nx.single_source_dijkstra_path_length(ways, inputs["source"], weight="cost")
        return {"reached": dict.fromkeys(distance, True), "distance": distance}
