"""Which algorithms there are."""

from __future__ import annotations

from algolens.algorithms import algorithms
from algolens.reports.declared import purpose


def list_algorithms() -> dict[str, str]:
    """Every algorithm that is known by its name, and what it does in a line.

    >>> list_algorithms()["bfs"]
    'Breadth-first search: which nodes can be reached from a source.'
    """
    return {name: purpose(cls()) for name, cls in algorithms().items()}
