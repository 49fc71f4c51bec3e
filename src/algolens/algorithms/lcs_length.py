"""Longest common subsequence: how many letters two words have in common, in order (Hirschberg
1975).
"""

from __future__ import annotations

import numpy as np

from algolens.algorithms import Bits, Graph, Node, category, mask, number, per, pointer
from algolens.algorithms._strings import LETTERS
from algolens.algorithms._tables import PairTable, cells_of
from algolens.language.layouts import Grid

DIFFER = "{me}: {row_letter} and {column_letter} differ: "


class LcsLength(PairTable):
    """A row for each letter of the first word, a column for each of the second. Each cell holds the
    length of the longest common subsequence of the words up to there: where the letters match, one
    more than the cell up and to the left; else the greater of the cells above and to the left.

    The letters are a row of nodes, those of the second word after those of the first. The first
    step fills the first row and the first column; then all other pairs look in every step, until no
    length changes. ``taken_from`` is the way back from each cell: from the last cell on, its
    diagonal steps spell the subsequence.
    """

    title, group, graphs = "Longest common subsequence", "strings", "any"
    example, items = "ABCBDAB BDCABA", ("words", "letter", "in_second")
    checks = (("first_word_first", "up", "row_in_second"),)
    layout = Grid(of="length", above="column_letter", beside="row_letter", where="is_pair")
    bits = Bits(8)  # of a letter

    row_letter = Node.input(number(bits), title="first word")
    column_letter = Node.input(number(bits), title="second word")
    row_in_second, column_in_second = Node.input(mask), Node.input(mask)
    up, left = Node.input(pointer(Node)), Node.input(pointer(Node))

    is_pair = Node.derived("~row_in_second & column_in_second")
    is_top = Node.derived("is_pair & up = me")
    is_first = Node.derived("is_pair & ~left's column_in_second")
    is_same = Node.derived("is_pair & row_letter = column_letter")

    has_begun = Graph.state(
        mask,
        becomes="True",
        tells="From the next step on, all other cells are computed at once, from the lengths "
        "before the step; a length may still grow",
    )
    begins = Graph.derived("~has_begun")
    is_filled = Node.derived(
        "graph's begins & (is_top | is_first)", line="fill the first row and the first column"
    )
    is_top_and_same = Node.derived("is_top & is_same")
    is_first_and_same = Node.derived("is_first & is_same")
    comes_after_same = Node.derived(
        "is_top & some other node (is_top_and_same & its number < my number)"
    )
    is_below_same = Node.derived(
        "is_first & some other node (is_first_and_same & its number < my number)"
    )
    has_one = Node.derived("is_filled & (is_same | comes_after_same | is_below_same)")

    looks = Node.derived("is_pair & ~is_top & ~is_first & ~graph's begins")
    longer = Node.derived("up's left's length + 1")
    grows = Node.derived(
        "looks & is_same",
        line={
            "grows": "where the letters are the same: one more than up and to the left",
            "goes_up | goes_left": "otherwise the greater length of above and to the left",
        },
    )
    goes_up = Node.derived("looks & ~is_same & up's length >= left's length")
    goes_left = Node.derived("looks & ~is_same & up's length < left's length")
    length = Node.output(
        number(31),
        becomes=[
            "longer where grows",
            "longer where has_one",
            "up's length where goes_up",
            "left's length where goes_left",
        ],
        tells=[
            "{me}: both letters are {row_letter}: length {new}, one more than the {up's left's "
            "length} that was up and to the left",
            "{me}: length {new}: in the first row or column, one letter matches, here or before",
            DIFFER + "length {new}, as it was above, and no less than the {left's length} that was "
            "to the left",
            DIFFER + "length {new}, as it was to the left, and more than the {up's length} that "
            "was above",
        ],
    )
    changes = Node.derived(
        "grows & longer != length | goes_up & up's length != length | goes_left & left's length != "
        "length"
    )
    changed = Graph.derived("begins | some node (changes)")
    has_changed = Graph.state(mask, becomes="changed")
    is_active = Graph.derived("begins | has_changed")

    takes_diagonal = Node.derived(
        "grows | is_filled & is_same",
        yes="the letters are the same",
        no="the letters differ, or it is not looked at",
    )
    takes_up = Node.derived(
        "goes_up | is_filled & ~is_same & ~comes_after_same",
        yes="above there is no less than to the left",
        no="it does not take the length above",
    )
    takes_left = Node.derived(
        "goes_left | is_filled & ~is_same & comes_after_same",
        yes="to the left there is more than above",
        no="it does not take the length to the left",
    )
    taken_from = Node.output(
        category("diagonal", "up", "left"),
        becomes={"diagonal": "takes_diagonal", "up": "takes_up", "left": "takes_left"},
        tells={
            "has_one | changes": "",  # the sentence on its length says it
            "takes_diagonal": "{me}: both letters are {row_letter}: the way back is diagonal",
            "is_top & takes_up": DIFFER + "the length stays 0, and the way back ends here",
            "takes_up": DIFFER + "the way back goes up",
            "takes_left": DIFFER + "the way back goes left",
            "~is_pair": "{me} is no pair of a letter of each word",
            "True": "{me}: the way back stays as before",
        },
    )
    was_diagonal = Node.derived("taken_from is diagonal", says="its way back was [not] diagonal")
    was_up = Node.derived("taken_from is up", says="its way back did [not] go up")

    is_unfinished = Node.derived(
        "graph's is_active",
        yes="a length changed in the last step",
        no="no length changed in the last step",
    )
    goes_on, most_steps = "some node (is_unfinished)", 2 * per(Node)
    legend = {
        "diagonal": "the way back is diagonal, or not known yet",
        "up": "the way back goes up",
        "left": "the way back goes left",
    }
    starts_with = "every length is 0"
    ends_when = (
        "no length changes; on the way back from the last cell, the diagonal steps spell the "
        "longest common subsequence"
    )

    def draw(self, graph, tables, rng):
        drawn: dict[str, list[np.ndarray]] = {}
        for table in tables:
            size = int(table.row.max()) + 1
            letter = rng.integers(0, LETTERS, size)
            in_second = np.arange(size) >= rng.integers(1, max(size, 2))
            for whose, place in (("row", table.row), ("column", table.column)):
                drawn.setdefault(f"{whose}_letter", []).append(letter[place])
                drawn.setdefault(f"{whose}_in_second", []).append(in_second[place])
        return drawn

    def reference(self, graph, inputs):
        lengths: dict[tuple[int, int], int] = {}
        at = cells_of(graph, "pairs")
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
