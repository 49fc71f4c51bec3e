"""Quicksort: put numbers in order around a pivot, then both sides the same way (Hoare 1962)."""

from algolens.algorithms import Graph, Node, _recipes, mask, per
from algolens.algorithms._numbers import all_differ, places
from algolens.algorithms._partition import PLACE, Partition
from algolens.language.layouts import Bars


class Quicksort(Partition):
    """Take the last number as the pivot. Move every number that is not larger to the front, put the
    pivot after them, then sort both sides the same way.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on.
    """

    recipe = _recipes.LONG_RUNS
    example = "5,2,9,1,7,3,8,6"
    layout = Bars(of="key", order="place", marks=("low", "front", "is_current", "high"))

    place = Partition.place.but(role="output")
    is_placed = Partition.is_placed.but(
        line="then the pivot goes before the larger ones, in the same way: this is its final place"
    )
    settled = Node.output(
        mask,
        becomes="settled | is_placed",
        tells={
            "settled": "{key} is in its final place, as a pivot",
            "is_placed": "The pivot {key} is in its final place: everything before it in its part "
            "is smaller or equal, everything after it is larger",
            "is_small & ~is_front": "",
            "is_small": "{key} is not larger than the pivot {the other node (is_pivot)'s key}: no "
            "larger number stands before it, and it stays",
            "is_current": "{key} is larger than the pivot {the other node (is_pivot)'s key}: it "
            "stays",
            "graph's closes": "All numbers of the part have been compared: it is the pivot's turn",
            "is_pivot & graph's scans": "{key} is the pivot, which others are compared with",
            "True": "{key} is not compared in this step",
        },
        says="it is [not] placed as a pivot",
    )
    was_sorted = Graph.state(mask, becomes="is_sorted")
    low = Graph.state(PLACE, becomes="the node's place (is_new_low)", title="part begins")
    high = Graph.state(
        PLACE,
        becomes=["the node's number (is_last) where begins", "the node's place (is_new_high)"],
        tells=["The first part is all numbers. Its pivot is the last one, {its key}", ""],
        title="pivot",
    )
    front = Graph.state(
        PLACE,
        becomes=["the node's place (is_new_low)", "front + 1 where swaps"],
        title="front ends",
    )
    current = Graph.state(
        PLACE,
        becomes=["the node's place (is_new_low)", "current + 1 where scans"],
        tells=[
            "The next part begins with {its key}. Its pivot is its last number",
            "",
        ],
    )

    closes = Graph.derived("has_begun & ~was_sorted & current = high")
    # places that are left once the last number of the part has come to the front
    is_free = Node.derived("~settled & ~goes_last")
    has_free_after = Node.derived("is_free & some other node (is_free & its place = my place + 1)")
    is_sorted = Graph.derived("was_sorted | closes & no node (has_free_after)")
    may_be_low = Node.derived("graph's closes & has_free_after")
    is_new_low = Node.derived(
        "me = least node (may_be_low) by place",
        line="go on with the next part of two numbers or more: one number alone is sorted",
    )
    is_end = Node.derived("is_free & ~has_free_after")
    may_be_high = Node.derived("is_end & some other node (is_new_low & its place < my place)")
    is_new_high = Node.derived("me = least node (may_be_high) by place")
    is_left = Node.derived(
        "graph's begins & some other node | graph's scans | graph's closes",
        yes="numbers are left to sort",
        no="nothing is left to sort",
    )

    goes_on = "some node (is_left)"
    most_steps = 2 * per(Node, Node)
    legend = {
        "settled": "placed as a pivot",
        "True": "not placed yet, or alone in its part: sorted",
    }
    ends_when = "every number is in its place: a part of one number is sorted"

    def reference(self, graph, inputs):
        # equal numbers may come in any order
        return {"place": places(graph)} if all_differ(graph) else {}
