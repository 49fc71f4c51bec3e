"""Partition as quicksort and quickselect have it (Lomuto): numbers not above the last one come to
the front, one in a step, and then the last one after them.
"""

from algolens.algorithms import Graph, Node, mask, number
from algolens.algorithms._numbers import Numbers

PLACE = number(31)


class Partition(Numbers, part=True):
    """One step compares one number with the pivot, or puts the pivot in its place."""

    has_begun = Graph.state(mask, becomes="True")
    place = Node.state(
        PLACE,
        start="number",
        becomes=[
            "graph's front where is_small",
            "graph's current where gives_way",
            "graph's front where is_placed",
            "graph's high where goes_last",
        ],
        tells=[
            "{key} is not larger than the pivot {the other node (is_pivot)'s key}: it swaps with "
            "{the other node (is_front)'s key}, the first larger number",
            "",
            "The pivot {key} swaps with {the other node (is_front)'s key}, the first larger number",
            "",
        ],
    )

    begins = Graph.derived("~has_begun", line="the last number of the part is its pivot")
    scans = Graph.derived("has_begun & current != high")
    closes = Graph.derived("has_begun & current = high")
    is_last = Node.derived("me = greatest node by number")
    is_pivot = Node.derived("place = graph's high")
    is_front = Node.derived("place = graph's front")
    is_current = Node.derived("graph's scans & place = graph's current", title="compared next")
    is_small = Node.derived(
        "is_current & some other node (is_pivot & its key >= my key)",
        line={
            "is_small": "a number that is not larger than the pivot goes before the larger ones: "
            "it swaps with the first of them, if there is one",
            "is_current & ~is_small": "a larger number stays",
        },
    )
    swaps = Graph.derived("some node (is_small)")
    gives_way = Node.derived("is_front & graph's swaps")
    is_placed = Node.derived(
        "is_pivot & graph's closes",
        line="then the pivot goes before the larger ones, in the same way",
        yes="it is the pivot, and all others were compared with it",
        no="it is no pivot that is placed",
    )
    goes_last = Node.derived("is_front & graph's closes")

    examines = "is_current"
    starts_with = "the part is all numbers"
