"""Maximal independent set (Luby): nodes no two of which are neighbours, to which none can be added
(Luby 1986).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Category, Location, Number, at_node

WORDS = Words(
    phrases={
        "status": {
            "is_chosen": "{me} is in the set",
            "has_chosen_neighbour": (
                "{me} is out: it is a neighbour of {neighbours (status is chosen)}"
            ),
            "has_priority": (
                "{me} is chosen: no undecided neighbour has a higher priority than {priority}"
            ),
            "True": (
                "{me} waits for {neighbours (status is undecided & its priority > my priority)}: "
                "higher priority"
            ),
        },
        "is_chosen": (
            "it is in the set",
            "it is not in the set",
        ),
        "has_chosen_neighbour": (
            "it is a neighbour of {neighbours (status is chosen)}, in the set",
            "no neighbour is in the set",
        ),
        "is_undecided": ("it is undecided", "it is decided"),
        "has_priority": {
            "has_priority": "no undecided neighbour has a higher priority than {priority}",
            "is_undecided": (
                "undecided neighbours have a higher priority: {neighbours (status is undecided & "
                "its priority > my priority)}"
            ),
            "True": "it is decided",
        },
    },
    lines={
        "start": "no node is decided",
        "has_priority & ~has_chosen_neighbour": (
            "choose every undecided node with the highest priority among its undecided neighbours"
        ),
        "is_undecided & has_chosen_neighbour": "neighbours of chosen nodes are out",
        "until": "every node is decided",
    },
    states={
        "undecided": "undecided",
        "chosen": "in the set",
        "out": "out: a neighbour is in the set",
    },
)


class IndependentSet(Algorithm):
    """An undecided node with the highest priority among undecided neighbours is chosen; its
    neighbours are out.

    With random priorities it takes O(log n) steps, as is to be expected. What it finds is the set
    that a greedy choice in the order of priorities finds one by one.
    """

    name = "independent_set"
    title = "Maximal independent set (Luby)"
    group = "choices"
    loops_matter = True

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"priority": at_node(Number(self.bits, distinct="neighbours"), drawn=True)},
            state=("status",),
            start={"status": "undecided"},
            look={
                "is_undecided": at_node("status is undecided"),
                "is_chosen": at_node("status is chosen"),
                "has_chosen_neighbour": at_node("some neighbour (status is chosen)"),
                "has_priority": at_node(
                    "status is undecided & no neighbour (status is undecided & its priority > my "
                    "priority)"
                ),
            },
            concepts=("is_undecided", "is_chosen", "has_chosen_neighbour", "has_priority"),
            outputs={"status": Category("undecided", "chosen", "out")},
            rules={
                "status": {
                    "undecided": "~is_chosen & ~has_chosen_neighbour & ~has_priority",
                    "chosen": "is_chosen | (has_priority & ~has_chosen_neighbour)",
                    "out": "~is_chosen & has_chosen_neighbour",
                }
            },
            continues="is_undecided",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        status: dict[int, str] = {}
        for node in sorted(graph, key=lambda node: -graph.nodes[node]["priority"]):
            status[node] = (
                "out" if any(status.get(other) == "chosen" for other in graph[node]) else "chosen"
            )
        return {"status": status}
