"""From the latent states of edges and nodes to the concepts of edges."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from algolens.models.layers import Linear, leaky


class EdgeHead(nn.Module):
    """Scores of edges from [edge, one end, other end], two layers.

    They are the same whichever end is named first; in the authors' code, they are those of the
    order in which an edge is given.
    """

    def __init__(self, seeds: int, width: int, scores: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal = literal
        self.edge = Linear(seeds, width, width, fan_in=3 * width)
        # as the one end, and as the other
        self.ends = Linear(seeds, width, 2 * width, bias=False, fan_in=3 * width)
        self.last = Linear(seeds, width, scores)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        return {"edge_head": "in one order" if self.literal else "in both orders, averaged"}

    def forward(self, edges: Tensor, nodes: Tensor, ends: Tensor) -> Tensor:
        """[S, R, scores]. edges: [S, R, width]; nodes: [S, M, width]; ends: [2, R]."""
        own, either = self.edge(edges), self.ends(nodes)
        one, other = (either.index_select(1, each).chunk(2, -1) for each in ends)
        if self.literal:
            return self.last(leaky(own + one[0] + other[1]))
        hidden = leaky(own + one[0] + other[1]) + leaky(own + one[1] + other[0])
        return self.last(hidden / 2)


class VisitedHead(nn.Module):
    """Whether an edge is visited after the step, from two bits: it is the next one, it was visited
    before.
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.first = Linear(seeds, 2, width)
        self.last = Linear(seeds, width, 1)

    def forward(self, is_next: Tensor, was_visited: Tensor) -> Tensor:
        """[S, R] logits, from bools [S, R]."""
        bits = torch.stack([is_next, was_visited], -1).float()
        return self.last(leaky(self.first(bits))).squeeze(-1)
