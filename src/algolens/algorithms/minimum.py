"""The minimum of numbers, one after the other."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, _forms
from algolens.fields import Location, Mask, Number, at_node
from algolens.layouts import Bars


class Minimum(Algorithm):
    """The numbers of all nodes are looked at in order, and the least so far is marked; of equals,
    the first. n steps.
    """

    name = "minimum"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key")

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"key": at_node(Number(self.bits))},
            state=("seen", "is_least"),
            start={"seen": "False", "is_least": "False"},
            look={
                "has_been_seen": at_node("seen"),
                "is_next": at_node("~seen & no other node (~seen & its number < my number)"),
                "is_known": at_node("seen | is_next"),
                "has_no_less": at_node(
                    "is_known & no other node (is_known & (its key, its number) < (my key, my "
                    "number))"
                ),
            },
            concepts=("has_been_seen", "is_next", "has_no_less"),
            outputs={"seen": Mask(), "is_least": Mask()},
            rules={
                "seen": _forms.where_any("has_been_seen", "is_next"),
                "is_least": {"true": "has_no_less", "false": "~has_no_less"},
            },
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        least = min(graph, key=lambda node: graph.nodes[node]["key"])
        return {"is_least": {node: node == least for node in graph}}
