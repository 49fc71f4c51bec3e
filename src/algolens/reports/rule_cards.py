"""Rules as a picture for a talk: a card for each class, its rule in words, and how it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch
from matplotlib.textpath import TextPath

from algolens.extraction import Clause, Extraction, TerminationRule
from algolens.logic import Formula, GoOn, Quantifier, factored
from algolens.logic.formula import And, Concept, Constant, Not, Or
from algolens.logic.remarks import percent
from algolens.reports.figures import ANSWERS, FAINT, INK, LINES, PALE, QUESTION

# inches; sizes of letters in points
WIDTH, CLASS_WIDTH, FIGURES_WIDTH, MARGIN = 10.0, 1.9, 2.3, 0.15
LINE, CARD_GAP, HEAD = 0.36, 0.12, 0.55
LETTERS, SMALL = 11.0, 8.5
MOST_CLAUSES = 6  # of one rule; of more, those that hold most often
VERBS = {"is", "has", "can", "was", "does", "may", "must"}  # "not" stands after these
HOW_MANY = {Quantifier.EXISTS: "some", Quantifier.EVERY: "every", Quantifier.NO: "no"}


@dataclass(frozen=True)
class _Token:
    """A concept (in a box; an empty one where it must not hold), or a word between concepts."""

    words: str
    holds: bool | None = None  # None: a word
    ends_line: bool = False

    @property
    def width(self) -> float:
        if self.holds is None:
            return text_width(self.words, SMALL) + 0.14
        return text_width(self.words, LETTERS) + 0.3


@dataclass(frozen=True)
class _Card:
    """A class and what decides on it."""

    label: str
    color: str
    tokens: Sequence[_Token]
    figures: Sequence[str]  # a line each
    share: float | None  # of all decisions; None where it is no decision of an element

    @property
    def lines(self) -> list[list[_Token]]:
        return _wrapped(self.tokens, WIDTH - CLASS_WIDTH - FIGURES_WIDTH - 2 * MARGIN)

    @property
    def height(self) -> float:
        return (
            max(
                LINE * len(self.lines),
                0.2 * len(self.figures) + (0.14 if self.share is not None else 0),
            )
            + 0.24
        )


class RuleCards:
    """The rules of one seed, ready to be painted."""

    def __init__(self, title: str, entry: Extraction) -> None:
        """entry: the rules of the seed."""
        self.title = title
        self.about = f"{entry.num_elements:,} decisions on {entry.num_graphs:,} graphs"
        self.cards = list(_cards(entry))
        self.width = WIDTH
        self.head = HEAD if title else MARGIN
        self.height = self.head + sum(card.height + CARD_GAP for card in self.cards) + 0.32

    def paint(self, axes: Axes) -> None:
        """Paints them on axes that measure inches, from the upper left corner on."""
        axes.text(MARGIN, -0.1, self.title, fontsize=14, weight="bold", color=INK, va="top")
        top = -self.head
        for card in self.cards:
            _paint(axes, card, top)
            top -= card.height + CARD_GAP
        words = (
            f"filled: it holds; empty: it does not. Measured at {self.about}: how often a rule "
            "holds, and how often it says"
        )
        axes.text(
            MARGIN,
            top,
            f"{words} what the network decided, and what is true.",
            fontsize=SMALL - 0.5,
            color=FAINT,
            va="top",
        )


def _cards(entry: Extraction) -> Iterator[_Card]:
    rule_set = entry.rule_set
    total = max(entry.num_elements, 1)
    for output, measured in entry.outputs.items():
        for place, (label, rule) in enumerate(measured.classes.items()):
            mostly = rule.mostly
            formula = mostly.formula if mostly else rule_set.rules[output][label]
            extra = [f"otherwise {mostly.exceptions:,} times"] if mostly else []
            yield _Card(
                label=class_in_words(output, label),
                color=ANSWERS[place % len(ANSWERS)],
                tokens=_of_rule(formula, rule.clauses),
                figures=(
                    f"holds {rule.support:,} times",
                    f"as the network: {percent(rule.fidelity)}",
                    f"true: {percent(rule.accuracy)}",
                    *extra,
                ),
                share=rule.support / total,
            )
    if rule_set.continues is not None:
        yield _going_on(rule_set.continues, entry.termination)


def class_in_words(output: str, label: str) -> str:
    """A class as a person says it.

    >>> class_in_words("in_mst", "false"), class_in_words("color", "2")
    ('not in mst', 'color 2')
    """
    name = output.replace("_", " ")
    return {"true": name, "false": f"not {name}"}.get(label, f"{name} {label}")


def _going_on(rule: GoOn, measured: TerminationRule | None) -> _Card:
    tokens = [
        _Token(f"while {HOW_MANY[rule.quantifier]} element:"),
        *_tokens(factored(rule.formula)),
    ]
    figures = []
    if measured is not None:
        figures = [
            f"as the network: {percent(measured.fidelity)}",
            f"of {measured.num_steps:,} steps",
        ]
    return _Card("go on", "white", tokens, figures, None)


def _of_rule(formula: Formula, clauses: Sequence[Clause]) -> list[_Token]:
    """A rule; of many clauses that share nothing, a line for each that holds most often."""
    short = factored(formula)
    if not isinstance(short, Or) or not any(isinstance(term, And) for term in short.terms):
        return list(_tokens(short))
    held = {str(clause.formula): clause.support for clause in clauses}
    terms = sorted(short.terms, key=lambda term: -held.get(str(term), 0))
    tokens: list[_Token] = []
    for term in terms[:MOST_CLAUSES]:
        tokens += [_Token("", ends_line=True), _Token("or")] if tokens else []
        tokens += _tokens(term)
    left = terms[MOST_CLAUSES:]
    if left:
        times = sum(held.get(str(term), 0) for term in left)
        tokens += [
            _Token("", ends_line=True),
            _Token(f"or one of {len(left)} more clauses, which hold {times:,} times"),
        ]
    return tokens


def formula_in_words(formula: Formula) -> str:
    """A formula as a person says it.

    >>> from algolens.logic import parse
    >>> formula_in_words(parse("(is_colored | has_priority) & ~color_1_seen"))
    '(is colored or has priority) and not color 1 seen'
    """
    return " ".join(token.words for token in _tokens(formula)).replace("( ", "(").replace(" )", ")")


def _tokens(formula: Formula) -> Iterator[_Token]:
    match formula:
        case Concept(name):
            yield _Token(name.replace("_", " "), holds=True)
        case Not(Concept(name)):
            yield _Token(_denied(name), holds=False)
        case Not(term):
            yield from (_Token("not"), _Token("("), *_tokens(term), _Token(")"))
        case Constant(value):
            yield _Token("always" if value else "never")
        case And(terms) | Or(terms):
            word = "and" if isinstance(formula, And) else "or"
            for place, term in enumerate(terms):
                if place:
                    yield _Token(word)
                is_group = isinstance(term, And | Or)
                yield from [_Token("(")] * is_group
                yield from _tokens(term)
                yield from [_Token(")")] * is_group
        case _:
            yield _Token(str(formula))


def _denied(name: str) -> str:
    """The opposite of a concept in words.

    >>> _denied("is_colored"), _denied("color_1_seen")
    ('is not colored', 'not color 1 seen')
    """
    first, *rest = name.split("_")
    return " ".join([first, "not", *rest] if rest and first in VERBS else ["not", first, *rest])


def _wrapped(tokens: Sequence[_Token], width: float) -> list[list[_Token]]:
    """Tokens in lines. A word stays with what follows it, a closing bracket with what it closes."""
    lines: list[list[_Token]] = [[]]
    pieces: list[list[_Token]] = []
    for token in tokens:
        before = pieces[-1][-1] if pieces else None
        follows_word = (
            before is not None
            and before.holds is None
            and not before.ends_line
            and before.words != ")"
        )
        if follows_word or token.words == ")":
            pieces[-1].append(token)
        else:
            pieces.append([token])
    for piece in pieces:
        if piece[0].ends_line:
            lines.append(piece[1:])
        elif lines[-1] and sum(token.width for token in (*lines[-1], *piece)) > width:
            lines.append(piece)
        else:
            lines[-1] = [*lines[-1], *piece]
    return lines


def _paint(axes: Axes, card: _Card, top: float) -> None:
    axes.add_patch(
        _box(MARGIN, top - card.height, WIDTH - 2 * MARGIN, card.height, "white", PALE, 0.06)
    )
    middle = top - card.height / 2
    size = min(LETTERS, LETTERS * (CLASS_WIDTH - 0.5) / max(text_width(card.label, LETTERS), 0.1))
    axes.add_patch(
        _box(MARGIN + 0.12, middle - 0.17, CLASS_WIDTH - 0.25, 0.34, card.color, INK, 0.05)
    )
    axes.text(
        MARGIN + CLASS_WIDTH / 2,
        middle,
        card.label,
        fontsize=size,
        weight="bold",
        color=INK,
        ha="center",
        va="center_baseline",
    )
    lines = card.lines
    height = middle + LINE * (len(lines) - 1) / 2
    for line in lines:
        _paint_line(axes, line, height)
        height -= LINE
    left, room = WIDTH - FIGURES_WIDTH, FIGURES_WIDTH - MARGIN - 0.15
    height = middle + 0.1 * (len(card.figures) - 1) + (0.09 if card.share is not None else 0)
    for words in card.figures:
        axes.text(left, height, words, fontsize=SMALL, color=INK, va="center_baseline")
        height -= 0.2
    if card.share is not None:
        axes.add_patch(_box(left, height - 0.04, room, 0.09, QUESTION, "none", 0.02))
        axes.add_patch(
            _box(left, height - 0.04, max(room * card.share, 0.02), 0.09, LINES[0], "none", 0.0)
        )


def _paint_line(axes: Axes, line: Sequence[_Token], height: float) -> None:
    x = MARGIN + CLASS_WIDTH + 0.1
    for token in line:
        if token.holds is None:
            axes.text(
                x + 0.07, height, token.words, fontsize=SMALL, color=FAINT, va="center_baseline"
            )
        else:
            face, edge = (LINES[0], LINES[0]) if token.holds else ("white", INK)
            axes.add_patch(
                _box(x + 0.05, height - 0.135, token.width - 0.1, 0.27, face, edge, 0.08)
            )
            color = "white" if token.holds else INK
            axes.text(
                x + token.width / 2,
                height,
                token.words,
                fontsize=LETTERS,
                color=color,
                ha="center",
                va="center_baseline",
            )
        x += token.width


def _box(
    x: float, y: float, width: float, height: float, face: str, edge: str, rounding: float
) -> FancyBboxPatch:
    style = f"round,pad=0,rounding_size={rounding}"
    return FancyBboxPatch(
        (x, y), width, height, boxstyle=style, facecolor=face, edgecolor=edge, linewidth=0.8
    )


@lru_cache(maxsize=4096)
def text_width(words: str, size: float) -> float:
    """How many inches wide a text is, in letters of a size in points."""
    if not words.strip():
        return 0.0
    return float(TextPath((0, 0), words, size=size, prop=FontProperties()).get_extents().width) / 72
