"""The walk of a depth-first search, which several algorithms take: what it sees, and how it
moves.
"""

from __future__ import annotations

from algolens.algorithms._forms import where_any
from algolens.fields import Mask, Observed, Pointer, at_graph, at_link, at_node
from algolens.fields.kinds import Kind
from algolens.graphs import Location
from algolens.language.words import Spoken

# Every step either enters a node or leaves one for good, so a walk over n nodes takes 2 n steps,
# and the number of a step is the time that textbooks and CLRS count.
STEPS_PER_NODE = 2

STATE = ("visited", "current", "parent")
START = {"visited": "False", "current": "False", "parent": "me"}
MOVES = {"parent": "the incoming link's sender (is_taken)"}
OUTPUTS: dict[str, Kind] = {
    "visited": Mask(),
    "current": Mask(),
    "parent": Pointer(Location.NODE, itself_is_none=True),
}
CONCEPTS = ("has_been_visited", "is_entered", "is_returned_to", "is_next_root", "is_left")
RULES = {
    "visited": where_any("has_been_visited", "is_entered", "is_next_root"),
    "current": where_any("is_entered", "is_returned_to", "is_next_root"),
}
CONTINUES = "~has_been_visited | is_left"

CONCEPT_PHRASES: dict[str, Spoken] = {
    "has_been_visited": ("it has been visited", "it has not been visited"),
    "is_entered": ("the search enters it", "the search does not enter it"),
    "is_returned_to": ("the search goes back to it", "the search does not go back to it"),
}
ENDING_PHRASES: dict[str, Spoken] = {
    "is_dead_end": ("the search leaves it for good", "the search does not leave it"),
    "is_finished": ("it is finished", "it is not finished"),
}
PHRASES: dict[str, Spoken] = {
    "visited": {
        "is_next_root": (
            "{me} is the next root: no search is under way, and it is the lowest unvisited node"
        ),
        "is_entered": "",
        "has_been_visited": "{me} has been visited",
        "True": "{me} has not been visited",
    },
    "parent": "{me} is entered from {new}",
    "current": {
        "is_next_root": "",
        "is_entered": "",
        "is_dead_end": "{me} is left for good: every neighbour has been visited",
        "is_returned_to": "the search goes back to {me}",
        "is_left": "",
        "True": "the search is not at {me}",
    },
    **CONCEPT_PHRASES,
    "is_next_root": ("it is the next root", "it is not the next root"),
    "is_left": ("the search is there", "the search is elsewhere"),
}
STATES = {"current": "where the search stands", "visited": "visited", "none": "not visited"}
LINES = {
    "start": "no node is visited",
    "is_next_root": "if the search is nowhere: begin at the lowest unvisited node",
    "is_entered": "enter the lowest unvisited neighbour of the current node",
    "is_dead_end": "if there is none: leave the current node for good",
    "is_returned_to": "and go back to its parent",
    "until": "every node is visited and left",
}


def walk_look(last: str = "", parent: str = "parent") -> dict[str, Observed]:
    """What the walk sees. last: the word before ``visited`` and ``current`` where they are hints,
    and no outputs. parent: the pointer to whom a node was entered from.
    """
    visited, current = f"{last}visited", f"{last}current"
    return {
        "is_idle": at_graph(f"no node ({current})"),
        "can_be_taken": at_link(f"sender's {current} & ~receiver's {visited}"),
        "is_taken": at_link(
            "can_be_taken & no sibling (can_be_taken & its receiver's number < my receiver's "
            "number)"
        ),
        "has_been_visited": at_node(visited),
        "is_entered": at_node("some incoming link (is_taken)"),
        "is_dead_end": at_node(f"{current} & no outgoing link (can_be_taken)"),
        "is_returned_to": at_node(f"some node whose {parent} is me (is_dead_end & it != me)"),
        "is_next_root": at_node(
            f"graph's is_idle & ~{visited} & no other node (~{visited} & its number < my number)"
        ),
        "is_left": at_node(current),
    }
