"""Bubble sort: neighbours that are out of order swap, from the last to the first."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms, _recipes
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_here",
    phrases={
        "place": (
            "{me} ({key}) swaps with {it} ({its key}) before it: it is less",
            "",
        ),
        "here": ("the first round begins at the last place, {new}", "", ""),
        "settled": {
            "has_been_settled": "{me} ({key}) is settled",
            "is_settled": "{me} ({key}) is settled: the round has come down to it",
            "is_here & ~is_less": "{me} ({key}) stays: the number before it is not greater",
            "True": "{me} ({key}) is not settled yet",
        },
        "has_been_settled": (
            "it is settled",
            "it is not settled",
        ),
        "is_settled": (
            "the round ends with it",
            "the round does not end with it",
        ),
        "is_left": (
            "numbers are left to sort",
            "nothing is left to sort",
        ),
    },
    lines={
        "start": "every number is at its first place",
        "begins": "find the last place",
        "is_less": "if a number is less than the one before it: swap them",
        "is_here & ~is_less": "otherwise it stays",
        "is_settled": "the number at the end of a round is settled",
        "until": "every number is settled",
    },
    states={
        "settled": "settled",
        "none": "not settled",
    },
    names={
        "bottom": "the round ends here",
        "here": "compared next with the one before",
    },
)


class BubbleSort(Algorithm):
    """A round leads from the last place down to the first that is not settled: a number that is
    less than the one before it swaps with it.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on.
    """

    name = "bubble_sort"
    title = "Bubble sort"
    recipe = _recipes.LONG_RUNS
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", order="place", marks=("bottom", "here"))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits))},
            state=("has_begun", "settled", "place", "bottom", "here"),
            start={
                "has_begun": "False",
                "settled": "False",
                "place": "number",
                "bottom": 0,
                "here": 0,
            },
            sums={"place_after": at_node("place + 1"), "bottom_after": at_graph("bottom + 1")},
            look={
                **_forms.FIRST_STEP,
                "is_last": at_node("no other node (its place > my place)"),
                "is_here": at_node("place = graph's here & place > graph's bottom"),
                "is_before": at_node("place_after = graph's here & place >= graph's bottom"),
                "is_less": at_node("is_here & some other node (is_before & its key > my key)"),
                "swaps": at_graph("some node (is_less)"),
                "gives_way": at_node("is_before & graph's swaps"),
                "ends_round": at_graph("here = bottom_after"),
                "has_been_settled": at_node("settled"),
                "is_settled": at_node(
                    "graph's ends_round & (is_less | is_before & ~graph's swaps)"
                ),
                "is_left": at_node("~settled & ~is_settled & some other node (~settled)"),
            },
            moves={
                "place": [
                    "the other node's place (is_before) where is_less",
                    "graph's here where gives_way",
                ],
                "here": [
                    "the node's place (is_last) where begins",
                    "the node's place (is_last) where ends_round",
                    "the node's place (is_before)",
                ],
                "bottom": "bottom_after where ends_round",
            },
            hints={"bottom": at_graph(place), "here": at_graph(place)},
            concepts=("has_been_settled", "is_settled", "is_left"),
            outputs={"settled": Mask(), "place": place},
            rules={"settled": _forms.where_any("has_been_settled", "is_settled")},
            continues="is_left",
            most_steps=Limit(squared=True),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        order = sorted(graph, key=lambda node: graph.nodes[node]["key"])
        return {"place": {node: place for place, node in enumerate(order)}}
