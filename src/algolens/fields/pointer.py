"""A place inside the own graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields.kinds import Kind, StartForm
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import label_of


@final
@dataclass(frozen=True)
class Pointer(Kind):
    """A node or an edge of the own graph, by its index there.

    Scores are [..., places], padded with -inf where graphs have fewer. A pointer is a link and no
    feature: it is not encoded.
    """

    to: Location
    itself_is_none: bool = False  # a node that points to itself has no parent; it is not its root
    dtype = torch.int64
    width = 0
    start_forms = ((str, StartForm.TERM),)

    def __post_init__(self) -> None:
        if self.to is Location.LINK:  # an edge has one place inside its graph, and two links
            raise DefinitionError(
                "a pointer leads to a node, an edge or a graph, and this one leads to a link: "
                "point to the link's sender, or to its edge."
            )

    @property
    def points_to(self) -> Location:
        return self.to

    @property
    def wanted(self) -> str:
        return f"a {self.to.value} of the same graph"

    @property
    def described(self) -> str:
        return f"{'an' if self.to is Location.EDGE else 'a'} {self.to.value}"

    def wanted_at(self, graph: Graph, location: Location, place: int) -> str:
        last = int(graph.counts(self.to)[graph.owner(location)[place]]) - 1
        return f"{self.wanted}, numbered 0 to {last}"

    def parse(self, graph: Graph, given: Any) -> Any:
        """Nodes go by their names, letter by letter; edges have none."""
        name = given if isinstance(given, str) else label_of(given)
        return graph.place_of.get(name) if self.to is Location.NODE else None

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < 0) | (values >= graph.counts(self.to)[graph.owner(location)])

    def encode(self, values: Tensor) -> Tensor:
        return torch.zeros(*values.shape, 0, device=values.device)

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        flat = F.cross_entropy(
            scores.reshape(-1, scores.shape[-1]), truth.reshape(-1), reduction="none"
        )
        losses = flat.reshape(truth.shape)
        if not smoothing:
            return losses
        there = scores.isfinite()
        evenly = (-scores.log_softmax(-1)).masked_fill(~there, 0).sum(-1) / there.sum(-1)
        return (1 - smoothing) * losses + smoothing * evenly

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        room = graph.counts(self.to)[graph.owner(location)].numpy()
        return torch.from_numpy((rng.random(len(room)) * room).astype(np.int64))

    def num_values(self, counts: Mapping[Location, int]) -> int:
        return counts[self.to]

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        """The name of what is pointed to; None where a node points to none."""
        to = (values + graph.first(self.to)[graph.owner(location)]).tolist()
        to_none = self.itself_is_none and location is self.to
        return [
            None if to_none and place == element else graph.name_at(self.to, place)
            for element, place in enumerate(to)
        ]
