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
            "{me} ({key}) is not above the pivot: it goes to the front, to place {new}",
            "{me} ({key}) makes room: to place {new}",
            "{me} ({key}), the pivot, goes to place {new}, after all that are not above it",
            "{me} ({key}) makes room for the pivot: to place {new}",
        ],
    )

    begins = Graph.sees("~has_begun", line="the pivot is the last number of the part")
    scans = Graph.sees("has_begun & current != high")
    closes = Graph.sees("has_begun & current = high")
    is_last = Node.sees("greatest node by number")
    is_pivot = Node.sees("place = graph's high")
    is_front = Node.sees("place = graph's front")
    is_current = Node.sees("graph's scans & place = graph's current")
    is_small = Node.sees(
        "is_current & some other node (is_pivot & its key >= my key)",
        line={
            "is_small": "a number not above the pivot swaps to the front of the part",
            "is_current & ~is_small": "a number above the pivot stays",
        },
    )
    swaps = Graph.sees("some node (is_small)")
    gives_way = Node.sees("is_front & graph's swaps")
    is_placed = Node.sees(
        "is_pivot & graph's closes",
        line="then the pivot goes after those at the front",
        yes="it is the pivot, and all others were compared with it",
        no="it is no pivot that is placed",
    )
    goes_last = Node.sees("is_front & graph's closes")

    examines = "is_current"
    starts_with = "the part is all numbers"
