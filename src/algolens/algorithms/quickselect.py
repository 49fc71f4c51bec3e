"""Quickselect: the number of a given rank, by parts (Hoare 1961)."""

import networkx as nx

from algolens.algorithms import Declaration, Limit, PlainValues, _forms, _partition, _recipes
from algolens.algorithms.order_statistic import OrderStatistic
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars


class Quickselect(OrderStatistic):
    """Of the part that holds the rank, numbers not above its last one come to the front, and then
    the last one after them; where that is the rank, it is found. At most n (n + 1) / 2 steps.

    The least number of all has rank 0. The first step looks for the last place.
    """

    name = "quickselect"
    recipe = _recipes.LONG_RUNS
    layout = Bars(of="key", order="place", marks=("rank", "low", "front", "current", "high"))

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
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
