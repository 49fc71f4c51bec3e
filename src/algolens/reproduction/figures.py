"""The figures of a report: a step, trees, how networks learnt, and the oracle study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from algolens.algorithms import Algorithm
from algolens.engines import Run
from algolens.experiment.review import example_run
from algolens.reports.curves import (
    Curve,
    by_concept,
    curves_caption,
    draw_curves,
    draw_line,
    dress,
    mark_pruning,
    set_accuracies,
)
from algolens.reports.drawing import LEGEND, draw_moment, legend_of, picture_size
from algolens.reports.figures import LINES, STYLES, Picture, in_style
from algolens.reports.layout import laid_out
from algolens.reports.material import (
    Material,
    ShownModel,
    as_file_name,
    departures_in_short,
    nodes_in_words,
)
from algolens.reports.trees import draw_trees
from algolens.terminal.sentences import Sentences

TREES_OF = ("bottleneck", "exact")  # networks whose trees are drawn
MOST_TOLD = 4  # sentences of a caption
PANELS = {"mean_step": "mean-step", "last_step": "last-step"}
# a run that learnt every concept, and one to which some were given
OracleStudy = tuple[ShownModel, ShownModel]
Panels = Mapping[str, Mapping[str, Curve]]  # by panel and concept


def step_pictures(material: Material) -> Iterator[Picture]:
    """A step of each algorithm: the state before it, every concept, and the state after it."""
    for name, algorithm in material.declared.items():
        run, step = example(algorithm)
        sentences = Sentences(run, algorithm.declaration.rule_set)
        told = [each.sentence for each in sentences.told(step)]
        said = " ".join(f"{words[0].upper()}{words[1:]}." for words in told[:MOST_TOLD])
        more = f" {len(told) - MOST_TOLD} more changes." if len(told) > MOST_TOLD else ""
        caption = (
            f"{name}, step {step + 1} of {run.num_steps} on a small graph: the state before it, "
            f"which concepts hold at each {algorithm.declaration.location.value} (shaded), and the "
            f"state after it. {said}{more}"
        )
        yield Picture(f"step-{as_file_name(name)}", caption, draw_step(run, step))


@in_style
def draw_step(run: Run, step: int) -> Figure:
    """The state before a step, the concepts, and the state after it."""
    at, concepts = run.algorithm.declaration.location, list(run.concepts)
    drawn = laid_out(run.graph, layout=run.algorithm.layout).places
    places = {node: (float(x), -float(y)) for node, (x, y) in enumerate(drawn)}
    elements = [run.graph.name_at(at, element) for element in range(run.graph.count(at))]
    wide, high = picture_size(run, places, inches=0.7)
    middle = 0.6 + 0.3 * len(concepts)
    high = max(high, 0.16 * len(elements) + 0.08 * max(map(len, concepts)) + 0.3)
    figure = Figure(figsize=(2 * wide + middle, high + 0.3), layout="constrained")
    before, table, after = figure.subplots(1, 3, width_ratios=[wide, middle, wide])
    for axes, moment, words in ((before, step, "before"), (after, step + 1, "after")):
        draw_moment(axes, run, moment, places)
        axes.set_title(words)
    holds = np.array([run[concept][step].tolist() for concept in concepts], bool)
    table.pcolormesh(holds.T, cmap="Blues", vmin=0, vmax=2, edgecolor="white")
    names = [concept.replace("_", " ") for concept in concepts]
    table.set_xticks(np.arange(len(concepts)) + 0.5, names, rotation=90, fontsize=6)
    table.set_yticks(np.arange(len(elements)) + 0.5, elements, fontsize=6)
    table.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    table.spines[:].set_visible(False)
    table.invert_yaxis()
    if handles := legend_of(run, (step, step + 1)):
        figure.legend(handles=handles, loc="outside lower center", ncols=6, **LEGEND)
    return figure


def example(algorithm: Algorithm) -> tuple[Run, int]:
    """A run on a small graph, and the step in which most changes; of the first, little is seen."""
    if "bits" in algorithm.options:  # numbers for people to read
        usual = type(algorithm)().options["bits"]
        algorithm = type(algorithm)(**{**algorithm.options, "bits": usual})
    run = example_run(algorithm)
    rows = [run.outputs[name].dense() for name in run.outputs]
    changes = [sum(int((row[t] != row[t - 1]).sum()) for row in rows) for t in range(run.num_steps)]
    changes[0] = -1 if run.num_steps > 1 else 0
    most = [step for step, count in enumerate(changes) if count == max(changes)]
    return run, most[len(most) // 2]


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
            yield Picture(f"trees-{run.file_name}", _with_departures(caption, [run]), drawn)


def learning_pictures(material: Material) -> Iterator[Picture]:
    """The curves of each network, then the oracle studies."""
    for run in material.learnt:
        if (figure := draw_curves(run)) is not None:
            caption = _with_departures(curves_caption(run), [run])
            yield Picture(f"curves-{run.file_name}", caption, figure)
    for study in material.oracle_studies():
        if (picture := draw_oracle(study)) is not None:
            yield picture


def _with_departures(caption: str, runs: Sequence[ShownModel]) -> str:
    """A caption, and how the runs that it shows depart from the paper."""
    return " ".join(filter(None, (caption.strip(), departures_in_short(runs))))


@in_style
def draw_oracle(study: OracleStudy) -> Picture | None:
    """The accuracy of each concept by epoch, above without an oracle and below with it.

    Both are shown over the epochs that both have. None where a history has no concepts.
    """
    by_run = [{which: by_concept(run.history, which) for which in PANELS} for run in study]
    if not all(curves for panels in by_run for curves in panels.values()):
        return None
    last = min(
        max(int(epochs[-1]) for curves in panels.values() for epochs, _, _ in curves.values())
        for panels in by_run
    )
    figure = Figure(figsize=(7.0, 5.6), layout="constrained")
    grid = figure.subplots(2, len(PANELS), sharex=True, sharey=True, squeeze=False)
    shown = []
    for row, run, panels in zip(grid, study, by_run, strict=True):
        way = f"{' and '.join(run.given) or 'nothing'} given"
        for axes, (which, words) in zip(row, PANELS.items(), strict=True):
            for i, (concept, curve) in enumerate(panels[which].items()):
                there = curve[0] <= last
                panels[which][concept] = curve[0][there], curve[1][there], curve[2][there]
                shown.append(panels[which][concept])
                draw_line(axes, shown[-1], concept, LINES[i % len(LINES)], STYLES[i % len(STYLES)])
            mark_pruning(axes, run)
            dress(axes, f"concepts, {words}: {way}")
            axes.set_xlabel("epoch")
            axes.label_outer()
    set_accuracies(grid[0][0], shown)
    grid[0][0].set_xlim(0, last)
    figure.supylabel("accuracy on validation, %", fontsize=8)
    handles, labels = grid[1][0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=4,
        frameon=False,
        handlelength=3,
    )
    begin = f"The axis begins at {grid[0][0].get_ylim()[0]:.0f} %."
    name = as_file_name("-".join(("oracle", study[1].algorithm, *study[1].given)))
    caption = f"{_oracle_caption(study, by_run, last)} {begin}"
    return Picture(name, _with_departures(caption, study), figure)


def _oracle_caption(study: OracleStudy, by_run: Sequence[Panels], last: int) -> str:
    """What the figure shows, and what came of it, in words."""
    plain, given = study[0], " and ".join(study[1].given)
    lows = [_lowest(panels, half=last / 2) for panels in by_run]
    sizes = [size for size in plain.scores.sizes if size in study[1].scores.sizes]
    tested = [_tested(run, sizes) for run in study]
    seeds = " and ".join(dict.fromkeys(str(len(run.scores.seeds)) for run in study))
    return (
        f"{plain.algorithm}: the oracle study. Accuracy of each concept on validation graphs, in "
        "free running, by epoch: above of networks that learn all concepts, below of networks to "
        f"which the algorithm gives {given} at every step, in training and in running; the mean "
        f"over {seeds} seeds with a band of one standard deviation. All panels have the "
        f"same axes and show the {last} epochs that both have{_lengths(study)}. From epoch "
        f"{last // 2} on, the lowest mean of a concept is {lows[0]} where nothing is given, and "
        f"{lows[1]} where {given} is. On test graphs of {nodes_in_words(', '.join(sizes))}, the "
        f"selected networks have {tested[0]} % of concepts right at the last step where nothing "
        f"is given, and {tested[1]} % where {given} is. What is given is true of the state that "
        "the network has brought about, which may not be that of the true trace."
    )


def _lowest(panels: Panels, half: float) -> str:
    """The lowest mean of a concept in the second half of each panel, and whose it is."""
    parts = []
    for which, words in PANELS.items():
        low, name = min(
            (float(np.min(mean[epochs >= half])), name)
            for name, (epochs, mean, _) in panels[which].items()
        )
        parts.append(f"{low:.2f} % {words} ({name})")
    return " and ".join(parts)


def _tested(run: ShownModel, sizes: list[str]) -> str:
    return ", ".join(str(run.scores.sizes[size].figure("concepts_last_step")) for size in sizes)


def _lengths(study: OracleStudy) -> str:
    """What differs besides what is given: the longer training has a higher rate at an epoch."""
    plain, given = (run.experiment.schedule for run in study)
    if plain.epochs == given.epochs:
        return ""
    decays = plain.decay or given.decay
    rate = "; the learning rate falls over the whole of each" if decays else ""
    return f" (of {plain.epochs} above and {given.epochs} below{rate})"
