"""Minimum: the least of numbers, one after the other."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_next",
    phrases={
        "seen": {
            "True": "",
        },
        "is_least": {
            "has_no_less": "{me} ({key}) is the least so far",
            "is_next": "{me} ({key}) is not less than the least so far",
            "seen": "{me} ({key}) is not the least so far",
            "True": "{me} ({key}) has not been looked at",
        },
        "is_next": (
            "it is the next number",
            "it is not the next number",
        ),
        "has_no_less": (
            "no number so far is less",
            "a number so far is less, or equal and before it; or it has not been looked at",
        ),
        "has_been_seen": (
            "it has been looked at",
            "it has not been looked at",
        ),
    },
    lines={
        "start": "no number has been looked at",
        "is_next": "look at the next number",
        "has_no_less": "mark the least number so far",
        "until": "every number has been looked at",
    },
    states={
        "is_least": "least so far",
        "seen": "looked at",
        "none": "not looked at",
    },
)


class Minimum(Algorithm):
    """Look at the numbers in order and mark the least so far; of equal ones, the first."""

    name = "minimum"
    title = "Minimum"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key")

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
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
