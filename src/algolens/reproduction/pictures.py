"""The figures of a report: comparisons, decision trees, how networks learnt, the oracle study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from algolens.evaluation import TITLES
from algolens.reports.curves import (
    OF_CONCEPTS,
    Series,
    curves_caption,
    draw_curves,
    draw_lines,
    series_of,
)
from algolens.reports.figures import FAINT, INK, LEGEND, LINES, Picture, in_style
from algolens.reports.material import (
    Material,
    ShownModel,
    as_file_name,
    departures_note,
    in_order,
    nodes_in_words,
)
from algolens.reports.trees import draw_trees
from algolens.reproduction.accuracies import Accuracy, accuracies

ROW, WIDE = 0.17, 7.2  # inches of a row of dots, and of their figure
APART = 0.17  # of a row, between ours and theirs
TREES_OF = ("bottleneck", "exact")  # networks whose trees are drawn
Cells = dict[tuple[str, str], dict[str, Accuracy]]  # by network and metric, then by size
# a run that learnt every concept, and one to which some were given
OracleStudy = tuple[ShownModel, ShownModel]
Panels = Mapping[str, Mapping[str, Series]]  # by metric and concept


# ---- ours beside the published figures


def comparison_pictures(material: Material) -> Iterator[Picture]:
    """A dot plot for each algorithm with a published figure that is not 100 as ours is."""
    of_algorithms: dict[str, Cells] = {}
    for each in accuracies(material.learnt):
        if each.compared is not None:
            row = each.run.network, TITLES[each.metric]
            cells = of_algorithms.setdefault(each.run.algorithm, {})
            cells.setdefault(row, {})[each.size] = each
    for name, cells in of_algorithms.items():
        shown = {
            row: found
            for row, found in cells.items()
            if any({each.ours.mean, *(each.theirs or ())[:1]} != {100} for each in found.values())
        }
        caption = (
            f"{name}: our accuracies beside the published ones, in percent, by the number of "
            "nodes. Dots: our means with their 95 % intervals over seeds and test graphs. "
            "Diamonds: the published means with one standard deviation. Tables have the figures."
        )
        if same := len(cells) - len(shown):
            caption += f" Not shown: {same} rows in which all figures, ours and theirs, are 100."
        if shown:
            yield Picture(f"comparison-{as_file_name(name)}", caption, _dots(shown))


@in_style
def _dots(cells: Cells) -> Figure:
    """A panel for each size, with a row for each network and metric."""
    sizes = in_order({size for found in cells.values() for size in found})
    figure = Figure(figsize=(WIDE, ROW * len(cells) + 0.9), layout="constrained")
    panels = figure.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False)[0]
    for axes, size in zip(panels, sizes, strict=True):
        drawn = [(row, found[size]) for row, found in enumerate(cells.values()) if size in found]
        rows = np.array([row for row, _ in drawn])
        for spans, above, color, marker, words in (
            ([_own_span(each) for _, each in drawn], -APART, LINES[0], "o", "ours"),
            ([_published_span(each) for _, each in drawn], APART, FAINT, "D", "published"),
        ):
            means, below, over = np.array(spans).T
            look = {"color": color, "fmt": marker, "markersize": 2.6, "linewidth": 0.8}
            axes.errorbar(means, rows + above, xerr=[below, over], label=words, **look)
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


def _own_span(figure: Accuracy) -> tuple[float, float, float]:
    """Our mean, and how far its interval reaches below and above it."""
    mean = figure.ours.mean
    low, high = figure.bounds or (mean, mean)
    return mean, max(0.0, mean - low), max(0.0, high - mean)  # rounding may leave it outside


def _published_span(figure: Accuracy) -> tuple[float, float, float]:
    mean, std = figure.theirs or (np.nan, 0.0)
    return mean, std, min(std, 100.0 - mean)


# ---- trees and curves


def tree_pictures(material: Material) -> Iterator[Picture]:
    """The decision trees of the first seed of each network."""
    for run in material.learnt:
        if run.study is not None and run.study.decisions and run.model in TREES_OF:
            caption = (
                f"{run.title}, seed {run.scores.seeds[0]}: what the network decides from the "
                "concepts that it sees, as decision trees grown on training graphs. On the left "
                "of a question, the concept does not hold."
            )
            drawn = draw_trees(run.study.decisions)
            yield _picture(f"trees-{run.file_name}", caption, drawn, run)


def learning_pictures(material: Material) -> Iterator[Picture]:
    """The curves of each network, then the oracle studies."""
    for run in material.learnt:
        pruned = run.experiment.schedule.prune_epoch
        if (figure := draw_curves(run.history, pruned)) is not None:
            yield _picture(f"curves-{run.file_name}", curves_caption(run), figure, run)
    for study in material.oracle_studies():
        panels = [
            {which: series_of(run.history, f"validation_{which}.") for which in OF_CONCEPTS}
            for run in study
        ]
        if all(lines for of_run in panels for lines in of_run.values()):
            name = as_file_name("-".join(("oracle", study[1].algorithm, *study[1].given)))
            yield _picture(name, _oracle_caption(study, panels), draw_oracle(study, panels), *study)


def _picture(name: str, caption: str, figure: Figure, *runs: ShownModel) -> Picture:
    """A picture whose caption says, too, how the runs that it shows depart from the paper."""
    return Picture(name, " ".join(filter(None, (caption, departures_note(runs)))), figure)


# ---- the oracle study


@in_style
def draw_oracle(study: OracleStudy, by_run: Sequence[Panels]) -> Figure:
    """The accuracy of each concept by epoch, above without an oracle and below with it."""
    figure = Figure(figsize=(7.0, 5.6), layout="constrained")
    grid = figure.subplots(2, len(OF_CONCEPTS), sharex=True, sharey=True, squeeze=False)
    for row, run, panels in zip(grid, study, by_run, strict=True):
        for axes, (which, lines) in zip(row, panels.items(), strict=True):
            draw_lines(axes, lines, run.experiment.schedule.prune_epoch)
            given = " and ".join(run.given) or "nothing"
            axes.set_title(f"concepts, {OF_CONCEPTS[which]}: {given} given")
            axes.label_outer()
    axes, last = grid[0][0], _last(by_run)
    # first epochs are far below the others
    lowest = min(low for panels in by_run for low, _ in _lowest(panels, last / 10, last))
    axes.set(xlim=(0, last), ylim=(lowest - 1, 100.2))
    figure.supylabel("accuracy on validation, %", fontsize=8)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, **LEGEND)
    return figure


def _last(by_run: Sequence[Panels]) -> int:
    """The last epoch that all panels have."""
    every = (each for panels in by_run for lines in panels.values() for each in lines.values())
    return int(min(each.epochs[-1] for each in every))


def _lowest(panels: Panels, begin: float, end: float) -> list[tuple[float, str]]:
    """Of each panel, the lowest mean of a concept from an epoch to another, and whose it is."""
    return [
        min(
            (float(values[:, (begin <= epochs) & (epochs <= end)].mean(0).min()), name)
            for name, (epochs, values) in lines.items()
        )
        for lines in panels.values()
    ]


def _oracle_caption(study: OracleStudy, by_run: Sequence[Panels]) -> str:
    """What the figure shows, and what came of it, in words."""
    given, last = " and ".join(study[1].given), _last(by_run)
    sizes = [size for size in study[0].scores.sizes if size in study[1].scores.sizes]
    found = []
    for run, panels, words in zip(study, by_run, ("nothing", given), strict=True):
        lows = " and ".join(
            f"{low:.2f} % {which} ({name})"
            for (low, name), which in zip(
                _lowest(panels, last / 2, last), OF_CONCEPTS.values(), strict=True
            )
        )
        right = ", ".join(
            str(run.scores.sizes[size].figure("concepts_last_step")) for size in sizes
        )
        found.append(
            f"With {words} given ({len(run.scores.seeds)} seeds, "
            f"{run.experiment.schedule.epochs} epochs), the lowest mean of a concept is {lows} "
            f"from epoch {last // 2} on, and on test graphs of "
            f"{nodes_in_words(', '.join(sizes))}, {right} % of concepts are right at the last step."
        )
    return (
        f"{study[0].algorithm}: the oracle study. Accuracy of each concept on validation graphs, "
        "in free running, by epoch: above of networks that learn all concepts, below of networks "
        f"to which the algorithm gives {given} at every step; mean and range of the seeds, over "
        f"the {last} epochs that both have. {' '.join(found)} What is given is true of the state "
        "that the network has brought about, which may not be that of the true trace."
    )
