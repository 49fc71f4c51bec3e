"""Words that several algorithms share."""

from __future__ import annotations

from algolens.language.words import Spoken

# a mask that another phrase speaks of
SILENT: Spoken = {"True": ""}

# the waiting node that comes first is settled, and improves its neighbours
SETTLING: dict[str, Spoken] = {
    "parent": "",
    "reached": {
        "is_improved & ~is_reached": "",
        "is_reached": "{me} has been reached",
        "True": "{me} is not reached: no settled node leads to it",
    },
    "is_reached": ("it has been reached", "it has not been reached"),
    "is_done": ("it is settled", "it is not settled"),
}
SETTLING_STATES = {"done": "settled", "reached": "waiting", "none": "not reached"}

# elements are considered one after the other, and selected or rejected
CONSIDERED: dict[str, Spoken] = {
    "looked_at": SILENT,
    "has_been_selected": ("it is selected", "it is not selected"),
    "has_been_looked_at": ("it has been considered", "it has not been considered"),
}
CONSIDERED_STATES = {
    "selected": "selected",
    "looked_at": "rejected",
    "none": "not considered yet",
}

# a directed search finds a cycle where it meets a node that it has not left
CYCLE: dict[str, Spoken] = {
    "is_cyclic": (
        "an edge leads back to a node that the search has not left: there is a cycle",
        "no edge leads back: there is no cycle",
    ),
}
