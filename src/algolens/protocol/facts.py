"""The paper's protocol, and how what was done differs from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

# a number that the paper's code was only counted to have roughly: within so much of it is as it is
# there
ABOUT = 0.05
ROUGHLY = ("parameters",)


@dataclass(frozen=True)
class Departure:
    """One thing that is otherwise than in the paper."""

    what: str
    ours: Any
    # by 'text' (the paper) and 'code' (its authors' code): what each says, where it says anything
    said: Mapping[str, Any]

    def __str__(self) -> str:
        said = {where: fact_in_words(value) for where, value in self.said.items()}
        if len(said) > 1 and len(set(said.values())) == 1:
            said = {"text and code": next(iter(said.values()))}
        sources = "; ".join(f"{where}: {words}" for where, words in said.items())
        return f"{self.what}: {fact_in_words(self.ours)} ({sources})"

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {"what": self.what, "ours": self.ours, **self.said}


def protocol(algorithm: str, preset: str, *, at_nodes: bool) -> dict[str, dict[str, Any]]:
    """The facts that hold for a model of an algorithm, by name: each with 'what' it is, and what
    'text' and 'code' say of it.

    An algorithm or a preset that the paper does not know has the facts that hold for every one.
    """
    paper = _paper()
    sections = [
        paper["every"],
        paper["nodes"] if at_nodes else {},
        paper["algorithms"].get(algorithm, {}),
        paper["presets"].get(preset, {}),
    ]
    found: dict[str, dict[str, Any]] = {}
    for section in sections:
        for name, fact in section.items():
            found[name] = {"what": fact.get("what") or found[name]["what"], **fact}
    return found


def departures(facts: Mapping[str, Mapping[str, Any]], ours: Mapping[str, Any]) -> list[Departure]:
    """What differs, in the order of the facts.

    ours: what was done, under the names of the facts; what is not there (a network of another kind
    has no such part) is left out.
    """
    found = []
    for name, fact in facts.items():
        said = {where: fact[where] for where in ("text", "code") if where in fact}
        if name in ours and not all(_same(name, ours[name], each) for each in said.values()):
            found.append(Departure(fact["what"], ours[name], said))
    return found


def known_algorithms() -> tuple[str, ...]:
    """Those of the paper."""
    return tuple(_paper()["algorithms"])


def fact_in_words(value: Any) -> str:
    """A value of a fact, to be read."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= 1000:
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {fact_in_words(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(fact_in_words, value)) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _same(name: str, ours: Any, theirs: Any) -> bool:
    if name in ROUGHLY:
        return bool(abs(ours - theirs) <= ABOUT * theirs)
    return bool(ours == theirs)


@cache
def _paper() -> dict[str, Any]:
    return json.loads((files("algolens.protocol") / "paper.json").read_text(encoding="utf-8"))
