"""The explanation of a network as one picture: rules on cards, and decision trees under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algolens.extraction import Extraction, Tree
from algolens.logic.formula import Concept
from algolens.logic.remarks import percent
from algolens.reports.figures import ANSWERS, FAINT, INK, QUESTION, in_style
from algolens.reports.rule_cards import RuleCards, formula_in_words, text_width

LEAF_WIDTH, LEVEL_HEIGHT, HEAD, MARGIN = 0.8, 0.62, 0.4, 0.15  # inches
LETTERS = 9  # points
ANSWER_WORDS = {"true": "yes", "false": "no"}
MOST_LEAVES = 24  # of a larger tree, the lowest questions are left out


@dataclass(frozen=True)
class Leaf:
    """An answer; label: the class, or None where a tree is cut off."""

    label: str | None


@dataclass(frozen=True)
class Question:
    """Whether a concept holds, and what follows."""

    concept: str
    yes: Question | Leaf
    no: Question | Leaf


@in_style
def draw_explanation(title: str, entry: Extraction, trees: Sequence[Tree] = ()) -> Figure:
    """A figure of rules and trees; entry: the rules of a seed.

    title: above it; empty where a caption says what is shown.
    """
    cards = RuleCards(title, entry)
    grown = [_shown(tree) for tree in trees]
    sizes = [_size(root) for root, _ in grown]
    width = max([cards.width, *(width for width, _ in sizes)])
    height = cards.height + sum(height for _, height in sizes) + MARGIN
    figure = Figure(figsize=(width, height))
    top = height - cards.height
    axes = figure.add_axes((0, top / height, cards.width / width, cards.height / height))
    axes.set(xlim=(0, cards.width), ylim=(-cards.height, 0))
    axes.axis("off")
    cards.paint(axes)
    for tree, (root, left_out), (tree_width, tree_height) in zip(trees, grown, sizes, strict=True):
        top -= tree_height
        place = MARGIN, top, min(tree_width, width - 2 * MARGIN), tree_height - HEAD
        axes = figure.add_axes(tuple(np.divide(place, (width, height) * 2)))
        _draw(root, tree.labels, axes)
        name = tree.output.replace("_", " ")
        words = f"{name} as a tree: {percent(tree.accuracy)} as the network"
        words += f"; {left_out} questions are left out" if left_out else ""
        axes.set_title(words, loc="left", fontsize=11, weight="bold", color=INK)
    return figure


def _shown(tree: Tree) -> tuple[Question | Leaf, int]:
    """A tree that is small enough to be read, and how many questions are left out of it."""
    root = questions_of(tree)
    depth = _depth(root)
    while _leaves(shown := _cut(root, depth)) > MOST_LEAVES:
        depth -= 1
    return shown, _questions(root) - _questions(shown)


def questions_of(tree: Tree) -> Question | Leaf:
    """The questions of a tree; one whose answers all lead to the same class is none."""
    inner, classes = tree.classifier.tree_, tree.classifier.classes_

    def at(node: int) -> Question | Leaf:
        if inner.children_left[node] < 0:
            return Leaf(tree.labels[classes[int(inner.value[node][0].argmax())]])
        # scikit-learn goes to the left where a concept does not hold
        no, yes = at(inner.children_left[node]), at(inner.children_right[node])
        return yes if yes == no else Question(tree.concepts[inner.feature[node]], yes, no)

    return at(0)


def _cut(root: Question | Leaf, depth: int) -> Question | Leaf:
    """A tree down to a depth."""
    if isinstance(root, Leaf):
        return root
    if depth == 0:
        return Leaf(None)
    return Question(root.concept, _cut(root.yes, depth - 1), _cut(root.no, depth - 1))


def _parts(root: Question | Leaf) -> Iterator[Question | Leaf]:
    yield root
    if isinstance(root, Question):
        yield from _parts(root.yes)
        yield from _parts(root.no)


def _leaves(root: Question | Leaf) -> int:
    return sum(isinstance(part, Leaf) for part in _parts(root))


def _questions(root: Question | Leaf) -> int:
    return sum(isinstance(part, Question) for part in _parts(root))


def _depth(root: Question | Leaf) -> int:
    return 0 if isinstance(root, Leaf) else 1 + max(_depth(root.yes), _depth(root.no))


def _size(root: Question | Leaf) -> tuple[float, float]:
    """Its width and height in inches."""
    words = [_words(part) for part in _parts(root)]
    # a question stands between the leaves on both of its sides
    widest = max(text_width(word, LETTERS) for word in words) + 0.3
    width = max(LEAF_WIDTH * _leaves(root), 0.6 * widest * _leaves(root), widest)
    return width, LEVEL_HEIGHT * (_depth(root) + 1) + HEAD


def _words(part: Question | Leaf) -> str:
    if isinstance(part, Leaf):
        return "..." if part.label is None else ANSWER_WORDS.get(part.label, part.label)
    return f"{formula_in_words(Concept(part.concept))}?"


def _draw(root: Question | Leaf, labels: Sequence[str], axes: Axes) -> None:
    """Draws a tree: to the left where a concept holds, to the right where it does not."""
    places: dict[int, tuple[float, float]] = {}
    parts: list[tuple[Question | Leaf, int]] = []  # each with its number

    def place(part: Question | Leaf, depth: int, first: float) -> tuple[int, float]:
        """The number of a part that begins at a leaf, and the leaf after it."""
        if isinstance(part, Leaf):
            x, after = first + 0.5, first + 1
            below = []
        else:
            left, middle = place(part.yes, depth + 1, first)
            right, after = place(part.no, depth + 1, middle)
            x = (places[left][0] + places[right][0]) / 2
            below = [(left, "yes"), (right, "no")]
        number = len(places)
        places[number] = x, -depth
        parts.append((part, number))
        for other, answer in below:
            (to, down), (here, up) = places[other], places[number]
            axes.plot([here, to], [up, down], color=FAINT, linewidth=0.9, zorder=0)
            axes.text(
                here + 0.45 * (to - here),
                up + 0.45 * (down - up),
                answer,
                fontsize=LETTERS - 2,
                color=FAINT,
                ha="center",
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )
        return number, after

    place(root, 0, 0.0)
    for part, number in parts:
        face = QUESTION
        if isinstance(part, Leaf) and part.label is not None:
            face = ANSWERS[labels.index(part.label) % len(ANSWERS)]
        axes.text(
            *places[number],
            _words(part),
            fontsize=LETTERS,
            color=INK,
            ha="center",
            va="center",
            bbox={"boxstyle": "round", "facecolor": face, "edgecolor": INK, "linewidth": 0.7},
        )
    axes.set_xlim(0, max(_leaves(root), 1))
    axes.set_ylim(-_depth(root) - 0.5, 0.4)
    axes.axis("off")
