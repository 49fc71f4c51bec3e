"""Decision trees as pictures, and the explanation of a network as one picture."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.reports.figures import ANSWERS, FAINT, INK, PALE, QUESTION, in_style
from algolens.reports.rule_cards import RuleCards, text_width
from algolens.rules.measures import percent

LEAF_WIDTH, LEVEL_HEIGHT, HEAD = 1.0, 0.85, 0.6  # inches
TITLE = 11.0  # points
MOST_LEAVES = 24  # of a larger tree, the lowest questions are left out


@dataclass(frozen=True)
class _Spot:
    """Where a question or an answer stands."""

    node: Mapping[str, Any]
    x: float
    y: float
    parent: _Spot | None
    said: str = ""  # what leads here


class DrawnTree:
    """A tree as ``Tree.to_json`` gives it, ready to be painted, as large as its leaves need."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.root, left_out = _cut(tree["root"])
        self.title = (
            f"{tree['output'].replace('_', ' ')} as a tree: {percent(tree['accuracy'])} as the "
            "network"
        )
        if left_out:
            self.title += f"; {left_out} questions are left out"
        self.leaves, self.depth = _leaves(self.root), _depth(self.root)
        longest = max((len(name) for name in _questions(self.root)), default=1)
        self.spread = max(LEAF_WIDTH, 0.085 * longest) if self.leaves > 1 else 2.0
        self.width = max(1.1 * text_width(self.title, TITLE) + 0.4, self.spread * self.leaves + 0.4)
        self.height = LEVEL_HEIGHT * self.depth + 0.7 + HEAD

    def paint(self, axes: Axes) -> None:
        """Paints it on axes that measure inches, from the upper left corner on."""
        axes.text(0.15, -0.2, self.title, fontsize=TITLE, weight="bold", color=INK, va="top")
        spots: list[_Spot] = []
        _place(self.root, _Spot(self.root, 0, 0, None), 0, spots)

        def at(spot: _Spot) -> tuple[float, float]:
            return (spot.x + 0.5) * self.spread + 0.2, spot.y * LEVEL_HEIGHT - HEAD - 0.25

        for spot in spots:
            if spot.parent is not None:
                _branch(axes, at(spot.parent), at(spot), spot.said)
        for spot in spots:
            _box(axes, spot, at(spot))


def _place(node: Mapping[str, Any], here: _Spot, first: int, spots: list[_Spot]) -> None:
    """Leaves one beside the other from the first on, a question between its answers."""
    if "answer" in node:
        spots.append(_Spot(node, first, here.y, here.parent, here.said))
        return
    left, right = _leaves(node["no"]), _leaves(node["yes"])
    x = first + (left + right - 1) / 2 if left == right else first + left - 0.5
    spot = _Spot(node, x, here.y, here.parent, here.said)
    spots.append(spot)
    _place(node["no"], _Spot(node["no"], 0, here.y - 1, spot, "no"), first, spots)
    _place(node["yes"], _Spot(node["yes"], 0, here.y - 1, spot, "yes"), first + left, spots)


def _leaves(node: Mapping[str, Any]) -> int:
    return 1 if "answer" in node else _leaves(node["no"]) + _leaves(node["yes"])


def _depth(node: Mapping[str, Any]) -> int:
    return 0 if "answer" in node else 1 + max(_depth(node["no"]), _depth(node["yes"]))


def _questions(node: Mapping[str, Any]) -> set[str]:
    return (
        set()
        if "answer" in node
        else {node["question"]} | _questions(node["no"]) | _questions(node["yes"])
    )


def _cut(root: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """A tree that is small enough to be read, and how many questions were left out of it."""
    for depth in range(_depth(root), 0, -1):
        found = _down_to(root, depth)
        if _leaves(found) <= MOST_LEAVES:
            return found, _count(root) - _count(found)
    return root, 0


def _down_to(node: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
    if "answer" in node:
        return node
    if depth == 0:
        return {"answer": f"{_count(node)} more ...", "class": None}
    return {**node, "no": _down_to(node["no"], depth - 1), "yes": _down_to(node["yes"], depth - 1)}


def _count(node: Mapping[str, Any]) -> int:
    """How many questions it has."""
    return 0 if "answer" in node else 1 + _count(node["no"]) + _count(node["yes"])


def _branch(axes: Axes, parent: tuple[float, float], child: tuple[float, float], said: str) -> None:
    axes.plot([parent[0], child[0]], [parent[1], child[1]], color=PALE, linewidth=1, zorder=1)
    x, y = ((a + b) / 2 for a, b in zip(parent, child, strict=True))
    boxed = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.text(x, y, said, fontsize=8, color=INK, ha="center", va="center", bbox=boxed, zorder=2)


def _box(axes: Axes, spot: _Spot, at: tuple[float, float]) -> None:
    is_leaf = "answer" in spot.node
    text = spot.node["answer"] if is_leaf else f"{spot.node['question'].replace('_', ' ')}?"
    number = spot.node.get("class")
    color = (
        QUESTION if not is_leaf else "white" if number is None else ANSWERS[number % len(ANSWERS)]
    )
    style = {"boxstyle": "round,pad=0.35", "facecolor": color, "edgecolor": INK, "linewidth": 0.6}
    axes.text(*at, text, fontsize=9, color=INK, ha="center", va="center", bbox=style, zorder=3)


NOTE_LINE = 0.16  # inches


@in_style
def draw_explanation(
    title: str, entry: Mapping[str, Any], trees: Sequence[Mapping[str, Any]] = (), note: str = ""
) -> Figure:
    """entry: what rule_sets.json says of a seed, its RuleSet under 'rule_set'; trees: as
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
