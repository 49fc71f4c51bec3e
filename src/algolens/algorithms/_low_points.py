"""Low points of a depth-first search: the earliest node that one can get to from below a node
without its tree edges.

All links back from a node are there when it is entered, for an undirected search meets the rest
from below. So a node gets its low point then, and hands it on to its parent, where it is lower,
when it is left.
"""

from algolens.algorithms import Bits, Graph, Link, Node, number
from algolens.algorithms._walk import Walk


class LowPoints(Walk, part=True):
    """The walk, with the time at which each node was entered, and its low point."""

    bits = Bits(31)  # of a time

    leads_back = Link.derived(
        "receiver's is_entered & sender's visited & ~sender's current",
        line="a node that is entered notes the earliest visited neighbour: its low point",
    )
    is_highest = Link.derived("me = least rival (leads_back) by sender's entered")
    hands_on = Node.derived(
        "is_dead_end & low < parent's low",
        line="a node that is left hands its low point to its parent",
    )

    clock = Graph.state(number(bits), becomes="clock + 1")
    entered = Node.state(
        number(bits),
        becomes="graph's clock + 1 where is_entered | is_next_root",
        title="time of entry",
    )
    low = Node.state(
        number(bits),
        becomes=[
            "the incoming link's sender's entered (is_highest)",
            "graph's clock + 1 where is_entered | is_next_root",
            "the node whose parent is me's low (hands_on)",
        ],
        tells=[
            "{me} can get back up to {its sender}, entered at time {new}",
            "",
            "{me} can get as far up as its child {it}: to the node entered at time {new}",
        ],
        title="low point",
    )
