"""Maximum subarray (Kadane): the numbers side by side whose sum is greatest (Bentley 1984)."""

from algolens.algorithms import Graph, Node, mask, number
from algolens.algorithms._numbers import Numbers
from algolens.language.layouts import Bars

PLACE, SUM = number(31), number(62, signed=True)


class MaximumSubarray(Numbers):
    """The best sum that ends at a number is the number itself, or with the best sum that ends
    before it; keep the greatest of these.

    ``low`` and ``high`` are the places where the best one begins and ends.
    """

    title = "Maximum subarray (Kadane)"
    example = "-2,1,-3,4,-1,2,1,-5,4"
    layout = Bars(of="key", marks=("low", "high"))

    key = Node.input(number(Numbers.bits, signed=True))

    count = Graph.state(PLACE, becomes="count + 1 where has_next")
    is_next = Node.derived("number = graph's count", says="it is [not] the next number")
    has_next = Graph.derived("some node (is_next)")
    added = Node.output(
        mask, becomes="added | is_next", tells="", says="it has [not] been looked at"
    )

    joined = Node.derived("graph's sum + key")
    is_first = Node.derived("is_next & no other node (added)")
    joins = Node.derived(
        "is_next & ~is_first & joined >= key",
        line="the next number joins the run before it if that makes the sum greater",
    )
    begins_anew = Node.derived(
        "is_next & (is_first | joined < key)", line="otherwise it begins a new run"
    )
    sum = Graph.state(
        SUM,
        becomes=["the node's joined (joins)", "the node's key (begins_anew)"],
        tells=[
            "{its key} joins the run before it: {new} = {sum} + {its key}",
            "{its key} begins a new run: joining the run before it would not give more",
        ],
        title="sum of the run",
    )
    begin = Graph.state(PLACE, becomes="the node's number (begins_anew)")

    is_best_joined = Node.derived("joins & joined > graph's best")
    is_best_alone = Node.derived("begins_anew & (is_first | key > graph's best)")
    is_best = Node.derived(
        "is_best_joined | is_best_alone", line="keep the run if its sum is the greatest so far"
    )
    best = Graph.state(
        SUM,
        becomes=["the node's joined (is_best_joined)", "the node's key (is_best_alone)"],
        tells=["The best sum is now {new}, with {it}", "The best sum is now {new}, {it} alone"],
        title="best sum",
    )
    improves = Graph.derived("some node (is_best)")
    improves_joined = Graph.derived("some node (is_best_joined)")
    low = Graph.state(
        PLACE,
        becomes=["begin where improves_joined", "the node's number (is_best_alone)"],
        title="best run begins",
    )
    high = Graph.state(PLACE, becomes="the node's number (is_best)", title="best run ends")

    is_taken = Node.derived(
        "is_best_alone | graph's improves_joined & number >= graph's begin & number <= graph's "
        "count",
        yes="it is in the run that is best now",
        no="it is not in a run that becomes best",
    )
    stays = Node.derived(
        "in_best & ~graph's improves",
        yes="no better run was found",
        no="it was not in the best run, or a better one was found",
    )
    in_best = Node.output(
        mask,
        becomes="is_taken | stays",
        tells={
            "is_taken": "{key} is in the best run",
            "stays": "{key} stays in the best run",
            "is_next": "",
            "True": "{key} is not in the best run",
        },
    )

    goes_on, examines = "some node (is_next)", "is_next"
    legend = {"in_best": "in the best run", "added": "looked at", "True": "not looked at"}
    starts_with, ends_when = "no number has been looked at", "every number has been looked at"

    def reference(self, graph, inputs):
        keys = [graph.nodes[node]["key"] for node in graph]
        spans = [(low, high) for high in range(len(keys)) for low in range(high + 1)]
        # of equal sums the one that ends first, and of those the one that begins first
        low, high = max(spans, key=lambda span: sum(keys[span[0] : span[1] + 1]))
        return {"added": set(graph), "in_best": set(range(low, high + 1))}
