"""Maximal independent set (Luby): nodes no two of which are neighbours, to which none can be added
(Luby 1986).
"""

from __future__ import annotations

from algolens.algorithms import Algorithm, Bits, Node, category, number


class IndependentSet(Algorithm):
    """An undecided node with the highest priority among undecided neighbours is chosen; its
    neighbours are out.

    With random priorities it takes O(log n) steps, as is to be expected. What it finds is the set
    that a greedy choice in the order of priorities finds one by one.
    """

    title, group, loops_matter = "Maximal independent set (Luby)", "choices", True
    example = "A-B A-C B-C B-D C-E D-E D-F E-F"
    bits = Bits(8)  # of a priority

    priority = Node.input(number(bits, distinct="neighbours"), drawn=True)

    status = Node.output(
        category("undecided", "chosen", "out"),
        becomes={
            "chosen": "is_chosen | has_priority & ~has_chosen_neighbour",
            "out": "has_chosen_neighbour",
            "undecided": "True",
        },
        tells={
            "is_chosen": "{me} is in the set",
            "has_chosen_neighbour": "{me} is out: it is a neighbour of {neighbours (status is "
            "chosen)}",
            "has_priority": "{me} is chosen: no undecided neighbour has a higher priority than "
            "{priority}",
            "True": "{me} waits for {neighbours (status is undecided & its priority > my "
            "priority)}: higher priority",
        },
        line={
            "has_priority & ~has_chosen_neighbour": "choose every undecided node with the highest "
            "priority among its undecided neighbours",
            "is_undecided & has_chosen_neighbour": "neighbours of chosen nodes are out",
        },
    )
    is_undecided = Node.derived("status is undecided", yes="it is undecided", no="it is decided")
    is_chosen = Node.derived("status is chosen", says="it is [not] in the set")
    has_chosen_neighbour = Node.derived(
        "some neighbour (status is chosen)",
        yes="it is a neighbour of {neighbours (status is chosen)}, in the set",
        no="no neighbour is in the set",
    )
    has_priority = Node.derived(
        "status is undecided & no neighbour (status is undecided & its priority > my priority)",
        yes="no undecided neighbour has a higher priority than {priority}",
        no={
            "is_undecided": "undecided neighbours have a higher priority: {neighbours "
            "(status is undecided & its priority > my priority)}",
            "True": "it is decided",
        },
    )

    goes_on = "some node (is_undecided)"
    legend = {
        "undecided": "undecided",
        "chosen": "in the set",
        "out": "out: a neighbour is in the set",
    }
    starts_with, ends_when = "no node is decided", "every node is decided"

    def reference(self, graph, inputs):
        status: dict[int, str] = {}
        for node in sorted(graph, key=lambda node: -graph.nodes[node]["priority"]):
            is_out = any(status.get(other) == "chosen" for other in graph[node])
            status[node] = "out" if is_out else "chosen"
        return {"status": status}
