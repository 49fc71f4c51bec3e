"""An algorithm that compares with a number: a search that goes through high nodes alone."""

from __future__ import annotations

import networkx as nx

from algolens.algorithms import Algorithm, Graph, Node, PlainValues, mask, number, pointer


class Ranked(Algorithm):
    """What can be reached from a source through nodes with a rank above 3."""

    rank = Node.input(number(3))
    source = Graph.input(pointer(Node))

    reached = Node.output(mask, start="me = graph's source", becomes="reached | is_near")
    is_near = Node.derived("rank > 3 & some neighbour (reached)")

    goes_on = "some node (~reached & is_near)"

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        source = inputs["source"]
        high = {node for node, rank in graph.nodes(data="rank") if rank > 3} | {source}
        there = nx.node_connected_component(graph.subgraph(high), source)
        return {"reached": {node: node in there for node in graph}}
