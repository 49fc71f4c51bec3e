"""How a network learnt, by epoch: losses, validation, concepts, and what is unproven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from algolens.evaluation import TITLES
from algolens.reading import Row
from algolens.reports.figures import INK, LEGEND, LINES, STYLES, in_style
from algolens.reports.material import ShownModel

VALIDATED = ("mean_step", "last_step", "termination", "graphs_right")
OF_CONCEPTS = {"mean_step": "mean-step", "last_step": "last-step"}
UNPROVEN = "cases not proven right yet"
ACROSS, PANEL_WIDTH, PANEL_HEIGHT = 4, 1.8, 1.4  # panels in a row, and their size in inches
MOST_POINTS = 75  # of a line
MUCH = 20  # losses that fall to less than such a part have a scale of powers of ten
GRID = "#e3e7ec"


class Series(NamedTuple):
    """A column of a history by epoch; masked where a seed has nothing at an epoch."""

    epochs: np.ndarray  # [E]
    values: np.ma.MaskedArray[Any, Any]  # [seeds, E]


@in_style
def draw_curves(history: Sequence[Row], pruned: int | None, title: str = "") -> Figure | None:
    """A panel for each figure in the history of a model; None where it has none.

    pruned: after which epoch concepts were, if they were. title: above them; empty where a caption
    says what is shown.
    """
    panels = _panels(history)
    if not panels:
        return None
    rows = -(-len(panels) // ACROSS)
    size = PANEL_WIDTH * ACROSS, PANEL_HEIGHT * rows + 0.5
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, ACROSS, squeeze=False).flat
    for axes, (name, lines) in zip(grid, panels.items(), strict=False):
        draw_lines(axes, lines, pruned)
        axes.set_title(name, fontsize=7)
        lowest, highest = axes.dataLim.intervaly
        if name.startswith("loss") and 0 < MUCH * lowest < highest:
            axes.set_yscale("log")
            axes.minorticks_off()
    for axes in grid[len(panels) :]:
        axes.axis("off")
    handles = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles, loc="outside lower left", ncols=5, **LEGEND)
    if title:
        figure.suptitle(title, fontsize=10, color=INK, weight="bold")
    return figure


def curves_caption(run: ShownModel) -> str:
    """What that picture shows, in words."""
    panels = _panels(run.history)
    shown = (
        "the cases that a proof finds wrong (at 0, the network is right on every graph), and the "
        "loss of each part, which is trained no more once it is proven for all seeds"
        if UNPROVEN in panels
        else "losses in training; then, in percent on validation graphs, in free running, "
        "accuracies, and how often each concept is right"
    )
    return f"{run.title}: how it was learnt. By epoch, mean and range of the seeds: {shown}."


def draw_lines(axes: Axes, lines: Mapping[str, Series], pruned: int | None) -> None:
    """The mean over seeds, and a band from the lowest seed to the highest, by its name."""
    looks = zip(cycle(LINES), cycle(STYLES), strict=False)
    for (label, (epochs, values)), (color, style) in zip(lines.items(), looks, strict=False):
        look: dict[str, Any] = {
            "color": color,
            "linestyle": style,
            "marker": None if len(epochs) > 1 else ".",
        }
        axes.plot(epochs, values.mean(0), linewidth=1, label=label, **look)
        if len(values) > 1:
            band: dict[str, Any] = {"color": color, "alpha": 0.15, "linewidth": 0}
            axes.fill_between(epochs, values.min(0), values.max(0), **band)
    if pruned is not None:
        axes.axvline(pruned, color=INK, linewidth=0.7, label="concepts pruned")
    axes.grid(color=GRID, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("epoch")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))


def _panels(history: Sequence[Row]) -> dict[str, dict[str, Series]]:
    """By the title of a panel, its lines; without those of which there is nothing."""
    seeds = len({row["seed"] for row in history})
    own = f"mean of {seeds} seeds" if seeds > 1 else "its only seed"
    panels = {
        f"loss of {name}": {own: series} for name, series in series_of(history, "loss_").items()
    }
    proof = series_of(history, "unproven")
    if proof:
        return {UNPROVEN: {own: proof[""]}, **panels}
    validated = series_of(history, "validation_")
    panels |= {TITLES[name]: {own: validated[name]} for name in VALIDATED if name in validated}
    for which, words in OF_CONCEPTS.items():
        for name, series in series_of(history, f"validation_{which}.").items():
            panels.setdefault(name.replace("_", " "), {})[words] = series
    return panels


def series_of(history: Sequence[Row], prefix: str) -> dict[str, Series]:
    """The columns that begin so, by the rest of their names; without those that are empty."""
    known = {}
    for column in history[0] if history else ():
        points = np.array(
            [(row["seed"], row["epoch"], row[column]) for row in history if row[column] is not None]
        )
        if column.startswith(prefix) and len(points):
            known[column.removeprefix(prefix)] = _series(*points.T)
    return known


def _series(seeds: np.ndarray, epochs: np.ndarray, measured: np.ndarray) -> Series:
    """[points] each: of more epochs than a line can show, means of several."""
    of_seeds, row = np.unique(seeds, return_inverse=True)
    of_epochs, column = np.unique(epochs, return_inverse=True)
    values = np.ma.masked_all((len(of_seeds), len(of_epochs)))
    values[row, column] = measured
    parts = np.array_split(np.arange(len(of_epochs)), min(len(of_epochs), MOST_POINTS))
    return Series(
        np.array([of_epochs[part].mean() for part in parts]),
        np.ma.stack([values[:, part].mean(1) for part in parts], axis=1),
    )
