"""Concept accuracies while a network learns: a panel for each concept, bands over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.reports.figures import in_style, put_note
from algolens.reports.material import ShownRun, departures_in_short
from algolens.reports.palette import INK, LINES

LINES_OF = {"mean_step": ("mean-step", LINES[0], "-"), "last_step": ("last-step", LINES[1], (0, (3, 1.2)))}
ACROSS = 4  # panels in a row
GRID = "#e3e7ec"

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]  # epochs, means and deviations over seeds


@in_style
def draw_curves(run: ShownRun) -> Figure | None:
    """Mean-step and last-step accuracy of every concept on validation, by epoch; None where the history has none."""
    found = {which: by_concept(run.history, which) for which in LINES_OF}
    if not all(found.values()):
        return None
    concepts = list(found["mean_step"])
    across = min(ACROSS, len(concepts))
    down = -(-len(concepts) // across)
    figure = Figure(figsize=(max(1.8 * across, 4.5), 1.65 * down + 0.75), layout="constrained")
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for axes, concept in zip(grid.flat, concepts, strict=False):
        for which, (words, color, style) in LINES_OF.items():
            draw_line(axes, found[which][concept], words, color, style)
        dress(axes, concept)
        mark_pruning(axes, run)
    for axes in grid.flat[len(concepts) :]:
        axes.axis("off")
        if down > 1:
            grid[-2][list(grid[-1]).index(axes)].tick_params(labelbottom=True)
    set_accuracies(grid[0][0], [curve for curves in found.values() for curve in curves.values()])
    for i, axes in enumerate(grid.flat[: len(concepts)]):
        axes.set_xlabel("epoch" if i + across >= len(concepts) else "")
    figure.supylabel("accuracy on validation, %", fontsize=8)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, handlelength=3)
    put_note(figure, departures_in_short([run]))
    return figure


def draw_line(axes: Axes, curve: Curve, words: str, color: str, style: Any) -> None:
    """A line for the mean over seeds, and a band of one standard deviation around it."""
    epochs, mean, std = curve
    axes.plot(epochs, mean, color=color, linestyle=style, linewidth=1.0, label=words)
    axes.fill_between(epochs, mean - std, np.minimum(mean + std, 100), color=color, alpha=0.2, linewidth=0)


def dress(axes: Axes, title: str) -> None:
    """A panel's title and grid."""
    axes.set_title(title)
    axes.grid(color=GRID, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def mark_pruning(axes: Axes, run: ShownRun) -> None:
    """A line at the epoch after which concepts were pruned, where they were."""
    if (pruned := run.experiment["schedule"].get("prune_epoch")) is not None:
        axes.axvline(pruned, color=INK, linewidth=0.7, label="concepts pruned")


def set_accuracies(axes: Axes, curves: Sequence[Curve]) -> None:
    """Lets the axis begin below every mean after the first tenth of the epochs, at a multiple of five."""
    lowest = min(float(mean[epochs > epochs[-1] / 10].min()) for epochs, mean, _ in curves)
    begin = max(0.0, 5 * np.floor((lowest - 1) / 5))
    axes.set_ylim(begin, 100 + 0.04 * (100 - begin))


def by_concept(history: Sequence[Mapping[str, str]], which: str) -> dict[str, Curve]:
    """By concept: the validated epochs, and the mean and deviation over seeds at each."""
    prefix = f"validation_{which}."
    columns = [name for name in (history[0] if history else ()) if name.startswith(prefix)]
    result = {}
    for column in columns:
        by_epoch: dict[int, list[float]] = {}
        for row in history:
            if row[column]:
                by_epoch.setdefault(int(row["epoch"]), []).append(float(row[column]))
        values = [np.array(each) for each in by_epoch.values()]
        mean, std = np.array([each.mean() for each in values]), np.array([each.std() for each in values])
        result[column.removeprefix(prefix)] = (np.array(list(by_epoch)), mean, std)
    return result
