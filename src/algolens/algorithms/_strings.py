"""What the searches for a pattern in a text share."""

import numpy as np

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number

PLACE = number(31)
LETTERS = 4  # that are drawn
MATCH = {
    "match": "The search has ended with {me}",
    "is_match & graph's fails": "The pattern is nowhere in the text: its own first letter is "
    "marked",
    "is_match": "The pattern is found: it begins at letter {number + 1} of the text",
}
NO_MATCH = {"True": "The pattern is not known to begin at {me}"}


class StringSearch(Algorithm, part=True):
    """The nodes are the letters of a text and, after them, those of a pattern.

    The first step looks where the pattern begins (``head``) and ends (``tail``).
    """

    group, graphs, items = "strings", "any", ("words", "letter", "in_pattern")
    checks = (("pattern_last", "in_pattern"),)
    bits = Bits(8)  # of a letter

    letter = Node.input(number(bits))
    in_pattern = Node.input(mask, title="the pattern")

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.derived("~has_begun", line="find where the pattern begins and ends")
    is_head = Node.derived("me = least node (in_pattern) by number")
    is_tail = Node.derived("me = greatest node by number")
    head = Graph.state(
        PLACE,
        becomes="the node's number (is_head) where begins",
        tells="The first letter of the pattern is {its letter}",
    )
    tail = Graph.state(
        PLACE,
        becomes="the node's number (is_tail) where begins",
        tells="The last letter of the pattern is {its letter}",
    )

    def sample(self, graph, rng):
        """Letters, of which the last ones are the pattern; often it stands in the text."""
        letters, in_pattern = [], []
        for nodes in graph.node_counts.tolist():
            length = int(rng.integers(1, max(2, (nodes + 1) // 2)))
            drawn = rng.integers(0, LETTERS, nodes)
            text = nodes - length
            if text >= length and rng.random() < 0.7:
                place = int(rng.integers(0, text - length + 1))
                drawn[place : place + length] = drawn[text:]
            letters.append(drawn)
            in_pattern.append(np.arange(nodes) >= text)
        none = [np.zeros(0, dtype=np.int64)]
        return {
            "letter": np.concatenate(letters or none),
            "in_pattern": np.concatenate(in_pattern or none).astype(bool),
        }

    def reference(self, graph, inputs):
        """The first place of the text where the pattern stands; else where it is given."""
        letters = [graph.nodes[node]["letter"] for node in graph]
        head = next(node for node in graph if graph.nodes[node]["in_pattern"])
        pattern = letters[head:]
        places = [
            place
            for place in range(head - len(pattern) + 1)
            if letters[place : place + len(pattern)] == pattern
        ]
        return {"match": {(places or [head])[0]: True}}
