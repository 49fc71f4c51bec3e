"""An algorithm that compares with a number: a search that goes through high nodes alone."""

from __future__ import annotations

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node


class Ranked(Algorithm):
    """What can be reached from a source through nodes with a rank above 3."""

    name = "ranked"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={
                "rank": at_node(Number(3)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=("reached",),
            start={"reached": "me = graph's source"},
            look={
                "is_reached": at_node("reached"),
                "is_near": at_node("rank > 3 & some neighbour (reached)"),
            },
            concepts=("is_reached", "is_near"),
            outputs={"reached": Mask()},
            rules={"reached": {"true": "is_reached | is_near", "false": "~is_reached & ~is_near"}},
            continues="~is_reached & is_near",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        source = inputs["source"]
        high = {node for node, rank in graph.nodes(data="rank") if rank > 3} | {source}
        there = nx.node_connected_component(graph.subgraph(high), source)
        return {"reached": {node: node in there for node in graph}}
