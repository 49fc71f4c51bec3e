"""One of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields.kinds._kind import Kind, label_of
from algolens.graphs import Graph, Location


@final
@dataclass(frozen=True)
class Category(Kind):
    """One of several classes, by name or by number. Scores are [..., classes]; the encoding is
    one-hot.

    >>> Category(3).labels, Category("undecided", "chosen", "out").labels
    (('0', '1', '2'), ('undecided', 'chosen', 'out'))
    """

    labels: tuple[str, ...] = ()
    dtype = torch.int64

    def __init__(self, *classes: str | int) -> None:
        """classes: their names; or how many there are, which are then called by their numbers."""
        names = (
            tuple(map(str, range(classes[0])))
            if len(classes) == 1 and isinstance(classes[0], int)
            else classes
        )
        if len(names) < 2:
            raise DefinitionError(f"a category needs two classes or more; {len(names)} came.")
        if len(set(names)) < len(names) or not all(
            isinstance(n, str) and (n.isidentifier() or n.isdecimal()) for n in names
        ):
            raise DefinitionError(
                f"classes are different names of letters, digits and underscores; {names} came."
            )
        object.__setattr__(self, "labels", names)

    @property
    def num_classes(self) -> int:
        """How many there are."""
        return len(self.labels)

    @property
    def width(self) -> int:
        return self.num_classes

    @property
    def num_scores(self) -> int:
        return self.num_classes

    @property
    def wanted(self) -> str:
        return f"one of the classes {', '.join(self.labels)}"

    def parse(self, graph: Graph, given: Any) -> Any:
        label = label_of(given)
        return self.labels.index(label) if label in self.labels else None

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < 0) | (values >= self.num_classes)

    def encode(self, values: Tensor) -> Tensor:
        return F.one_hot(values, self.num_classes).float()

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        # classes stand in the second place: along a short last dimension, PyTorch's softmax is slow
        by_class = scores.movedim(-1, min(truth.dim(), 1))
        losses = F.cross_entropy(by_class, truth, reduction="none", label_smoothing=smoothing)
        # the true class's weight for the whole: PyTorch would weigh what goes to each class by that
        # class
        return losses if weight is None else losses * weight[truth]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return torch.from_numpy(rng.integers(0, self.num_classes, graph.count(location)))

    @property
    def has_names(self) -> bool:
        """Whether its classes have names; else they are called by their numbers."""
        return self.labels != tuple(map(str, range(self.num_classes)))

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        return (
            [self.labels[value] for value in values.tolist()] if self.has_names else values.tolist()
        )
