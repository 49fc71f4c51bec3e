"""Low points of a depth-first search: the earliest node that one can get to from below a node without its tree edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algolens.fields import Field, Number, Observed, at_graph, at_link, at_node


@dataclass(frozen=True)
class LowPoints:
    """When each node was entered, and its low point. They come on top of the walk.

    All links back from a node are there when it is entered, for an undirected search meets the rest from below. So it gets its
    low point then, and hands it on to its parent, where it is lower, when it is left.
    """

    bits: int  # of a time

    state: ClassVar = ("clock", "entered", "low")
    start: ClassVar = {"clock": 0, "entered": 0, "low": 0}
    sums: ClassVar = {"now": at_graph("clock + 1")}
    moves: ClassVar = {
        "clock": "now",
        "entered": "graph's now where is_entered | is_next_root",
        "low": (
            "the incoming link's sender's entered (is_highest)",
            "graph's now where is_entered | is_next_root",
            "the node whose parent is me's low (hands_on)",
        ),
    }

    @property
    def hints(self) -> dict[str, Field]:
        time = Number(self.bits)
        return {"clock": at_graph(time), "entered": at_node(time), "low": at_node(time)}

    def look(self, last: str = "") -> dict[str, Observed]:
        """What is seen besides the walk. last: as there."""
        return {
            "leads_back": at_link(f"receiver's is_entered & sender's {last}visited & ~sender's {last}current"),
            "is_highest": at_link("leads_back & no rival (leads_back & its sender's entered < my sender's entered)"),
            "hands_on": at_node("is_dead_end & low < parent's low"),
        }
