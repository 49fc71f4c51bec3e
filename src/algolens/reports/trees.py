"""The explanation of a network as one picture: rules on cards, and decision trees under them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from algolens.extraction import Tree
from algolens.logic.formula import Concept, Not
from algolens.logic.remarks import percent
from algolens.reports.figures import ANSWERS, FAINT, INK, QUESTION, in_style
from algolens.reports.rule_cards import RuleCards, formula_in_words

LEAF_WIDTH, LEVEL_HEIGHT, HEAD, MARGIN, NOTE_LINE = 1.3, 0.7, 0.4, 0.15, 0.16  # inches
MOST_LEAVES = 24  # of a larger tree, the lowest questions are left out


@in_style
def draw_explanation(
    title: str, entry: Mapping[str, Any], trees: Sequence[Tree] = (), note: str = ""
) -> Figure:
    """A figure of rules, trees and a note; entry: what rule_sets.json says of a seed."""
    cards = RuleCards(title, entry)
    sizes = [_size(tree) for tree in trees]
    width = max([cards.width, *(width for width, _ in sizes)])
    lines = textwrap.wrap(note, int(16 * width))
    bottom = NOTE_LINE * len(lines) + 0.1
    height = cards.height + sum(height for _, height in sizes) + bottom
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)  # scikit-learn measures text by it
    top = height - cards.height
    axes = figure.add_axes((0, top / height, cards.width / width, cards.height / height))
    axes.set(xlim=(0, cards.width), ylim=(-cards.height, 0))
    axes.axis("off")
    cards.paint(axes)
    for tree, (tree_width, tree_height) in zip(trees, sizes, strict=True):
        top -= tree_height
        place = MARGIN, top, min(tree_width, width - 2 * MARGIN), tree_height - HEAD
        draw_tree(tree, figure.add_axes(tuple(np.divide(place, (width, height) * 2))))
    figure.text(
        0.5, 0.06 / height, "\n".join(lines), fontsize=7, color=FAINT, ha="center", va="bottom"
    )
    return figure


def draw_tree(tree: Tree, axes: Axes) -> None:
    """Draws a tree by scikit-learn: True leads to the left, False to the right."""
    from sklearn.tree import plot_tree

    depth, left_out = _shown_depth(tree)
    classes = [tree.labels[number] for number in tree.classifier.classes_]
    boxes = plot_tree(
        tree.classifier,
        max_depth=depth,
        feature_names=tree.concepts,
        class_names=classes,
        label="none",
        impurity=False,
        rounded=True,
        fontsize=9,
        ax=axes,
    )
    for box in boxes:
        first, *_, last = box.get_text().strip().split("\n") * 2
        color = QUESTION
        if first.endswith(" <= 0.5"):
            concept = Concept(first.removesuffix(" <= 0.5"))
            box.set_text(formula_in_words(Not(concept)))
        elif last in classes:
            box.set_text(last)
            color = ANSWERS[tree.labels.index(last) % len(ANSWERS)]
        if box.get_bbox_patch() is not None:
            box.get_bbox_patch().set(facecolor=color, edgecolor=INK)
    name = tree.output.replace("_", " ")
    title = f"{name} as a tree: {percent(tree.accuracy)} as the network"
    if left_out:
        title += f"; {left_out} questions are left out"
    axes.set_title(title, loc="left", fontsize=11, weight="bold", color=INK)


def _size(tree: Tree) -> tuple[float, float]:
    """Its width and height in inches."""
    depth, _ = _shown_depth(tree)
    leaves = min(int(tree.classifier.get_n_leaves()), MOST_LEAVES)
    longest = max(map(len, tree.concepts))
    leaf_width = max(LEAF_WIDTH, 0.085 * longest)
    return leaf_width * max(leaves, 2), LEVEL_HEIGHT * (depth + 2) + HEAD


def _shown_depth(tree: Tree) -> tuple[int, int]:
    """Down to which depth it is small enough to be read, and how many questions lie below."""
    inner = tree.classifier.tree_
    depths = inner.compute_node_depths() - 1
    is_question = inner.children_left >= 0
    for depth in range(inner.max_depth, -1, -1):
        leaves = (~is_question & (depths <= depth)) | (depths == depth + 1)
        if leaves.sum() <= MOST_LEAVES:
            break
    return depth, int((is_question & (depths > depth)).sum())
