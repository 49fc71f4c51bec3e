"""Concepts set by hand, as a user types them."""

from __future__ import annotations

import re

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.execution import Intervention
from algolens.graphs import Graph, Location
from algolens.reports.steps import element_name

FORM = re.compile(r"(?P<concept>\w+)=(?P<value>true|false)(?:@(?P<element>.+?))?(?:#(?P<step>[1-9][0-9]*))?", re.IGNORECASE)


def read_interventions(given: list[str], algorithm: Algorithm, graph: Graph) -> list[Intervention]:
    """``has_priority=true@Mill#2``: a concept at a node (or edge), at a step counted from 1; without, everywhere and always."""
    return [_read(each, algorithm, graph) for each in given]


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
    elements = None if found["element"] is None else [_place(found["element"], algorithm, graph)]
    steps = None if found["step"] is None else [int(found["step"]) - 1]
    return Intervention(found["concept"], found["value"].lower() == "true", elements, steps)


def _place(name: str, algorithm: Algorithm, graph: Graph) -> int:
    """The node of a name, or the edge between two, as in ``Mill - Bridge``."""
    location = algorithm.declaration.location
    names = [element_name(graph, location, i) for i in range(graph.count(location))]
    wanted = [name]
    if location is Location.EDGE:
        ends = [end.strip() for end in re.split(r"\s+-\s+|-", name, maxsplit=1)]
        wanted = [" - ".join(ends), " - ".join(reversed(ends))]
    for each in wanted:
        if each in names:
            return names.index(each)
    raise UnknownNameError(f"{location.value} of this graph", name, names[:50])
