"""Task scheduling: unit tasks with deadlines, the heaviest done in time (Lawler 1985)."""

from __future__ import annotations

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number
from algolens.language.layouts import Intervals


class TaskScheduling(Algorithm):
    """From the heaviest task to the lightest, select a task while fewer are selected than its
    deadline allows; of equal ones, the first.
    """

    group, graphs = "orders", "any"
    example, items = "2,9 1,7 3,6 2,5 4,4 4,3 6,2", ("tasks", "deadline", "weight")
    layout = Intervals(
        end="deadline", order="weight", largest_first=True, noted="weight", lines=("slots",)
    )
    bits = Bits(10)  # of a deadline, and of a weight

    deadline, weight = Node.input(number(bits)), Node.input(number(bits))

    is_heaviest = Node.derived("me = greatest node (~looked_at) by weight")
    is_next = Node.derived(
        "me = least node (is_heaviest) by number", says="it is [not] the heaviest task left"
    )
    looked_at = Node.output(
        mask, becomes="looked_at | is_next", tells="", says="it has [not] been considered"
    )
    is_selected = Node.derived(
        "is_next & graph's slots < deadline",
        line={
            "is_selected": "select it if fewer tasks are selected than its deadline",
            "is_next & ~is_selected": "reject it otherwise",
        },
        yes="it is next, and fewer tasks are selected than its deadline",
        no="it is not next, or its deadline is too early",
    )
    selected = Node.output(
        mask,
        becomes="selected | is_selected",
        tells={
            "selected": "{me} (weight {weight}, deadline {deadline}) is selected",
            "is_selected": "{me} (weight {weight}, deadline {deadline}) is selected: tasks "
            "selected before it: {graph's slots}, fewer than its deadline",
            "is_next": "{me} (weight {weight}, deadline {deadline}) is rejected: tasks selected "
            "before it: {graph's slots}, and its deadline leaves no room",
            "looked_at": "{me} (weight {weight}, deadline {deadline}) was rejected",
            "True": "{me} (weight {weight}, deadline {deadline}) waits: heavier tasks come first",
        },
        says="it is [not] selected",
    )
    slots = Graph.state(number(31), becomes="slots + 1 where takes_a_slot", title="slots taken")
    takes_a_slot = Graph.derived("some node (is_selected)")

    goes_on, examines = "some node (is_next)", "is_next"
    legend = {"selected": "selected", "looked_at": "rejected", "True": "not considered yet"}
    starts_with = "nothing is selected"
    repeats = "for each task, from the heaviest to the lightest:"
    ends_when = "every task has been considered"

    def reference(self, graph, inputs):
        selected: list[int] = []
        for node in sorted(graph, key=lambda node: (-graph.nodes[node]["weight"], node)):
            if len(selected) < graph.nodes[node]["deadline"]:
                selected.append(node)
        return {"looked_at": set(graph), "selected": set(selected)}
