"""What the paper and its authors' code say of networks and training, and what departs from it.

The facts are in ``paper.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

PRESETS = ("paper", "paper-literal", "paper-unregularised", "standard", "oracle", "exact")
DEFAULT_PRESET = "exact"  # every declared algorithm can be learnt and proven by it
SEEDS = 5  # networks that the paper trains of each kind
# facts that were counted roughly: within this share, ours is the same
ROUGHLY = {"parameters": 0.05}


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
    """The facts that hold for a model of an algorithm, by name.

    Parameters
    ----------
    algorithm, preset
        One that the paper does not know has the facts that hold for every one.
    at_nodes
        Whether the algorithm decides at nodes.

    Returns
    -------
    dict
        For each fact, 'what' it is, and what 'text' and 'code' say of it.
    """
    paper = _paper()
    sections = [
        paper["every"],
        paper["nodes"] if at_nodes else {},
        paper["algorithms"].get(algorithm, {}),
        paper["presets"].get(preset, {}),
    ]
    facts: dict[str, dict[str, Any]] = {}
    for section in sections:
        for name, fact in section.items():
            facts[name] = {"what": fact.get("what") or facts[name]["what"], **fact}
    return facts


def departures(facts: Mapping[str, Mapping[str, Any]], ours: Mapping[str, Any]) -> list[Departure]:
    """What differs, in the order of the facts.

    Parameters
    ----------
    facts
        Those of ``protocol``.
    ours
        What was done, under the names of the facts. What is not there is left out: a network of
        another kind has no such part.

    Returns
    -------
    list of Departure
        One for each fact of which the text or the code says something else.
    """
    departing = []
    for name, fact in facts.items():
        said = {where: fact[where] for where in ("text", "code") if where in fact}
        if name in ours and not all(_same(name, ours[name], theirs) for theirs in said.values()):
            departing.append(Departure(fact["what"], ours[name], said))
    return departing


def known_algorithms() -> tuple[str, ...]:
    """The algorithms of the paper."""
    return tuple(_paper()["algorithms"])


def fact_in_words(value: Any) -> str:
    """A value of a fact, to be read."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= 1000:
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {fact_in_words(part)}" for key, part in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(fact_in_words, value)) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _same(name: str, ours: Any, theirs: Any) -> bool:
    if name in ROUGHLY:
        return bool(abs(ours - theirs) <= ROUGHLY[name] * theirs)
    return bool(ours == theirs)


@cache
def _paper() -> dict[str, Any]:
    from algolens.reading import package_json  # what a command prints first waits for nothing

    return package_json("algolens", "paper.json")
