"""What encoder and processor give."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, eq=False)
class Thought:
    """What one look gave before the concept head, for every seed."""

    encoded: Tensor  # [S, N, width] z
    latent: Tensor  # [S, N, width] h, handed back at the next step

    def first(self, n: int) -> Thought:
        """That of the first n nodes."""
        return Thought(self.encoded[:, :n], self.latent[:, :n])
