"""The visual abstract of an algorithm: the graph before and after a step, and why it changed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.graphs import Graph
from algolens.logic import Formula, reason
from algolens.logic.rule_set import RuleSet
from algolens.reports.figures import FAINT, INK, LINES, QUESTION, in_style, put_note
from algolens.reports.graph_drawing import (
    draw_graph,
    put_beside,
    put_edge_texts,
    put_ring,
)
from algolens.reports.label_places import Places
from algolens.reports.layout import laid_out
from algolens.reports.rule_cards import class_in_words, formula_in_words

WIDE, HIGH = 2.9, 2.1  # of the graph, in its own units
BESIDE = 0.32  # from the middle of a node to that of a text beside it, in these units
POINTS = 11.0  # radius of a node
WIDTH, ROW, LINE = 3.9, 0.23, 0.16  # inches
LETTERS_PER_LINE = 58
MOST_FIRED = 3  # rules that are written out; of more, those that most elements changed by
CENTERED: dict[str, Any] = {"fontsize": 7.5, "ha": "center", "color": INK}

Example = Mapping[str, Any]  # a step, as a study describes it
FiredRules = Mapping[
    int, tuple[Formula, bool]
]  # by element: the reason, and whether its rule holds


@in_style
def draw_abstract(name: str, example: Example, rule_set: RuleSet, note: str = "") -> Figure:
    """The state before a step, the concepts, the rules that fired, and the state after.

    rule_set: whose rules decide, of the network or of the algorithm itself.
    """
    fired = _fired(example, rule_set)
    sentences = [
        line
        for words in _sentences(example, fired)
        for line in textwrap.wrap(words, LETTERS_PER_LINE, subsequent_indent="    ")
    ]
    legend = textwrap.wrap(_legend(example, bool(fired)), LETTERS_PER_LINE + 12)
    head = 0.062 * max(map(len, example["concepts"])) + 0.15
    heights = [
        2.3,
        head + ROW * (len(example["elements"]) + 1),
        LINE * len(sentences) + 0.16,
        2.3,
        LINE * len(legend) + 0.1,
    ]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.75), layout="constrained")
    title = f"{name}: step {example['step']} of {example['steps']}\n{_by(example)}"
    figure.suptitle(title, fontsize=9.5, color=INK, weight="bold")
    panels = figure.subplots(5, 1, height_ratios=heights)
    places = _places(example)
    _draw_state(panels[0], example, "before", places)
    _draw_concepts(panels[1], example, fired, head / ROW)
    _put_lines(panels[2], sentences, INK, 8.5)
    _draw_state(panels[3], example, "after", places)
    _put_lines(panels[4], legend, FAINT, 7)
    for axes in panels:
        axes.axis("off")
    put_note(figure, note)
    return figure


def abstract_caption(name: str, example: Example, rule_set: RuleSet) -> str:
    """What the picture shows, in words, with the rules that fired."""
    sentences = " ".join(f"{words}." for words in _sentences(example, _fired(example, rule_set)))
    return (
        f"{name}, step {example['step']} of {example['steps']} on a small graph, {_by(example)}: "
        f"the state before it, the concepts of every {example['location']}, the rules that fired, "
        f"and the state after it. {sentences}"
    )


def _by(example: Example) -> str:
    if example["by"] == "algorithm":
        return "by the algorithm itself"
    departs = "" if example["agrees"] else ", not as the algorithm"
    return f"by the network of seed {example['seed']}{departs}"


def _fired(example: Example, rule_set: RuleSet) -> FiredRules:
    """The reasons of the elements that change; none where the output moves as declared."""
    rules = rule_set.rules.get(example["output"], {})
    fired = {}
    for i, after in enumerate(example["after"]):
        if rules and example["before"][i] != after:
            concepts = {name: bool(values[i]) for name, values in example["concepts"].items()}
            rule = rules[example["labels"][after]]
            fired[i] = reason(rule, concepts), bool(rule.evaluate(concepts))
    return fired


def _sentences(example: Example, fired: FiredRules) -> list[str]:
    """The rules that fired, in words, each once with the elements that changed by it."""
    groups: dict[str, list[str]] = {}
    for i, (why, holds) in fired.items():
        became = class_in_words(example["output"], example["labels"][example["after"][i]])
        because = "because" if holds else "although its rule fails:"
        words = f"{became}, {because} {formula_in_words(why)}"
        groups.setdefault(words, []).append(example["elements"][i])
    if not groups:
        return [f"{example['output'].replace('_', ' ')} moves as declared; no rule decides on it"]
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    left = sum(len(elements) for _, elements in ordered[MOST_FIRED:])
    return [
        *(f"{', '.join(elements)}: {words}" for words, elements in ordered[:MOST_FIRED]),
        *([f"{left} more by other rules"] if left else []),
    ]


def _legend(example: Example, fires: bool) -> str:
    parts = ["● holds, ○ does not", "shaded: changes in this step"]
    if fires:
        parts.append("orange: what its rule went by")
    where = {"graph": "double ring", "edge": "numbers at edges"}
    if example["location"] == "node":
        where["node"] = "numbers at nodes"
    for name, given in example["inputs"].items():
        if given["location"] in where:
            parts.append(f"{where[given['location']]}: {name}")
    return "; ".join(parts) + "."


def _put_lines(axes: Axes, lines: Sequence[str], color: str, size: float) -> None:
    text = "\n".join(lines)
    axes.text(0, 0.5, text, fontsize=size, color=color, va="center", transform=axes.transAxes)


def _places(example: Example) -> Places:
    """Places that fill a panel."""
    places = laid_out(Graph.pack([len(example["nodes"])], example["edges"])).places
    middle, extent = (places.max(0) + places.min(0)) / 2, np.ptp(places, axis=0)
    spread = (places - middle) / extent * [WIDE, -HIGH]
    return {node: (float(x), float(y)) for node, (x, y) in enumerate(spread)}


def _draw_state(axes: Axes, example: Example, when: str, places: Places) -> None:
    """The graph before or after the step, with numbers and rings for its inputs."""
    values, labels = example[when], example["labels"]
    at_edges = example["location"] == "edge"
    names, edges = example["nodes"], example["edges"]
    # a mask's two values are told apart by their shades; classes also by their names
    if not at_edges and len(labels) > 2:
        classes = [labels[value] for value in values]
        if max(map(len, labels)) > 2:
            put_beside(axes, places, edges, [classes], BESIDE)
        else:
            names = [f"{name}:{label}" for name, label in zip(names, classes, strict=True)]
    draw_graph(
        axes,
        places,
        edges,
        directed=example.get("directed", False),
        names=names,
        classes=None if at_edges else values,
        marks=values if at_edges else None,
        radius=POINTS,
    )
    at_nodes: list[list[int]] = []
    for given in example["inputs"].values():
        if given["location"] == "graph":
            put_ring(axes, places, given["values"][0], POINTS)
        elif given["location"] == "edge":
            put_edge_texts(axes, places, example["edges"], list(map(str, given["values"])))
        elif given["location"] == example["location"]:
            at_nodes.append(given["values"])
    texts = [", ".join(map(str, numbers)) for numbers in zip(*at_nodes, strict=True)]
    put_beside(axes, places, edges, [texts], BESIDE)
    axes.set_xlim(-WIDE / 2 - 0.3, WIDE / 2 + 0.3)
    axes.set_ylim(-HIGH / 2 - 0.3, HIGH / 2 + 0.45)
    title = f"{when}: {example['output'].replace('_', ' ')}"
    axes.text(0, 0, title, transform=axes.transAxes, fontsize=8, color=INK, style="italic")


def _draw_concepts(axes: Axes, example: Example, fired: FiredRules, head: float) -> None:
    """A row for each element: a dot for each concept, and what follows. head: its rows."""
    concepts = example["concepts"]
    last = 1.9 + 0.8 * len(concepts)
    for x, words in ((0, example["location"]), (last, example["output"].replace("_", " "))):
        axes.text(x, 0.3, words, va="bottom", weight="bold", **CENTERED)
    for i, element in enumerate(example["elements"]):
        if example["before"][i] != example["after"][i]:
            axes.axhspan(i + 0.5, i + 1.5, color=QUESTION, zorder=0)
        label = example["labels"][example["after"][i]]
        label = {"true": "yes", "false": "no"}.get(label, label)
        for x, words in ((0, element), (last, label)):
            axes.text(x, i + 1, words, va="center", **CENTERED)
    for place, (name, values) in enumerate(concepts.items()):
        x = 1.2 + 0.8 * place
        axes.text(x, 0.3, name.replace("_", " "), va="bottom", rotation=90, **CENTERED)
        for i, holds in enumerate(values):
            is_used = i in fired and name in fired[i][0].names
            color = LINES[1] if is_used else INK
            axes.scatter(
                x,
                i + 1,
                s=25,
                facecolor=color if holds else "white",
                edgecolor=color,
                linewidth=1.2 if is_used else 0.7,
            )
    axes.set_xlim(-0.9, last + 0.9)
    axes.set_ylim(len(example["elements"]) + 0.6, 0.3 - head)
