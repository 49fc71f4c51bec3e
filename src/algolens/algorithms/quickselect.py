"""Quickselect: the number of a given rank, by parts (Hoare 1961)."""

import networkx as nx

from algolens.algorithms import Declaration, Limit, PlainValues, Words, _forms, _partition, _recipes
from algolens.algorithms.order_statistic import OrderStatistic
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_current",
    phrases={
        **_partition.PHRASES,
        "found": {
            "is_known": "{me} ({key}) has rank {graph's rank}",
            "is_found": "{me} ({key}) has rank {graph's rank}: the pivot came to its place",
            "is_small": "{me} ({key}) is not above the pivot, and stays at place {place}",
            "is_current": "{me} ({key}) is above the pivot: it stays",
            "True": "{me} ({key}) is not known to have rank {graph's rank}",
        },
        "high": (
            "the search begins with all numbers",
            "the rank {rank} is before the pivot: the part ends at place {new}",
        ),
        "low": "the rank {rank} is after the pivot: the part begins at place {new}",
        "is_found": (
            "the pivot came to place {graph's rank}",
            "it is not the pivot, or the pivot came to another place than {graph's rank}",
        ),
        "is_known": (
            "it is known",
            "it is not known",
        ),
        "is_searched": (
            "the rank is not found",
            "the search is over",
        ),
    },
    lines={
        **_partition.LINES,
        "is_placed": "then the pivot goes after those at the front",
        "goes_left | goes_right": "go on with the side that holds the rank",
        "is_found": "the pivot is the result if its place is the rank",
        "until": "the result is found",
    },
    states={
        "found": "found",
        "none": "not found",
    },
    names={"rank": "wanted rank", **_partition.NAMES},
)


class Quickselect(OrderStatistic):
    """Of the part that holds the rank, numbers not above the last one, the pivot, go to its front,
    and the pivot after them; it is found where the pivot has the rank.

    The least number of all has rank 0. The first step looks for the last place.
    """

    name = "quickselect"
    title = "Quickselect"
    recipe = _recipes.LONG_RUNS
    layout = Bars(of="key", order="place", marks=("rank", "low", "front", "current", "high"))

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits)), "rank": at_graph(Number(self.bits))},
            state=(*_partition.STATE, "found"),
            start={**_partition.START, "found": "False"},
            sums=_partition.SUMS,
            look={
                "is_over": at_graph("some node (found)"),
                **_partition.LOOK,
                "closes": at_graph("last has_begun & ~is_over & current = high"),
                "goes_left": at_graph("closes & rank < front"),
                "goes_right": at_graph("closes & rank > front"),
                "is_before_front": at_node("place_after = graph's front"),
                "is_found": at_node("is_placed & graph's front = graph's rank"),
                "is_known": at_node("found"),
                "is_searched": at_node(
                    "graph's begins | graph's scans | graph's goes_left | graph's goes_right"
                ),
            },
            moves={
                "place": _partition.MOVES_OF_PLACES,
                "low": "front_after where goes_right",
                "high": [
                    "the node's number (is_last) where begins",
                    "the node's place (is_before_front) where goes_left",
                ],
                "front": [
                    "low where goes_left",
                    "front_after where goes_right",
                    "front_after where swaps",
                ],
                "current": [
                    "low where goes_left",
                    "front_after where goes_right",
                    "current_after where scans",
                ],
            },
            hints={
                "place": at_node(place),
                **dict.fromkeys(("low", "high", "front", "current"), at_graph(place)),
            },
            concepts=("is_found", "is_known", "is_searched"),
            outputs={"found": Mask()},
            rules={"found": _forms.where_any("is_found", "is_known")},
            continues="is_searched | is_found",
            most_steps=Limit(2, squared=True),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        keys = [graph.nodes[node]["key"] for node in graph]
        # of equal numbers any may be found
        return super().reference(graph, inputs) if len(set(keys)) == len(keys) else {}
