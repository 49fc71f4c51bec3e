"""How a network learnt, by epoch: losses, validation, concepts, and what is unproven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from algolens.evaluation import TITLES
from algolens.reading import Row
from algolens.reports.figures import INK, LINES, in_style
from algolens.reports.material import ShownModel

LINES_OF = {
    "mean_step": ("mean-step", LINES[0], "-"),
    "last_step": ("last-step", LINES[1], (0, (3, 1.2))),
}
VALIDATED = ("mean_step", "last_step", "termination", "graphs_right")
# what a caption says of losses, of validation and of concepts
BANDS = (
    "losses in training",
    "accuracies on validation graphs in free running",
    "below, the accuracy of each concept, as the mean over seeds with a band of one standard "
    "deviation",
)
ACROSS, PANEL_WIDTH, PANEL_HEIGHT = 4, 1.8, 1.5  # panels in a row, and their size in inches
FEW_EPOCHS = 12  # so many are shown as dots, too
MOST_POINTS = 75  # of a line
MUCH = 20  # losses that fall to less than such a part have a scale of powers of ten
GRID, PROVEN = "#e3e7ec", "#d5f0e3"

History = Sequence[Row]
Curve = tuple[np.ndarray, np.ndarray, np.ndarray]  # epochs, means and deviations over seeds


class Series(NamedTuple):
    """What a column of a history says; masked where a seed has nothing at an epoch."""

    seeds: Sequence[int]
    epochs: np.ndarray  # [E]
    values: np.ma.MaskedArray[Any, Any]  # [S, E]


Panels = Mapping[str, Callable[[Axes], None]]  # by its title, what draws it


@in_style
def draw_curves(run: ShownModel, title: str = "") -> Figure | None:
    """All that the history of a model has to show; None where it has nothing.

    title: above it; empty where a caption says what is shown.
    """
    if _series(run.history, "unproven").seeds:
        figure = _draw_proof(run)
    else:
        bands = {heading: panels for heading, panels in _bands(run).items() if panels}
        if not bands:
            return None
        figure = _draw_bands(bands)
    if title:
        figure.suptitle(title, fontsize=10, color=INK, weight="bold")
    return figure


def curves_caption(run: ShownModel) -> str:
    """What that picture shows, in words."""
    if _series(run.history, "unproven").seeds:
        return (
            f"{run.title}: how it was learnt. Left, the cases that a proof finds wrong after "
            "each epoch, mean and range of the seeds: at 0, the network is right on every graph. "
            "Right, the loss of each part, the mean over seeds; a part that is proven for all "
            "seeds is trained no more."
        )
    bands = zip(BANDS, _bands(run).values(), strict=True)
    shown = "; ".join(words for words, panels in bands if panels)
    return f"{run.title}: how it was learnt. By epoch, mean and range of the seeds: {shown}."


def _draw_proof(run: ShownModel) -> Figure:
    """The cases that a proof finds wrong, and the loss of each part."""
    losses = {name: _series(run.history, f"loss_{name}") for name in _names(run.history, "loss_")}
    figure = Figure(figsize=(7.6, max(2.6, 0.17 * len(losses) + 1.3)), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.3])
    _draw_seeds(_series(run.history, "unproven"), left)
    dress(left, "cases that are not proven right yet")
    left.set_ylim(bottom=0)
    left.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    left.legend(frameon=False, handlelength=2.5, fontsize=7)
    epochs = np.unique(np.concatenate([series.epochs for series in losses.values()]))
    grid = np.zeros((len(losses), len(epochs)))
    for row, series in zip(grid, losses.values(), strict=True):
        row[np.searchsorted(epochs, series.epochs)] = series.values.mean(0)
    edges = np.append(epochs - 0.5, epochs[-1] + 0.5)
    shades = right.pcolormesh(
        edges, np.arange(len(losses) + 1), np.ma.masked_equal(grid, 0.0), cmap="Blues", vmin=0
    )
    right.set_facecolor(PROVEN)
    right.set_yticks(np.arange(len(losses)) + 0.5, list(losses), fontsize=7)
    right.invert_yaxis()
    right.tick_params(left=False)
    right.spines[:].set_visible(False)
    right.set_title("loss of each part, mean of seeds")
    figure.colorbar(shades, ax=right, fraction=0.05, pad=0.02).outline.set_visible(False)
    right.legend(
        handles=[Patch(color=PROVEN, label="proven for all seeds")], loc="lower right", fontsize=7
    )
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return figure


def _draw_bands(bands: Mapping[str, Panels]) -> Figure:
    """Panels in rows, under their headings."""
    rows = [-(-len(panels) // ACROSS) for panels in bands.values()]
    heights = [PANEL_HEIGHT * count + 0.75 for count in rows]
    figure = Figure(figsize=(PANEL_WIDTH * ACROSS + 0.4, sum(heights) + 0.5), layout="constrained")
    parts = figure.subfigures(len(bands), 1, squeeze=False, height_ratios=heights)[:, 0]
    known: list[str] = []
    for part, (heading, panels), down in zip(parts, bands.items(), rows, strict=True):
        grid = part.subplots(down, ACROSS, sharex=True, squeeze=False).flat
        for place, (axes, (title, draw)) in enumerate(zip(grid, panels.items(), strict=False)):
            draw(axes)
            dress(axes, title)
            is_last = place + ACROSS >= len(panels)
            axes.tick_params(labelbottom=is_last)
            axes.set_xlabel("epoch" if is_last else "")
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        for axes in grid[len(panels) :]:
            axes.axis("off")
        part.suptitle(heading, fontsize=8.5, color=INK, x=0.01, ha="left")
        handles, labels = grid[0].get_legend_handles_labels()
        if labels != known:  # bands that are read alike share a legend
            part.legend(
                handles,
                labels,
                loc="outside lower left",
                ncols=7,
                frameon=False,
                handlelength=2.5,
                fontsize=7,
            )
        known = labels
    return figure


def _bands(run: ShownModel) -> dict[str, Panels]:
    """By heading, the panels of losses, of validation and of concepts; without any, none."""
    history = run.history
    together = -(-len({row["epoch"] for row in history}) // MOST_POINTS)
    losses = {name: _series(history, f"loss_{name}") for name in _names(history, "loss_")}
    validated = {TITLES[name]: _series(history, f"validation_{name}") for name in VALIDATED}
    concepts = {which: by_concept(history, which) for which in LINES_OF}
    curves = [curve for by_name in concepts.values() for curve in by_name.values()]
    has_curves = all(concepts.values()) and all(len(epochs) > 1 for epochs, _, _ in curves)
    return {
        "Loss in training" + (f" (means of {together} epochs)" if together > 1 else ""): {
            name: partial(_draw_losses, series) for name, series in losses.items() if series.seeds
        },
        "Right on validation graphs, in free running, %": {
            title: partial(_draw_validated, series)
            for title, series in validated.items()
            if len(series.epochs) > 1
        },
        "Concepts right on validation graphs, in free running, %: mean over seeds, and one "
        "standard deviation": {
            concept: partial(_draw_concept, run, concept, concepts, curves)
            for concept in concepts["mean_step"]
            if has_curves
        },
    }


def _draw_losses(series: Series, axes: Axes) -> None:
    _draw_seeds(series, axes)
    lines = [np.asarray(line.get_ydata()) for line in axes.get_lines()]
    above = np.concatenate(lines)
    above = above[above > 0]
    if len(above) and above.max() > MUCH * above.min():
        # a loss of nothing is drawn at the lower end
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_locator(LogLocator(numticks=5))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())


def _draw_validated(series: Series, axes: Axes) -> None:
    _draw_seeds(series, axes)
    axes.set_ylim(top=100 + 0.04 * (100 - axes.get_ylim()[0]))


def _draw_concept(
    run: ShownModel,
    concept: str,
    concepts: Mapping[str, Mapping[str, Curve]],
    curves: Sequence[Curve],
    axes: Axes,
) -> None:
    for which, (words, color, style) in LINES_OF.items():
        draw_line(axes, concepts[which][concept], words, color, style)
    mark_pruning(axes, run)
    set_accuracies(axes, curves)
    spec = axes.get_subplotspec()
    axes.tick_params(labelleft=spec is not None and spec.is_first_col())


def _draw_seeds(series: Series, axes: Axes) -> None:
    """The mean over seeds, and a band from the lowest seed to the highest."""
    epochs, values = _thinned(series.epochs), _thinned(series.values)
    several = len(series.seeds) > 1
    words = f"mean of {len(series.seeds)} seeds" if several else f"seed {series.seeds[0]}"
    marker = "o" if len(epochs) <= FEW_EPOCHS else None
    look: dict[str, Any] = {"color": LINES[0], "linewidth": 1.1, "marker": marker}
    axes.plot(epochs, values.mean(0), markersize=2.5, label=words, **look)
    if several:
        band: dict[str, Any] = {"color": LINES[0], "alpha": 0.2, "linewidth": 0}
        words = "lowest to highest seed"
        axes.fill_between(epochs, values.min(0), values.max(0), label=words, **band)


def draw_line(axes: Axes, curve: Curve, words: str, color: str, style: Any) -> None:
    """A line for the mean over seeds, and a band of one standard deviation around it."""
    epochs, mean, std = curve
    axes.plot(epochs, mean, color=color, linestyle=style, linewidth=1.0, label=words)
    axes.fill_between(
        epochs, mean - std, np.minimum(mean + std, 100), color=color, alpha=0.2, linewidth=0
    )


def dress(axes: Axes, title: str) -> None:
    """A panel's title and grid."""
    axes.set_title(title)
    axes.grid(color=GRID, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def mark_pruning(axes: Axes, run: ShownModel) -> None:
    """A line at the epoch after which concepts were pruned, where they were."""
    if (pruned := run.experiment.schedule.prune_epoch) is not None:
        axes.axvline(pruned, color=INK, linewidth=0.7, label="concepts pruned")


def set_accuracies(axes: Axes, curves: Sequence[Curve]) -> None:
    """The axis begins at a multiple of five, below all means but those of the first epochs."""
    lowest = min(float(mean[epochs > epochs[-1] / 10].min()) for epochs, mean, _ in curves)
    begin = max(0.0, 5 * np.floor((lowest - 1) / 5))
    axes.set_ylim(begin, 100 + 0.04 * (100 - begin))


def by_concept(history: History, which: str) -> dict[str, Curve]:
    """By concept: the validated epochs, and the mean and deviation over seeds at each."""
    prefix = f"validation_{which}."
    known = {name: _series(history, prefix + name) for name in _names(history, prefix)}
    return {
        name: (
            _thinned(series.epochs),
            np.asarray(_thinned(series.values.mean(0))),
            np.asarray(_thinned(series.values.std(0))),
        )
        for name, series in known.items()
        if series.seeds
    }


def _series(history: History, column: str) -> Series:
    points = {
        (int(row["seed"] or 0), row["epoch"]): row[column]
        for row in history
        if row.get(column) is not None and row["epoch"] is not None
    }
    seeds = sorted({seed for seed, _ in points})
    epochs = sorted({epoch for _, epoch in points if epoch is not None})
    values = [[points.get((seed, epoch)) for epoch in epochs] for seed in seeds]
    shaped = np.array(values, dtype=float).reshape(len(seeds), len(epochs))
    return Series(seeds, np.array(epochs), np.ma.masked_invalid(shaped))


def _thinned(values: Any) -> Any:
    """[..., E] means of several epochs each, of more than a line can show."""
    count = values.shape[-1]
    together = -(-count // MOST_POINTS)
    means = [values[..., i : i + together].mean(-1) for i in range(0, count, together)]
    return np.ma.stack(means, axis=-1) if isinstance(values, np.ma.MaskedArray) else np.array(means)


def _names(history: History, prefix: str) -> list[str]:
    """What stands after a prefix in the names of columns."""
    columns = history[0] if history else {}
    return [name.removeprefix(prefix) for name in columns if name.startswith(prefix)]
