"""Insertion sort: one number after another is put where it belongs among those before it."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_next",
    phrases={
        "place": (
            "{me} ({key}) is inserted before {it} ({its key}), at place {new}",
            "{me} ({key}) makes room: to place {new}",
        ),
        "inserted": {
            "has_been_inserted": "{me} ({key}) is in order",
            "is_next & some other node (is_moved)": "",
            "is_next": "{me} ({key}) stays at place {place}: no number before it is greater",
            "True": "{me} ({key}) waits to be inserted",
        },
        "is_next": (
            "it is the next number",
            "it is not the next number",
        ),
        "has_been_inserted": (
            "it is in order",
            "it is not in order yet",
        ),
    },
    lines={
        "start": "no number is in order",
        "is_next": "take the next number",
        "is_moved": "all greater ones in order move up by one place",
        "is_insertion_place": "it takes the place of the first of them",
        "until": "every number is in order",
    },
    states={
        "inserted": "in order",
        "none": "waiting",
    },
)


class InsertionSort(Algorithm):
    """Insert the next number before all greater ones of those already in order, which make room for
    it.

    ``place`` is where a number stands in the order, from 0 on.
    """

    name = "insertion_sort"
    title = "Insertion sort"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", order="place")

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits))},
            state=("inserted", "place", "count"),
            start={"inserted": "False", "place": "number", "count": 0},
            sums={"place_after": at_node("place + 1"), "count_after": at_graph("count + 1")},
            look={
                "has_been_inserted": at_node("inserted"),
                "is_next": at_node("number = graph's count"),
                "is_moved": at_node("inserted & some other node (is_next & its key < my key)"),
                "is_insertion_place": at_node(
                    "is_moved & no other node (is_moved & its place < my place)"
                ),
                "has_next": at_graph("some node (is_next)"),
            },
            moves={
                "place": [
                    "the other node's place (is_insertion_place) where is_next",
                    "place_after where is_moved",
                ],
                "count": "count_after where has_next",
            },
            hints={"count": at_graph(place)},
            concepts=("has_been_inserted", "is_next"),
            outputs={"inserted": Mask(), "place": place},
            rules={"inserted": _forms.where_any("has_been_inserted", "is_next")},
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        order = sorted(graph, key=lambda node: graph.nodes[node]["key"])
        return {
            "inserted": dict.fromkeys(graph, True),
            "place": {node: place for place, node in enumerate(order)},
        }
