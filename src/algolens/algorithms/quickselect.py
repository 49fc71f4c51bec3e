"""Quickselect: the number of a given rank, by parts (Hoare 1961)."""

from algolens.algorithms import Graph, Node, _recipes, mask, number, per
from algolens.algorithms._numbers import all_differ, in_order
from algolens.algorithms._partition import PLACE, Partition
from algolens.algorithms.order_statistic import OrderStatistic
from algolens.language.layouts import Bars


class Quickselect(Partition):
    """Take the last number as the pivot. Move every number that is not larger to the front, and put
    the pivot after them: it is found where its place is the rank. Else go on with the side that
    holds the rank.

    The least number of all has rank 0. The first step looks for the last place.
    """

    recipe, checks = _recipes.LONG_RUNS, OrderStatistic.checks
    example = "5,2,9,1,7,3,8,6 3"
    layout = Bars(of="key", order="place", marks=("rank", "low", "front", "is_current", "high"))

    rank = Graph.input(number(Partition.bits), title="wanted rank")

    is_over = Graph.derived("some node (found)")
    closes = Graph.derived("has_begun & ~is_over & current = high")
    goes_left = Graph.derived("closes & rank < front")
    goes_right = Graph.derived(
        "closes & rank > front",
        line={"goes_left | goes_right": "go on with the side that holds the rank"},
    )
    is_before_front = Node.derived("place + 1 = graph's front")
    high = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_last) where begins",
            "the node's place (is_before_front) where goes_left",
        ],
        tells=[
            "The first part is all numbers. Its pivot is the last one, {its key}",
            "Rank {rank} is before the pivot's place: the next part is what stands before it",
        ],
        title="pivot",
    )
    low = Graph.state(
        PLACE,
        becomes="front + 1 where goes_right",
        tells="Rank {rank} is after the pivot's place: the next part is what stands after it",
        title="part begins",
    )
    front = Graph.state(
        PLACE,
        becomes=["low where goes_left", "front + 1 where goes_right | swaps"],
        title="front ends",
    )
    current = Graph.state(
        PLACE,
        becomes=["low where goes_left", "front + 1 where goes_right", "current + 1 where scans"],
    )

    is_found = Node.derived(
        "is_placed & graph's front = graph's rank",
        line="the pivot is the result if its place is the rank",
        yes="the pivot came to place {graph's rank}",
        no="it is not the pivot, or the pivot came to another place than {graph's rank}",
    )
    found = Node.output(
        mask,
        becomes="is_found | found",
        tells={
            "found": "{key} has rank {graph's rank}",
            "is_found": "{key} has rank {graph's rank}: the pivot came to its place",
            "is_small & ~is_front": "",
            "is_small": "{key} is not larger than the pivot {the other node (is_pivot)'s key}: it "
            "stays, behind no larger number",
            "is_current": "{key} is larger than the pivot {the other node (is_pivot)'s key}: it "
            "stays",
            "True": "{key} is not known to have rank {graph's rank}",
        },
        says="it is [not] known",
    )

    is_searched = Node.derived(
        "graph's begins | graph's scans | graph's goes_left | graph's goes_right",
        yes="the rank is not found",
        no="the search is over",
    )
    goes_on, most_steps = "some node (is_searched | is_found)", 2 * per(Node, Node)
    legend = {"found": "found", "True": "not found"}
    ends_when = "the result is found"

    def reference(self, graph, inputs):
        # of equal numbers any may be found
        return {"found": {in_order(graph)[inputs["rank"]]}} if all_differ(graph) else {}
