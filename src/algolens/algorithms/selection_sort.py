"""Selection sort: numbers in order, as a chain, the least of those left each time."""

from __future__ import annotations

from itertools import pairwise

from algolens.algorithms import Algorithm, Node, Option, PlainValues, mask, number, pointer
from algolens.language.layouts import Bars
from algolens.lazy import nx


class SelectionSort(Algorithm):
    """Place the least of the numbers that are left after the last one placed; of equal ones, the
    first.

    Every node points to the one before it in the order, the first to itself.
    """

    title, group, graphs = "Selection sort", "orders", "any"
    layout = Bars(of="key", order="predecessor_in_order")
    bits = Option(10, 1, 62)  # of a number

    key = Node.input(number(bits))

    placed = Node.output(
        mask,
        becomes="placed | is_next",
        called=("placed", "left"),
        tells={
            "placed": "{me} ({key}) is placed",
            "is_next": "{me} ({key}) is placed: it is the least of the numbers that are left",
            "True": "{me} ({key}) waits: a lesser number is left, or an equal one before it",
        },
        says="it is [not] placed",
    )
    is_last = Node.output(mask, becomes="is_next", called=("placed last",), tells="")
    predecessor_in_order = Node.output(
        pointer(Node, itself_is_none=True),
        becomes="the other node (is_last) where is_next",
        tells="",
        title="order",
    )

    is_next = Node.sees(
        "least node (~placed) by key, number",
        line="place the least of the numbers that are left after the last one placed",
        says="it is [not] the least of the numbers that are left",
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    starts_with, ends_when = "no number is placed", "every number is placed"

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        order = sorted(graph, key=lambda node: graph.nodes[node]["key"])
        return {"predecessor_in_order": {node: before for before, node in pairwise(order)}}
