"""The visual abstract: a step of each algorithm, as graphs before and after it, with the concepts that were seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from algolens.reports.figures import in_style, put_note
from algolens.reports.palette import ANSWERS, INK, PALE, QUESTION
from algolens.reports.steps import short_names

Places = Mapping[int, tuple[float, float]]
RADIUS, WIDE, HIGH = 0.19, 2.9, 2.1


@in_style
def draw_abstract(examples: Mapping[str, Mapping[str, Any]], note: str = "") -> Figure:
    """A column for each algorithm: the state before the step, the concepts of every element, the state after it."""
    figure = Figure(figsize=(2.75 * len(examples), 6.4), layout="constrained")
    grid = figure.subplots(3, len(examples), squeeze=False, height_ratios=[1, 0.95, 1])
    for column, (name, example) in zip(grid.T, examples.items(), strict=True):
        places = _places(example)
        column[0].set_title(f"{name}, step {example['step']} of {example['steps']}\n{_by(example)}", fontsize=8.5, color=INK)
        _graph(column[0], example, "before", places)
        _concepts(column[1], example)
        _graph(column[2], example, "after", places)
    put_note(figure, note)
    return figure


def _by(example: Mapping[str, Any]) -> str:
    if example["by"] == "algorithm":
        return "by the algorithm itself"
    return f"by the network of seed {example['seed']}" + ("" if example["agrees"] else ", not as the algorithm")


def _places(example: Mapping[str, Any]) -> Places:
    graph = nx.Graph()
    graph.add_nodes_from(range(len(example["nodes"])))
    graph.add_edges_from(example["edges"])
    found = np.array(list(nx.kamada_kawai_layout(graph).values()))
    low, high = found.min(0), found.max(0)
    spread = (found - (low + high) / 2) / (high - low) * [WIDE, HIGH]  # fills its panel
    return {i: (float(x), float(y)) for i, (x, y) in enumerate(spread)}


def _graph(axes: Axes, example: Mapping[str, Any], when: str, places: Places) -> None:
    values = example[when]
    at_edges = example["location"] == "edge"
    for i, (u, v) in enumerate(example["edges"]):
        chosen = at_edges and values[i]
        (x, y), (x2, y2) = places[u], places[v]
        color = ANSWERS[values[i] % len(ANSWERS)] if chosen else PALE
        axes.plot([x, x2], [y, y2], color=color, linewidth=4 if chosen else 1.2, zorder=1, solid_capstyle="round")
    for i, name in enumerate(example["nodes"]):
        color = "white" if at_edges else ANSWERS[values[i] % len(ANSWERS)]
        axes.add_patch(Circle(places[i], RADIUS, facecolor=color, edgecolor=INK, linewidth=0.8, zorder=2))
        # a mask's two values are told apart by their shades alone; classes also by their names
        label = "" if at_edges or len(example["labels"]) == 2 else example["labels"][values[i]]
        text = f"{name}:{label}" if 0 < len(label) <= 2 else name
        axes.text(*places[i], text, fontsize=8, ha="center", va="center", zorder=3, color=INK)
        if len(label) > 2:
            x, y = places[i]
            axes.text(x, y - RADIUS - 0.04, label, fontsize=6.5, ha="center", va="top", zorder=3, color=INK)
    _inputs(axes, example, places)
    axes.set_xlim(-WIDE / 2 - 0.3, WIDE / 2 + 0.3)
    axes.set_ylim(-HIGH / 2 - 0.3, HIGH / 2 + 0.45)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.text(0.0, 0.0, f"{when}: {example['output']}", transform=axes.transAxes, fontsize=7.5, color=INK, va="bottom")


def _inputs(axes: Axes, example: Mapping[str, Any], places: Places) -> None:
    """Numbers at nodes and edges, and a ring around a node that is pointed at."""
    boxed = {"facecolor": "white", "edgecolor": "none", "pad": 0.3}
    for given in example["inputs"].values():
        values = given["values"]
        if given["location"] == "graph":
            axes.add_patch(Circle(places[values[0]], RADIUS + 0.06, fill=False, edgecolor=INK, linewidth=0.8, zorder=2))
        elif given["location"] == "edge":
            for (u, v), value in zip(example["edges"], values, strict=True):
                x, y = ((a + b) / 2 for a, b in zip(places[u], places[v], strict=True))
                axes.text(x, y, str(value), fontsize=6.5, ha="center", va="center", bbox=boxed, zorder=2, color=INK)
        elif example["location"] == "node":
            for i, value in enumerate(values):
                x, y = places[i]
                axes.text(
                    x, y + RADIUS + 0.04, str(value), fontsize=6.5, ha="center", va="bottom", bbox=boxed, zorder=3, color=INK
                )


def _concepts(axes: Axes, example: Mapping[str, Any]) -> None:
    """A table: a row for each element, a dot where a concept holds, and what follows."""
    short = list(short_names(list(example["concepts"])).values())
    heads = [example["location"], *short, example["output"]]
    left = [0.0, *(1.5 + i for i in range(len(short))), 1.5 + len(short) + 0.6]
    rows = len(example["elements"])
    for x, head in zip(left, heads, strict=True):
        axes.text(x, 0, head, fontsize=7, ha="center", va="center", color=INK, weight="bold")
    for i, element in enumerate(example["elements"]):
        changed = example["before"][i] != example["after"][i]
        if changed:
            axes.axhspan(i + 0.5, i + 1.5, color=QUESTION, zorder=0)
        axes.text(left[0], i + 1, element, fontsize=7.5, ha="center", va="center", color=INK)
        for x, values in zip(left[1:-1], example["concepts"].values(), strict=True):
            axes.plot(
                x, i + 1, "o", markersize=4.5, color=INK, markerfacecolor=INK if values[i] else "white", markeredgewidth=0.7
            )
        label = example["labels"][example["after"][i]]
        axes.text(left[-1], i + 1, {"true": "yes", "false": "no"}.get(label, label), fontsize=7.5, ha="center", va="center")
    axes.set_xlim(-0.9, left[-1] + 0.9)
    axes.set_ylim(rows + 0.8, -0.8)
    axes.axis("off")
