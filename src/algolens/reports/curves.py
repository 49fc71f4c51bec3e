"""How a network learnt, by epoch: losses, validation and what is unproven for each seed, and each
concept over all seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from algolens.reports.figures import INK, LINES, PALE, STYLES, in_style, put_note
from algolens.reports.material import ShownModel, departures_in_short
from algolens.terminal.scores import TITLES

LINES_OF = {
    "mean_step": ("mean-step", LINES[0], "-"),
    "last_step": ("last-step", LINES[1], (0, (3, 1.2))),
}
VALIDATED = ("mean_step", "last_step", "termination", "graphs_right")
ACROSS, PANEL_WIDTH, PANEL_HEIGHT = 4, 1.8, 1.5  # panels in a row, and their size in inches
FEW_EPOCHS = 12  # so many are shown as dots, too
MOST_POINTS = 150  # of a line
MUCH = 20  # losses that fall to less than such a part have a scale of powers of ten
GRID, PROVEN = "#e3e7ec", "#d5f0e3"

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]  # epochs, means and deviations over seeds


@dataclass(frozen=True)
class _Band:
    """Panels of one kind under a heading."""

    heading: str
    panels: Mapping[str, Callable[[Axes], None]]  # by its title, what draws it
    dress_all: Callable[[Sequence[Axes]], None]


@in_style
def draw_curves(run: ShownModel) -> Figure | None:
    """All that the history of a run has to show; None where it has nothing."""
    if _by_seed(run.history, "unproven"):
        return _draw_proof(run)
    bands = [band for band in (_losses(run), _validated(run), _concepts(run)) if band is not None]
    return _draw_bands(run, bands) if bands else None


def curves_caption(run: ShownModel) -> str:
    """What that picture shows, in words."""
    if _by_seed(run.history, "unproven"):
        return (
            f"{run.title}: how it was learnt. Left, of each seed, the cases that a proof finds "
            "wrong after each epoch: at 0, the network is right on every graph. Right, the loss "
            "of each part, the mean over seeds; a part that is proven for all seeds is trained no "
            "more."
        )
    shown = {
        "losses in training": _losses(run),
        "accuracies on validation graphs in free running": _validated(run),
        (
            "below, the accuracy of each concept, as the mean over seeds with a band of one "
            "standard deviation"
        ): _concepts(run),
    }
    return (
        f"{run.title}: how it was learnt. By epoch, of each seed: "
        f"{'; '.join(name for name, each in shown.items() if each)}."
    )


def _draw_proof(run: ShownModel) -> Figure:
    """Of a network that can be proven: the cases that a proof finds wrong, and the loss of each
    part.
    """
    losses = {name: _by_seed(run.history, f"loss_{name}") for name in _names(run.history, "loss_")}
    figure = Figure(figsize=(7.6, max(2.6, 0.17 * len(losses) + 1.3)), layout="constrained")
    figure.suptitle(f"{run.title}: how it was learnt", fontsize=10, color=INK, weight="bold")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.3])
    counts = _by_seed(run.history, "unproven")
    _lines(counts)(left)
    dress(left, "cases that are not proven right yet")
    left.set_ylim(bottom=0)
    left.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    left.legend(frameon=False, handlelength=2.5, fontsize=7)
    epochs = sorted({epoch for of in losses.values() for each, _ in of.values() for epoch in each})
    grid = np.array([[_mean_at(of, epoch) for epoch in epochs] for of in losses.values()])
    edges = np.append(np.array(epochs) - 0.5, epochs[-1] + 0.5)
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
    put_note(figure, departures_in_short([run]))
    return figure


def _draw_bands(run: ShownModel, bands: Sequence[_Band]) -> Figure:
    rows = [-(-len(band.panels) // ACROSS) for band in bands]
    heights = [PANEL_HEIGHT * count + 0.75 for count in rows]
    figure = Figure(figsize=(PANEL_WIDTH * ACROSS + 0.4, sum(heights) + 0.5), layout="constrained")
    figure.suptitle(f"{run.title}: how it was learnt", fontsize=10, color=INK, weight="bold")
    parts = figure.subfigures(len(bands), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, band, down in zip(parts, bands, rows, strict=True):
        grid = part.subplots(down, ACROSS, sharex=True, squeeze=False)
        drawn = list(grid.flat[: len(band.panels)])
        for axes, (title, draw) in zip(drawn, band.panels.items(), strict=True):
            draw(axes)
            dress(axes, title)
        for axes in grid.flat[len(band.panels) :]:
            axes.axis("off")
        for place, axes in enumerate(drawn):
            is_last = place + ACROSS >= len(drawn)
            axes.tick_params(labelbottom=is_last)
            axes.set_xlabel("epoch" if is_last else "")
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        band.dress_all(drawn)
        part.suptitle(band.heading, fontsize=8.5, color=INK, x=0.01, ha="left")
        handles, labels = drawn[0].get_legend_handles_labels()
        part.legend(
            handles,
            labels,
            loc="outside lower left",
            ncols=7,
            frameon=False,
            handlelength=2.5,
            fontsize=7,
        )
    put_note(figure, departures_in_short([run]))
    return figure


def _losses(run: ShownModel) -> _Band | None:
    """Each loss in training."""
    found = {name: _by_seed(run.history, f"loss_{name}") for name in _names(run.history, "loss_")}
    panels = {name: _lines(values) for name, values in found.items() if values}

    def dress_all(drawn: Sequence[Axes]) -> None:
        for axes in drawn:
            above = [
                float(y) for line in axes.get_lines() for y in np.asarray(line.get_ydata()) if y > 0
            ]
            if above and max(above) > MUCH * min(above):
                # a loss of nothing is drawn at the lower end
                axes.set_yscale("log", nonpositive="clip")
                axes.yaxis.set_major_locator(LogLocator(numticks=5))
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_formatter(NullFormatter())

    each = -(-len({row["epoch"] for row in run.history}) // MOST_POINTS)
    heading = "Loss in training" + (f" (means of {each} epochs)" if each > 1 else "")
    return _Band(heading, panels, dress_all) if panels else None


def _validated(run: ShownModel) -> _Band | None:
    """Accuracies on validation, in free running."""
    found = {name: _by_seed(run.history, f"validation_{name}") for name in VALIDATED}
    panels = {TITLES[name]: _lines(values) for name, values in found.items() if _is_curve(values)}

    def dress_all(drawn: Sequence[Axes]) -> None:
        for axes in drawn:
            axes.set_ylim(top=100 + 0.04 * (100 - axes.get_ylim()[0]))

    return (
        _Band("Right on validation graphs, in free running, %", panels, dress_all)
        if panels
        else None
    )


def _concepts(run: ShownModel) -> _Band | None:
    """The accuracy of each concept on validation, over all seeds."""
    found = {which: by_concept(run.history, which) for which in LINES_OF}
    if not all(found.values()) or any(
        len(epochs) < 2 for each in found.values() for epochs, _, _ in each.values()
    ):
        return None

    def panel(concept: str) -> Callable[[Axes], None]:
        def draw(axes: Axes) -> None:
            for which, (words, color, style) in LINES_OF.items():
                draw_line(axes, found[which][concept], words, color, style)
            mark_pruning(axes, run)

        return draw

    def dress_all(drawn: Sequence[Axes]) -> None:
        for axes in drawn:
            set_accuracies(axes, [curve for curves in found.values() for curve in curves.values()])
        for axes in [each for place, each in enumerate(drawn) if place % ACROSS]:
            axes.tick_params(labelleft=False)

    heading = (
        "Concepts right on validation graphs, in free running, %: mean over seeds, and one "
        "standard deviation"
    )
    return _Band(heading, {concept: panel(concept) for concept in found["mean_step"]}, dress_all)


def _names(history: Sequence[Mapping[str, str]], prefix: str) -> list[str]:
    """What stands after a prefix in the names of columns."""
    return [
        name.removeprefix(prefix)
        for name in (history[0] if history else ())
        if name.startswith(prefix)
    ]


def _mean_at(of_seeds: Mapping[str, tuple[np.ndarray, np.ndarray]], epoch: float) -> float:
    found = [
        float(value) for epochs, values in of_seeds.values() for value in values[epochs == epoch]
    ]
    return float(np.mean(found)) if found else 0.0


def _by_seed(
    history: Sequence[Mapping[str, str]], column: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Of each seed: epochs, and what a column says at them; nothing where it never says
    anything.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for row in history:
        if row.get(column):
            found.setdefault(row["seed"], []).append((float(row["epoch"]), float(row[column])))
    return {seed: _thinned(np.array(points)) for seed, points in found.items()}


def _thinned(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Epochs and values; of very many, the means of so many in a row that a picture has room for
    them.
    """
    each = -(-len(points) // MOST_POINTS)
    means = [points[i : i + each].mean(0) for i in range(0, len(points), each)]
    return np.array(means)[:, 0], np.array(means)[:, 1]


def _is_curve(values: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> bool:
    return any(len(epochs) > 1 for epochs, _ in values.values())


def _lines(values: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Callable[[Axes], None]:
    """Draws a line for each seed; of more seeds than there are colors, all are pale, and the mean
    is drawn over them.
    """

    def draw(axes: Axes) -> None:
        many = len(values) > len(LINES)
        for place, (seed, (epochs, found)) in enumerate(values.items()):
            look: dict[str, Any] = {
                "linewidth": 0.9,
                "marker": "o" if len(epochs) <= FEW_EPOCHS else None,
                "markersize": 2.5,
            }
            if many:
                axes.plot(epochs, found, color=PALE, label="a seed" if place == 0 else None, **look)
            else:
                axes.plot(
                    epochs,
                    found,
                    color=LINES[place],
                    linestyle=STYLES[place],
                    label=f"seed {seed}",
                    **look,
                )
        if many:
            shared = sorted(set.intersection(*(set(epochs) for epochs, _ in values.values())))
            each = [dict(zip(epochs, found, strict=True)) for epochs, found in values.values()]
            mean = [np.mean([of[epoch] for of in each]) for epoch in shared]
            axes.plot(shared, mean, color=INK, linewidth=1.3, label="mean of seeds")

    return draw


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
    if (pruned := run.experiment["schedule"].get("prune_epoch")) is not None:
        axes.axvline(pruned, color=INK, linewidth=0.7, label="concepts pruned")


def set_accuracies(axes: Axes, curves: Sequence[Curve]) -> None:
    """Lets the axis begin below every mean after the first tenth of the epochs, at a multiple of
    five.
    """
    lowest = min(float(mean[epochs > epochs[-1] / 10].min()) for epochs, mean, _ in curves)
    begin = max(0.0, 5 * np.floor((lowest - 1) / 5))
    axes.set_ylim(begin, 100 + 0.04 * (100 - begin))


def by_concept(history: Sequence[Mapping[str, str]], which: str) -> dict[str, Curve]:
    """By concept: the validated epochs, and the mean and deviation over seeds at each."""
    prefix = f"validation_{which}."
    result = {}
    for concept in _names(history, prefix):
        column = prefix + concept
        by_epoch: dict[int, list[float]] = {}
        for row in history:
            if row[column]:
                by_epoch.setdefault(int(row["epoch"]), []).append(float(row[column]))
        values = [np.array(each) for each in by_epoch.values()]
        mean, std = (
            np.array([each.mean() for each in values]),
            np.array([each.std() for each in values]),
        )
        result[concept] = (np.array(list(by_epoch)), mean, std)
    return result
