"""Heapsort: put numbers in order, taking the greatest from a heap each time (Williams 1964)."""

from algolens.algorithms import Graph, Node, _recipes, mask, number, per
from algolens.algorithms._numbers import Numbers, all_differ, places
from algolens.language.layouts import Heap

PLACE = number(31)


class Heapsort(Numbers):
    """Build a heap: from the last place to the first, a number sinks below greater ones. Then swap
    the first and the last of the heap, make the heap one smaller, and let the new first one sink.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on; below
    place p are the places 2 * p + 1 and 2 * p + 2.
    """

    example = "4,9,2,7,5,1,8"
    layout = Heap(of="key", order="place", out="settled", marks=("here",))
    recipe = _recipes.LONG_RUNS

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.derived("~has_begun", line="find the last place")
    is_last = Node.derived("me = greatest node by number")
    size = Graph.state(
        PLACE, becomes=["the node (is_last)'s place + 1 where begins", "outer where is_extracting"]
    )

    # the number at place ``here`` sinks
    sinks = Graph.derived("has_begun & ~is_extracting & ~is_over")
    is_here = Node.derived("graph's sinks & place = graph's here")
    is_left = Node.derived("place = 2 * graph's here + 1 & place < graph's size")
    is_right = Node.derived("place = 2 * graph's here + 2 & place < graph's size")
    left_is_greater = Node.derived("is_left & some other node (is_here & key < my key)")
    right_is_greater = Node.derived("is_right & some other node (is_here & key < my key)")
    right_rises = Node.derived("right_is_greater & no other node (left_is_greater & key >= my key)")
    left_rises = Node.derived("left_is_greater & no other node (right_rises)")
    rises = Node.derived(
        "left_rises | right_rises",
        line="let a number sink: the greater of the two below it rises, if it is greater",
    )
    rests = Graph.derived("sinks & no node (rises)", line="until no number below it is greater")
    place = Node.output(
        PLACE,
        start="number",
        becomes=[
            "graph's here where rises",
            "the other node's place (rises) where is_here",
            "graph's outer where goes_out",
            "the other node's place (is_root) where comes_up",
        ],
        tells=[
            "{key} rises to place {new}: it is greater than the number above it",
            "{key} sinks to place {new}",
            "{key}, the greatest of the heap, goes to place {new} and is settled",
            "{key} comes up to the top of the heap, and sinks from there",
        ],
    )

    # all places from ``outer`` on are a heap; later, those before it
    builds = Graph.state(mask, start="True", becomes="builds & ~finishes_heap")
    finishes_heap = Graph.derived("rests & builds & outer = 0")
    builds_on = Graph.derived("rests & builds & outer > 0")
    outer = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_last) where begins | finishes_heap",
            "the node's place (is_before_outer) where rests",
        ],
    )
    is_before_outer = Node.derived("place + 1 = graph's outer")
    here = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_last) where begins",
            "the node's place (rises)",
            "the node's place (is_before_outer) where builds_on",
            "0 where is_extracting",
        ],
        tells=["The heap is built from the last number on, at place {new}", "", "", ""],
        title="sinks next",
    )

    # the greatest goes to the end
    has_several = Graph.derived("at least 2 nodes")
    finishes_sift = Graph.derived("rests & ~builds")
    is_extracting = Graph.state(
        mask, becomes="finishes_heap & has_several | finishes_sift & outer > 1"
    )
    is_root = Node.derived("place = 0")
    goes_out = Node.derived(
        "is_root & graph's is_extracting",
        yes="it is the greatest of the heap, and is taken",
        no="it is not taken from the heap",
        line="once all are a heap: swap its first with its last, which is settled",
    )
    comes_up = Node.derived("graph's is_extracting & place = graph's outer")
    settled = Node.output(
        mask,
        becomes="settled | goes_out",
        tells={
            "settled": "{key} is settled",
            "goes_out": "",
            "is_here": "{key} rests: no number below it is greater",
            "True": "{key} is not settled yet",
        },
        says="it is [not] settled",
    )
    is_over = Graph.state(
        mask, becomes="is_over | finishes_heap & ~has_several | finishes_sift & outer <= 1"
    )
    is_unfinished = Node.derived(
        "graph's begins | graph's sinks | graph's is_extracting",
        yes="the heap is not empty",
        no="all is done",
    )

    goes_on = "some node (is_unfinished)"
    most_steps = 2 * per(Node, Node)
    examines = "is_here"
    legend = {"settled": "settled", "True": "in the heap"}
    starts_with, ends_when = "every number is at its first place", "the heap holds one number"

    def reference(self, graph, inputs):
        # equal numbers may come in any order
        return {"place": places(graph)} if all_differ(graph) else {}
