"""Concepts set by hand, as a user types them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.execution import Intervention
from algolens.graphs import Graph, Location

FORM = re.compile(r"(?P<concept>\w+)=(?P<value>true|false)(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?", re.IGNORECASE)


def read_interventions(given: list[str], algorithm: Algorithm, graph: Graph) -> list[Intervention]:
    """``has_priority=true@Mill#2``: a concept at a node (or edge), at a step counted from 1; without, everywhere and always."""
    return [_read(each, algorithm, graph) for each in given]


def never_came(given: list[str], interventions: Sequence[Intervention], num_steps: int) -> list[str]:
    """What to tell the user of those that name steps after the last."""
    return [
        f"--set '{text}' changed nothing: there is no step {min(each.steps) + 1}, the run ended after {num_steps}."
        for text, each in zip(given, interventions, strict=True)
        if isinstance(each.steps, list) and min(each.steps) >= num_steps
    ]


def _read(text: str, algorithm: Algorithm, graph: Graph) -> Intervention:
    found = FORM.fullmatch(text.strip())
    if found is None:
        raise AlgoLensError(
            f"--set '{text}' should be a concept and its value, then where and when if not everywhere: "
            "has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 (at the second step)."
        )
    concepts = algorithm.declaration.concepts
    if found["concept"] not in concepts:
        raise UnknownNameError(f"concept of {algorithm.name}", found["concept"], concepts)
    element, step = found["element"], found["step"]
    elements: list[int] | None
    if element and step is not None and (place := _find(f"{element}#{step}", algorithm, graph)) is not None:
        elements, step = [place], None  # the # belongs to a name
    else:
        elements = None if element is None else [_place(element, algorithm, graph)]
    if step is not None and not (re.fullmatch("[0-9]{1,9}", step) and int(step) > 0):
        raise AlgoLensError(f"--set '{text}': steps are numbered from 1, as in #2 for the second; '#{step}' is none.")
    return Intervention(found["concept"], found["value"].lower() == "true", elements, None if step is None else [int(step) - 1])


def _place(name: str, algorithm: Algorithm, graph: Graph) -> int:
    place = _find(name, algorithm, graph)
    if place is None:
        names = _names(algorithm, graph)
        raise UnknownNameError(f"{algorithm.declaration.location.value} of this graph", name, names[:50])
    return place


def _find(name: str, algorithm: Algorithm, graph: Graph) -> int | None:
    """The node of a name, or the edge between two, as in ``Mill - Bridge``."""
    names, wanted = _names(algorithm, graph), [name]
    if algorithm.declaration.location is Location.EDGE:
        ends = [end.strip() for end in re.split(r"\s+-\s+|-", name, maxsplit=1)]
        wanted = [" - ".join(ends), " - ".join(reversed(ends))]
    return next((names.index(each) for each in wanted if each in names), None)


def _names(algorithm: Algorithm, graph: Graph) -> list[str]:
    location = algorithm.declaration.location
    return [graph.name_at(location, i) for i in range(graph.count(location))]
