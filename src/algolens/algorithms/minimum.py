"""Minimum: the least of numbers, one after the other."""

from algolens.algorithms import Node, mask
from algolens.algorithms._numbers import Numbers, in_order
from algolens.language.layouts import Bars


class Minimum(Numbers):
    """Look at the numbers in order and mark the least so far; of equal ones, the first."""

    layout = Bars(of="key")

    example = "5,2,9,1,7,3"
    seen = Node.output(mask, becomes="seen | is_next", tells="", says="it has [not] been looked at")
    is_least = Node.output(
        mask,
        start="False",
        becomes="has_no_less",
        tells={
            "has_no_less": "{key} is the least so far",
            "is_next": "{key} is not less than the least so far",
            "seen": "{key} is not the least so far",
            "True": "{key} has not been looked at",
        },
    )

    is_next = Node.derived(
        "me = least node (~seen) by number",
        line="look at the next number",
        says="it is [not] the next number",
    )
    is_known = Node.derived("seen | is_next")
    has_no_less = Node.derived(
        "me = least node (is_known) by key, number",
        line="mark the least number so far",
        yes="no number so far is less",
        no="a number so far is less, or equal and before it; or it has not been looked at",
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    legend = {"is_least": "least so far", "seen": "looked at", "True": "not looked at"}
    starts_with, ends_when = "no number has been looked at", "every number has been looked at"

    def reference(self, graph, inputs):
        return {"is_least": {in_order(graph)[0]}}
