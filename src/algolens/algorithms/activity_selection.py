"""Activity selection: as many activities as possible, no two at once (Gavril 1972)."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _words
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Intervals

WORDS = Words(
    examined="is_next",
    phrases={
        **_words.CONSIDERED,
        "selected": {
            "has_been_selected": "{me} ({begin} to {end}) is selected",
            "is_selected": (
                "{me} ({begin} to {end}) is selected: it begins when the last one is over, at "
                "{graph's busy_until}"
            ),
            "is_next": (
                "{me} ({begin} to {end}) is rejected: the last one lasts until {graph's busy_until}"
            ),
            "looked_at": "{me} ({begin} to {end}) was rejected",
            "True": "{me} ({begin} to {end}) waits: others end earlier",
        },
        "is_next": (
            "it ends first of those left",
            "it does not end first of those left",
        ),
        "is_selected": (
            "it is next and begins when the last one is over",
            "it is not next, or begins too early",
        ),
    },
    lines={
        "start": "nothing is selected",
        "repeat": "for each activity, in the order in which they end:",
        "is_selected": "select it if it begins when the last selected one is over",
        "is_next & ~is_selected": "reject it otherwise",
        "until": "every activity has been considered",
    },
    states=_words.CONSIDERED_STATES,
    names={
        "busy_until": "busy until",
    },
)


class ActivitySelection(Algorithm):
    """In the order in which they end, select an activity if it begins when the last selected one is
    over.
    """

    name = "activity_selection"
    title = "Activity selection"
    group = "orders"
    graphs = "any"
    checks = (("end_not_before", "begin", "end"),)
    layout = Intervals(begin="begin", end="end", order="end", lines=("busy_until",))

    bits: int = 10  # of a time

    def declare(self) -> Declaration:
        time = Number(self.bits)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"begin": at_node(time), "end": at_node(time)},
            state=("looked_at", "selected", "busy_until"),
            start={"looked_at": "False", "selected": "False", "busy_until": 0},
            look={
                "has_been_looked_at": at_node("looked_at"),
                "has_been_selected": at_node("selected"),
                "is_next": at_node(
                    "~looked_at & no other node (~looked_at & (its end, its number) < (my end, my "
                    "number))"
                ),
                "is_selected": at_node("is_next & begin >= graph's busy_until"),
            },
            moves={"busy_until": "the node's end (is_selected)"},
            hints={"busy_until": at_graph(time)},
            concepts=("has_been_looked_at", "has_been_selected", "is_next", "is_selected"),
            outputs={"looked_at": Mask(), "selected": Mask()},
            rules={
                "looked_at": _forms.where_any("has_been_looked_at", "is_next"),
                "selected": _forms.where_any("has_been_selected", "is_selected"),
            },
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        selected: list[int] = []
        for node in sorted(graph, key=lambda node: graph.nodes[node]["end"]):
            if not selected or graph.nodes[node]["begin"] >= graph.nodes[selected[-1]]["end"]:
                selected.append(node)
        return {"looked_at": dict.fromkeys(graph, True), "selected": dict.fromkeys(selected, True)}
