"""Values as a user of Python gives them, read where they enter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm
from algolens.arrays import flatnonzero
from algolens.engines import Intervention
from algolens.errors import MOST_SHOWN, AlgoLensError, UnknownNameError, brief
from algolens.graphs import Graph, Location
from algolens.limits import PLACES


def whole_number(given: object) -> int | None:
    """A whole number, of Python or of NumPy; None where it is none. True and False are none.

    >>> whole_number(3), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    return int(given) if isinstance(given, Integral) and not isinstance(given, bool) else None


def read_places(given: object) -> int | None:
    """The decimals to which a user has numbers rounded; None where none were asked for."""
    return None if given is None else PLACES.check(given, "the decimals to round to")


WHERE_AND_WHEN = r"(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?"  # as in @Mill#2
KEY = re.compile(rf"(?P<concept>\w+){WHERE_AND_WHEN}")
BETWEEN = re.compile(r"\s*->?\s*")  # the two ends of an edge, in its name
MOST_NAMED = 50


@dataclass(frozen=True)
class Setting:
    """An intervention, and how its user said it."""

    said: str
    intervention: Intervention


def read_settings(given: Mapping[str, Any], algorithm: Algorithm, graph: Graph) -> list[Setting]:
    """Settings as Python says them: ``{"has_priority@Mill#2": True}``, or a value for each node."""
    if not isinstance(given, Mapping):
        raise AlgoLensError(
            f"set= came as a {type(given).__name__}: give a dictionary, as in "
            "{'has_priority@Mill#2': True}."
        )
    settings = []
    for key, values in given.items():
        words = KEY.fullmatch(key) if isinstance(key, str) else None
        if words is None:
            raise AlgoLensError(
                f"set[{key!r}] should name a concept, then where and when if not everywhere: "
                "'has_priority', 'has_priority@Mill' or 'has_priority@Mill#2' (at the second "
                "step)."
            )
        if words["element"] or not isinstance(values, Mapping):
            values = {words["element"]: values}
        for element, value in values.items():
            if not isinstance(value, bool | np.bool_):
                raise AlgoLensError(
                    f"set[{key!r}] is {value!r}: a concept is set to True or False."
                )
            made = _intervention(
                key, words["concept"], bool(value), element, words["step"], algorithm, graph
            )
            settings.append(Setting(key, made))
    return settings


def _intervention(
    said: str,
    concept: str,
    value: bool,
    element: object,
    step: str | None,
    algorithm: Algorithm,
    graph: Graph,
) -> Intervention:
    """A concept set at an element by its name (None: at all), in a step from 1 on (None: in all).

    said: how a message calls it.
    """
    concepts = algorithm.declaration.concepts
    if concept not in concepts:
        raise UnknownNameError(f"concept of {algorithm.name}", concept, concepts)
    place = None
    if isinstance(element, str) and step is not None:
        place = find_element(f"{element}#{step}", algorithm, graph)
    if place is not None:
        step = None  # the # belongs to a name
    elif element is not None:
        place = element_of(element, algorithm, graph)
    if step is not None and not (re.fullmatch("[0-9]{1,9}", step) and int(step) > 0):
        raise AlgoLensError(
            f"{brief(said)}: steps are numbered from 1, as in #2 for the second; "
            f"'#{step[:MOST_SHOWN]}' is none."
        )
    elements = None if place is None else [place]
    steps = None if step is None else [int(step) - 1]
    return Intervention(concept, value, elements, steps)


def never_came(settings: Sequence[Setting], num_steps: int) -> list[str]:
    """What to tell the user of those that name steps after the last."""
    notes = []
    for setting in settings:
        steps = setting.intervention.steps
        if isinstance(steps, list) and steps and min(steps) >= num_steps:
            notes.append(
                f"{setting.said} changed nothing: there is no step {min(steps) + 1}, the run ended "
                f"after {num_steps}."
            )
    return notes


def element_of(element: object, algorithm: Algorithm, graph: Graph) -> int:
    """The place of a node, or of an edge by its ends or a name; refused where there is none."""
    location = algorithm.declaration.location
    place = find_element(element, algorithm, graph)
    if place is None:
        names = [graph.name_at(location, i) for i in range(min(graph.count(location), MOST_NAMED))]
        raise UnknownNameError(f"{location.value} of this graph", element, names)
    return place


def node_near(name: object | None, graph: Graph) -> int | None:
    """The place of a node around which a page shows a graph; None where none is named."""
    if name is None:
        return None
    place = graph.place_of.get(str(name))
    if place is None:
        names = [graph.name_of(node) for node in range(min(graph.num_nodes, MOST_NAMED))]
        raise UnknownNameError("node of this graph", name, names)
    return place


def find_element(element: object, algorithm: Algorithm, graph: Graph) -> int | None:
    """The place of a node, or of an edge as ``("Mill", "Bridge")`` or ``Mill - Bridge``."""
    if algorithm.declaration.location is Location.NODE:
        return graph.place_of.get(str(element))
    name = str(element)
    ends = [(name[: at.start()], name[at.end() :]) for at in BETWEEN.finditer(name)]
    if isinstance(element, tuple) and len(element) == 2:
        ends = [(str(element[0]), str(element[1]))]
    for one, other in ends:
        u, v = graph.place_of.get(one), graph.place_of.get(other)
        if u is None or v is None:
            continue
        tails, heads = graph.edges
        is_edge = (tails == u) & (heads == v)
        if not graph.directed:
            is_edge |= (tails == v) & (heads == u)
        if is_edge.any():
            return int(flatnonzero(is_edge)[0])
    return None
