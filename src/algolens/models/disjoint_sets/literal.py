"""The min-finder and the pointer network as in the authors' code, but for weights there that can
have no effect.

Those are: of the min-finder's decoder all but the map of keys in its last layer, for the pointer to
the next edge is that layer's attention, and the query (like a bias of the keys) adds the same to
all of its logits; and of the pointer network's GRU the maps of the state, which is zero, with the
gate that resets it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from algolens.models.disjoint_sets.min_finder import LAYERS, WIDER
from algolens.models.disjoint_sets.pointer_network import max_with
from algolens.models.layers import Linear, Norm, add_leaky, leaky
from algolens.models.packing import Packing


class LiteralLayer(nn.Module):
    """A transformer layer, normalised after each part, with one map for queries, keys and
    values.
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.value = Linear(seeds, width, width)
        self.attention = KeyLogits(seeds, width)
        self.output = Linear(seeds, width, width)
        self.after_attention = Norm(seeds, width)
        self.widen = Linear(seeds, width, WIDER * width)
        self.narrow = Linear(seeds, WIDER * width, width)
        self.after_forward = Norm(seeds, width)

    def forward(self, x: Tensor, edges: Packing) -> Tensor:
        """[S, R, width] to the same."""
        mapped = self.value(x)
        attended = edges.spread(self.output(edges.pool(self.attention(mapped), mapped)))
        x = self.after_attention(1.5 * x + 0.5 * attended)
        return self.after_forward(1.5 * x + 0.5 * self.narrow(torch.relu(self.widen(x))))


class KeyLogits(nn.Module):
    """[S, R] what of an attention's logits depends on the key: a linear map of [query; key] plus
    the same of [key; query].
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        # the key in the one place, and in the other
        self.both = Linear(seeds, width, 2, bias=False, fan_in=2 * width)

    def forward(self, keys: Tensor) -> Tensor:
        """keys: [S, R, width]."""
        return self.both(keys).sum(-1)


class LiteralFinder(nn.Module):
    """Edges' latent states, and how likely each edge is the next."""

    def __init__(self, seeds: int, features: int, width: int) -> None:
        super().__init__()
        self.embed = Linear(seeds, features, width)
        self.layers = nn.ModuleList([LiteralLayer(seeds, width) for _ in range(LAYERS)])
        self.keys = Linear(seeds, width, width, bias=False)
        self.point = KeyLogits(seeds, width)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts; those that are words say what
        ``LiteralLayer`` does.
        """
        return {
            "finder_layers": LAYERS,
            "finder_decoder_layers": "the keys of the last; nothing else of them has an effect",
            "finder_forward": WIDER * self.keys.weight.shape[1],
            "finder_norm": "after each part",
            "finder_sum": "1.5 x + 0.5 f(x)",
            "finder_maps": "one for both",
            "finder_logits": "1",
        }

    def forward(self, features: Tensor, edges: Packing) -> tuple[Tensor, Tensor]:
        """[S, R, width] latent states and [S, R] scores, from features [S, R, F]."""
        x = self.embed(features)
        for layer in self.layers:
            x = layer(x, edges)
        return x, self.point(self.keys(x))


class LiteralPointers(nn.Module):
    """Latent states of nodes, by one round of messages along pointers and a GRU whose state is
    zero, both without biases.
    """

    def __init__(self, seeds: int, features: int, width: int) -> None:
        super().__init__()
        fan_in = features + width
        self.join = Linear(seeds, features, width, bias=False, fan_in=fan_in)
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.first = Linear(seeds, width, 3 * width, bias=False, fan_in=2 * width)
        self.message = Linear(seeds, width, width, bias=False)
        self.update = Linear(seeds, width, width, bias=False, fan_in=2 * width)
        # how much of the state stays, and what is new
        self.gates = Linear(seeds, width, 2 * width, bias=False)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        return {
            "pointer_rounds": 1,
            "pointer_gate": "zero at every step",
            "pointer_encoder_end": "LeakyReLU",
            "pointer_biases": self.update.bias is not None,
        }

    def forward(self, joined: Tensor, memory: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """[S, N, width] encoded and latent states; joined, memory, target: as ``PointerNetwork``
        takes them.
        """
        z = leaky(joined + self.join_memory(memory))
        receiver, sender, own = self.first(z).chunk(3, -1)
        down = leaky(receiver + sender.index_select(1, target))  # from the node that one points to
        up = leaky(receiver.index_select(1, target) + sender)  # to the node that one points to
        down, up = self.message(torch.cat([down, up], 1)).chunk(2, 1)
        x = add_leaky(own, self.update(leaky(max_with(down, up, target))))
        stays, new = self.gates(x).chunk(2, -1)
        return z, (1 - torch.sigmoid(stays)) * torch.tanh(new)
