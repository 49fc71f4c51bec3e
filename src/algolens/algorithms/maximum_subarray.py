"""Kadane's algorithm: the numbers side by side whose sum is greatest (Bentley 1984)."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars


class MaximumSubarray(Algorithm):
    """The best sum that ends at a number is the number itself, or the number and the best sum that
    ends before it; the greatest of these is kept. n steps.

    ``low`` and ``high`` are the places where the best one begins and ends.
    """

    name = "maximum_subarray"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", marks=("low", "high"))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place, total = Number(31), Number(62, signed=True)
        return Declaration(
            location=Location.NODE,
            inputs={"key": at_node(Number(self.bits, signed=True))},
            state=("added", "in_best", "count", "begin", "sum", "low", "high", "best"),
            start={
                "added": "False",
                "in_best": "False",
                "count": 0,
                "begin": 0,
                "sum": 0,
                "low": 0,
                "high": 0,
                "best": 0,
            },
            sums={"joined": at_node("graph's sum + key"), "count_after": at_graph("count + 1")},
            look={
                "has_been_added": at_node("added"),
                "is_next": at_node("number = graph's count"),
                "is_first": at_node("is_next & no other node (added)"),
                "joins": at_node("is_next & ~is_first & joined >= key"),
                "begins_anew": at_node("is_next & (is_first | joined < key)"),
                "is_best_joined": at_node("joins & joined > graph's best"),
                "is_best_alone": at_node("begins_anew & (is_first | key > graph's best)"),
                "is_best": at_node("is_best_joined | is_best_alone"),
                "has_next": at_graph("some node (is_next)"),
                "improves": at_graph("some node (is_best)"),
                "improves_joined": at_graph("some node (is_best_joined)"),
                "is_taken": at_node(
                    "is_best_alone | graph's improves_joined & number >= graph's begin & number <= "
                    "graph's count"
                ),
                "stays": at_node("in_best & ~graph's improves"),
            },
            moves={
                "count": "count_after where has_next",
                "sum": ["the node's joined (joins)", "the node's key (begins_anew)"],
                "begin": "the node's number (begins_anew)",
                "best": ["the node's joined (is_best_joined)", "the node's key (is_best_alone)"],
                "low": ["begin where improves_joined", "the node's number (is_best_alone)"],
                "high": "the node's number (is_best)",
            },
            hints={
                **dict.fromkeys(("count", "begin", "low", "high"), at_graph(place)),
                **dict.fromkeys(("sum", "best"), at_graph(total)),
            },
            concepts=("has_been_added", "is_next", "is_taken", "stays"),
            outputs={"added": Mask(), "in_best": Mask()},
            rules={
                "added": _forms.where_any("has_been_added", "is_next"),
                "in_best": _forms.where_any("is_taken", "stays"),
            },
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        keys = [graph.nodes[node]["key"] for node in graph]
        spans = [(low, high) for high in range(len(keys)) for low in range(high + 1)]
        # of equal sums the one that ends first, and of those the one that begins first
        low, high = max(spans, key=lambda span: sum(keys[span[0] : span[1] + 1]))
        return {
            "added": dict.fromkeys(graph, True),
            "in_best": dict.fromkeys(range(low, high + 1), True),
        }
