"""Values as a user of Python gives them, read where they enter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.execution import Intervention
from algolens.graphs import Graph, Location


def whole_number(given: object) -> int | None:
    """A whole number, of Python or of NumPy; None where it is none. True and False are none.

    >>> whole_number(3), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    return int(given) if isinstance(given, Integral) and not isinstance(given, bool) else None


def path_of(given: object, what: str) -> Path:
    """The path of a file or folder. what: how a message calls it."""
    if not isinstance(given, str | PathLike):
        raise AlgoLensError(
            f"{what} takes a path, and a {type(given).__name__} came: give one, as text or as a "
            "Path."
        )
    return Path(given)


KEY = re.compile(r"(?P<concept>\w+)(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?")
BETWEEN = re.compile(r"\s*->?\s*")  # the two ends of an edge, in its name
MOST_NAMED = 50


@dataclass(frozen=True)
class Setting:
    """An intervention, and how its user said it."""

    said: str
    intervention: Intervention


def read_settings(given: Mapping[str, Any], algorithm: Algorithm, graph: Graph) -> list[Setting]:
    """Settings as Python says them: a value by ``has_priority@Mill#2``, or a value for each node by
    ``has_priority#2``.
    """
    if not isinstance(given, Mapping):
        raise AlgoLensError(
            f"set= came as a {type(given).__name__}: give a dictionary, as in "
            "{'has_priority@Mill#2': True}."
        )
    found = []
    for key, value in given.items():
        words = KEY.fullmatch(key) if isinstance(key, str) else None
        if words is None:
            raise AlgoLensError(
                f"set[{key!r}] should name a concept, then where and when if not everywhere: "
                "'has_priority', 'has_priority@Mill' or 'has_priority@Mill#2' (at the second "
                "step)."
            )
        places = (
            value
            if isinstance(value, Mapping) and not words["element"]
            else {words["element"]: value}
        )
        for element, each in places.items():
            if not isinstance(each, bool | np.bool_):
                raise AlgoLensError(f"set[{key!r}] is {each!r}: a concept is set to True or False.")
            said = f"set[{key!r}]"
            found.append(
                Setting(
                    said,
                    intervention(
                        said, words["concept"], bool(each), element, words["step"], algorithm, graph
                    ),
                )
            )
    return found


def intervention(
    said: str,
    concept: str,
    value: bool,
    element: object,
    step: str | None,
    algorithm: Algorithm,
    graph: Graph,
) -> Intervention:
    """A concept set at a node or edge by its name (None: at all), in a step counted from 1 (None:
    in all).

    said: how a message calls it.
    """
    concepts = algorithm.declaration.concepts
    if concept not in concepts:
        raise UnknownNameError(f"concept of {algorithm.name}", concept, concepts)
    elements: list[int] | None
    if (
        isinstance(element, str)
        and step is not None
        and (place := find_element(f"{element}#{step}", algorithm, graph)) is not None
    ):
        elements, step = [place], None  # the # belongs to a name
    else:
        elements = None if element is None else [element_of(element, algorithm, graph)]
    if step is not None and not (re.fullmatch("[0-9]{1,9}", step) and int(step) > 0):
        raise AlgoLensError(
            f"{said}: steps are numbered from 1, as in #2 for the second; '#{step}' is none."
        )
    return Intervention(concept, value, elements, None if step is None else [int(step) - 1])


def never_came(settings: Sequence[Setting], num_steps: int) -> list[str]:
    """What to tell the user of those that name steps after the last."""
    return [
        (
            f"{each.said} changed nothing: there is no step {min(steps) + 1}, the run ended after "
            f"{num_steps}."
        )
        for each in settings
        if isinstance(steps := each.intervention.steps, list) and steps and min(steps) >= num_steps
    ]


def element_of(element: object, algorithm: Algorithm, graph: Graph) -> int:
    """The place of a node, or of an edge by its two ends or by a name as ``Mill - Bridge``; refused
    where there is none.
    """
    location = algorithm.declaration.location
    place = find_element(element, algorithm, graph)
    if place is None:
        names = [graph.name_at(location, i) for i in range(min(graph.count(location), MOST_NAMED))]
        raise UnknownNameError(f"{location.value} of this graph", element, names)
    return place


def find_element(element: object, algorithm: Algorithm, graph: Graph) -> int | None:
    """The same; None where there is none."""
    if algorithm.declaration.location is Location.NODE:
        return graph.place_of.get(str(element))
    if isinstance(element, tuple) and len(element) == 2:
        return _edge_between(str(element[0]), str(element[1]), graph)
    name = str(element)
    found = (
        _edge_between(name[: at.start()], name[at.end() :], graph) for at in BETWEEN.finditer(name)
    )
    return next((place for place in found if place is not None), None)


def _edge_between(one: str, other: str, graph: Graph) -> int | None:
    u, v = graph.place_of.get(one), graph.place_of.get(other)
    if u is None or v is None:
        return None
    tails, heads = graph.edges
    there = (tails == u) & (heads == v)
    if not graph.directed:
        there |= (tails == v) & (heads == u)
    return int(there.nonzero()[0]) if bool(there.any()) else None
