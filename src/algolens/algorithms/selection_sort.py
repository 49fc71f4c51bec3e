"""Selection sort: put numbers in order, the least of those left each time."""

from itertools import pairwise

from algolens.algorithms import Node, mask, pointer_or_none
from algolens.algorithms._numbers import Numbers, in_order
from algolens.language.layouts import Bars


class SelectionSort(Numbers):
    """Place the least of the numbers that are left after the last one placed; of equal ones, the
    first.

    Every node points to the one before it in the order, the first to itself.
    """

    example = "5,2,9,1,7,3"
    layout = Bars(of="key", order="predecessor_in_order")

    placed = Node.output(
        mask,
        becomes="placed | is_next",
        tells={
            "placed": "{key} is placed",
            "is_next": "{key} is placed: it is the least of the numbers that are left",
            "True": "{key} waits: a lesser number is left, or an equal one before it",
        },
        says="it is [not] placed",
    )
    is_last = Node.output(mask, becomes="is_next", tells="")
    predecessor_in_order = Node.output(
        pointer_or_none(Node),
        becomes="the other node (is_last) where is_next",
        tells="",
        title="order",
    )

    is_next = Node.derived(
        "me = least node (~placed) by key, number",
        line="place the least of the numbers that are left after the last one placed",
        says="it is [not] the least of the numbers that are left",
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    legend = {"is_last": "placed last", "placed": "placed", "True": "left"}
    starts_with, ends_when = "no number is placed", "every number is placed"

    def reference(self, graph, inputs):
        order = in_order(graph)
        return {"predecessor_in_order": {node: before for before, node in pairwise(order)}}
