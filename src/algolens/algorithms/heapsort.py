"""Heapsort: numbers in order, the greatest taken from a heap each time (Williams 1964)."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms, _recipes
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Heap

WORDS = Words(
    examined="is_here",
    phrases={
        "place": (
            "{me} ({key}) rises to place {new}: it is greater than the number above it",
            "{me} ({key}) sinks to place {new}",
            "{me} ({key}), the greatest of the heap, goes to place {new} and is settled",
            "{me} ({key}) comes up to the top of the heap, and sinks from there",
        ),
        "here": ("the heap is built from the last number on, at place {new}", "", "", ""),
        "settled": {
            "has_been_settled": "{me} ({key}) is settled",
            "goes_out": "",
            "is_here": "{me} ({key}) rests: no number below it is greater",
            "True": "{me} ({key}) is not settled yet",
        },
        "has_been_settled": (
            "it is settled",
            "it is not settled",
        ),
        "goes_out": (
            "it is the greatest of the heap, and is taken",
            "it is not taken from the heap",
        ),
        "is_unfinished": (
            "the heap is not empty",
            "all is done",
        ),
    },
    lines={
        "start": "every number is at its first place",
        "begins": "find the last place",
        "rises": "let a number sink: the greater of the two below it rises, if it is greater",
        "rests": "until no number below it is greater",
        "goes_out": "once all are a heap: swap its first with its last, which is settled",
        "until": "the heap holds one number",
    },
    names={"here": "sinks next"},
    states={
        "settled": "settled",
        "none": "in the heap",
    },
)


class Heapsort(Algorithm):
    """Build a heap: from the last place to the first, a number sinks below greater ones. Then swap
    the first and the last of the heap, make the heap one smaller, and let the new first one sink.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on; below
    place p are the places p + p + 1 and p + p + 2.
    """

    name = "heapsort"
    title = "Heapsort"
    recipe = _recipes.LONG_RUNS
    group = "orders"
    graphs = "any"
    layout = Heap(of="key", order="place", out="settled", marks=("here",))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits))},
            state=(
                *("has_begun", "builds", "is_extracting", "is_over"),
                *("settled", "place", "outer", "here", "size"),
            ),
            start={
                "has_begun": "False",
                "builds": "True",
                "is_extracting": "False",
                "is_over": "False",
                "settled": "False",
                "place": "number",
                "outer": 0,
                "here": 0,
                "size": 0,
            },
            sums={
                "place_after": at_node("place + 1"),
                "left": at_graph("here + here + 1"),
                "right": at_graph("here + here + 2"),
            },
            look={
                **_forms.FINDS_LAST,
                "is_root": at_node("place = 0"),
                "takes": at_graph("last is_extracting"),
                "sinks": at_graph("last has_begun & ~last is_extracting & ~last is_over"),
                "is_here": at_node("graph's sinks & place = graph's here"),
                "is_left": at_node("place = graph's left & place < graph's size"),
                "is_right": at_node("place = graph's right & place < graph's size"),
                "left_is_greater": at_node(
                    "is_left & some other node (is_here & its key < my key)"
                ),
                "right_is_greater": at_node(
                    "is_right & some other node (is_here & its key < my key)"
                ),
                "right_rises": at_node(
                    "right_is_greater & no other node (left_is_greater & its key >= my key)"
                ),
                "left_rises": at_node("left_is_greater & no other node (right_rises)"),
                "rises": at_node("left_rises | right_rises"),
                "rests": at_graph("sinks & no node (rises)"),
                "finishes_heap": at_graph("rests & last builds & outer = 0"),
                "builds_on": at_graph("rests & last builds & outer > 0"),
                "finishes_sift": at_graph("rests & ~last builds"),
                "has_several": at_graph("at least 2 nodes"),
                "builds": at_graph("last builds & ~finishes_heap"),
                "is_extracting": at_graph(
                    "finishes_heap & has_several | finishes_sift & outer > 1"
                ),
                "is_over": at_graph(
                    "last is_over | finishes_heap & ~has_several | finishes_sift & outer <= 1"
                ),
                "is_before_outer": at_node("place_after = graph's outer"),
                "goes_out": at_node("is_root & graph's takes"),
                "comes_up": at_node("graph's takes & place = graph's outer"),
                "has_been_settled": at_node("settled"),
                "is_unfinished": at_node("graph's begins | graph's sinks | graph's takes"),
            },
            moves={
                "place": [
                    "graph's here where rises",
                    "the other node's place (rises) where is_here",
                    "graph's outer where goes_out",
                    "the other node's place (is_root) where comes_up",
                ],
                "outer": [
                    "the node's number (is_last) where begins",
                    "the node's number (is_last) where finishes_heap",
                    "the node's place (is_before_outer) where rests",
                ],
                "here": [
                    "the node's number (is_last) where begins",
                    "the node's place (rises)",
                    "the node's place (is_before_outer) where builds_on",
                    "the node's place (is_root) where takes",
                ],
                "size": ["the node's place_after (is_last) where begins", "outer where takes"],
            },
            hints=dict.fromkeys(("outer", "here", "size"), at_graph(place)),
            concepts=("has_been_settled", "goes_out", "is_unfinished"),
            outputs={"settled": Mask(), "place": place},
            rules={"settled": _forms.where_any("has_been_settled", "goes_out")},
            continues="is_unfinished",
            most_steps=Limit(2, squared=True),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        keys = sorted(graph.nodes[node]["key"] for node in graph)
        # equal numbers may come in any order
        if len(set(keys)) < len(keys):
            return {}
        return {"place": {node: keys.index(graph.nodes[node]["key"]) for node in graph}}
