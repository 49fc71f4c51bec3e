"""What the searches for a pattern in a text share: the nodes are the letters of the text, and after
them those of the pattern.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms._algorithm import PlainValues
from algolens.fields import Observed, at_graph, at_node
from algolens.graphs import Graph
from algolens.language.words import Spoken

LETTERS = 4  # that are drawn

PHRASES: dict[str, Spoken] = {
    "head": "the pattern begins at place {new}",
    "tail": "the pattern ends at place {new}",
    "is_match": ("the pattern is found there, or nowhere else", "the pattern is not found there"),
    "was_match": ("it is marked", "it is not marked"),
    "is_searched": ("letters are left to compare", "nothing is left to compare"),
}
MATCH: dict[str, str] = {
    "was_match": "the pattern begins at {me}",
    "is_match & graph's fails": (
        "the pattern is nowhere in the text: {me}, its own first letter, is marked"
    ),
    "is_match": "the pattern is found: it begins at {me}",
}

# the first step looks where the pattern begins and ends
BEGINNING: dict[str, Observed] = {
    "has_begun": at_graph("True"),
    "is_begun": at_graph("last has_begun"),
    "begins": at_graph("~last has_begun"),
    "is_head": at_node("in_pattern & no other node (in_pattern & its number < my number)"),
    "is_tail": at_node("no other node (its number > my number)"),
}
BEGINNING_MOVES = {
    "head": "the node's number (is_head) where begins",
    "tail": "the node's number (is_tail) where begins",
}


def draw_strings(graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
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
        "letter": torch.from_numpy(np.concatenate(letters or none)),
        "in_pattern": torch.from_numpy(np.concatenate(in_pattern or none).astype(bool)),
    }


def first_match(graph: nx.Graph) -> PlainValues:
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
