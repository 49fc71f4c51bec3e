"""Quicksort: numbers in order, around a pivot, then both sides so (Hoare 1962)."""

import networkx as nx

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _partition,
    _recipes,
)
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_current",
    phrases={
        **_partition.PHRASES,
        "settled": {
            "has_been_settled": "{me} ({key}) is settled",
            "is_placed": (
                "{me} ({key}), the pivot, is settled: none before it is above it, none after it "
                "is not"
            ),
            "is_small": "{me} ({key}) is not above the pivot, and stays at place {place}",
            "is_current": "{me} ({key}) is above the pivot: it stays",
            "True": "{me} ({key}) is not settled yet",
        },
        "high": ("the part is all numbers: its pivot is the last one", ""),
        "low": "the next part begins at place {new}",
        "has_been_settled": (
            "it is settled",
            "it is not settled",
        ),
        "is_placed": (
            "it is the pivot, and all others were compared with it",
            "it is no pivot that is placed",
        ),
        "is_left": (
            "numbers are left to sort",
            "nothing is left to sort",
        ),
    },
    lines={
        **_partition.LINES,
        "is_placed": "then the pivot goes after those at the front, and is settled",
        "is_new_low": "go on with the next part",
        "until": "every number is in its place",
    },
    states={
        "settled": "placed as a pivot",
        "none": "not placed as a pivot",
    },
    names=_partition.NAMES,
)


class Quicksort(Algorithm):
    """Numbers not above the last one of a part, the pivot, go to its front, and the pivot after
    them; then both sides are sorted so.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on.
    """

    name = "quicksort"
    title = "Quicksort"
    recipe = _recipes.LONG_RUNS
    group = "orders"
    graphs = "any"
    layout = Bars(of="key", order="place", marks=("low", "front", "current", "high"))

    bits: int = 10  # of a number

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits))},
            state=(*_partition.STATE, "settled", "is_sorted"),
            start={**_partition.START, "settled": "False", "is_sorted": "False"},
            sums=_partition.SUMS,
            look={
                **_partition.LOOK,
                "closes": at_graph("last has_begun & ~last is_sorted & current = high"),
                # places that are left once the last number of the part has come to the front
                "is_free": at_node("~settled & ~goes_last"),
                "has_free_after": at_node(
                    "is_free & some other node (is_free & its place = my place_after)"
                ),
                "may_be_low": at_node("graph's closes & has_free_after"),
                "is_new_low": at_node(
                    "may_be_low & no other node (may_be_low & its place < my place)"
                ),
                "is_end": at_node("is_free & ~has_free_after"),
                "may_be_high": at_node(
                    "is_end & some other node (is_new_low & its place < my place)"
                ),
                "is_new_high": at_node(
                    "may_be_high & no other node (may_be_high & its place < my place)"
                ),
                "is_sorted": at_graph("last is_sorted | closes & no node (has_free_after)"),
                "has_been_settled": at_node("settled"),
                "is_left": at_node(
                    "graph's begins & some other node | graph's scans | graph's closes"
                ),
            },
            moves={
                "place": _partition.MOVES_OF_PLACES,
                "low": "the node's place (is_new_low)",
                "high": [
                    "the node's number (is_last) where begins",
                    "the node's place (is_new_high)",
                ],
                "front": ["the node's place (is_new_low)", "front_after where swaps"],
                "current": ["the node's place (is_new_low)", "current_after where scans"],
            },
            hints=dict.fromkeys(("low", "high", "front", "current"), at_graph(place)),
            concepts=("has_been_settled", "is_placed", "is_left"),
            outputs={"settled": Mask(), "place": place},
            rules={"settled": _forms.where_any("has_been_settled", "is_placed")},
            continues="is_left",
            most_steps=Limit(2, squared=True),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        keys = sorted(graph.nodes[node]["key"] for node in graph)
        distinct = len(set(keys)) == len(keys)
        # equal numbers may come in any order
        return (
            {"place": {node: keys.index(graph.nodes[node]["key"]) for node in graph}}
            if distinct
            else {}
        )
