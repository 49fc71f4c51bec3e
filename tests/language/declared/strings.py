"""What the searches for a pattern in a text share."""

from __future__ import annotations

import networkx as nx
import numpy as np
from torch import Tensor

from algolens import graphs
from algolens.algorithms import PlainValues, _strings
from algolens.language.declare import Algorithm, Graph, Node, Option, mask, number

PLACE = number(31)
MATCH = {
    "match": "the pattern begins at {me}",
    "is_match & graph's fails": "the pattern is nowhere in the text: {me}, its own first letter, "
    "is marked",
    "is_match": "the pattern is found: it begins at {me}",
}
NO_MATCH = {"True": "the pattern is not known to begin at {me}"}


class StringSearch(Algorithm, part=True):
    """The nodes are the letters of a text and, after them, those of a pattern.

    The first step looks where the pattern begins (``head``) and ends (``tail``).
    """

    group, graphs, checks = "strings", "any", (("pattern_last", "in_pattern"),)
    bits = Option(8, 1, 62)  # of a letter

    letter = Node.input(number(bits))
    in_pattern = Node.input(mask, title="the pattern")

    has_begun = Graph.state(mask, start="False", becomes="True")
    begins = Graph.sees("~has_begun", line="find where the pattern begins and ends")
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

    def sample(self, graph: graphs.Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return _strings.draw_strings(graph, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return _strings.first_match(graph)
