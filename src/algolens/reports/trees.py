"""A decision tree as a picture: questions in boxes, no to the left, yes to the right, answers at the leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.reports.figures import in_style, put_note
from algolens.reports.palette import ANSWERS, INK, PALE, QUESTION

LEAF_WIDTH, LEVEL_HEIGHT = 1.0, 0.85  # inches


@dataclass(frozen=True)
class _Spot:
    """Where a question or an answer stands."""

    node: Mapping[str, Any]
    x: float
    y: float
    parent: _Spot | None
    said: str = ""  # what leads here


@in_style
def draw_tree(tree: Mapping[str, Any], note: str = "") -> Figure:
    """The picture of a tree as ``Tree.to_json`` gives it, as large as its leaves need."""
    root = tree["root"]
    leaves, depth = _leaves(root), _depth(root)
    longest = max((len(name) for name in _questions(root)), default=1)
    spread = max(LEAF_WIDTH, 0.075 * longest) if leaves > 1 else 2.0
    figure = Figure(figsize=(max(3.2, spread * leaves), LEVEL_HEIGHT * (depth + 1) + 0.5), layout="constrained")
    axes = figure.add_subplot()
    spots: list[_Spot] = []
    _place(root, _Spot(root, 0, 0, None), 0, spots)
    for spot in spots:
        if spot.parent is not None:
            _branch(axes, spot.parent, spot)
    for spot in spots:
        _box(axes, spot)
    axes.set_title(f"{tree['output']}, from concepts: {100 * tree['accuracy']:.2f} % right", fontsize=9, color=INK)
    put_note(figure, note)
    axes.set_xlim(-0.6, leaves - 0.4)
    axes.set_ylim(-depth - 0.45, 0.45)
    axes.axis("off")
    return figure


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
    return set() if "answer" in node else {node["question"]} | _questions(node["no"]) | _questions(node["yes"])


def _branch(axes: Axes, parent: _Spot, child: _Spot) -> None:
    axes.plot([parent.x, child.x], [parent.y, child.y], color=PALE, linewidth=1, zorder=1)
    axes.text(
        (parent.x + child.x) / 2,
        (parent.y + child.y) / 2,
        child.said,
        fontsize=7,
        color=INK,
        ha="center",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=2,
    )


def _box(axes: Axes, spot: _Spot) -> None:
    is_leaf = "answer" in spot.node
    text = spot.node["answer"] if is_leaf else f"{spot.node['question']}?"
    color = ANSWERS[spot.node["class"] % len(ANSWERS)] if is_leaf else QUESTION
    style = {"boxstyle": "round,pad=0.35", "facecolor": color, "edgecolor": INK, "linewidth": 0.6}
    axes.text(spot.x, spot.y, text, fontsize=8, color=INK, ha="center", va="center", bbox=style, zorder=3)
