"""The explanation of a network as one picture: its rules as cards, and under them the decision
trees of its outputs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from algolens.reports.figures import in_style
from algolens.reports.palette import FAINT
from algolens.reports.rule_cards import RuleCards
from algolens.reports.trees import DrawnTree

NOTE_LINE = 0.16  # inches


@in_style
def draw_explanation(
    title: str, entry: Mapping[str, Any], trees: Sequence[Mapping[str, Any]] = (), note: str = ""
) -> Figure:
    """entry: what program.json says of a seed, its Program under 'program'; trees: as
    ``Tree.to_json`` gives them.
    """
    cards, drawn = RuleCards(title, entry), [DrawnTree(tree) for tree in trees]
    width = max([cards.width, *(tree.width for tree in drawn)])
    rows: list[Sequence[RuleCards | DrawnTree]] = [[cards], *_rows(drawn, width)]
    heights = [max(block.height for block in row) for row in rows]
    lines = textwrap.wrap(note, int(16 * width))
    whole = sum(heights) + NOTE_LINE * len(lines) + 0.1
    figure = Figure(figsize=(width, whole))
    top = whole
    for row, height in zip(rows, heights, strict=True):
        left = 0.0
        for block in row:
            axes = figure.add_axes(
                (left / width, (top - height) / whole, block.width / width, height / whole)
            )
            axes.set_xlim(0, block.width)
            axes.set_ylim(-height, 0)
            axes.axis("off")
            block.paint(axes)
            left += block.width
        top -= height
    if lines:
        figure.text(
            0.5, 0.06 / whole, "\n".join(lines), fontsize=7, color=FAINT, ha="center", va="bottom"
        )
    return figure


def _rows(drawn: Sequence[DrawnTree], width: float) -> list[list[DrawnTree]]:
    """Trees beside each other, as many as there is room for."""
    rows: list[list[DrawnTree]] = []
    for tree in drawn:
        if rows and sum(each.width for each in (*rows[-1], tree)) <= width:
            rows[-1].append(tree)
        else:
            rows.append([tree])
    return rows
