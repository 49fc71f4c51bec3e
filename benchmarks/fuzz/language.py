"""The gate for what a person types: statements, formulas, moves, sums, starts, going on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.drawn import Drawing

from algolens.algorithms import algorithms
from algolens.errors import AlgoLensError
from algolens.language.finite import columns
from algolens.language.ir import Case, Field, Let
from algolens.language.parse import Parser
from algolens.language.parse import parse as read_part
from algolens.language.text import Text
from algolens.logic import GoOn
from algolens.logic.formula import Formula
from algolens.logic.parsing import parse
from benchmarks.fuzz.damage import damaged_text
from benchmarks.fuzz.gate import Gate, Wrong

FIELDS = {
    "weight": Field("node", "number", bits=8),
    "height": Field("node", "number", bits=8),
    "awake": Field("node", "mask"),
    "color": Field("node", "category", ("red", "green")),
    "boss": Field("node", "pointer", to="node"),
    "cost": Field("edge", "number", bits=8),
    "source": Field("graph", "pointer", to="node"),
}
SAY = Text({("node", "color"): ("red", "green")})


def _program_part(part: Callable[[Parser], Any]) -> Callable[[str], Any]:
    """Reads a part of a program, of nodes."""
    return lambda text: read_part(part, text, "node", FIELDS)


# each with what reads it and what writes it
LANGUAGES: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "statement": (_program_part(Parser.statement), SAY),
    "value": (_program_part(Parser.value), SAY),
    "move": (
        _program_part(Parser.move),
        lambda made: SAY.case(Let("weight", "node", made[1]), *made),
    ),
    "formula": (parse, str),
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
        kind = draw.choice([*LANGUAGES])
        text = draw.choice(self.texts[kind])
        if draw.random() < 0.9:
            text = damaged_text(text, self.vocabulary, draw)
        return {"kind": kind, "text": text}

    def enter(self, given: Any, folder: Path) -> None:
        kind, text = given["kind"], given["text"]
        if kind not in LANGUAGES:
            raise AlgoLensError(f"texts of the kind {kind} are read no more.")
        read, write = LANGUAGES[kind]
        made = read(text)
        written = write(made)
        if read(written) != made:
            raise Wrong(f"{text[:500]!r} is written as {written[:500]!r}, which is something else")
        if isinstance(made, Formula) and kind == "formula":
            again = Formula.from_json(made.to_json())
            if again != made:
                raise Wrong(f"{text[:500]!r} does not come back from its JSON")


def _declared() -> dict[str, list[str]]:
    """What the algorithms of the package say, and what random ones say."""
    found: dict[str, list[str]] = {kind: [] for kind in LANGUAGES}
    drawn = [Drawing(random.Random(seed)).algorithm.declaration for seed in range(12)]
    for declaration in [*(cls().declaration for cls in algorithms().values()), *drawn]:
        program = declaration.program
        if declaration.in_python:
            continue
        say, known = Text.of(program), columns(program)
        for let in program.lets:
            is_sum = (let.at, let.name) in known and known[let.at, let.name].kind == "number"
            found["value" if is_sum else "statement"].append(say(let.value))
        for let in program.becomes:
            if isinstance(let.value, Case):
                found["move"] += [say.case(let, *case) for case in let.value.cases]
        for rules in declaration.rule_set.rules.values():
            found["formula"] += map(str, rules.values())
        if declaration.rule_set.continues is not None:
            found["going on"].append(str(declaration.rule_set.continues))
    return found


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(r"\w+|[^\w\s]+", text))
