"""Longest common subsequence: how many letters two words have in common, in order (Hirschberg
1975).
"""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _tables,
)
from algolens.fields import Category, Location, Mask, Number, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Grid

WORDS = Words(
    phrases={
        "length": (
            (
                "{me}: both letters are {row_letter}: length {new}, one more than the {up's left's "
                "length} up and to the left"
            ),
            (
                "{me}: length {new}: in the first row or column, and the letters agree here or "
                "before it"
            ),
            (
                "{me}: the letters {row_letter} and {column_letter} differ: length {new} from "
                "above, no less than the {left's length} to the left"
            ),
            (
                "{me}: the letters {row_letter} and {column_letter} differ: length {new} from the "
                "left, more than the {up's length} above"
            ),
        ),
        "taken_from": {
            # the sentence on its length says it
            "has_one | changes": "",
            "takes_diagonal": (
                "{me}: both letters are {row_letter}: it is read back along the diagonal"
            ),
            "takes_up": (
                "{me}: the letters {row_letter} and {column_letter} differ: it is read back from "
                "above"
            ),
            "takes_left": (
                "{me}: the letters {row_letter} and {column_letter} differ: it is read back from "
                "the left"
            ),
            "~is_pair": "{me} is no pair of a letter of each word",
            "True": "{me} is read back as before",
        },
        "was_diagonal": (
            "it was read back along the diagonal",
            "it was not read back along the diagonal",
        ),
        "was_up": ("it was read back from above", "it was not read back from above"),
        "is_unfinished": (
            "a length changed in the last step",
            "no length changed in the last step",
        ),
        "takes_diagonal": (
            "the letters are the same",
            "the letters differ, or it is not looked at",
        ),
        "takes_up": (
            "above there is no less than to the left",
            "it does not take the length above",
        ),
        "takes_left": (
            "to the left there is more than above",
            "it does not take the length to the left",
        ),
    },
    lines={
        "start": "every length is 0",
        "is_filled": "fill the first row and the first column",
        "grows": "where the letters are the same: one more than up and to the left",
        "goes_up | goes_left": "otherwise the greater length of above and to the left",
        "until": "no length changes",
    },
    states={
        "diagonal": "read back along the diagonal",
        "up": "read back from above",
        "left": "read back from the left",
    },
    names={
        "row_letter": "first word",
        "column_letter": "second word",
    },
)


class LcsLength(Algorithm):
    """For every pair of letters, find how much the words have in common up to there: one more than
    before both where they are the same, else the greater of above and to the left.

    The letters are a row of nodes, those of the second word after those of the first. The first
    step fills the first row and the first column; then all other pairs look in every step, until no
    length changes. ``taken_from`` says by which way the subsequence is read back.
    """

    name = "lcs_length"
    title = "Longest common subsequence"
    group = "strings"
    graphs = "any"
    checks = (("first_word_first", "up", "row_in_second"),)
    table = "pairs"
    layout = Grid(of="length", above="column_letter", beside="row_letter", where="is_pair")
    recipe = _tables.PAIR_TABLES

    bits: int = 8  # of a letter

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "row_letter": at_node(Number(self.bits)),
                "column_letter": at_node(Number(self.bits)),
                "row_in_second": at_node(Mask()),
                "column_in_second": at_node(Mask()),
                **_tables.pointers("up", "left"),
            },
            state=("has_begun", "changed", "length", "taken_from"),
            start={
                "has_begun": "False",
                "changed": "False",
                "length": 0,
                "taken_from": "diagonal",
            },
            sums={"longer": at_node("up's left's length + 1")},
            look={
                **_forms.FIRST_STEP,
                "is_active": at_graph("begins | last changed"),
                "is_pair": at_node("~row_in_second & column_in_second"),
                "is_top": at_node("is_pair & up = me"),
                "is_first": at_node("is_pair & ~left's column_in_second"),
                "is_same": at_node("is_pair & row_letter = column_letter"),
                "is_top_and_same": at_node("is_top & is_same"),
                "is_first_and_same": at_node("is_first & is_same"),
                "comes_after_same": at_node(
                    "is_top & some other node (is_top_and_same & its number < my number)"
                ),
                "is_below_same": at_node(
                    "is_first & some other node (is_first_and_same & its number < my number)"
                ),
                "is_filled": at_node("graph's begins & (is_top | is_first)"),
                "has_one": at_node("is_filled & (is_same | comes_after_same | is_below_same)"),
                "looks": at_node("is_pair & ~is_top & ~is_first & ~graph's begins"),
                "grows": at_node("looks & is_same"),
                "goes_up": at_node("looks & ~is_same & up's length >= left's length"),
                "goes_left": at_node("looks & ~is_same & up's length < left's length"),
                "changes": at_node(
                    "grows & longer != length | goes_up & up's length != length | goes_left & "
                    "left's length != length"
                ),
                "changed": at_graph("begins | some node (changes)"),
                "takes_diagonal": at_node("grows | is_filled & is_same"),
                "takes_left": at_node("goes_left | is_filled & ~is_same & comes_after_same"),
                "takes_up": at_node("goes_up | is_filled & ~is_same & ~comes_after_same"),
                "was_diagonal": at_node("taken_from is diagonal"),
                "was_up": at_node("taken_from is up"),
                "is_unfinished": at_node("graph's is_active"),
            },
            moves={
                "length": [
                    "longer where grows",
                    "longer where has_one",
                    "up's length where goes_up",
                    "left's length where goes_left",
                ]
            },
            concepts=(
                *("takes_diagonal", "takes_left", "takes_up"),
                *("was_diagonal", "was_up", "is_unfinished"),
            ),
            outputs={"taken_from": Category("diagonal", "up", "left"), "length": Number(31)},
            rules={
                "taken_from": {
                    "diagonal": "takes_diagonal | ~takes_up & ~takes_left & was_diagonal",
                    "up": "~takes_diagonal & (takes_up | ~takes_left & ~was_diagonal & was_up)",
                    "left": "~takes_diagonal & ~takes_up & (takes_left | ~was_diagonal & ~was_up)",
                }
            },
            continues="is_unfinished",
            most_steps=Limit(2),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        drawn = _tables.draw_words(graph, rng)
        return {name: drawn[name] for name in self.declaration.inputs}

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        lengths: dict[tuple[int, int], int] = {}
        at = _tables.pairs_of(graph)
        for (i, j), node in at.items():
            cell = graph.nodes[node]
            before = [lengths.get(pair, 0) for pair in ((i - 1, j), (i, j - 1))]
            if cell["row_in_second"] or not cell["column_in_second"]:
                lengths[i, j] = 0
            elif cell["row_letter"] == cell["column_letter"]:
                lengths[i, j] = lengths.get((i - 1, j - 1), 0) + 1
            else:
                lengths[i, j] = max(before)
        return {"length": {at[pair]: length for pair, length in lengths.items()}} if at else {}
