"""The gate for what a person types: statements, formulas, moves, sums, starts, going on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.looks.drawn import Drawing

from algolens.algorithms import algorithms
from algolens.fields import Category, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Location
from algolens.logic.formula import Formula, from_json
from algolens.logic.going_on import GoOn
from algolens.logic.parsing import parse
from algolens.looks import Move, Sum, parse_look, statement_text
from algolens.looks.scope import Scope
from algolens.looks.start import FieldStart
from benchmarks.fuzz.damage import damaged_text
from benchmarks.fuzz.gate import Gate, Wrong

STARTED = {
    "mask": at_node(Mask()),
    "category": at_node(Category("low", "high")),
    "number": at_node(Number(4)),
    "pointer": at_node(Pointer(Location.NODE)),
}
SCOPE = Scope(
    {
        "weight": at_node(Number(8)),
        "awake": at_node(Mask()),
        "source": at_graph(Pointer(Location.NODE)),
    }
)
# each with what reads it and what writes it
LANGUAGES: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "statement": (parse_look, statement_text),
    "formula": (parse, str),
    "move": (Move.parse, str),
    "sum": (Sum.parse, str),
    "going on": (GoOn.parse, str),
}
MORE_WORDS = [
    *("(", ")", "~", "&", "|", "and", "or", "not", "my", "its", "is", "some", "every", "no", "'s"),
    *("at least", "at most", "exactly", "2", "0", "99999999999999999999", "9" * 5000, "where"),
    *("the", "last", "me", "it", "True", "false", "<", "=", ">=", "!=", ":", ",", "*", "-", "+"),
    *("exists n:", "every n:", "no n:", "\x00", "é", "𝛼", "²", "x" * 500, "\u2028", "\ud800", "'"),
    *("neighbours", "incoming link", "link into my set by root", "node whose root is me", "ﬁ"),
]


class Language(Gate):
    """A text is refused, or it is read, and what is read comes back from its own text."""

    name, share = "statements and formulas", 250

    def __init__(self) -> None:
        self.texts = {kind: sorted(set(found)) for kind, found in _declared().items()}
        words = {word for texts in self.texts.values() for text in texts for word in _words(text)}
        self.vocabulary = sorted(words) + MORE_WORDS * 3

    def draw(self, draw: random.Random) -> Any:
        kind = draw.choice([*LANGUAGES, "start"])
        text = draw.choice(self.texts["statement" if kind == "start" else kind])
        if draw.random() < 0.9:
            text = damaged_text(text, self.vocabulary, draw)
        given = {"kind": kind, "text": text}
        if kind == "start":
            label = draw.choice(["low", "high", "other"])
            start: Any = draw.choice([text, text, {label: text}, "me", "weight", 3, -1, 10**30])
            given |= {"field": draw.choice(sorted(STARTED)), "text": start}
        return given

    def enter(self, given: Any, folder: Path) -> None:
        kind, text = given["kind"], given["text"]
        if kind == "start":
            FieldStart.parse("field", STARTED[given["field"]], text, SCOPE)
            return
        read, write = LANGUAGES[kind]
        made = read(text)
        written = write(made)
        if read(written) != made:
            raise Wrong(f"{text[:500]!r} is written as {written[:500]!r}, which is something else")
        if isinstance(made, Formula) and kind == "formula":
            again = from_json(made.to_json())
            if again != made:
                raise Wrong(f"{text[:500]!r} does not come back from its JSON")


def _declared() -> dict[str, list[str]]:
    """What the algorithms of the package say, and what random programs say."""
    found: dict[str, list[str]] = {kind: [] for kind in LANGUAGES}
    drawn = [Drawing(random.Random(seed)).declaration for seed in range(12)]
    for declaration in [*(cls().declaration for cls in algorithms().values()), *drawn]:
        found["statement"] += map(str, (each.text for each in (declaration.look or {}).values()))
        found["sum"] += map(str, (each.text for each in (declaration.sums or {}).values()))
        for moves in (declaration.moves or {}).values():
            found["move"] += [moves] if isinstance(moves, str) else list(map(str, moves))
        for rules in declaration.rule_set.rules.values():
            found["formula"] += map(str, rules.values())
        if declaration.rule_set.continues is not None:
            found["going on"].append(str(declaration.rule_set.continues))
    return found


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(r"\w+|[^\w\s]+", text))
