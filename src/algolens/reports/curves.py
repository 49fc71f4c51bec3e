"""Concept accuracies while a network learns: a line for each concept, a band over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.reports.material import ShownRun, protocol_note
from algolens.reports.palette import INK, LINES, STYLES

PANELS = {"mean_step": "mean-step", "last_step": "last-step"}


def draw_curves(run: ShownRun) -> Figure | None:
    """Mean-step and last-step accuracy of every concept on validation, by epoch; None where the history has none."""
    found = {panel: _by_concept(run.history, panel) for panel in PANELS}
    if not all(found.values()):
        return None
    figure = Figure(figsize=(7.0, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for each, (panel, title) in zip(axes, PANELS.items(), strict=True):
        _panel(each, found[panel])
        each.set_title(f"concepts, {title}", fontsize=9)
        each.set_xlabel("epoch")
        if (pruned := run.experiment["schedule"].get("prune_epoch")) is not None:
            each.axvline(pruned, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
            each.annotate("pruned", (pruned, 0.02), xycoords=("data", "axes fraction"), fontsize=7, rotation=90, ha="right")
    axes[0].set_ylabel("validation accuracy, %")
    lowest = min(float((mean - std).min()) for curves in found.values() for _, mean, std in curves.values())
    axes[0].set_ylim(max(0.0, lowest - 1), 100 + (100 - max(0.0, lowest - 1)) * 0.03)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False, handlelength=3.5)
    if note := protocol_note([run]):
        figure.suptitle(note, fontsize=7, color=INK)
    return figure


def _panel(axes: Axes, curves: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
    for i, (concept, (epochs, mean, std)) in enumerate(curves.items()):
        color = LINES[i % len(LINES)]
        axes.plot(epochs, mean, color=color, linestyle=STYLES[i % len(STYLES)], linewidth=1.1, label=concept)
        axes.fill_between(epochs, mean - std, np.minimum(mean + std, 100), color=color, alpha=0.15, linewidth=0)
    axes.grid(color="#e3e7ec", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def _by_concept(history: Sequence[Mapping[str, str]], panel: str) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """By concept: the validated epochs, and the mean and deviation over seeds at each."""
    prefix = f"validation_{panel}."
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
