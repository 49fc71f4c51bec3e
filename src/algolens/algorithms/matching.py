"""A maximal matching, in parallel: edges no two of which share an end, to which none can be added
(Israeli and Itai 1986).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Category, Location, Mask, Number, at_edge


class Matching(Algorithm):
    """An undecided edge with the highest priority among undecided edges at its ends is matched;
    those at its ends are out.
    """

    name = "matching"
    group = "choices"

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        rivals = "(status is undecided & (its priority, its number) > (my priority, my number))"
        return Declaration(
            location=Location.EDGE,
            inputs={"priority": at_edge(Number(self.bits), drawn=True)},
            state=("status",),
            start={"status": "undecided"},
            look={
                "is_undecided": at_edge("status is undecided"),
                "is_matched": at_edge("status is matched"),
                "has_matched_neighbour": at_edge("some adjacent edge (status is matched)"),
                "has_priority": at_edge(f"status is undecided & no adjacent edge {rivals}"),
            },
            concepts=("is_undecided", "is_matched", "has_matched_neighbour", "has_priority"),
            outputs={"status": Category("undecided", "matched", "out"), "in_matching": Mask()},
            rules={
                "status": {
                    "undecided": "~is_matched & ~has_matched_neighbour & ~has_priority",
                    "matched": "is_matched | (has_priority & ~has_matched_neighbour)",
                    "out": "~is_matched & has_matched_neighbour",
                },
                "in_matching": {
                    "true": "is_matched | (has_priority & ~has_matched_neighbour)",
                    "false": "~is_matched & (~has_priority | has_matched_neighbour)",
                },
            },
            continues="is_undecided",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        status: dict[tuple[int, int], str] = {}
        taken: set[int] = set()
        for u, v in sorted(
            sorted(graph.edges, reverse=True), key=lambda edge: -graph.edges[edge]["priority"]
        ):
            status[u, v] = "matched" if taken.isdisjoint((u, v)) else "out"
            taken |= {u, v} if status[u, v] == "matched" else set()
        return {
            "status": status,
            "in_matching": {edge: state == "matched" for edge, state in status.items()},
        }
