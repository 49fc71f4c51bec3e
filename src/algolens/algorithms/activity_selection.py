"""Activity selection: as many activities as possible, no two at once (Gavril 1972)."""

from __future__ import annotations

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number
from algolens.language.layouts import Intervals


class ActivitySelection(Algorithm):
    """In the order in which they end, select an activity if it begins when the last selected one is
    over.
    """

    group, graphs = "orders", "any"
    example, items = (
        "1,4 3,5 0,6 5,7 3,9 5,9 6,10 8,11 8,12 2,14 12,16",
        ("activities", "begin", "end"),
    )
    checks = (("end_not_before", "begin", "end"),)
    layout = Intervals(begin="begin", end="end", order="end", lines=("busy_until",))
    bits = Bits(10)  # of a time

    begin, end = Node.input(number(bits)), Node.input(number(bits))

    is_next = Node.derived(
        "me = least node (~looked_at) by end, number",
        yes="it ends first of those left",
        no="it does not end first of those left",
    )
    is_selected = Node.derived(
        "is_next & begin >= graph's busy_until",
        yes="it is next and begins when the last one is over",
        no="it is not next, or begins too early",
    )
    looked_at = Node.output(
        mask, becomes="looked_at | is_next", tells="", says="it has [not] been considered"
    )
    selected = Node.output(
        mask,
        becomes="selected | is_selected",
        tells={
            "selected": "{me} ({begin} to {end}) is selected",
            "is_selected": "{me} ({begin} to {end}) is selected: it begins when the last one is "
            "over, at {graph's busy_until}",
            "is_next": "{me} ({begin} to {end}) is rejected: the last one lasts until {graph's "
            "busy_until}",
            "looked_at": "{me} ({begin} to {end}) was rejected",
            "True": "{me} ({begin} to {end}) waits: others end earlier",
        },
        says="it is [not] selected",
        line={
            "is_selected": "select it if it begins when the last selected one is over",
            "is_next & ~is_selected": "reject it otherwise",
        },
    )
    busy_until = Graph.state(
        number(bits), becomes="the node's end (is_selected)", title="busy until"
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    legend = {"selected": "selected", "looked_at": "rejected", "True": "not considered yet"}
    starts_with = "nothing is selected"
    repeats = "for each activity, in the order in which they end:"
    ends_when = "every activity has been considered"

    def reference(self, graph, inputs):
        selected: list[int] = []
        for node in sorted(graph, key=lambda node: graph.nodes[node]["end"]):
            if not selected or graph.nodes[node]["begin"] >= graph.nodes[selected[-1]]["end"]:
                selected.append(node)
        return {"looked_at": set(graph), "selected": set(selected)}
