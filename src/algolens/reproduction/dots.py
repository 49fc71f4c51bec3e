"""The first figures of a report: our accuracies beside the published ones, with intervals."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from algolens.evaluation import TITLES
from algolens.reports.figures import FAINT, INK, LINES, Picture, in_style
from algolens.reports.material import Material, as_file_name, in_order, nodes_in_words
from algolens.reproduction.accuracies import Accuracy, accuracies

ROW, WIDE = 0.17, 7.2  # inches of a row, and of a figure
APART = 0.17  # of a row, between ours and theirs
# of ours and of theirs
LOOKS = {True: (LINES[0], "o", "ours"), False: (FAINT, "D", "published")}
Row = tuple[str, str]  # a network and a metric
Cells = dict[Row, dict[str, Accuracy]]  # by size


def comparison_pictures(material: Material) -> list[Picture]:
    """A dot plot for each algorithm with a published figure that is not 100 as ours is."""
    pictures = []
    rows: dict[str, Cells] = {}
    for each in accuracies(material.learnt):
        if each.compared is not None:
            of_algorithm = rows.setdefault(each.run.algorithm, {})
            of_algorithm.setdefault((each.run.network, TITLES[each.metric]), {})[each.size] = each
    for name, cells in rows.items():
        same = [row for row, found in cells.items() if all(map(_is_whole, found.values()))]
        shown = {row: found for row, found in cells.items() if row not in same}
        if not shown:
            continue
        caption = (
            f"{name}: our accuracies beside the published ones, in percent, by the number of "
            "nodes. Dots: our means with their 95 % intervals over seeds and test graphs. "
            "Diamonds: the published means with one standard deviation. Tables have the figures."
        )
        if same:
            caption += (
                f" Not shown: {len(same)} rows in which all figures, ours and theirs, are 100."
            )
        pictures.append(Picture(f"comparison-{as_file_name(name)}", caption, _drawn(shown)))
    return pictures


def _is_whole(figure: Accuracy) -> bool:
    return figure.theirs is not None and figure.ours.mean == figure.theirs[0] == 100


@in_style
def _drawn(cells: Cells) -> Figure:
    """A panel for each size, with a row for each network and metric."""
    sizes = in_order({size for found in cells.values() for size in found})
    figure = Figure(figsize=(WIDE, ROW * len(cells) + 0.9), layout="constrained")
    panels = figure.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False)[0]
    for axes, size in zip(panels, sizes, strict=True):
        drawn = [(row, found[size]) for row, found in enumerate(cells.values()) if size in found]
        for is_ours, (color, marker, words) in LOOKS.items():
            spans = np.array([_span(each, is_ours=is_ours) for _, each in drawn])
            rows = np.array([row for row, _ in drawn]) + (-APART if is_ours else APART)
            look = {"color": color, "fmt": marker, "markersize": 2.6, "linewidth": 0.8}
            axes.errorbar(spans[:, 0], rows, xerr=spans[:, 1:].T, label=words, **look)
        axes.set_title(nodes_in_words(size), loc="left", fontsize=8, color=INK)
        axes.tick_params(labelsize=7, left=False)
        axes.grid(axis="x", color="#e5e9ee", linewidth=0.5)
        axes.spines[["top", "right", "left"]].set_visible(False)
    names = [f"{network}: {metric}" for network, metric in cells]
    panels[0].set_yticks(range(len(names)), names, fontsize=7)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False, fontsize=7)
    return figure


def _span(figure: Accuracy, *, is_ours: bool) -> tuple[float, float, float]:
    """A mean, and how far its interval reaches below and above it."""
    if not is_ours:
        mean, std = figure.theirs or (np.nan, 0.0)
        return mean, std, min(std, 100.0 - mean)
    low, high = figure.bounds or (figure.ours.mean, figure.ours.mean)
    # rounding may leave a mean a little outside its interval
    return figure.ours.mean, max(0.0, figure.ours.mean - low), max(0.0, high - figure.ours.mean)
