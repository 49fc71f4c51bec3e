"""The figures of a report: decision trees, how networks learnt, and the oracle study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from matplotlib.figure import Figure

from algolens.reports.curves import (
    OF_CONCEPTS,
    Series,
    curves_caption,
    draw_curves,
    draw_lines,
    series_of,
)
from algolens.reports.figures import LEGEND, Picture, in_style
from algolens.reports.material import (
    Material,
    ShownModel,
    as_file_name,
    departures_note,
    nodes_in_words,
)
from algolens.reports.trees import draw_trees

TREES_OF = ("bottleneck", "exact")  # networks whose trees are drawn
# a run that learnt every concept, and one to which some were given
OracleStudy = tuple[ShownModel, ShownModel]


def tree_pictures(material: Material) -> Iterator[Picture]:
    """The decision trees of the first seed of each network."""
    for run in material.learnt:
        if run.study is not None and run.study.decisions and run.model in TREES_OF:
            caption = (
                f"{run.title}, seed {run.scores.seeds[0]}: what the network decides from the "
                "concepts that it sees, as decision trees grown on training graphs. On the left "
                "of a question, the concept does not hold."
            )
            drawn = draw_trees([of.tree() for of in run.study.decisions])
            yield _picture(f"trees-{run.file_name}", caption, drawn, run)


def learning_pictures(material: Material) -> Iterator[Picture]:
    """The curves of each network, then the oracle studies."""
    for run in material.learnt:
        if (figure := draw_curves(run)) is not None:
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


Panels = Mapping[str, Mapping[str, Series]]  # by metric and concept


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
    axes = grid[0][0]
    last = _last(by_run)
    # first epochs are far below the others
    lowest = min(low for panels in by_run for low, _ in _lowest(panels, last / 10, last))
    axes.set(xlim=(0, last), ylim=(lowest - 1, 100.2))
    figure.supylabel("accuracy on validation, %", fontsize=8)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, **LEGEND)
    return figure


def _last(by_run: Sequence[Panels]) -> int:
    """The last epoch that all panels have."""
    series = [each for panels in by_run for lines in panels.values() for each in lines.values()]
    return int(min(each.epochs[-1] for each in series))


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
    plain, given, last = study[0], " and ".join(study[1].given), _last(by_run)
    lows = [
        " and ".join(
            f"{low:.2f} % {words} ({name})"
            for (low, name), words in zip(
                _lowest(panels, last / 2, last), OF_CONCEPTS.values(), strict=True
            )
        )
        for panels in by_run
    ]
    sizes = [size for size in plain.scores.sizes if size in study[1].scores.sizes]
    tested = [
        ", ".join(str(run.scores.sizes[size].figure("concepts_last_step")) for size in sizes)
        for run in study
    ]
    seeds = " and ".join(dict.fromkeys(str(len(run.scores.seeds)) for run in study))
    epochs = [run.experiment.schedule.epochs for run in study]
    trained = "" if epochs[0] == epochs[1] else f" (of {epochs[0]} above and {epochs[1]} below)"
    return (
        f"{plain.algorithm}: the oracle study. Accuracy of each concept on validation graphs, in "
        "free running, by epoch: above of networks that learn all concepts, below of networks to "
        f"which the algorithm gives {given} at every step, in training and in running; mean and "
        f"range of {seeds} seeds. All panels show the {last} epochs that both have{trained}. From "
        f"epoch {last // 2} on, the lowest mean of a concept is {lows[0]} where nothing is given, "
        f"and {lows[1]} where {given} is. On test graphs of {nodes_in_words(', '.join(sizes))}, "
        f"the selected networks have {tested[0]} % of concepts right at the last step where "
        f"nothing is given, and {tested[1]} % where {given} is. What is given is true of the state "
        "that the network has brought about, which may not be that of the true trace."
    )
