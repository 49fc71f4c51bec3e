"""Dijkstra's algorithm: shortest paths from a source, with weights that are not negative."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, _forms
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node


class Dijkstra(Algorithm):
    """Of the nodes that are reached and not done, the nearest is done next, and offers its
    neighbours a way through it.
    """

    name = "dijkstra"
    group = "paths"
    graphs = "any"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        nearer = "(its distance, its number) < (my distance, my number)"
        return Declaration(
            location=Location.NODE,
            inputs={
                "weight": at_edge(Number(self.bits)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=("reached", "done", "distance", "parent"),
            start={
                "reached": "me = graph's source",
                "done": "False",
                "distance": 0,
                "parent": "me",
            },
            sums={"offer": at_link("sender's distance + edge's weight")},
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
            moves={
                "distance": "the incoming link's offer (improves)",
                "parent": "the incoming link's sender (improves)",
            },
            concepts=("is_reached", "is_done", "is_next", "is_improved"),
            outputs={
                "reached": Mask(),
                "done": Mask(),
                "distance": Number(62, signed=True),
                "parent": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={
                "reached": _forms.where_any("is_reached", "is_improved"),
                "done": _forms.where_any("is_done", "is_next"),
            },
            continues="is_next",
            only_where={"distance": "reached"},
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        distance = nx.single_source_dijkstra_path_length(graph, inputs["source"])
        return {"reached": dict.fromkeys(distance, True), "distance": distance}
