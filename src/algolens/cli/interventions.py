"""Concepts set by hand, as a user types them."""

from __future__ import annotations

import re

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError
from algolens.front.settings import Setting, intervention
from algolens.graphs import Graph

FORM = re.compile(
    r"(?P<concept>\w+)=(?P<value>true|false)(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?",
    re.IGNORECASE,
)


def read_interventions(given: list[str], algorithm: Algorithm, graph: Graph) -> list[Setting]:
    """``has_priority=true@Mill#2``: a concept at a node (or edge), at a step counted from 1;
    without, everywhere and always.
    """
    return [_read(each, algorithm, graph) for each in given]


def _read(text: str, algorithm: Algorithm, graph: Graph) -> Setting:
    found = FORM.fullmatch(text)
    if found is None:
        raise AlgoLensError(
            f"--set '{text}' should be a concept and its value, then where and when if not "
            "everywhere: has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 "
            "(at the second step)."
        )
    said, value = f"--set '{text}'", found["value"].lower() == "true"
    return Setting(
        said,
        intervention(
            said, found["concept"], value, found["element"], found["step"], algorithm, graph
        ),
    )
