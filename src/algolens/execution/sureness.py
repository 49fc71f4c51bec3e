"""How sure a network is of the concepts that it decides by, noted down while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from algolens.execution import Decide


class Sureness:
    """Notes down what every step of a run decides by: concepts as a network has them, probabilities
    before they are rounded.

    >>> from algolens.algorithms import algorithm
    >>> from algolens.execution import run_algorithm
    >>> from algolens.graphs import Graph
    >>> sureness = Sureness()
    >>> bfs = algorithm("bfs")
    >>> sockets = sureness.noting({"decide": bfs.declaration.rule_set.decide})
    >>> source = {"source": torch.tensor([0])}
    >>> run = run_algorithm(bfs, Graph.pack([2], [(0, 1)]), source, **sockets)
    >>> sureness.noted is None  # the algorithm's own concepts are true or false
    True
    """

    def __init__(self) -> None:
        self._steps: list[Tensor] = []

    def noting(self, sockets: Mapping[str, Any]) -> dict[str, Any]:
        """The same parts for the loop, of which ``decide`` is noted down; without one, the
        algorithm decides, and is sure.
        """
        if "decide" not in sockets:
            return dict(sockets)
        decide: Decide = sockets["decide"]

        def noted(concepts: Tensor) -> dict[str, Tensor]:
            self._steps.append(concepts)
            return decide(concepts)

        return {**sockets, "decide": noted}

    @property
    def noted(self) -> Tensor | None:
        """[T, N, C] probabilities, step by step; None where concepts were true or false from the
        start.
        """
        if not self._steps or self._steps[0].dtype == torch.bool:
            return None
        return torch.stack(self._steps)
