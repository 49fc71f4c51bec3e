"""A decision tree as a picture: questions in boxes, no to the left, yes to the right, answers at the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.extraction import Tree

INK, QUESTION, PALE = "#222222", "#eef2f7", "#9aa5b1"
# Okabe and Ito's colors, which color-blind eyes tell apart
ANSWERS = ("#d9d9d9", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2")
LEAF_WIDTH, LEVEL_HEIGHT = 1.0, 0.85  # inches


@dataclass(frozen=True)
class _Spot:
    """Where a node of the tree stands."""

    node: int
    x: float
    y: float
    parent: _Spot | None


def draw_tree(tree: Tree) -> Figure:
    """The picture of a tree, as large as its leaves need."""
    inner: Any = tree.tree.tree_
    leaves = int(tree.tree.get_n_leaves())
    depth = int(tree.tree.get_depth())
    longest = max((len(name) for name in tree.concepts), default=1)
    spread = max(LEAF_WIDTH, 0.075 * longest) if leaves > 1 else 2.0
    figure = Figure(figsize=(max(3.2, spread * leaves), LEVEL_HEIGHT * (depth + 1) + 0.5), layout="constrained")
    axes = figure.add_subplot()
    spots: list[_Spot] = []
    _place(inner, 0, 0, None, [0], spots)
    for spot in spots:
        if spot.parent is not None:
            _branch(axes, spot.parent, spot, said="no" if inner.children_left[spot.parent.node] == spot.node else "yes")
    for spot in spots:
        _box(axes, tree, inner, spot)
    axes.set_title(f"{tree.output}, from concepts: {100 * tree.accuracy:.2f} % right", fontsize=9, color=INK)
    axes.set_xlim(-0.6, leaves - 0.4)
    axes.set_ylim(-depth - 0.45, 0.45)
    axes.axis("off")
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Writes a picture in the format of its ending: .png, .svg or .pdf."""
    figure.savefig(path, dpi=200)


def _place(inner: Any, node: int, level: int, parent: _Spot | None, leaf: list[int], spots: list[_Spot]) -> float:
    """Leaves one beside the other, a question between its answers."""
    left, right = int(inner.children_left[node]), int(inner.children_right[node])
    if left < 0:
        x = float(leaf[0])
        leaf[0] += 1
        spots.append(_Spot(node, x, -level, parent))
        return x
    width = _leaves(inner, left)
    # its place is known from how many leaves stand on each side, before they are placed
    x = leaf[0] + (width - 1 + _leaves(inner, right)) / 2 if width == _leaves(inner, right) else leaf[0] + width - 0.5
    here = _Spot(node, x, -level, parent)
    spots.append(here)
    _place(inner, left, level + 1, here, leaf, spots)
    _place(inner, right, level + 1, here, leaf, spots)
    return x


def _leaves(inner: Any, node: int) -> int:
    left = int(inner.children_left[node])
    return 1 if left < 0 else _leaves(inner, left) + _leaves(inner, int(inner.children_right[node]))


def _branch(axes: Axes, parent: _Spot, child: _Spot, said: str) -> None:
    axes.plot([parent.x, child.x], [parent.y, child.y], color=PALE, linewidth=1, zorder=1)
    axes.text(
        (parent.x + child.x) / 2,
        (parent.y + child.y) / 2,
        said,
        fontsize=7,
        color=INK,
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=2,
    )


def _box(axes: Axes, tree: Tree, inner: Any, spot: _Spot) -> None:
    is_leaf = int(inner.children_left[spot.node]) < 0
    answer = int(inner.value[spot.node][0].argmax())
    text = tree.labels[answer] if is_leaf else f"{tree.concepts[int(inner.feature[spot.node])]}?"
    color = ANSWERS[int(tree.tree.classes_[answer]) % len(ANSWERS)] if is_leaf else QUESTION
    style = {"boxstyle": "round,pad=0.35", "facecolor": color, "edgecolor": INK, "linewidth": 0.6}
    axes.text(spot.x, spot.y, text, fontsize=8, color=INK, ha="center", va="center", bbox=style, zorder=3)
