"""The min-finder: a transformer over a graph's edges, after the neural execution engine of Yan et
al. (2020).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from algolens.models.layers import Linear, Norm
from algolens.models.packing import Packing

LAYERS = 6
DECODER_LAYERS = 0  # they would not change the pointer to the next edge: see docs/architecture.md
WIDER = 4  # the feed-forward part is so many times as wide


class Layer(nn.Module):
    """A transformer layer whose attention is the same for every query: one pooled vector for a
    graph.

    An attention logit is a linear map of [query; key] plus the same map of [key; query]: a term of
    the query and a term of the key. The softmax over keys does not see the query's.
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.before_attention = Norm(seeds, width)
        self.attention = Linear(seeds, width, 1, bias=False, fan_in=2 * width)
        self.value = Linear(seeds, width, width)
        self.output = Linear(seeds, width, width)
        self.before_forward = Norm(seeds, width)
        self.widen = Linear(seeds, width, WIDER * width)
        self.narrow = Linear(seeds, WIDER * width, width)

    def forward(self, x: Tensor, edges: Packing, sharpness: Tensor) -> Tensor:
        """[S, R, width] to the same. sharpness: [R] what logits are multiplied by."""
        normal = self.before_attention(x)
        # values are linear: mapped after the pooling, there are only as many as graphs
        pooled = edges.pool(self.attention(normal).squeeze(-1) * sharpness, normal)
        x = x + edges.spread(self.output(self.value(pooled)))
        return x + self.narrow(torch.relu(self.widen(self.before_forward(x))))


class MinFinder(nn.Module):
    """Edges' latent states, and how likely each edge is the next: the lightest that has not been
    visited.

    Attention is sharper among more edges, by the logarithm of their number (Chiang and Cholak
    2022): else the last unvisited edge of a large graph is lost among the visited ones.
    """

    def __init__(self, seeds: int, features: int, width: int) -> None:
        super().__init__()
        self.embed = Linear(seeds, features, width)
        self.layers = nn.ModuleList([Layer(seeds, width) for _ in range(LAYERS)])
        self.point = Linear(seeds, width, 1, bias=False, fan_in=2 * width)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts; those that are words say what
        ``Layer`` does.
        """
        return {
            "finder_layers": LAYERS,
            "finder_decoder_layers": DECODER_LAYERS,
            "finder_forward": WIDER * self.point.weight.shape[1],
            "finder_norm": "before each part",
            "finder_sum": "x + f(x)",
            "finder_maps": "one for each",
            "finder_logits": "the logarithm of the number of edges",
        }

    def forward(self, features: Tensor, edges: Packing) -> tuple[Tensor, Tensor]:
        """[S, R, width] latent states and [S, R] scores, from features [S, R, F]."""
        x = self.embed(features)
        sharpness = edges.sizes.log().index_select(0, edges.owner)
        for layer in self.layers:
            x = layer(x, edges, sharpness)
        return x, self.point(x).squeeze(-1)
