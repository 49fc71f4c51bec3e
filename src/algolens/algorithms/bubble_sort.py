"""Bubble sort: put numbers in order by swapping neighbours that are out of order."""

from algolens.algorithms import Graph, Node, _recipes, mask, number, per
from algolens.algorithms._numbers import Numbers, places
from algolens.language.layouts import Bars


class BubbleSort(Numbers):
    """A round leads from the last place down to the first that is not settled: a number that is
    less than the one before it swaps with it.

    The first step looks for the last place. ``place`` is where a number stands, from 0 on.
    """

    example = "5,2,9,1,7,3"
    recipe = _recipes.LONG_RUNS
    layout = Bars(of="key", order="place", marks=("bottom", "here"))

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.derived("~has_begun", line="find the last place")
    is_last = Node.derived("me = greatest node by place")
    is_here = Node.derived("place = graph's here & place > graph's bottom")
    is_before = Node.derived("place + 1 = graph's here & place >= graph's bottom")
    is_less = Node.derived(
        "is_here & some other node (is_before & key > my key)",
        line="if a number is less than the one before it: swap them",
    )
    swaps = Graph.derived("some node (is_less)")
    gives_way = Node.derived("is_before & graph's swaps")
    place = Node.output(
        number(31),
        start="number",
        becomes=[
            "the other node's place (is_before) where is_less",
            "graph's here where gives_way",
        ],
        tells=["{key} swaps with {its key} before it: it is less", ""],
        line={"is_here & ~is_less": "otherwise it stays"},
    )

    ends_round = Graph.derived("here = bottom + 1")
    is_settled = Node.derived(
        "graph's ends_round & (is_less | is_before & ~graph's swaps)",
        yes="the round ends with it",
        no="the round does not end with it",
        line="the number at the end of a round is settled",
    )
    here = Graph.state(
        number(31),
        becomes=[
            "the node's place (is_last) where begins",
            "the node's place (is_last) where ends_round",
            "the node's place (is_before)",
        ],
        tells=["The first round begins at the last place, {new}", "", ""],
        title="compared next with the one before",
    )
    bottom = Graph.state(
        number(31), becomes="bottom + 1 where ends_round", title="the round ends here"
    )
    settled = Node.output(
        mask,
        becomes="settled | is_settled",
        tells={
            "settled": "{key} is settled",
            "is_settled": "{key} is settled: the round has come down to it",
            "is_here & ~is_less": "{key} stays: the number before it is not greater",
            "True": "{key} is not settled yet",
        },
        says="it is [not] settled",
    )
    is_left = Node.derived(
        "~settled & ~is_settled & some other node (~settled)",
        yes="numbers are left to sort",
        no="nothing is left to sort",
    )

    goes_on = "some node (is_left)"
    most_steps = per(Node, Node)
    examines = "is_here"
    legend = {"settled": "settled", "True": "not settled"}
    starts_with, ends_when = "every number is at its first place", "every number is settled"

    def reference(self, graph, inputs):
        return {"place": places(graph)}
