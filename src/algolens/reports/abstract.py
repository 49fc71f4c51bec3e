"""A step of an algorithm as a figure: the graph before and after it, and why it changed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.graphs import Graph
from algolens.logic import Formula, reason
from algolens.logic.rule_set import RuleSet
from algolens.records.study import ExampleRecord
from algolens.reports.figures import FAINT, INK, LINES, QUESTION, in_style
from algolens.reports.graph_drawing import (
    class_handles,
    draw_graph,
    draw_pointers,
    put_beside,
    put_edge_texts,
    put_ring,
)
from algolens.reports.label_places import Places
from algolens.reports.layout import laid_out

WIDE, HIGH = 2.4, 2.6  # of the graph, in its own units
BESIDE = 0.32  # from the middle of a node to that of a text beside it, in these units
POINTS = 9.0  # radius of a node
WIDTH, ROW, LINE = 7.2, 0.2, 0.15  # inches
LETTERS_PER_LINE = 105
MOST_TOLD = 4  # sentences; of more, a count
CENTERED: dict[str, Any] = {"fontsize": 7.5, "ha": "center", "color": INK}

FiredRules = Mapping[int, Formula]  # by element: what its rule went by


@in_style
def draw_abstract(example: ExampleRecord, rule_set: RuleSet) -> Figure:
    """The state before a step, the concepts, the state after, and below them what was done and why.

    rule_set: whose rules decide, of the network or of the algorithm itself.
    """
    fired = _fired(example, rule_set)
    lines = [
        line
        for words in _told(example)
        for line in textwrap.wrap(words, LETTERS_PER_LINE, subsequent_indent="    ")
    ]
    legend = textwrap.wrap(_legend(example, bool(fired)), LETTERS_PER_LINE + 15)
    head = 0.058 * max(map(len, example.concepts)) + 0.1
    table = head + ROW * (len(example.elements) + 0.5)
    high = max(2.4, table)
    below = LINE * (len(lines) + len(legend)) + 0.45
    figure = Figure(figsize=(WIDTH, high + below))
    places = _places(example)
    share, bottom = high / (high + below), below / (high + below)
    for left, when in ((0.0, 0), (0.69, 1)):
        _draw_state(figure.add_axes((left, bottom, 0.31, share)), example, when, places)
    middle = figure.add_axes((0.32, bottom, 0.36, share))
    _draw_concepts(middle, example, fired, head / ROW, high / ROW)
    handles = class_handles(
        example.class_names,
        {number for state in example.states for number in state.classes},
        at_edges=example.location == "edge",
    )
    if handles:
        place = (0.5, (below - 0.26) / (high + below))
        look = {"frameon": False, "fontsize": 7, "labelcolor": INK}
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=place, ncols=6, **look)
    top = (below - 0.28) / (high + below)
    figure.text(0.02, top, "\n".join(lines), fontsize=8, color=INK, va="top")
    figure.text(0.02, 0.01, "\n".join(legend), fontsize=7, color=FAINT, va="bottom")
    return figure


def abstract_caption(name: str, example: ExampleRecord) -> str:
    """What the picture shows, in words."""
    sentences = " ".join(f"{words[0].upper()}{words[1:]}." for words in example.sentences)
    return (
        f"{name}, step {example.step} of {example.steps} on a small graph, {_by(example)}: "
        f"the state before it, the concepts of every {example.location}, and the state after "
        f"it. {sentences}"
    ).strip()


def _by(example: ExampleRecord) -> str:
    if example.by == "algorithm":
        return "by the algorithm itself"
    departs = "" if example.agrees else ", not as the algorithm"
    return f"by the network of seed {example.seed}{departs}"


def _told(example: ExampleRecord) -> list[str]:
    """What the step did, in sentences; of many, the first ones."""
    sentences = example.sentences
    left = len(sentences) - MOST_TOLD
    shown = [f"{words}." for words in sentences[:MOST_TOLD]]
    return [*shown, *([f"{left} more changes."] if left > 0 else [])]


def _fired(example: ExampleRecord, rule_set: RuleSet) -> FiredRules:
    """The reasons of the elements that change; none where the output moves as declared."""
    rules = rule_set.rules.get(example.output, {})
    fired = {}
    for i, after in enumerate(example.after):
        rule = rules.get(example.labels[after])
        if rule is not None and example.before[i] != after:
            concepts = {name: bool(values[i]) for name, values in example.concepts.items()}
            fired[i] = reason(rule, concepts)
    return fired


def _legend(example: ExampleRecord, fires: bool) -> str:
    parts = ["● holds, ○ does not", "shaded: changes in this step"]
    if fires:
        parts.append("orange: what its rule went by")
    if example.states[0].sets:
        parts.append("nodes of one color and form are one set")
    where = {"graph": "double ring", "edge": "numbers at edges"}
    if example.location == "node":
        where["node"] = "numbers at nodes"
    for name, given in example.inputs.items():
        if given.location in where:
            parts.append(f"{where[given.location]}: {name}")
    return "; ".join(parts) + "."


def _places(example: ExampleRecord) -> Places:
    """Places that fill a panel."""
    places = laid_out(Graph.pack([len(example.nodes)], example.edges)).places
    middle, extent = (places.max(0) + places.min(0)) / 2, np.ptp(places, axis=0)
    spread = (places - middle) / extent * [WIDE, -HIGH]
    return {node: (float(x), float(y)) for node, (x, y) in enumerate(spread)}


def _draw_state(axes: Axes, example: ExampleRecord, when: int, places: Places) -> None:
    """The graph before (0) or after (1) the step, with numbers and rings for its inputs."""
    state, edges = example.states[when], example.edges
    at_edges = example.location == "edge"
    draw_graph(
        axes,
        places,
        edges,
        directed=example.directed,
        names=example.nodes,
        classes=(state.sets or None) if at_edges else state.classes,
        marks=state.classes if at_edges else None,
        radius=POINTS,
    )
    if state.pointers:
        draw_pointers(axes, state.pointers, places, POINTS)
    beside: list[list[str]] = [state.texts] if state.texts else []
    for given in example.inputs.values():
        if given.location == "graph" and given.values[0] in places:
            put_ring(axes, places, int(given.values[0]), POINTS)
        elif given.location == "edge":
            put_edge_texts(axes, places, edges, list(map(str, given.values)))
        elif given.location == example.location:
            beside.append(list(map(str, given.values)))
    put_beside(axes, places, edges, beside, BESIDE)
    axes.set_xlim(-WIDE / 2 - 0.4, WIDE / 2 + 0.4)
    axes.set_ylim(-HIGH / 2 - 0.4, HIGH / 2 + 0.5)
    words = ("before", "after")[when]
    axes.text(0.04, 0.96, words, transform=axes.transAxes, fontsize=8, color=INK, va="top")


def _draw_concepts(
    axes: Axes, example: ExampleRecord, fired: FiredRules, head: float, rows: float
) -> None:
    """A row for each element: a dot for each concept, and what follows. head, rows: heights."""
    concepts = example.concepts
    last = 1.9 + 0.8 * len(concepts)
    for x, words in ((0, example.location), (last, example.output.replace("_", " "))):
        axes.text(x, 0.3, words, va="bottom", weight="bold", **CENTERED)
    for i, element in enumerate(example.elements):
        if example.before[i] != example.after[i]:
            axes.axhspan(i + 0.5, i + 1.5, color=QUESTION, zorder=0)
        label = example.labels[example.after[i]]
        label = {"true": "yes", "false": "no"}.get(label, label)
        for x, words in ((0, element), (last, label)):
            axes.text(x, i + 1, words, va="center", **CENTERED)
    for place, (name, values) in enumerate(concepts.items()):
        x = 1.2 + 0.8 * place
        axes.text(x, 0.3, name.replace("_", " "), va="bottom", rotation=90, **CENTERED)
        for i, holds in enumerate(values):
            is_used = i in fired and name in fired[i].names
            color = LINES[1] if is_used else INK
            axes.scatter(
                x,
                i + 1,
                s=20,
                facecolor=color if holds else "white",
                edgecolor=color,
                linewidth=1.2 if is_used else 0.7,
            )
    top = 0.3 - head
    axes.set_xlim(-0.9, last + 0.9)
    axes.set_ylim(top + max(rows, len(example.elements) + 0.6 - top), top)
    axes.axis("off")
