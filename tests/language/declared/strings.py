"""What the searches for a pattern in a text share."""

from algolens.language.declare import Algorithm, Graph, Node, Option, mask, number

PLACE = number(31)


class StringSearch(Algorithm, part=True):
    """The nodes are the letters of a text and, after them, those of a pattern.

    The first step looks where the pattern begins (``head``) and ends (``tail``).
    """

    group, graphs, checks = "strings", "any", (("pattern_last", "in_pattern"),)
    bits = Option(8, 1, 62)  # of a letter

    letter = Node.input(number(bits))
    in_pattern = Node.input(mask, title="the pattern")

    is_head = Node.sees("least node (in_pattern) by number")
    is_tail = Node.sees("greatest node by number")
    head = Graph.state(
        PLACE,
        start=0,
        becomes="the node's number (is_head) where begins",
        tells="the pattern begins at place {new}",
    )
    tail = Graph.state(
        PLACE,
        start=0,
        becomes="the node's number (is_tail) where begins",
        tells="the pattern ends at place {new}",
    )
