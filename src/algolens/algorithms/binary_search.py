"""Binary search: the first of ordered numbers that is not below a target."""

from bisect import bisect_left

from algolens.algorithms import Graph, Node, mask, number, per
from algolens.algorithms._numbers import Numbers
from algolens.language.layouts import Bars


class BinarySearch(Numbers):
    """Compare the number in the middle of those that are left with the target, and go on with one
    half.

    The first step looks for the last place. Where all numbers are below the target, the last one
    is the result. The middle of two places is where twice the place is their sum, or one less.
    """

    example = "2,5,7,11,14,18,23,29,34 23"
    checks = (("ascending", "key"),)
    layout = Bars(of="key", marks=("low", "high"), lines=("target",))

    target = Graph.input(number(Numbers.bits))

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.derived("~has_begun", line="find the last place")
    is_last = Node.derived("me = greatest node by number")
    is_open = Graph.derived("low < high")
    span = Graph.derived("low + high")
    is_middle = Node.derived(
        "graph's is_open & (2 * number = graph's span | 2 * number + 1 = graph's span)"
    )
    is_too_small = Node.derived(
        "is_middle & key < graph's target",
        line="if the middle number is less than the target: go on after it",
    )
    is_enough = Node.derived(
        "is_middle & key >= graph's target", line="otherwise: go on with it and those before it"
    )
    low = Graph.state(
        number(31),
        becomes="the node (is_too_small)'s number + 1",
        tells="The middle {its key} is less than the target {target}: the result is after it",
        title="first left",
    )
    high = Graph.state(
        number(31),
        becomes=["the node's number (is_last) where begins", "the node's number (is_enough)"],
        tells=[
            "The search begins with all numbers",
            "The middle {its key} is not less than the target {target}: the result is it, "
            "or before it",
        ],
        title="last left",
    )

    is_found = Node.derived(
        "~graph's begins & ~graph's is_open & number = graph's high",
        yes="it alone is left",
        no="it is not the only one left",
        line="the one that is left is the result",
    )
    is_result = Node.output(
        mask,
        becomes="is_found",
        tells={
            "is_found": "{key} is the result: it alone is left",
            "is_middle": "",
            "True": "{key} is not known as the result",
        },
        says="it is [not] known as the result",
    )
    is_searched = Node.derived(
        "graph's begins | graph's is_open",
        yes="more than one number is left",
        no="one number is left",
    )

    goes_on = "some node (is_searched | is_found & ~is_result)"
    most_steps = 2 * per(Node)
    examines = "is_middle"
    legend = {"is_result": "the result", "True": "not known as the result"}
    starts_with, ends_when = "all numbers are left", "the result is found"

    def reference(self, graph, inputs):
        keys = [graph.nodes[node]["key"] for node in graph]
        place = min(bisect_left(keys, inputs["target"]), len(keys) - 1)
        return {"is_result": {place: True}}
