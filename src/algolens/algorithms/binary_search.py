"""Binary search: the first of ordered numbers that is not below a target."""

from bisect import bisect_left

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_middle",
    phrases={
        "low": (
            "the middle {it} ({its key}) is less than the target {target}: the result is after it"
        ),
        "high": (
            "the search begins with all numbers",
            (
                "the middle {it} ({its key}) is not less than the target {target}: the result is "
                "it, or before it"
            ),
        ),
        "is_result": {
            "is_found": "{me} ({key}) is the result: it alone is left",
            "is_middle": "",
            "True": "{me} ({key}) is not known as the result",
        },
        "is_found": (
            "it alone is left",
            "it is not the only one left",
        ),
        "is_known": (
            "it is known as the result",
            "it is not known as the result",
        ),
        "is_searched": (
            "more than one number is left",
            "one number is left",
        ),
    },
    lines={
        "start": "all numbers are left",
        "begins": "find the last place",
        "is_too_small": "if the middle number is less than the target: go on after it",
        "is_enough": "otherwise: go on with it and those before it",
        "is_found": "the one that is left is the result",
        "until": "the result is found",
    },
    states={
        "is_result": "the result",
        "none": "not known as the result",
    },
    names={
        "low": "first left",
        "high": "last left",
    },
)


class BinarySearch(Algorithm):
    """Compare the number in the middle of those that are left with the target, and go on with one
    half.

    The first step looks for the last place. Where all numbers are below the target, the last one
    is the result. The middle of two places is where twice the place is their sum, or one less.
    """

    name = "binary_search"
    title = "Binary search"
    group = "orders"
    graphs = "any"
    checks = (("ascending", "key"),)
    layout = Bars(of="key", marks=("low", "high"), lines=("target",))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits)), "target": at_graph(Number(self.bits))},
            state=("has_begun", "low", "high", "is_result"),
            start={"has_begun": "False", "low": 0, "high": 0, "is_result": "False"},
            sums={
                "span": at_graph("low + high"),
                "twice": at_node("number + number"),
                "twice_and_one": at_node("number + number + 1"),
                "number_after": at_node("number + 1"),
            },
            look={
                **_forms.FINDS_LAST,
                "is_open": at_graph("low < high"),
                "is_middle": at_node(
                    "graph's is_open & (twice = graph's span | twice_and_one = graph's span)"
                ),
                "is_enough": at_node("is_middle & key >= graph's target"),
                "is_too_small": at_node("is_middle & key < graph's target"),
                "is_found": at_node("~graph's begins & ~graph's is_open & number = graph's high"),
                "is_known": at_node("is_result"),
                "is_searched": at_node("graph's begins | graph's is_open"),
            },
            moves={
                "low": "the node's number_after (is_too_small)",
                "high": [
                    "the node's number (is_last) where begins",
                    "the node's number (is_enough)",
                ],
            },
            hints={"low": at_graph(place), "high": at_graph(place)},
            concepts=("is_found", "is_known", "is_searched"),
            outputs={"is_result": Mask()},
            rules={"is_result": {"true": "is_found", "false": "~is_found"}},
            continues="is_searched | is_found & ~is_known",
            most_steps=Limit(2),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        keys = [graph.nodes[node]["key"] for node in graph]
        place = min(bisect_left(keys, inputs["target"]), len(keys) - 1)
        return {"is_result": {place: True}}
