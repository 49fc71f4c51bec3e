"""Interventions: concepts set by hand during a run, to see what follows from them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.graphs import Graph
from algolens.graphs.taken import as_places


@dataclass(frozen=True)
class Intervention:
    """A concept set to a value, at some nodes (or edges) and some steps, whatever was perceived
    there.

    >>> from algolens.algorithms import algorithm
    >>> from algolens.execution import execute
    >>> path = Graph.pack([3], [(0, 1), (1, 2)])
    >>> never = Intervention("has_visited_neighbours", False, elements=[1])
    >>> run = execute(algorithm("bfs"), path, {"source": torch.tensor([0])}, interventions=[never])
    >>> run.final("visited").tolist()
    [True, False, False]
    """

    concept: str
    value: bool
    # places of nodes or edges in the batch; None: all
    elements: Sequence[int] | Tensor | None = None
    steps: Container[int] | None = None  # from 0 on; None: all

    def checked(self, algorithm: Algorithm, graph: Graph) -> CheckedIntervention:
        """The intervention with its elements as a mask; an error where it names what is not
        there.
        """
        declaration = algorithm.declaration
        if self.concept not in declaration.concepts:
            raise UnknownNameError(
                f"concept of {algorithm.name}", self.concept, declaration.concepts
            )
        if not isinstance(self.value, bool | np.bool_):
            raise AlgoLensError(
                f"an intervention sets '{self.concept}' to {self.value!r}; a concept is True or "
                "False."
            )
        count = graph.count(declaration.location)
        mask = torch.zeros(count, dtype=torch.bool, device=graph.device)
        if self.elements is None:
            return CheckedIntervention(self.concept, self.value, ~mask, self.steps)
        elements = f"the {declaration.location.value}s of an intervention on '{self.concept}'"
        places = as_places(self.elements, elements, graph.device).flatten()
        outside = places[(places < 0) | (places >= count)]
        if len(outside):
            raise AlgoLensError(
                f"an intervention on '{self.concept}' names {declaration.location.value} "
                f"{int(outside[0])}; there are {count}, counted from 0."
            )
        mask[places] = True
        return CheckedIntervention(self.concept, self.value, mask, self.steps)


@dataclass(frozen=True, eq=False)
class CheckedIntervention:
    """An intervention on a batch at hand."""

    concept: str
    value: bool
    mask: Tensor  # [N] bools
    steps: Container[int] | None
