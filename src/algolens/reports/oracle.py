"""The oracle study: what a network gets right with one concept given to it, and without."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.reports.accuracies import mean_and_std
from algolens.reports.figures import in_style, put_note
from algolens.reports.material import ShownRun, protocol_note
from algolens.reports.palette import LINES

PANELS = {"mean_step": "mean-step", "last_step": "last-step"}
WAYS = {"not_given": ("not given", "s", LINES[1], -0.17), "given": ("given", "o", LINES[0], 0.17)}


@in_style
def draw_oracle(run: ShownRun) -> Figure | None:
    """A row of panels for mean-step and one for last-step, a column for each size; None where there is no study."""
    found = run.study.get("oracle")
    if found is None:
        return None
    sizes = list(found["given"])
    concepts = list(found["given"][sizes[0]]["per_concept_mean_step"])
    lines = [*concepts, "outputs"]
    figure = Figure(figsize=(7.0, 1.2 + 0.42 * len(lines)), layout="constrained")
    grid = figure.subplots(len(PANELS), len(sizes), sharex=True, sharey=True, squeeze=False)
    for row, (panel, title) in zip(grid, PANELS.items(), strict=True):
        for axes, size in zip(row, sizes, strict=True):
            for way, (words, marker, color, shift) in WAYS.items():
                scores = found[way][size]
                cells = [mean_and_std(each) for each in (*scores[f"per_concept_{panel}"].values(), scores[panel])]
                axes.errorbar(
                    [cell["mean"] for cell in cells],
                    [i + shift for i in range(len(lines))],
                    # nothing is more than all right
                    xerr=[[cell["std"] for cell in cells], [min(cell["std"], 100 - cell["mean"]) for cell in cells]],
                    fmt=marker,
                    markersize=4.5,
                    color=color,
                    markerfacecolor=color if way == "given" else "white",
                    linewidth=1,
                    capsize=2,
                    label=f"{found['concept']} {words}",
                    clip_on=False,
                    zorder=3,
                )
            _dress(axes, lines)
            axes.set_title(f"{title}, {size} nodes")
    for axes in grid[-1]:
        axes.set_xlabel("accuracy, %")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    put_note(figure, protocol_note([run]))
    return figure


def _dress(axes: Axes, lines: list[str]) -> None:
    axes.set_yticks(range(len(lines)), lines)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.grid(axis="x", color="#e3e7ec", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
