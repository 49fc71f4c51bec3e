"""What encoder and processor give (eqs. 1 and 2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, eq=False)
class Processed:
    """What encoder and processor gave, for every seed; the concept head reads it."""

    encoded: Tensor  # [S, N, width] z
    latent: Tensor  # [S, N, width] h, handed back at the next step
