"""Widest paths from a source (Pollack 1960): paths whose narrowest edge is as wide as can be."""

import math

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, _forms
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node


class WidestPath(Algorithm):
    """Of the nodes that are reached and not done, the widest is done next, and offers its
    neighbours a way through it.

    A way is as wide as the narrowest of its edges, whose weights are their widths; that of the
    source to itself has none, and is shown as 0. As Dijkstra's, with the lesser of two numbers in
    the place of their sum: n steps.
    """

    name = "widest_path"
    group = "paths"
    graphs = "any"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        wider = "(its width, its number) > (my width, my number)"
        return Declaration(
            location=Location.NODE,
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
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        width = {inputs["source"]: math.inf}
        arcs = list(graph.to_directed().edges.data("weight"))
        for _ in graph:
            for u, v, weight in arcs:
                if u in width:
                    width[v] = max(width.get(v, 0), min(width[u], weight))
        return {"reached": dict.fromkeys(width, True), "width": {**width, inputs["source"]: 0}}
