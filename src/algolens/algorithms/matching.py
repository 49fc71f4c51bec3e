"""Maximal matching: edges of which no two share an end, and none can be added (Israeli and Itai
1986).
"""

from __future__ import annotations

from algolens.algorithms import Algorithm, Bits, Edge, category, mask, number


class Matching(Algorithm):
    """An undecided edge with the highest priority among undecided edges at its ends is matched; the
    other edges at its ends are out.
    """

    title, group = "Maximal matching", "choices"
    example = "A-B B-C C-D D-E E-F F-A B-E"
    bits = Bits(8)  # of a priority

    priority = Edge.input(number(bits), drawn=True)

    status = Edge.output(
        category("undecided", "matched", "out"),
        becomes={
            "matched": "is_matched | has_priority & ~has_matched_neighbour",
            "out": "has_matched_neighbour",
            "undecided": "True",
        },
        tells={
            "is_matched": "{me} is matched",
            "has_matched_neighbour": "{me} is out: it shares an end with {adjacent edges (status "
            "is matched)}",
            "has_priority": "{me} is matched: no undecided edge at its ends has a higher priority "
            "than {priority}",
            "True": "{me} waits for {adjacent edges (status is undecided & (its priority, its "
            "number) > (my priority, my number))}: higher priority",
        },
    )
    in_matching = Edge.output(
        mask,
        becomes="is_matched | has_priority & ~has_matched_neighbour",
        tells={
            "is_matched": "{me} is matched",
            "has_priority & ~has_matched_neighbour": "",
            "True": "{me} is not matched",
        },
    )
    is_undecided = Edge.derived("status is undecided", yes="it is undecided", no="it is decided")
    is_matched = Edge.derived("status is matched", says="it is [not] matched")
    has_matched_neighbour = Edge.derived(
        "some adjacent edge (status is matched)",
        yes="it shares an end with {adjacent edges (status is matched)}",
        no="no edge at its ends is matched",
    )
    has_priority = Edge.derived(
        "me = greatest adjacent edge (status is undecided) by priority, number",
        line={
            "has_priority & ~has_matched_neighbour": "match every undecided edge with the highest "
            "priority among undecided edges at its ends",
            "is_undecided & has_matched_neighbour": "other edges at the ends of matched ones are "
            "out",
        },
        yes="no undecided edge at its ends has a higher priority than {priority}",
        no={
            "is_undecided": "an undecided edge at its ends has a higher priority",
            "True": "it is decided",
        },
    )

    goes_on = "some edge (is_undecided)"
    legend = {"undecided": "undecided", "matched": "matched", "out": "out: an end is matched"}
    starts_with, ends_when = "no edge is decided", "every edge is decided"

    def reference(self, graph, inputs):
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
