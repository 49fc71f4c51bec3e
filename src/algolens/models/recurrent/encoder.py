"""From declared fields to the latent space (eq. 1 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from algolens.fields import Kind
from algolens.models.layers import Linear, leaky, rows_of


class Encoder(nn.Module):
    """Eq. 1: z = f(x, h). Fields are embedded, then joined with the last latent state.

    A single field goes straight into one affine map with the state, and in the authors' code
    LeakyReLU follows; several are embedded first (a class in one layer, a number's bits in two),
    and joined in two layers, as in the authors' code.
    """

    def __init__(
        self,
        seeds: int,
        inputs: Mapping[str, Kind],
        state: Mapping[str, Kind],
        width: int,
        *,
        ends_leaky: bool = False,
    ) -> None:
        super().__init__()
        self.ends_leaky = ends_leaky  # after one layer; after two it always does
        self.kinds = {name: kind for name, kind in {**inputs, **state}.items() if kind.width}
        self.inputs = tuple(name for name in inputs if name in self.kinds)
        self.state = tuple(name for name in state if name in self.kinds)
        several = len(self.kinds) > 1
        widths = {name: width if several else kind.width for name, kind in self.kinds.items()}
        fan_in = sum(widths.values()) + width
        self.embed = nn.ModuleDict(
            {name: _embedding(seeds, kind, width) for name, kind in self.kinds.items() if several}
        )
        self.join = nn.ModuleDict(
            {
                name: Linear(seeds, wide, width, bias=False, fan_in=fan_in)
                for name, wide in widths.items()
            }
        )
        # the joint map in parts, so that what does not change between steps is computed once
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.deepen = Linear(seeds, width, width) if several else None

    def constant(self, inputs: Mapping[str, Tensor]) -> EncodedInputs:
        """What is the same at every step. inputs: encoded, each [N, ...]."""
        parts = [self._part(name, inputs[name]) for name in self.inputs]
        # there are only so many classes: each goes through the layers once, and every node looks
        # its own up
        classes = {
            name: torch.eye(self.kinds[name].width, device=self._device)
            for name in self.state
            if self.kinds[name].labels
        }
        return EncodedInputs(
            sum(parts[1:], parts[0]) if parts else None,
            {name: self._part(name, each) for name, each in classes.items()},
        )

    def given(self, constant: EncodedInputs, state: Mapping[str, Tensor]) -> Tensor:
        """[S, R, width] the joint map without the memory's part. state: encoded, [R, ...] or [S, R,
        ...].
        """
        parts = []
        for name in self.state:
            known = constant.classes.get(name)
            parts.append(
                self._part(name, state[name])
                if known is None
                else _for_seeds(state[name], len(known)) @ known
            )
        if constant.inputs is not None:
            parts.append(constant.inputs)
        return sum(parts[1:], parts[0])

    def forward(self, given: Tensor, memory: Tensor) -> Tensor:
        """[S, N, width], from what was given and the memory, both [S, N, width]."""
        z = given + self.join_memory(memory)
        if self.deepen is None:
            return leaky(z) if self.ends_leaky else z
        return leaky(self.deepen(leaky(z)))

    def _part(self, name: str, encoded: Tensor) -> Tensor:
        x = _for_seeds(encoded, len(self.join_memory.weight))
        return self.join[name](self.embed[name](x) if name in self.embed else x)

    @property
    def _device(self) -> torch.device:
        return self.join_memory.weight.device


@dataclass(frozen=True, eq=False)
class EncodedInputs:
    """What the encoder need compute only once for a batch."""

    # [S, N, width] the inputs' part of the joint map; None where no input is seen
    inputs: Tensor | None
    classes: Mapping[str, Tensor]  # [S, K, width] the part of each class of a state field

    def repeated(self, sizes: list[int]) -> EncodedInputs:
        """That of the first so many nodes, again and again."""
        if self.inputs is None:
            return self
        return EncodedInputs(torch.cat([self.inputs[:, :n] for n in sizes], 1), self.classes)

    def rows(self, index: Tensor) -> EncodedInputs:
        """That of some rows."""
        return (
            self
            if self.inputs is None
            else EncodedInputs(rows_of(self.inputs, index), self.classes)
        )


class _Layers(nn.Sequential):
    """Layers with LeakyReLU after each."""

    def forward(self, x: Tensor) -> Tensor:
        for layer in self:
            x = leaky(layer(x))
        return x


def _embedding(seeds: int, kind: Kind, width: int) -> nn.Module:
    first = Linear(seeds, kind.width, width)
    return (
        _Layers(first, Linear(seeds, width, width))
        if kind.num_embedding_layers == 2
        else _Layers(first)
    )


def _for_seeds(x: Tensor, seeds: int) -> Tensor:
    return x if x.dim() == 3 else x.expand(seeds, *x.shape)
