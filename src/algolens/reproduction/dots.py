"""The first figure of a report: our accuracies beside the published ones, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from algolens.reports.figures import FAINT, INK, LINES, Picture, in_style
from algolens.reports.material import Material
from algolens.reproduction.accuracies import TableFigure, table_figures
from algolens.terminal.scores import TITLES

ROW, WIDE = 0.17, 3.1  # inches of a row, and of a panel
APART = 0.16  # of a row, between ours and theirs


def comparison_pictures(material: Material) -> list[Picture]:
    """A dot plot of all figures that have a published one; none where there are none."""
    panels = {
        name: [
            figure
            for figure in table_figures(name, material.of(name))
            if figure.theirs is not None and figure.run.model != "exact"
        ]
        for name in material.algorithms
    }
    shown = {name: figures for name, figures in panels.items() if figures}
    if not shown:
        return []
    caption = (
        "Accuracies in percent: ours with their 95 % intervals over seeds and test graphs, and the "
        "published means with one standard deviation. Each axis has its own range."
    )
    return [Picture("comparison", caption, _drawn(shown))]


@in_style
def _drawn(panels: dict[str, list[TableFigure]]) -> Figure:
    most = max(map(len, panels.values()))
    figure = Figure(figsize=(WIDE * len(panels) + 0.4, ROW * most + 1.0), layout="constrained")
    for axes, (name, figures) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        rows = np.arange(len(figures), dtype=np.float64)
        ours = [each.ours.mean for each in figures]
        bounds = [each.bounds or (each.ours.mean, each.ours.mean) for each in figures]
        theirs = [each.theirs or (np.nan, 0.0) for each in figures]
        spans = [(mean - std, min(mean + std, 100)) for mean, std in theirs]
        _draw(axes, rows + APART, [mean for mean, _ in theirs], spans, (FAINT, "D", "published"))
        _draw(axes, rows - APART, ours, bounds, (LINES[0], "o", "ours"))
        axes.set_yticks(rows, _names(figures), fontsize=6)
        axes.set_ylim(len(figures) - 0.5, -0.5)
        axes.set_title(name)
        axes.grid(axis="x", color="#e5e9ee", linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    figure.supxlabel("accuracy, %", fontsize=8, color=INK)
    return figure


def _draw(
    axes: Axes,
    rows: NDArray[np.floating[Any]],
    means: Sequence[float],
    spans: Sequence[tuple[float, float]],
    look: tuple[str, str, str],
) -> None:
    """Dots with spans around them. look: color, marker and words for the legend."""
    color, marker, words = look
    low, high = np.array(spans).T
    # rounding may leave a mean a little outside its span
    errors = np.maximum([np.subtract(means, low), np.subtract(high, means)], 0)
    axes.errorbar(
        means,
        rows,
        xerr=errors,
        fmt=marker,
        color=color,
        label=words,
        markersize=2.6,
        linewidth=0.8,
    )


def _names(figures: Sequence[TableFigure]) -> list[str]:
    """What each row is: its network where that begins, its metric and size."""
    return [f"{each.run.key}, {TITLES[each.metric]}, {each.size}" for each in figures]
