"""The min-finder: a transformer over a graph's edges, after Yan et al. (2020)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from algolens.models.disjoint_sets.packing import Packing
from algolens.models.layers import Linear, Norm

LAYERS = 6
DECODER_LAYERS = 0  # they would not change the pointer to the next edge: see docs/design.md
WIDER = 4  # the feed-forward part is so many times as wide


class Layer(nn.Module):
    """A transformer layer whose attention is the same for every query: one pooled vector a graph.

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


class LiteralLayer(nn.Module):
    """A layer as in the authors' code: normalised after each part, one map for keys and values."""

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.value = Linear(seeds, width, width)
        self.attention = KeyLogits(seeds, width)
        self.output = Linear(seeds, width, width)
        self.after_attention = Norm(seeds, width)
        self.widen = Linear(seeds, width, WIDER * width)
        self.narrow = Linear(seeds, WIDER * width, width)
        self.after_forward = Norm(seeds, width)

    def forward(self, x: Tensor, edges: Packing, sharpness: Tensor | None = None) -> Tensor:
        """[S, R, width] to the same. sharpness: of no effect."""
        mapped = self.value(x)
        attended = edges.spread(self.output(edges.pool(self.attention(mapped), mapped)))
        x = self.after_attention(1.5 * x + 0.5 * attended)
        return self.after_forward(1.5 * x + 0.5 * self.narrow(torch.relu(self.widen(x))))


class KeyLogits(nn.Module):
    """[S, R] what of an attention's logits depends on the key.

    It is a linear map of [query; key] plus the same of [key; query].
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        # the key in the one place, and in the other
        self.both = Linear(seeds, width, 2, bias=False, fan_in=2 * width)

    def forward(self, keys: Tensor) -> Tensor:
        """keys: [S, R, width]."""
        return self.both(keys).sum(-1)


class MinFinder(nn.Module):
    """Edges' latent states, and how likely each edge is the next: the lightest unvisited one.

    Attention is sharper among more edges, by the logarithm of their number (Chiang and Cholak
    2022): else the last unvisited edge of a large graph is lost among the visited ones. literal: as
    in the authors' code, but for weights there that can have no effect. Those are all of the
    decoder but the map of keys in its last layer: the pointer to the next edge is that layer's
    attention, and the query (like a bias of the keys) adds the same to all of its logits.
    """

    def __init__(self, seeds: int, features: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal, self.width = literal, width
        layer = LiteralLayer if literal else Layer
        self.embed = Linear(seeds, features, width)
        self.layers = nn.ModuleList([layer(seeds, width) for _ in range(LAYERS)])
        self.keys = Linear(seeds, width, width, bias=False) if literal else None
        self.point = (
            KeyLogits(seeds, width)
            if literal
            else Linear(seeds, width, 1, bias=False, fan_in=2 * width)
        )

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts; words say what the layers do."""
        decoder = "the keys of the last; nothing else of them has an effect"
        return {
            "finder_layers": LAYERS,
            "finder_decoder_layers": decoder if self.literal else DECODER_LAYERS,
            "finder_forward": WIDER * self.width,
            "finder_norm": "after each part" if self.literal else "before each part",
            "finder_sum": "1.5 x + 0.5 f(x)" if self.literal else "x + f(x)",
            "finder_maps": "one for both" if self.literal else "one for each",
            "finder_logits": "1" if self.literal else "the logarithm of the number of edges",
        }

    def forward(self, features: Tensor, edges: Packing) -> tuple[Tensor, Tensor]:
        """[S, R, width] latent states and [S, R] scores, from features [S, R, F]."""
        x = self.embed(features)
        sharpness = edges.sizes.log().index_select(0, edges.owner)
        for layer in self.layers:
            x = layer(x, edges, sharpness)
        return x, self.point(x if self.keys is None else self.keys(x)).view(x.shape[:2])
