"""Insertion sort: put one number after another where it belongs among those before it."""

from algolens.algorithms import Graph, Node, mask, number
from algolens.algorithms._numbers import Numbers, places
from algolens.language.layouts import Bars


class InsertionSort(Numbers):
    """Insert the next number before all greater ones of those already in order, which make room for
    it.

    ``place`` is where a number stands in the order, from 0 on.
    """

    example = "5,2,9,1,7,3"
    layout = Bars(of="key", order="place")

    inserted = Node.output(
        mask,
        becomes="inserted | is_next",
        tells={
            "inserted": "{key} is in order",
            "is_next & some other node (is_moved)": "",
            "is_next": "{key} stays at place {place}: no number before it is greater",
            "True": "{key} waits to be inserted",
        },
        yes="it is in order",
        no="it is not in order yet",
    )
    place = Node.output(
        number(31),
        start="number",
        becomes=[
            "the other node's place (is_insertion_place) where is_next",
            "place + 1 where is_moved",
        ],
        tells=[
            "{key} is inserted before {its key}, at place {new}",
            "{key} makes room: to place {new}",
        ],
    )
    count = Graph.state(number(31), becomes="count + 1 where has_next")

    is_next = Node.derived(
        "number = graph's count", line="take the next number", says="it is [not] the next number"
    )
    has_next = Graph.derived("some node (is_next)")
    is_moved = Node.derived(
        "inserted & some other node (is_next & its key < my key)",
        line="all greater ones in order move up by one place",
    )
    is_insertion_place = Node.derived(
        "me = least node (is_moved) by place", line="it takes the place of the first of them"
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    legend = {"inserted": "in order", "True": "waiting"}
    starts_with, ends_when = "no number is in order", "every number is in order"

    def reference(self, graph, inputs):
        return {"inserted": set(graph), "place": places(graph)}
