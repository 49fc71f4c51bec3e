"""What every kind of value is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from algolens.fields.scale import Ranks
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import exact_number

LARGE = 10**18  # no class has so large a number


class Kind(ABC):
    """What a value can be: how wide its encoding is, how it is predicted from scores, its loss and
    its accuracy.
    """

    dtype: ClassVar[torch.dtype]
    embedding_layers: ClassVar[int] = 1  # that a network embeds its encoding by

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers encode a value."""

    @property
    @abstractmethod
    def num_scores(self) -> int:
        """How many scores predict a value; 0 where it depends on the graph."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The names of its classes; none where values are no classes."""

    @property
    def leads_to(self) -> Location | None:
        """Where a pointer leads; None of any other kind."""
        return None

    @property
    @abstractmethod
    def wanted(self) -> str:
        """What a user may give as a value, in words."""

    @abstractmethod
    def parse(self, graph: Graph, given: Any) -> Any:
        """The value that a user's word, number or truth value stands for; None where it stands for
        none.
        """

    @abstractmethod
    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        """[...] bools: which values, of the right dtype, are none of this kind?"""

    @abstractmethod
    def encode(self, values: Tensor) -> Tensor:
        """Values [...] as features [..., width]."""

    def shaped(self, scores: Tensor) -> Tensor:
        """A layer's [..., num_scores] as ``predict`` and ``loss`` take scores."""
        return scores

    @abstractmethod
    def predict(self, scores: Tensor) -> Tensor:
        """The likeliest values [...] for scores."""

    @abstractmethod
    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        """The loss of each value [...], not averaged.

        weight: of each class, for those that are rare. smoothing: the share of the target that goes
        to all classes alike.
        """

    @abstractmethod
    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        """A random value at every place."""

    def fit(
        self, graph: Graph, location: Location, parsed: Sequence[Any]
    ) -> tuple[Tensor, Ranks | None]:
        """Parsed values as a tensor of this kind; and how they were ranked, where it holds only
        their order.
        """
        return torch.tensor(parsed, dtype=self.dtype), None

    def clash(self, graph: Graph, location: Location, values: Tensor) -> tuple[int, int] | None:
        """The places of two values that must differ and do not, where there are such."""
        return None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON: its name, and what it was made with."""
        made = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        written = {
            name: value.value if isinstance(value, Location) else value
            for name, value in made.items()
        }
        return {
            "kind": type(self).__name__.lower(),
            **{n: list(v) if isinstance(v, tuple) else v for n, v in written.items()},
        }

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        """Values at every place of a location, as a person reads them: a class by its name, a
        pointer by what it points to.
        """
        return values.tolist()

    def accuracy(self, predicted: Tensor, truth: Tensor) -> Tensor:
        """[...] 1 where a value is right, 0 where it is wrong."""
        return (predicted == truth).float()


def label_of(given: Any) -> str:
    """What a user gave, as the name of a class: truth values in small letters, whole numbers
    without a fraction.
    """
    if isinstance(given, bool):
        return str(given).lower()
    number = None if isinstance(given, str) else exact_number(given)
    return (
        str(int(number))
        if number is not None and -LARGE < number < LARGE and number == int(number)
        else str(given).strip()
    )


def softened(truth: Tensor, smoothing: float) -> Tensor:
    """Truths of two classes, 0 or 1, of which a share goes to both alike."""
    return truth * (1 - smoothing) + smoothing / 2 if smoothing else truth
