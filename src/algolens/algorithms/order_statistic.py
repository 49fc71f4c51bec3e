"""Order statistic: the number of a given rank, such as the median."""

from algolens.algorithms import Graph, Node, mask, number
from algolens.algorithms._numbers import Numbers, in_order
from algolens.language.layouts import Bars


class OrderStatistic(Numbers):
    """Pass over the least of the numbers that are left until as many are passed as the rank says;
    of equal ones, the first.

    The least number of all has rank 0, the greatest n - 1. It takes rank + 1 steps.
    """

    layout = Bars(of="key")
    example = "5,2,9,1,7,3 2"
    checks = (("below_count", "rank"),)

    rank = Graph.input(number(Numbers.bits), title="wanted rank")

    passed = Node.output(
        mask,
        becomes="passed | is_too_small",
        tells={
            "passed": "{key} was passed over",
            "is_too_small": "{key} is passed over: it has rank {graph's count}, and rank "
            "{graph's rank} is wanted",
            "is_found": "{key} is not passed over: it has the rank that is wanted",
            "True": "{key} is left",
        },
        says="it was [not] passed over",
    )
    found = Node.output(
        mask,
        becomes="is_found",
        tells={
            "is_found": "{key} is found: it has rank {graph's rank}",
            "True": "{key} is not known to have rank {graph's rank}",
        },
        says="it is [not] found",
    )
    count = Graph.state(
        number(Numbers.bits), becomes="count + 1 where goes_by_one", title="passed over so far"
    )

    is_least = Node.derived("me = least node (~passed) by key, number")
    is_reached = Graph.derived("count = rank")
    is_too_small = Node.derived(
        "is_least & ~graph's is_reached",
        line="pass over the least of the numbers that are left",
        yes="it is the least left, and its rank {graph's count} is below {graph's rank}",
        no="it is not passed over",
    )
    is_found = Node.derived(
        "is_least & graph's is_reached",
        line="once as many are passed as the rank says, the least left is the result",
        yes="it is the least left, and has rank {graph's rank}",
        no="it is not the least left, or rank {graph's rank} is not reached",
    )
    goes_by_one = Graph.derived("some node (is_too_small)")

    goes_on = "some node (is_too_small | is_found & ~found)"
    examines = "is_least"
    legend = {"found": "found", "passed": "passed over", "True": "left"}
    starts_with, ends_when = "no number is passed over", "the result is found"

    def reference(self, graph, inputs):
        order = in_order(graph)
        return {"found": {order[inputs["rank"]]: True}}
