"""What a processor is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import Tensor, nn

from algolens.models.layers import GRU, Bias, Linear, add_leaky
from algolens.models.recurrent.messages import max_message
from algolens.models.recurrent.neighbourhoods import Neighbourhoods


class Processor(nn.Module, ABC):
    """Eq. 2: H = P(Z, E), one round of messages between neighbours."""

    can_record: ClassVar[bool] = True  # whether a GPU can record it: shapes do not depend on values

    @abstractmethod
    def __init__(self, seeds: tuple[int, ...], width: int) -> None:
        super().__init__()

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""

    @abstractmethod
    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        """[S, N, width] latent states, from encoded inputs z and the last latent states, both [S,
        N, width].
        """


class MessagePassing(Processor):
    """h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i), where M is two layers with LeakyReLU."""

    def __init__(self, seeds: tuple[int, ...], width: int) -> None:
        super().__init__(seeds, width)
        count = len(seeds)
        # what the encoded input gives to its own message, to its neighbours' messages, and to its
        # update, in one product
        self.first = Linear(count, width, 3 * width, bias=False, fan_in=2 * width)
        self.first_bias = Bias(count, width, fan_in=2 * width)
        self.message = Linear(count, width, width, bias=False)
        self.message_bias = Bias(count, width, fan_in=width)
        self.update = Linear(count, width, width, fan_in=2 * width)
        self.gate = GRU(count, width)

    def facts(self) -> dict[str, Any]:
        return {"processor": "message passing with maximum", "processor_layers": 2}

    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        receiver, sender, own = self.first(z).chunk(3, -1)
        best = max_message(receiver + self.first_bias.bias, sender, self.message, table)
        message = add_leaky(best, self.message_bias.bias)
        return self.gate(add_leaky(own, self.update(message)), memory)
