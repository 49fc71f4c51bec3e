"""True or false."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.fields.kinds._kind import Kind, label_of, softened
from algolens.graphs import Graph, Location


@final
@dataclass(frozen=True)
class Mask(Kind):
    """True or false. Scores are logits [...]; the encoding is one-hot, false first."""

    dtype = torch.bool

    @property
    def width(self) -> int:
        return 2

    @property
    def num_scores(self) -> int:
        return 1

    @property
    def labels(self) -> tuple[str, ...]:
        return ("false", "true")

    @property
    def wanted(self) -> str:
        return "true or false"

    def parse(self, graph: Graph, given: Any) -> Any:
        return {"true": True, "1": True, "false": False, "0": False}.get(label_of(given).lower())

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return torch.zeros_like(values)

    def encode(self, values: Tensor) -> Tensor:
        return torch.stack([~values, values], -1).float()

    def shaped(self, scores: Tensor) -> Tensor:
        return scores.squeeze(-1)

    def predict(self, scores: Tensor) -> Tensor:
        return scores > 0

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(
            scores, softened(truth.float(), smoothing), reduction="none"
        )
        return losses if weight is None else losses * weight[truth.long()]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return torch.from_numpy(rng.random(graph.count(location)) < 0.5)
