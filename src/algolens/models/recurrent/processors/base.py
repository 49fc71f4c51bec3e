"""What a processor is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import Tensor, nn

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
