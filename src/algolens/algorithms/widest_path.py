"""Widest paths: paths from a source whose narrowest edge is as wide as can be (Pollack 1960)."""

from __future__ import annotations

import math

from algolens.algorithms import (
    Algorithm,
    Edge,
    Graph,
    Link,
    Node,
    Option,
    PlainValues,
    mask,
    number,
    pointer,
)
from algolens.lazy import nx


class WidestPath(Algorithm):
    """Settle the unsettled node with the widest path, then offer its neighbours the path through
    it.

    A path is as wide as the narrowest of its edges, whose weights are their widths; that of the
    source to itself has none, and is shown as 0. As Dijkstra's, with the lesser of two numbers in
    the place of their sum: n steps.
    """

    title, group, graphs = "Widest paths", "paths", "any"
    bits = Option(10, 1, 62)  # of a weight

    weight = Edge.input(number(bits))
    source = Graph.input(pointer(Node))

    reached = Node.output(
        mask,
        start="me = graph's source",
        becomes="reached | is_improved",
        called=("waiting", "not reached"),
        tells={
            "is_improved & ~reached": "",
            "reached": "{me} has been reached",
            "True": "{me} is not reached: no settled node leads to it",
        },
        says="it has [not] been reached",
    )
    done = Node.output(
        mask,
        becomes="done | is_next",
        called=("settled",),
        tells={
            "is_next & me = graph's source": "{me} is settled: it is the source, and no edge "
            "limits it",
            "is_next": "{me} is settled at width {width}: no waiting node has a wider path",
            "done & me = graph's source": "{me} is settled: it is the source",
            "done": "{me} is settled at width {width}",
            "is_waiting": "{me} waits at width {width}: {other nodes (is_next)} has a wider path, "
            "or comes first in a tie",
            "True": "{me} is not reached yet",
        },
        says="it is [not] settled",
    )
    width = Node.output(
        number(bits),
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
    parent = Node.output(
        pointer(Node, itself_is_none=True),
        becomes="the incoming link's sender (improves)",
        tells="",
    )

    is_waiting = Node.sees("reached & ~done")
    is_next = Node.sees(
        "greatest node (is_waiting) by width, number",
        line="settle the waiting node with the widest path",
        yes="it has the widest path of all waiting nodes",
        no={
            "is_waiting": "{other nodes (is_next)} has a wider path, or comes first in a tie",
            "True": "it does not wait",
        },
    )
    is_bottleneck = Link.sees("sender = graph's source | edge's weight < sender's width")
    offers_more = Link.sees(
        "is_bottleneck & edge's weight > receiver's width | ~is_bottleneck & sender's width > "
        "receiver's width"
    )
    improves = Link.sees(
        "sender's is_next & ~receiver's done & (~receiver's reached | offers_more)",
        line="offer each neighbour the path through it, as wide as its narrowest edge; it takes a "
        "wider one",
    )
    is_improved = Node.sees(
        "some incoming link (improves)",
        yes="a wider path leads through {other nodes (is_next)}",
        no="no wider path is found",
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    starts_with = "the source is reached; no node is settled"
    ends_when = "no node waits"

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        width = {inputs["source"]: math.inf}
        arcs = list(graph.to_directed().edges.data("weight"))
        for _ in graph:
            for u, v, weight in arcs:
                if u in width:
                    width[v] = max(width.get(v, 0), min(width[u], weight))
        found = {node: wide for node, wide in width.items() if wide < math.inf}
        return {"reached": set(width), "width": found}
