"""Widest paths: paths from a source whose narrowest edge is as wide as can be (Pollack 1960)."""

import math

from algolens.algorithms import Link, Node, number
from algolens.algorithms.dijkstra import Dijkstra


class WidestPath(Dijkstra):
    """Settle the unsettled node with the widest path, then offer its neighbours the path through
    it.

    A path is as wide as the narrowest of its edges, whose weights are their widths; that of the
    source to itself has none, and is shown as 0. As Dijkstra's, with the lesser of two numbers in
    the place of their sum: n steps.
    """

    title = "Widest paths"

    example = "A-B:7 A-C:3 B-C:1 B-D:2 C-D:8 C-E:4 D-E:5 D-F:6 E-F:12"
    done = Dijkstra.done.but(
        tells={
            "is_next & me = graph's source": "{me} is settled: it is the source, and no edge "
            "limits it",
            "is_next": "{me} is settled at width {width}: no waiting node has a wider path",
            "done & me = graph's source": "{me} is settled: it is the source",
            "done": "{me} is settled at width {width}",
            "is_waiting": "{me} waits at width {width}: {other nodes (is_next)} has a wider path, "
            "or comes first in a tie",
            "True": "{me} is not reached yet",
        }
    )
    distance, offer = None, None
    width = Node.output(
        number(Dijkstra.bits),
        becomes=[
            "the incoming link's edge's weight (improves & is_bottleneck)",
            "the incoming link's sender's width (improves)",
        ],
        only_where="reached",
        endless_at="source",
        tells=[
            "{me}: width {new}, the edge from {its sender} being the narrowest of its path",
            "{me}: width {new}, as wide as the path to {its sender}",
        ],
    )
    parent, is_waiting = Dijkstra.parent, Dijkstra.is_waiting
    is_next = Node.derived(
        "me = greatest node (is_waiting) by width, number",
        line="settle the waiting node with the widest path",
        yes="it has the widest path of all waiting nodes",
        no={
            "is_waiting": "{other nodes (is_next)} has a wider path, or comes first in a tie",
            "True": "it does not wait",
        },
    )
    is_bottleneck = Link.derived("sender = graph's source | edge's weight < sender's width")
    offers_more = Link.derived(
        "is_bottleneck & edge's weight > receiver's width | ~is_bottleneck & sender's width > "
        "receiver's width"
    )
    improves = Link.derived(
        "sender's is_next & ~receiver's done & (~receiver's reached | offers_more)",
        line="offer each neighbour the path through it, as wide as its narrowest edge; it takes a "
        "wider one",
    )
    is_improved = Node.derived(
        "some incoming link (improves)",
        yes="a wider path leads through {other nodes (is_next)}",
        no="no wider path is found",
    )

    starts_with = "the source is reached; no node is settled"

    def reference(self, graph, inputs):
        width = {inputs["source"]: math.inf}
        arcs = list(graph.to_directed().edges.data("weight"))
        for _ in graph:
            for u, v, weight in arcs:
                if u in width:
                    width[v] = max(width.get(v, 0), min(width[u], weight))
        found = {node: wide for node, wide in width.items() if wide < math.inf}
        return {"reached": set(width), "width": found}
