"""Dijkstra's algorithm: shortest paths from a source, with weights that are not negative."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node

WORDS = Words(
    examined="is_next",
    phrases={
        "done": {
            "is_next": "{me} is settled at distance {distance}: no waiting node is nearer",
            "is_done": "{me} is settled at distance {distance}",
            "is_waiting": (
                "{me} waits at distance {distance}: {other nodes (is_next)} is nearer, or comes "
                "first in a tie"
            ),
            "True": "{me} is not reached yet",
        },
        "distance": (
            "{me}: distance {new} = {its sender's distance} at {its sender} + edge "
            "{its edge's weight}"
        ),
        **_words.SETTLING,
        "is_next": {
            "is_next": "it is the nearest waiting node, at distance {distance}",
            "is_waiting": "{other nodes (is_next)} is nearer, or comes first in a tie",
            "True": "it does not wait",
        },
        "is_improved": (
            "a shorter path leads through {other nodes (is_next)}",
            "no shorter path is found",
        ),
    },
    lines={
        "start": "the source is reached, at distance 0; no node is settled",
        "is_next": "settle the nearest waiting node",
        "improves": "relax its edges: a neighbour takes the path through it if that is shorter",
        "until": "no node waits",
    },
    states=_words.SETTLING_STATES,
)


class Dijkstra(Algorithm):
    """Settle the nearest unsettled node that is reached, then relax its edges."""

    name = "dijkstra"
    title = "Dijkstra's algorithm"
    group = "paths"
    graphs = "any"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        nearer = "(its distance, its number) < (my distance, my number)"
        return Declaration(
            location=Location.NODE,
            words=WORDS,
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
