"""Selection sort: numbers in order, as a chain, the least of those left each time."""

from itertools import pairwise

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, Pointer, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_next",
    phrases={
        "placed": {
            "is_placed": "{me} ({key}) is placed",
            "is_next": "{me} ({key}) is placed: it is the least of the numbers that are left",
            "True": "{me} ({key}) waits: a lesser number is left, or an equal one before it",
        },
        "is_last": {
            "True": "",
        },
        "predecessor_in_order": "",
        "is_placed": (
            "it is placed",
            "it is not placed",
        ),
        "is_next": (
            "it is the least of the numbers that are left",
            "it is not the least of the numbers that are left",
        ),
    },
    lines={
        "start": "no number is placed",
        "is_next": "place the least of the numbers that are left after the last one placed",
        "until": "every number is placed",
    },
    states={
        "is_last": "placed last",
        "placed": "placed",
        "none": "left",
    },
    names={
        "predecessor_in_order": "order",
    },
)


class SelectionSort(Algorithm):
    """Place the least of the numbers that are left after the last one placed; of equal ones, the
    first.

    Every node points to the one before it in the order, the first to itself.
    """

    name = "selection_sort"
    title = "Selection sort"
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", order="predecessor_in_order")

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits))},
            state=("placed", "is_last", "predecessor_in_order"),
            start={"placed": "False", "is_last": "False", "predecessor_in_order": "me"},
            look={
                "is_placed": at_node("placed"),
                "is_next": at_node(
                    "~placed & no other node (~placed & (its key, its number) < (my key, my "
                    "number))"
                ),
            },
            moves={"predecessor_in_order": "the other node (is_last) where is_next"},
            concepts=("is_placed", "is_next"),
            outputs={
                "placed": Mask(),
                "is_last": Mask(),
                "predecessor_in_order": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={
                "placed": _forms.where_any("is_placed", "is_next"),
                "is_last": {"true": "is_next", "false": "~is_next"},
            },
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        order = sorted(graph, key=lambda node: graph.nodes[node]["key"])
        return {"predecessor_in_order": {node: before for before, node in pairwise(order)}}
