"""Heapsort: numbers in order, the greatest taken from a heap each time (Williams 1964)."""

from algolens.language.declare import (
    Algorithm,
    Graph,
    Node,
    Option,
    category,
    mask,
    number,
    per,
)
from algolens.layouts import Heap


class Heapsort(Algorithm):
    """Build a heap: from the last place to the first, a number sinks below greater ones. Then swap
    the first and the last of the heap, make the heap one smaller, and let the new first one sink.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on; below
    place p are the places 2 * p + 1 and 2 * p + 2.
    """

    title, group, graphs = "Heapsort", "orders", "any"
    layout = Heap(of="key", order="place", out="settled", marks=("here",))
    bits = Option(10, 1, 62)  # of a number

    key = Node.input(number(bits))

    phase = Graph.state(
        category("begins", "builds", "takes", "sifts", "over"),
        start="begins",
        becomes={
            "builds": "begins",
            "takes": "ends_heap & has_several | ends_sift & outer > 1",
            "over": "ends_heap | ends_sift",
            "sifts": "takes",
        },
    )
    place = Node.output(
        number(31),
        start="number",
        becomes=[
            "graph's here where rises",
            "the other node's place (rises) where is_here",
            "graph's outer where is_taken",
            "the other node's place (is_root) where comes_up",
        ],
        tells=[
            "{me} ({key}) rises to place {new}: it is greater than the number above it",
            "{me} ({key}) sinks to place {new}",
            "{me} ({key}), the greatest of the heap, goes to place {new} and is settled",
            "{me} ({key}) comes up to the top of the heap, and sinks from there",
        ],
    )
    settled = Node.output(
        mask,
        start="False",
        becomes="settled | is_taken",
        called=("settled", "in the heap"),
        tells={
            "settled": "{me} ({key}) is settled",
            "is_taken": "",
            "is_here": "{me} ({key}) rests: no number below it is greater",
            "True": "{me} ({key}) is not settled yet",
        },
    )
    outer = Graph.state(  # the place from which a number sinks, then the last of the heap
        number(31),
        start=0,
        becomes=[
            "the node's number (is_last) where begins | ends_heap",
            "outer - 1 where rests & outer > 0",
        ],
    )
    here = Graph.state(
        number(31),
        start=0,
        becomes=[
            "the node's number (is_last) where begins",
            "the node's place (rises)",
            "outer - 1 where rests & phase is builds & outer > 0",
            "0 where takes",
        ],
        title="sinks next",
        tells=["the heap is built from the last number on, at place {new}", "", "", ""],
    )
    size = Graph.state(
        number(31),
        start=0,
        becomes=["the node (is_last)'s number + 1 where begins", "outer where takes"],
    )

    begins = Graph.sees("phase is begins", line="find the last place")
    takes = Graph.sees("phase is takes")
    sinks = Graph.sees("phase is builds | phase is sifts")
    is_last = Node.sees("greatest node by number")
    is_root = Node.sees("place = 0")
    is_here = Node.sees("graph's sinks & place = graph's here")
    is_left = Node.sees("place = 2 * graph's here + 1 & place < graph's size")
    is_right = Node.sees("place = 2 * graph's here + 2 & place < graph's size")
    is_greater = Node.sees("(is_left | is_right) & some other node (is_here & its key < my key)")
    rises = Node.sees(
        "greatest node (is_greater) by key, -place",
        line="let a number sink: the greater of the two below it rises, if it is greater",
    )
    rests = Graph.sees("sinks & no node (rises)", line="until no number below it is greater")
    ends_heap = Graph.sees("rests & phase is builds & outer = 0")
    ends_sift = Graph.sees("rests & phase is sifts")
    has_several = Graph.sees("at least 2 nodes")
    is_taken = Node.sees(
        "is_root & graph's takes",
        line="once all are a heap: swap its first with its last, which is settled",
        yes="it is the greatest of the heap, and is taken",
        no="it is not taken from the heap",
    )
    comes_up = Node.sees("graph's takes & place = graph's outer")

    goes_on = "phase is not over"
    most_steps = 2 * per(Node, Node)
    examines = "is_here"
    starts_with = "every number is at its first place"
    ends_when = "the heap holds one number"
