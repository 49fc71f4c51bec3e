"""Inputs of a graph and concepts set by hand, as a user types them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.algorithms import Algorithm
    from algolens.front.arguments import Setting
    from algolens.graphs import Graph


def given_arguments(
    algorithm: Algorithm, source: str | None, given: list[str], words: list[str]
) -> dict[str, str]:
    """Inputs that the command itself gives, by name. words: options that are no other's."""
    if source is not None and "source" not in algorithm.declaration.inputs:
        from algolens.algorithms import algorithms

        having = [
            name for name, cls in algorithms().items() if "source" in cls().declaration.inputs
        ]
        raise AlgoLensError(
            f"--source: {algorithm.name} has no source, it is an input of {', '.join(having)}. "
            "Leave it out."
        )
    arguments = {} if source is None else {"source": source}
    for text in [*given, *_by_name(words, algorithm)]:
        name, equals, value = text.partition("=")
        if not equals:
            raise AlgoLensError(
                f"--input '{text}' should be a name and a value, as in source=Mill."
            )
        if name in arguments:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
        arguments[name] = value
    return arguments


def _by_name(words: list[str], algorithm: Algorithm) -> list[str]:
    """Options that are called as inputs are (``--target Mill``), as ``--input`` takes them."""
    arguments, left = [], list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not name.startswith("--"):
            raise AlgoLensError(
                f"'{name}' is one argument too many: give an algorithm and a graph."
            )
        name = name.removeprefix("--").replace("-", "_")
        known = algorithm.declaration.inputs
        if name not in known:
            has = ", ".join(f"--{known_name}" for known_name in known) or "none"
            raise AlgoLensError(
                f"there is no option --{name}, and {algorithm.name} has no such input (it has "
                f"{has}): see `algolens execute --help`."
            )
        if not equals and not left:
            raise AlgoLensError(f"--{name} needs a value, as in --{name} Mill.")
        arguments.append(f"{name}={value if equals else left.pop(0)}")
    return arguments


def read_setting(text: str, algorithm: Algorithm, graph: Graph) -> Setting:
    """A concept set by hand, as ``has_priority=true@Mill#2`` says it."""
    from algolens.front.arguments import WHERE_AND_WHEN, set_concept

    form = rf"(?P<concept>\w+)=(?P<value>true|false){WHERE_AND_WHEN}"
    words = re.fullmatch(form, text, re.IGNORECASE)
    if words is None:
        raise AlgoLensError(
            f"--set '{text}' should be a concept and its value, then where and when if not "
            "everywhere: has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 "
            "(at the second step)."
        )
    value, place = words["value"].lower() == "true", (words["element"], words["step"])
    return set_concept(f"--set '{text}'", words["concept"], value, *place, algorithm, graph)
