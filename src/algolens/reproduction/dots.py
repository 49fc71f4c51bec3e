"""The first figures of a report: our accuracies beside the published ones, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from algolens.evaluation import TITLES
from algolens.reports.figures import FAINT, INK, LINES, Picture, in_style
from algolens.reports.material import Material, as_file_name, in_order, nodes_in_words
from algolens.reproduction.accuracies import TableFigure, table_figures

ROW, WIDE = 0.17, 7.2  # inches of a row, and of a figure
APART = 0.17  # of a row, between ours and theirs
NAMES = 0.235  # of the figure, left of the panels
NUMBERS = 1.75  # widths of a panel's axis, from its beginning to the end of its numbers
Row = tuple[str, str]  # a network and a metric
Cells = dict[Row, dict[str, TableFigure]]  # by size


def comparison_pictures(material: Material) -> list[Picture]:
    """A dot plot for each algorithm with a published figure that is not 100 as ours is."""
    pictures = []
    for name in material.algorithms:
        figures = [
            figure
            for figure in table_figures(name, material.of(name))
            if figure.theirs is not None and figure.run.model != "exact"
        ]
        cells: Cells = {}
        for figure in figures:
            row = cells.setdefault((figure.run.network, TITLES[figure.metric]), {})
            row[figure.size] = figure
        same = [row for row, found in cells.items() if all(map(_is_whole, found.values()))]
        shown = {row: found for row, found in cells.items() if row not in same}
        if not shown:
            continue
        caption = (
            f"{name}: our accuracies beside the published ones, in percent, by the number of "
            "nodes. Dots: our means with their 95 % intervals over seeds and test graphs. "
            "Diamonds: the published means with one standard deviation. Both means stand at the "
            "right of each panel, ours first."
        )
        if same:
            caption += (
                f" Not shown: {len(same)} rows in which all figures, ours and theirs, are 100."
            )
        pictures.append(Picture(f"comparison-{as_file_name(name)}", caption, _drawn(shown)))
    return pictures


def _is_whole(figure: TableFigure) -> bool:
    return figure.theirs is not None and figure.ours.mean == figure.theirs[0] == 100


@in_style
def _drawn(cells: Cells) -> Figure:
    """A panel for each size. Networks are headings, and have a row for each metric."""
    sizes = in_order({size for found in cells.values() for size in found})
    rows: dict[Row, float] = {}
    headings: dict[str, float] = {}
    place = 0.0
    for network, metric in cells:
        if network not in headings:
            place += 0.3 if headings else 0
            headings[network], place = place, place + 1
        rows[network, metric], place = place, place + 1
    high = ROW * place + 0.75
    figure = Figure(figsize=(WIDE, high))
    bottom, top = 0.42 / high, 1 - 0.33 / high
    width = (1 - NAMES) / len(sizes)
    spans = [_spans(figure) for found in cells.values() for figure in found.values()]
    lowest = min(low for pair in spans for low, _ in pair)
    begin = max(0.0, np.floor(lowest))
    for number, size in enumerate(sizes):
        axes = figure.add_axes((NAMES + number * width, bottom, 0.95 * width, top - bottom))
        drawn = [(rows[row], found[size]) for row, found in cells.items() if size in found]
        _draw_panel(axes, drawn, begin)
        axes.set_ylim(place - 0.4, -0.6)
        axes.set_title(nodes_in_words(size), loc="left", fontsize=8, color=INK)
        if number == 0:
            for (_, metric), down in rows.items():
                _put(axes, -0.03, down, metric, ha="right")
            for network, down in headings.items():
                _put(axes, -0.03, down, network, ha="right", weight="bold")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower left", ncols=2, frameon=False, fontsize=7, handlelength=2.5
    )
    return figure


def _spans(figure: TableFigure) -> tuple[tuple[float, float], tuple[float, float]]:
    """The intervals of ours and of theirs."""
    mean, std = figure.theirs or (np.nan, 0.0)
    ours = figure.bounds or (figure.ours.mean, figure.ours.mean)
    return ours, (mean - std, min(mean + std, 100.0))


def _draw_panel(axes: Axes, drawn: Sequence[tuple[float, TableFigure]], begin: float) -> None:
    """The dots of one size, and beside them both means in figures."""
    rows = np.array([row for row, _ in drawn])
    ours, theirs = zip(*(_spans(figure) for _, figure in drawn), strict=True)
    published = [figure.theirs[0] for _, figure in drawn if figure.theirs is not None]
    own = [figure.ours.mean for _, figure in drawn]
    _draw(axes, rows + APART, published, theirs, (FAINT, "D", "published"))
    _draw(axes, rows - APART, own, ours, (LINES[0], "o", "ours"))
    for row, mean, other in zip(rows, own, published, strict=True):
        _put(axes, 0.78, row, f"{mean:.2f}", ha="right", color=LINES[0])
        _put(axes, 0.98, row, f"{other:.2f}", ha="right", color=FAINT)
    apart = next(step for step in (1, 2, 4, 5, 10, 20, 50) if 3 * step >= 100 - begin or step == 50)
    axes.set_xticks(np.arange(100, begin - 0.01, -apart))
    axes.tick_params(labelsize=7)
    axes.set_yticks([])
    axes.grid(axis="x", color="#e5e9ee", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines.bottom.set_bounds(begin, 100)
    axes.set_xlim(begin - 0.02 * (100 - begin), begin + NUMBERS * (100 - begin))


def _put(axes: Axes, x: float, row: float, words: str, **look: Any) -> None:
    """Writes words in a row. x: a share of the panel's width."""
    look = {"color": INK, "fontsize": 7, "va": "center", **look}
    axes.text(x, row, words, transform=axes.get_yaxis_transform(), **look)


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
