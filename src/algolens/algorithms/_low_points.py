"""Low points of a depth-first search: the earliest node that one can get to from below a node
without its tree edges.

All links back from a node are there when it is entered, for an undirected search meets the rest
from below. So a node gets its low point then, and hands it on to its parent, where it is lower,
when it is left. This comes on top of the walk.
"""

from __future__ import annotations

from algolens.fields import Field, Number, Observed, at_graph, at_link, at_node
from algolens.language.words import Spoken

STATE = ("clock", "entered", "low")
START = {"clock": 0, "entered": 0, "low": 0}
SUMS = {"now": at_graph("clock + 1")}
MOVES = {
    "clock": "now",
    "entered": "graph's now where is_entered | is_next_root",
    "low": (
        "the incoming link's sender's entered (is_highest)",
        "graph's now where is_entered | is_next_root",
        "the node whose parent is me's low (hands_on)",
    ),
}

PHRASES: dict[str, Spoken] = {
    "low": (
        "{me} can get back up to {its sender}, entered at time {new}",
        "",
        "{me} can get as far up as its child {it}: to the node entered at time {new}",
    ),
}
LINES = {
    "leads_back": "a node that is entered notes the earliest visited neighbour: its low point",
    "hands_on": "a node that is left hands its low point to its parent",
}
NAMES = {"entered": "time of entry", "low": "low point"}


def hints(bits: int) -> dict[str, Field]:
    """Its numbers. bits: of a time."""
    time = Number(bits)
    return {"clock": at_graph(time), "entered": at_node(time), "low": at_node(time)}


def low_point_look(last: str = "") -> dict[str, Observed]:
    """What is seen besides the walk. last: as there."""
    return {
        "leads_back": at_link(
            f"receiver's is_entered & sender's {last}visited & ~sender's {last}current"
        ),
        "is_highest": at_link(
            "leads_back & no rival (leads_back & its sender's entered < my sender's entered)"
        ),
        "hands_on": at_node("is_dead_end & low < parent's low"),
    }
