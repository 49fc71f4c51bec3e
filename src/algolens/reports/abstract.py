"""The visual abstract of an algorithm: a step of it, as graphs before and after, what was seen, and
the rule that fired.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from algolens.logic import Formula, reason
from algolens.logic.rule_set import RuleSet
from algolens.reports.figures import ANSWERS, FAINT, INK, LINES, PALE, QUESTION, in_style, put_note
from algolens.reports.rule_cards import class_in_words, formula_in_words

Places = Mapping[int, tuple[float, float]]
RADIUS, WIDE, HIGH = 0.19, 2.9, 2.1
WIDTH, ROW, LINE = 3.9, 0.23, 0.16  # inches
LETTERS_PER_LINE = 58
MOST_FIRED = 3  # rules that are written out; of more, those that most elements changed by


@in_style
def draw_abstract(
    name: str, example: Mapping[str, Any], rule_set: RuleSet, note: str = ""
) -> Figure:
    """The state before the step, the concepts of every element, the rules that fired, and the state
    after it.

    rule_set: whose rules decide, of the network or of the algorithm itself.
    """
    fired = _fired(example, rule_set)
    wrapped = [
        textwrap.wrap(words, LETTERS_PER_LINE, subsequent_indent="    ")
        for words in _told(example, fired)
    ]
    told = [line for lines in wrapped for line in lines]
    legend = textwrap.wrap(_legend(example, bool(fired)), LETTERS_PER_LINE + 12)
    longest = max(len(concept) for concept in example["concepts"])
    head = 0.062 * longest + 0.15
    heights = [
        2.3,
        head + ROW * (len(example["elements"]) + 1),
        LINE * len(told) + 0.16,
        2.3,
        LINE * len(legend) + 0.1,
    ]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.75), layout="constrained")
    title = f"{name}: step {example['step']} of {example['steps']}\n{_by(example)}"
    figure.suptitle(title, fontsize=9.5, color=INK, weight="bold")
    above, table, because, below, key = figure.subplots(5, 1, height_ratios=heights)
    places = _places(example)
    _graph(above, example, "before", places)
    _concepts(table, example, fired, head / ROW)
    _lines(because, told, INK, 8.5)
    _graph(below, example, "after", places)
    _lines(key, legend, FAINT, 7)
    put_note(figure, note)
    return figure


def abstract_caption(name: str, example: Mapping[str, Any], rule_set: RuleSet) -> str:
    """What the picture shows, in words, with the rules that fired."""
    told = " ".join(f"{words}." for words in _told(example, _fired(example, rule_set)))
    return (
        f"{name}, step {example['step']} of {example['steps']} on a small graph, {_by(example)}: "
        f"the state before it, the concepts of every {example['location']}, the rules that fired, "
        f"and the state after it. {told}"
    ).strip()


def _by(example: Mapping[str, Any]) -> str:
    if example["by"] == "algorithm":
        return "by the algorithm itself"
    return f"by the network of seed {example['seed']}" + (
        "" if example["agrees"] else ", not as the algorithm"
    )


def _fired(example: Mapping[str, Any], rule_set: RuleSet) -> dict[int, tuple[Formula, bool]]:
    """Of each element that changes: the part of its rule that decided, and whether the rule says
    what was decided.
    """
    rules = rule_set.rules.get(example["output"])
    if rules is None:
        return {}  # it moves as declared, and no rule decides
    found = {}
    for i in range(len(example["elements"])):
        if example["before"][i] != example["after"][i]:
            seen = {name: bool(values[i]) for name, values in example["concepts"].items()}
            rule = rules[example["labels"][example["after"][i]]]
            found[i] = reason(rule, seen), bool(rule.evaluate(seen))
    return found


def _told(example: Mapping[str, Any], fired: Mapping[int, tuple[Formula, bool]]) -> list[str]:
    """The rules that fired, in words, each once with the elements that changed by it."""
    groups: dict[tuple[str, str], list[str]] = {}
    for i, (why, holds) in fired.items():
        became = class_in_words(example["output"], example["labels"][example["after"][i]])
        because = (
            f"because {formula_in_words(why)}"
            if holds
            else f"although its rule fails: {formula_in_words(why)}"
        )
        groups.setdefault((became, because), []).append(example["elements"][i])
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    told = [
        f"{', '.join(elements)}: {became}, {because}"
        for (became, because), elements in ordered[:MOST_FIRED]
    ]
    left = sum(len(elements) for _, elements in ordered[MOST_FIRED:])
    if left:
        told.append(f"{left} more by other rules")
    if not fired:
        told.append(
            f"{example['output'].replace('_', ' ')} moves as declared; no rule decides on it"
        )
    return told


def _legend(example: Mapping[str, Any], fires: bool) -> str:
    parts = ["● holds, ○ does not", "shaded: changes in this step"]
    if fires:
        parts.append("orange: what its rule went by")
    for name, given in example["inputs"].items():
        where = {"graph": "double ring", "edge": "numbers at edges"}.get(given["location"])
        if where is None and given["location"] == example["location"] == "node":
            where = "numbers at nodes"
        if where is not None:
            parts.append(f"{where}: {name}")
    return "; ".join(parts) + "."


def _lines(axes: Axes, lines: Sequence[str], color: str, size: float) -> None:
    axes.text(
        0.0,
        0.5,
        "\n".join(lines),
        fontsize=size,
        color=color,
        va="center",
        transform=axes.transAxes,
        linespacing=1.3,
    )
    axes.axis("off")


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
        color = ANSWERS[values[i] % len(ANSWERS)] if chosen else PALE
        _edge(
            axes,
            places[u],
            places[v],
            color,
            4 if chosen else 1.2,
            directed=example.get("directed", False),
        )
    for i, name in enumerate(example["nodes"]):
        color = "white" if at_edges else ANSWERS[values[i] % len(ANSWERS)]
        axes.add_patch(
            Circle(places[i], RADIUS, facecolor=color, edgecolor=INK, linewidth=0.8, zorder=2)
        )
        # a mask's two values are told apart by their shades alone; classes also by their names
        label = "" if at_edges or len(example["labels"]) == 2 else example["labels"][values[i]]
        text = f"{name}:{label}" if 0 < len(label) <= 2 else name
        axes.text(*places[i], text, fontsize=8, ha="center", va="center", zorder=3, color=INK)
        if len(label) > 2:
            x, y = places[i]
            axes.text(
                x,
                y - RADIUS - 0.04,
                label,
                fontsize=6.5,
                ha="center",
                va="top",
                zorder=3,
                color=INK,
            )
    _inputs(axes, example, places)
    axes.set_xlim(-WIDE / 2 - 0.3, WIDE / 2 + 0.3)
    axes.set_ylim(-HIGH / 2 - 0.3, HIGH / 2 + 0.45)
    axes.set_aspect("equal")
    axes.axis("off")
    words = f"{when}: {example['output'].replace('_', ' ')}"
    axes.text(
        0.0,
        0.0,
        words,
        transform=axes.transAxes,
        fontsize=8,
        color=INK,
        va="bottom",
        style="italic",
    )


def _edge(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    color: str,
    width: float,
    *,
    directed: bool,
) -> None:
    if directed:
        arrow = FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=9,
            color=color,
            linewidth=width,
            shrinkA=9,
            shrinkB=9,
            zorder=1,
        )
        axes.add_patch(arrow)
    else:
        axes.plot(
            *zip(start, end, strict=True),
            color=color,
            linewidth=width,
            zorder=1,
            solid_capstyle="round",
        )


def _inputs(axes: Axes, example: Mapping[str, Any], places: Places) -> None:
    """Numbers at nodes and edges, and a ring around a node that is pointed at."""
    boxed = {"facecolor": "white", "edgecolor": "none", "pad": 0.3}
    at_nodes: list[list[str]] = []
    for given in example["inputs"].values():
        values = given["values"]
        if given["location"] == "graph":
            axes.add_patch(
                Circle(
                    places[values[0]],
                    RADIUS + 0.06,
                    fill=False,
                    edgecolor=INK,
                    linewidth=0.8,
                    zorder=2,
                )
            )
        elif given["location"] == "edge":
            for (u, v), value in zip(example["edges"], values, strict=True):
                x, y = ((a + b) / 2 for a, b in zip(places[u], places[v], strict=True))
                axes.text(
                    x,
                    y,
                    str(value),
                    fontsize=6.5,
                    ha="center",
                    va="center",
                    bbox=boxed,
                    zorder=2,
                    color=INK,
                )
        elif given["location"] == example["location"] == "node":
            at_nodes.append([str(value) for value in values])
    for i, told in enumerate(zip(*at_nodes, strict=True)):
        x, y = places[i]
        words = ", ".join(told)
        axes.text(
            x,
            y + RADIUS + 0.04,
            words,
            fontsize=6.5,
            ha="center",
            va="bottom",
            bbox=boxed,
            zorder=3,
            color=INK,
        )


def _concepts(
    axes: Axes, example: Mapping[str, Any], fired: Mapping[int, tuple[Formula, bool]], head: float
) -> None:
    """A table: a row for each element, a dot where a concept holds, and what follows. head: how
    many rows its head takes.
    """
    names = list(example["concepts"])
    left = [0.0, *(1.2 + 0.8 * i for i in range(len(names))), 1.2 + 0.8 * len(names) + 0.7]
    rows = len(example["elements"])
    for x, words in (
        (left[0], example["location"]),
        (left[-1], example["output"].replace("_", " ")),
    ):
        axes.text(x, 0.3, words, fontsize=7.5, ha="center", va="bottom", color=INK, weight="bold")
    for x, name in zip(left[1:-1], names, strict=True):
        axes.text(
            x,
            0.3,
            name.replace("_", " "),
            fontsize=7.5,
            ha="center",
            va="bottom",
            color=INK,
            rotation=90,
        )
    for i, element in enumerate(example["elements"]):
        if example["before"][i] != example["after"][i]:
            axes.axhspan(i + 0.5, i + 1.5, color=QUESTION, zorder=0)
        axes.text(left[0], i + 1, element, fontsize=7.5, ha="center", va="center", color=INK)
        used = fired[i][0].names if i in fired else ()
        for x, (name, values) in zip(left[1:-1], example["concepts"].items(), strict=True):
            color = LINES[1] if name in used else INK
            face = color if values[i] else "white"
            axes.plot(
                x,
                i + 1,
                "o",
                markersize=5,
                color=color,
                markerfacecolor=face,
                markeredgewidth=1.2 if name in used else 0.7,
            )
        label = example["labels"][example["after"][i]]
        axes.text(
            left[-1],
            i + 1,
            {"true": "yes", "false": "no"}.get(label, label),
            fontsize=7.5,
            ha="center",
            va="center",
        )
    axes.set_xlim(-0.9, left[-1] + 0.9)
    axes.set_ylim(rows + 0.6, 0.3 - head)
    axes.axis("off")
