"""What a node (or an edge) is, as one of finitely many classes, and its numbers apart."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

import torch
from torch import Tensor

from algolens.algorithms import Declaration, Values
from algolens.fields import Kind, Number


class Classes:
    """The class of a node, or edge: one for each combination of values that its state and its labelled inputs can have.

    >>> from algolens.algorithms import algorithm
    >>> classes = Classes(algorithm("coloring").declaration)
    >>> classes.count, list(classes.numbers)
    (6, ['priority'])
    """

    def __init__(self, declaration: Declaration, names: Collection[str] | None = None) -> None:
        """names: of the fields that make a class, or are numbers; None: all that the algorithm reads and carries over."""
        inputs = {name: field for name, field in declaration.inputs.items() if not field.start_only}
        state = {name: declaration.predicted[name] for name in declaration.state}
        if names is not None:
            inputs, state = ({name: field for name, field in each.items() if name in names} for each in (inputs, state))
        self.labelled: dict[str, Kind] = {name: field.kind for name, field in {**inputs, **state}.items() if field.kind.labels}
        self.numbers: dict[str, Number] = {name: field.kind for name, field in inputs.items() if isinstance(field.kind, Number)}
        self.count = prod(len(kind.labels) for kind in self.labelled.values())

    def of(self, values: Values) -> Tensor:
        """[N] the class of each. values: the labelled fields."""
        found = torch.zeros((), dtype=torch.int64)
        for name, kind in self.labelled.items():
            found = found.to(values[name].device) * len(kind.labels) + values[name].long()
        return found

    def values(self, classes: Tensor) -> dict[str, Tensor]:
        """The labelled fields [...] of classes [...]: the inverse of ``of``."""
        found: dict[str, Tensor] = {}
        for name, kind in reversed(self.labelled.items()):
            found[name] = (classes % len(kind.labels)).to(kind.dtype)
            classes = classes // len(kind.labels)
        return found
