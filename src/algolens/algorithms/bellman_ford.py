"""Bellman-Ford algorithm: shortest paths from a source, with weights that may be negative."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node

WORDS = Words(
    phrases={
        "distance": (
            "{me}: distance {new} = {its sender's distance} at {its sender} + edge "
            "{its edge's weight}, the best offer"
        ),
        "parent": "",
        "reached": {
            "is_improved & ~is_reached": "",
            "is_reached": "{me} has been reached",
            "True": "{me} is not reached: no neighbour is",
        },
        "is_improved": (
            "a neighbour offers a shorter path",
            "no neighbour offers a shorter path",
        ),
        "is_reached": (
            "it has been reached",
            "it has not been reached",
        ),
        "has_negative_cycle": (
            (
                "{nodes (is_improved)} can still be improved: the source reaches a cycle of "
                "negative weight"
            ),
            (
                "no distance can be improved any more: the source reaches no cycle of negative "
                "weight"
            ),
        ),
    },
    lines={
        "start": "the source is reached, at distance 0",
        "is_best": (
            "every node takes the best offer, a neighbour's distance plus the edge's weight, if "
            "it is better"
        ),
        "until": "no node is improved",
    },
    states={
        "reached": "reached",
        "none": "not reached",
    },
)


class BellmanFord(Algorithm):
    """In each step, every node takes the best offer of its neighbours, their distance plus the
    edge's weight, if it is better than its own distance.

    An offer that is still better after as many steps as there are nodes comes from a cycle of
    negative weight.
    """

    name = "bellman_ford"
    title = "Bellman-Ford algorithm"
    group = "paths"
    graphs = "any"
    loops_matter = True

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "weight": at_edge(Number(self.bits, signed=True)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=("reached", "distance", "parent"),
            start={"reached": "me = graph's source", "distance": 0, "parent": "me"},
            sums={"offer": at_link("sender's distance + edge's weight")},
            look={
                "improves": at_link(
                    "sender's reached & (~receiver's reached | offer < receiver's distance)"
                ),
                "is_best": at_link(
                    "improves & no rival (improves & (its offer, its sender's number) < (my "
                    "offer, my sender's number))"
                ),
                "is_reached": at_node("reached"),
                "is_improved": at_node("some incoming link (is_best)"),
                "has_negative_cycle": at_graph("some node (is_improved)"),
            },
            moves={
                "distance": "the incoming link's offer (is_best)",
                "parent": "the incoming link's sender (is_best)",
            },
            concepts=("is_reached", "is_improved"),
            outputs={
                "reached": Mask(),
                "distance": Number(62, signed=True),
                "parent": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={
                "reached": {
                    "true": "is_reached | is_improved",
                    "false": "~is_reached & ~is_improved",
                }
            },
            continues="is_improved",
            only_where={"distance": "reached"},
            outcomes=("has_negative_cycle",),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        source = inputs["source"]
        reached = dict.fromkeys([source, *nx.descendants(graph, source)], True)
        try:
            distances = nx.single_source_bellman_ford_path_length(graph, source)
        except nx.NetworkXUnbounded:
            return {"has_negative_cycle": True}
        return {"has_negative_cycle": False, "reached": reached, "distance": dict(distances)}
