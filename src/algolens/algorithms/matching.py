"""Maximal matching: edges no two of which share an end, to which none can be added (Israeli and
Itai 1986).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Category, Location, Mask, Number, at_edge

WORDS = Words(
    phrases={
        "status": {
            "is_matched": "{me} is matched",
            "has_matched_neighbour": (
                "{me} is out: it shares an end with {adjacent edges (status is matched)}"
            ),
            "has_priority": (
                "{me} is matched: no undecided edge at its ends has a higher priority than "
                "{priority}"
            ),
            "True": (
                "{me} waits for {adjacent edges (status is undecided & (its priority, its number) "
                "> (my priority, my number))}: higher priority"
            ),
        },
        "in_matching": {
            "is_matched": "{me} is matched",
            "has_priority & ~has_matched_neighbour": "",
            "True": "{me} is not matched",
        },
        "is_matched": (
            "it is matched",
            "it is not matched",
        ),
        "has_matched_neighbour": (
            "it shares an end with {adjacent edges (status is matched)}",
            "no edge at its ends is matched",
        ),
        "is_undecided": ("it is undecided", "it is decided"),
        "has_priority": {
            "has_priority": ("no undecided edge at its ends has a higher priority than {priority}"),
            "is_undecided": "an undecided edge at its ends has a higher priority",
            "True": "it is decided",
        },
    },
    lines={
        "start": "no edge is decided",
        "has_priority & ~has_matched_neighbour": (
            "match every undecided edge with the highest priority among undecided edges at its ends"
        ),
        "is_undecided & has_matched_neighbour": ("other edges at the ends of matched ones are out"),
        "until": "every edge is decided",
    },
    states={
        "undecided": "undecided",
        "matched": "matched",
        "out": "out: an end is matched",
    },
)


class Matching(Algorithm):
    """An undecided edge with the highest priority among undecided edges at its ends is matched; the
    other edges at its ends are out.
    """

    name = "matching"
    title = "Maximal matching"
    group = "choices"

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        rivals = "(status is undecided & (its priority, its number) > (my priority, my number))"
        return Declaration(
            location=Location.EDGE,
            words=WORDS,
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
