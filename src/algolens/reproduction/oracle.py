"""The oracle study: how concepts are learnt where the algorithm gives one of them, and where it
gives none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from algolens.reports.curves import (
    Curve,
    by_concept,
    draw_line,
    dress,
    mark_pruning,
    set_accuracies,
)
from algolens.reports.figures import LINES, STYLES, in_style, put_note
from algolens.reports.material import ShownModel, departures_in_short
from algolens.reproduction.significance import mean_and_std

PANELS = {"mean_step": "mean-step", "last_step": "last-step"}
# a run that learnt every concept, and one to which some were given
Study = tuple[ShownModel, ShownModel]


@in_style
def draw_oracle(study: Study) -> Figure | None:
    """Mean-step and last-step accuracies of all concepts on validation by epoch, above without an
    oracle and below with it.

    Both are shown over the epochs that both have, and on the same axes. None where a history has no
    concepts.
    """
    found = _curves(study)
    if found is None:
        return None
    figure = Figure(figsize=(7.0, 5.6), layout="constrained")
    grid = figure.subplots(2, len(PANELS), sharex=True, sharey=True, squeeze=False)
    for row, run, curves in zip(grid, study, found, strict=True):
        way = f"{' and '.join(run.given) or 'nothing'} given"
        for axes, (which, words) in zip(row, PANELS.items(), strict=True):
            for i, (concept, curve) in enumerate(curves[which].items()):
                draw_line(axes, curve, concept, LINES[i % len(LINES)], STYLES[i % len(STYLES)])
            mark_pruning(axes, run)
            dress(axes, f"concepts, {words}: {way}")
    set_accuracies(
        grid[0][0],
        [curve for curves in found for each in curves.values() for curve in each.values()],
    )
    grid[0][0].set_xlim(0, _last_epoch(found[0]))
    for axes in grid[-1]:
        axes.set_xlabel("epoch")
    figure.supylabel("accuracy on validation, %", fontsize=8)
    handles, labels = grid[1][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=4, frameon=False, handlelength=3
    )
    put_note(figure, departures_in_short(study))
    return figure


def oracle_caption(study: Study) -> str:
    """What the figure shows, and what came of it, in words."""
    found = _curves(study)
    assert found is not None
    plain, given = study[0], " and ".join(study[1].given)
    last = _last_epoch(found[0])
    lows = [_described(each, half=last / 2) for each in found]
    sizes = [size for size in plain.scores["sizes"] if size in study[1].scores["sizes"]]
    tested = [_tested(run, sizes) for run in study]
    return (
        f"{plain.algorithm}: the oracle study. Accuracy of each concept on validation graphs, in "
        "free running, by epoch: above of networks that learn all concepts, below of networks to "
        f"which the algorithm gives {given} at every step, in training and in running; the mean "
        f"over {_seeds(study)} seeds with a band of one standard deviation. All panels have the "
        f"same axes and show the {last} epochs that both have{_lengths(study)}. From epoch "
        f"{last // 2} on, the lowest mean of a concept is {lows[0]} where nothing is given, and "
        f"{lows[1]} where {given} is. On test graphs of {', '.join(sizes)} nodes, the selected "
        f"networks have {tested[0]} % of concepts right at the last step where nothing is given, "
        f"and {tested[1]} % where {given} is. What is given is true of the state that the network "
        "has brought about, which may not be that of the true trace."
    )


def _curves(study: Study) -> list[dict[str, dict[str, Curve]]] | None:
    """Of each run, by panel and concept, the curve over the epochs that both have."""
    found = [{which: by_concept(run.history, which) for which in PANELS} for run in study]
    if not all(each for panels in found for each in panels.values()):
        return None
    last = min(_last_epoch(panels) for panels in found)
    return [
        {
            which: {name: _until(last, curve) for name, curve in curves.items()}
            for which, curves in panels.items()
        }
        for panels in found
    ]


def _until(last: int, curve: Curve) -> Curve:
    epochs, mean, std = curve
    there = epochs <= last
    return epochs[there], mean[there], std[there]


def _last_epoch(panels: Mapping[str, Mapping[str, Curve]]) -> int:
    return max(int(epochs[-1]) for curves in panels.values() for epochs, _, _ in curves.values())


def _described(panels: Mapping[str, Mapping[str, Curve]], half: float) -> str:
    """The lowest mean of a concept in the second half of each panel, and whose it is."""
    parts = []
    for which, words in PANELS.items():
        low = {
            name: float(np.min(mean[epochs >= half]))
            for name, (epochs, mean, _) in panels[which].items()
        }
        name = min(low, key=lambda concept: low[concept])
        parts.append(f"{low[name]:.2f} % {words} ({name})")
    return " and ".join(parts)


def _tested(run: ShownModel, sizes: list[str]) -> str:
    cells = [mean_and_std(run.scores["sizes"][size]["concepts_last_step"]) for size in sizes]
    return ", ".join(f"{cell['mean']:.2f} ± {cell['std']:.2f}" for cell in cells)


def _lengths(study: Study) -> str:
    """What makes the two unlike besides what is given: the longer training learns at a higher rate
    at the same epoch.
    """
    plain, given = (run.experiment["schedule"] for run in study)
    if plain["epochs"] == given["epochs"]:
        return ""
    rate = (
        "; the learning rate falls over the whole of each"
        if plain.get("decay") or given.get("decay")
        else ""
    )
    return f" (of {plain['epochs']} above and {given['epochs']} below{rate})"


def _seeds(study: Study) -> str:
    counts = [len(run.scores["seeds"]) for run in study]
    return str(counts[0]) if counts[0] == counts[1] else f"{counts[0]} and {counts[1]}"
