"""Order statistic: the number of a given rank, such as the median."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.layouts import Bars

WORDS = Words(
    examined="is_least",
    phrases={
        "passed": {
            "is_passed": "{me} ({key}) was passed over",
            "is_too_small": (
                "{me} ({key}) is passed over: it has rank {graph's count}, and rank {graph's "
                "rank} is wanted"
            ),
            "is_found": "{me} ({key}) is not passed over: it has the rank that is wanted",
            "True": "{me} ({key}) is left",
        },
        "found": {
            "is_found": "{me} ({key}) is found: it has rank {graph's rank}",
            "True": "{me} ({key}) is not known to have rank {graph's rank}",
        },
        "is_passed": (
            "it was passed over",
            "it was not passed over",
        ),
        "is_too_small": (
            "it is the least left, and its rank {graph's count} is below {graph's rank}",
            "it is not passed over",
        ),
        "is_found": (
            "it is the least left, and has rank {graph's rank}",
            "it is not the least left, or rank {graph's rank} is not reached",
        ),
        "is_known": (
            "it is found",
            "it is not found",
        ),
    },
    lines={
        "start": "no number is passed over",
        "is_too_small": "pass over the least of the numbers that are left",
        "is_found": "once as many are passed as the rank says, the least left is the result",
        "until": "the result is found",
    },
    states={
        "found": "found",
        "passed": "passed over",
        "none": "left",
    },
    names={
        "count": "passed over so far",
        "rank": "wanted rank",
    },
)


class OrderStatistic(Algorithm):
    """Pass over the least of the numbers that are left until as many are passed as the rank says;
    of equal ones, the first.

    The least number of all has rank 0, the greatest n - 1. It takes rank + 1 steps.
    """

    name = "order_statistic"
    title = "Order statistic"
    group = "orders"
    graphs = "any"
    checks = (("below_count", "rank"),)
    layout = Bars(of="key")

    bits: int = 10  # of a number, and of the rank

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"key": at_node(Number(self.bits)), "rank": at_graph(Number(self.bits))},
            state=("passed", "found", "count"),
            start={"passed": "False", "found": "False", "count": 0},
            sums={"count_after": at_graph("count + 1")},
            look={
                "is_reached": at_graph("count = rank"),
                "is_least": at_node(
                    "~passed & no other node (~passed & (its key, its number) < (my key, my "
                    "number))"
                ),
                "is_passed": at_node("passed"),
                "is_known": at_node("found"),
                "is_found": at_node("is_least & graph's is_reached"),
                "is_too_small": at_node("is_least & ~graph's is_reached"),
                "goes_by_one": at_graph("some node (is_too_small)"),
            },
            moves={"count": "count_after where goes_by_one"},
            hints={"count": at_graph(Number(self.bits))},
            concepts=("is_passed", "is_too_small", "is_known", "is_found"),
            outputs={"passed": Mask(), "found": Mask()},
            rules={
                "passed": _forms.where_any("is_passed", "is_too_small"),
                "found": {"true": "is_found", "false": "~is_found"},
            },
            continues="is_too_small | is_found & ~is_known",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        order = sorted(graph, key=lambda node: graph.nodes[node]["key"])
        return {"found": {order[inputs["rank"]]: True}}
