"""What many declarations have in the same form."""

from __future__ import annotations

from algolens.fields import Observed, at_graph, at_node

# in the look of an algorithm whose first step is another than the rest, beside its state
# ``has_begun``, which is false at the start
FIRST_STEP: dict[str, Observed] = {
    "has_begun": at_graph("True"),
    "begins": at_graph("~last has_begun"),
}
# the same where the first step looks for the last node
FINDS_LAST: dict[str, Observed] = {
    **FIRST_STEP,
    "is_last": at_node("no other node (its number > my number)"),
}


def where_any(*concepts: str) -> dict[str, str]:
    """The rules of a mask that becomes true wherever one of some concepts holds.

    >>> where_any("is_visited", "is_next")
    {'true': 'is_visited | is_next', 'false': '~is_visited & ~is_next'}
    """
    return {
        "true": " | ".join(concepts),
        "false": " & ".join(f"~{concept}" for concept in concepts),
    }
