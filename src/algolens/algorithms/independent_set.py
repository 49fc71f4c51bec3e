"""A maximal independent set, in parallel: nodes no two of which are neighbours, to which none can
be added (Luby 1986).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Category, Location, Number, at_node


class IndependentSet(Algorithm):
    """An undecided node with the highest priority among undecided neighbours is chosen; its
    neighbours are out.

    With random priorities it takes O(log n) steps, as is to be expected. What it finds is the set
    that a greedy choice in the order of priorities finds one by one.
    """

    name = "independent_set"
    group = "choices"
    loops_matter = True

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
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
