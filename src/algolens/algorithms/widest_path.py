"""Widest paths: paths from a source whose narrowest edge is as wide as can be (Pollack 1960)."""

import math

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node

WORDS = Words(
    examined="is_next",
    phrases={
        "done": {
            "is_next & me = graph's source": (
                "{me} is settled: it is the source, and no edge limits it"
            ),
            "is_next": "{me} is settled at width {width}: no waiting node has a wider path",
            "is_done & me = graph's source": "{me} is settled: it is the source",
            "is_done": "{me} is settled at width {width}",
            "is_waiting": (
                "{me} waits at width {width}: {other nodes (is_next)} has a wider path, or comes "
                "first in a tie"
            ),
            "True": "{me} is not reached yet",
        },
        "width": (
            "{me}: width {new}, the edge from {its sender} being the narrowest of its path",
            "{me}: width {new}, as wide as the path to {its sender}",
        ),
        **_words.SETTLING,
        "is_next": {
            "is_next": "it has the widest path of all waiting nodes",
            "is_waiting": "{other nodes (is_next)} has a wider path, or comes first in a tie",
            "True": "it does not wait",
        },
        "is_improved": (
            "a wider path leads through {other nodes (is_next)}",
            "no wider path is found",
        ),
    },
    lines={
        "start": "the source is reached; no node is settled",
        "is_next": "settle the waiting node with the widest path",
        "improves": (
            "offer each neighbour the path through it, as wide as its narrowest edge; it takes a "
            "wider one"
        ),
        "until": "no node waits",
    },
    states=_words.SETTLING_STATES,
)


class WidestPath(Algorithm):
    """Settle the unsettled node with the widest path, then offer its neighbours the path through
    it.

    A way is as wide as the narrowest of its edges, whose weights are their widths; that of the
    source to itself has none, and is shown as 0. As Dijkstra's, with the lesser of two numbers in
    the place of their sum: n steps.
    """

    name = "widest_path"
    title = "Widest paths"
    group = "paths"
    graphs = "any"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        wider = "(its width, its number) > (my width, my number)"
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "weight": at_edge(Number(self.bits)),
                "source": at_graph(Pointer(Location.NODE)),
            },
            state=("reached", "done", "width", "parent"),
            start={"reached": "me = graph's source", "done": "False", "width": 0, "parent": "me"},
            look={
                "is_waiting": at_node("reached & ~done"),
                "is_next": at_node(f"is_waiting & no other node (is_waiting & {wider})"),
                "is_bottleneck": at_link(
                    "sender = graph's source | edge's weight < sender's width"
                ),
                "offers_more": at_link(
                    "is_bottleneck & edge's weight > receiver's width | ~is_bottleneck & sender's "
                    "width > receiver's width"
                ),
                "improves": at_link(
                    "sender's is_next & ~receiver's done & (~receiver's reached | offers_more)"
                ),
                "narrows": at_link("improves & is_bottleneck"),
                "is_reached": at_node("reached"),
                "is_done": at_node("done"),
                "is_improved": at_node("some incoming link (improves)"),
            },
            moves={
                "width": (
                    "the incoming link's edge's weight (narrows)",
                    "the incoming link's sender's width (improves)",
                ),
                "parent": "the incoming link's sender (improves)",
            },
            concepts=("is_reached", "is_done", "is_next", "is_improved"),
            outputs={
                "reached": Mask(),
                "done": Mask(),
                "width": Number(self.bits),
                "parent": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={
                "reached": _forms.where_any("is_reached", "is_improved"),
                "done": _forms.where_any("is_done", "is_next"),
            },
            continues="is_next",
            only_where={"width": "reached"},
            endless={"width": "source"},
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        width = {inputs["source"]: math.inf}
        arcs = list(graph.to_directed().edges.data("weight"))
        for _ in graph:
            for u, v, weight in arcs:
                if u in width:
                    width[v] = max(width.get(v, 0), min(width[u], weight))
        found = {node: wide for node, wide in width.items() if wide < math.inf}
        return {"reached": dict.fromkeys(width, True), "width": found}
