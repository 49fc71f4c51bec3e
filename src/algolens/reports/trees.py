"""Decision trees of a network's decisions as a picture, drawn by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from algolens.extraction.observations import Tree
from algolens.logic.remarks import percent
from algolens.reports.figures import INK, in_style

DEEPEST = 6  # levels of questions that are drawn; below, there are dots
LEAF_WIDTH, LEVEL_HEIGHT = 0.85, 0.75  # inches


@in_style
def draw_trees(trees: Sequence[Tree], title: str = "") -> Figure:
    """A panel for each tree; at a question, the left branch is where the concept does not hold.

    title: above them; empty where a caption says what is shown.
    """
    from sklearn.tree import plot_tree  # a second of start-up, which only trees should cost

    depths = [min(DEEPEST, tree.classifier.get_depth()) for tree in trees]
    leaves = max(min(2 ** (DEEPEST + 1), tree.classifier.get_n_leaves()) for tree in trees)
    size = max(5.0, LEAF_WIDTH * leaves), sum(LEVEL_HEIGHT * (depth + 1) + 0.4 for depth in depths)
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)  # scikit-learn measures texts
    heights = [depth + 1.5 for depth in depths]
    panels = figure.subplots(len(trees), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, tree in zip(panels, trees, strict=True):
        plot_tree(
            tree.classifier,
            max_depth=DEEPEST,
            feature_names=list(tree.concepts),
            class_names=[[*tree.decided][number] for number in tree.classifier.classes_],
            label="none",
            impurity=False,
            filled=True,
            rounded=True,
            fontsize=6,
            ax=axes,
        )
        words = f"{tree.output.replace('_', ' ')}: {percent(tree.accuracy)} as the network"
        axes.set_title(words, loc="left", weight="bold", color=INK)
    if title:
        figure.suptitle(title, fontsize=10, color=INK)
    return figure
