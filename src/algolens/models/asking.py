"""Going on as an "or" over nodes: each says by its concepts whether it asks for another step."""

from __future__ import annotations

from torch import Tensor, nn

from algolens.models.layers import Linear, leaky


class Asking(nn.Module):
    """Whether an element asks to go on, from its hard concepts: [S, N, C] to logits [S, N]. A graph goes on where one asks."""

    FACT = "an 'or' over what every element's concepts ask for"  # of the protocol

    def __init__(self, seeds: int, concepts: int, width: int) -> None:
        super().__init__()
        self.first = Linear(seeds, concepts, width)
        self.last = Linear(seeds, width, 1)

    def forward(self, concepts: Tensor) -> Tensor:
        return self.last(leaky(self.first(concepts))).squeeze(-1)
