"""Task scheduling: unit tasks with deadlines, the heaviest done in time (Lawler 1985)."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _words
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Intervals

WORDS = Words(
    examined="is_next",
    phrases={
        **_words.CONSIDERED,
        "selected": {
            "has_been_selected": "{me} (weight {weight}, deadline {deadline}) is selected",
            "is_selected": (
                "{me} (weight {weight}, deadline {deadline}) is selected: tasks selected before "
                "it: {graph's slots}, fewer than its deadline"
            ),
            "is_next": (
                "{me} (weight {weight}, deadline {deadline}) is rejected: tasks selected before "
                "it: {graph's slots}, and its deadline leaves no room"
            ),
            "looked_at": "{me} (weight {weight}, deadline {deadline}) was rejected",
            "True": ("{me} (weight {weight}, deadline {deadline}) waits: heavier tasks come first"),
        },
        "is_next": (
            "it is the heaviest task left",
            "it is not the heaviest task left",
        ),
        "is_selected": (
            "it is next, and fewer tasks are selected than its deadline",
            "it is not next, or its deadline is too early",
        ),
    },
    lines={
        "start": "nothing is selected",
        "repeat": "for each task, from the heaviest to the lightest:",
        "is_selected": "select it if fewer tasks are selected than its deadline",
        "is_next & ~is_selected": "reject it otherwise",
        "until": "every task has been considered",
    },
    states=_words.CONSIDERED_STATES,
    names={
        "slots": "slots taken",
    },
)


class TaskScheduling(Algorithm):
    """From the heaviest task to the lightest, select a task while fewer are selected than its
    deadline allows; of equal ones, the first.
    """

    name = "task_scheduling"
    title = "Task scheduling"
    group = "orders"
    graphs = "any"
    layout = Intervals(
        end="deadline", order="weight", largest_first=True, noted="weight", lines=("slots",)
    )

    bits: int = 10  # of a deadline, and of a weight

    def declare(self) -> Declaration:
        number = Number(self.bits)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"deadline": at_node(number), "weight": at_node(number)},
            state=("looked_at", "selected", "slots"),
            start={"looked_at": "False", "selected": "False", "slots": 0},
            sums={"one_more": at_graph("slots + 1")},
            look={
                "has_been_looked_at": at_node("looked_at"),
                "has_been_selected": at_node("selected"),
                "is_heaviest": at_node(
                    "~looked_at & no other node (~looked_at & its weight > my weight)"
                ),
                "is_next": at_node(
                    "is_heaviest & no other node (is_heaviest & its number < my number)"
                ),
                "is_selected": at_node("is_next & graph's slots < deadline"),
                "takes_a_slot": at_graph("some node (is_selected)"),
            },
            moves={"slots": "one_more where takes_a_slot"},
            hints={"slots": at_graph(Number(31))},
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
        for node in sorted(graph, key=lambda node: (-graph.nodes[node]["weight"], node)):
            if len(selected) < graph.nodes[node]["deadline"]:
                selected.append(node)
        return {"looked_at": dict.fromkeys(graph, True), "selected": dict.fromkeys(selected, True)}
