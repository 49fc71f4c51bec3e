"""Maximum subarray (Kadane): the numbers side by side whose sum is greatest (Bentley 1984)."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_next",
    phrases={
        "sum": (
            "{it} ({its key}) joins the run before it: {new} = {sum} + {its key}",
            "{it} ({its key}) begins a new run: joining the run before it would not give more",
        ),
        "best": (
            "the best sum is now {new}, with {it}",
            "the best sum is now {new}, {it} alone",
        ),
        "added": {
            "True": "",
        },
        "in_best": {
            "is_taken": "{me} ({key}) is in the best run",
            "stays": "{me} ({key}) stays in the best run",
            "is_next": "",
            "True": "{me} ({key}) is not in the best run",
        },
        "is_next": (
            "it is the next number",
            "it is not the next number",
        ),
        "is_taken": (
            "it is in the run that is best now",
            "it is not in a run that becomes best",
        ),
        "stays": (
            "no better run was found",
            "it was not in the best run, or a better one was found",
        ),
        "has_been_added": (
            "it has been looked at",
            "it has not been looked at",
        ),
    },
    lines={
        "start": "no number has been looked at",
        "joins": "the next number joins the run before it if that makes the sum greater",
        "begins_anew": "otherwise it begins a new run",
        "is_best": "keep the run if its sum is the greatest so far",
        "until": "every number has been looked at",
    },
    states={
        "in_best": "in the best run",
        "added": "looked at",
        "none": "not looked at",
    },
    names={
        "low": "best run begins",
        "high": "best run ends",
        "sum": "sum of the run",
        "best": "best sum",
    },
)


class MaximumSubarray(Algorithm):
    """The best sum that ends at a number is the number itself, or with the best sum that ends
    before it; keep the greatest of these.

    ``low`` and ``high`` are the places where the best one begins and ends.
    """

    name = "maximum_subarray"
    title = "Maximum subarray (Kadane)"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", marks=("low", "high"))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place, total = Number(31), Number(62, signed=True)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
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
