"""An algorithm with an input at links: shortest ways where each direction has its own cost."""

from __future__ import annotations

import networkx as nx

from algolens.algorithms import (
    Algorithm,
    Graph,
    Link,
    Node,
    Option,
    PlainValues,
    mask,
    number,
    pointer,
)


class TwoWay(Algorithm):
    """Shortest ways from a source, where each direction of an edge has a cost of its own."""

    graphs = "any"
    bits = Option(8, 1, 62)  # of a cost

    cost = Link.input(number(bits))
    source = Graph.input(pointer(Node))

    reached = Node.output(mask, start="me = graph's source", becomes="reached | is_improved")
    done = Node.output(mask, start="False", becomes="done | is_next")
    distance = Node.output(
        number(62, signed=True),
        start=0,
        becomes="the incoming link's offer (improves)",
        only_where="reached",
    )

    offer = Link.derived("sender's distance + cost")
    is_waiting = Node.derived("reached & ~done")
    is_next = Node.derived("me = least node (is_waiting) by distance, number")
    improves = Link.derived(
        "sender's is_next & (~receiver's reached | offer < receiver's distance)"
    )
    is_improved = Node.derived("some incoming link (improves)")

    goes_on = "some node (is_next)"

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        ways = nx.DiGraph()
        ways.add_nodes_from(graph)
        for u, v, costs in graph.edges(data=True):
            ways.add_edge(u, v, cost=costs["cost"])
            if not graph.is_directed():
                ways.add_edge(v, u, cost=costs["cost_back"])
        distance = nx.single_source_dijkstra_path_length(ways, inputs["source"], weight="cost")
        return {"reached": dict.fromkeys(distance, True), "distance": distance}
