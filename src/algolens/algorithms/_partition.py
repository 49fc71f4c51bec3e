"""Partition as quicksort and quickselect have it (Lomuto): numbers not above the last one come to
the front, one in a step, and then the last one after them.
"""

from __future__ import annotations

from algolens.algorithms._forms import FINDS_LAST
from algolens.fields import Observed, at_graph, at_node
from algolens.language.words import Spoken

STATE = ("has_begun", "place", "low", "high", "front", "current")
START: dict[str, str | int] = {
    "has_begun": "False",
    "place": "number",
    "low": 0,
    "high": 0,
    "front": 0,
    "current": 0,
}
SUMS = {
    "place_after": at_node("place + 1"),
    "front_after": at_graph("front + 1"),
    "current_after": at_graph("current + 1"),
}
PHRASES: dict[str, Spoken] = {
    "place": (
        "{me} ({key}) is not above the pivot: it goes to the front, to place {new}",
        "{me} ({key}) makes room: to place {new}",
        "{me} ({key}), the pivot, goes to place {new}, after all that are not above it",
        "{me} ({key}) makes room for the pivot: to place {new}",
    ),
}
LINES = {
    "start": "the part is all numbers",
    "begins": "the pivot is the last number of the part",
    "is_small": "a number not above the pivot swaps to the front of the part",
    "is_current & ~is_small": "a number above the pivot stays",
}
NAMES = {"low": "part begins", "front": "front ends", "current": "compared next", "high": "pivot"}
LOOK: dict[str, Observed] = {
    **FINDS_LAST,
    "scans": at_graph("last has_begun & current != high"),
    "closes": at_graph("last has_begun & current = high"),
    "is_pivot": at_node("place = graph's high"),
    "is_front": at_node("place = graph's front"),
    "is_current": at_node("graph's scans & place = graph's current"),
    "is_small": at_node("is_current & some other node (is_pivot & its key >= my key)"),
    "swaps": at_graph("some node (is_small)"),
    "gives_way": at_node("is_front & graph's swaps"),
    "is_placed": at_node("is_pivot & graph's closes"),
    "goes_last": at_node("is_front & graph's closes"),
}
MOVES_OF_PLACES = [
    "graph's front where is_small",
    "graph's current where gives_way",
    "graph's front where is_placed",
    "graph's high where goes_last",
]
