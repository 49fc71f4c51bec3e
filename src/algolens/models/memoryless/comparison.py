"""Two numbers side by side: bits of how their learnt scores differ."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from algolens.models.layers import Seeded
from algolens.models.memoryless.bits import harden_far

SPREAD = 10.0  # how much faster than other weights the logarithms of the places' weights move: they have further to go
CHANNELS = 2  # one for the difference, one for its opposite


class Comparison(Seeded):
    """Two bits for a pair of numbers: hard(asinh(f(x) - f(y)) + a) and hard(asinh(f(y) - f(x)) + b).

    f is linear in the bits of a number, with weights sinh(theta) that can span many powers of two. What is learnt is by how
    much theta changes from one place to the next: then no place's weight has to be found against those of all the others.
    """

    def __init__(self, seeds: int, bits: int) -> None:
        super().__init__()
        self.change = nn.Parameter(torch.empty(seeds, bits))  # of theta, from each place to the one before it
        self.offset = nn.Parameter(torch.zeros(seeds, 1, CHANNELS))

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            self.change[place] = 0.1 / SPREAD * torch.randn(self.change[place].shape, generator=generator)

    @property
    def weights(self) -> Tensor:
        """[S, bits] what each place counts, the highest first; in double precision, so that low places are not lost."""
        theta = (SPREAD * self.change.double()).flip(1).cumsum(1).flip(1)
        return torch.sinh(theta)

    def scores(self, bits: Tensor) -> Tensor:
        """[S, N] f of numbers that come as their bits [N, bits]."""
        return self.weights @ bits.double().T

    def forward(self, difference: Tensor, noise: torch.Generator | None = None) -> Tensor:
        """[S, A, 2] the bits for differences of scores [S, A]. noise: makes unsure comparisons err, in training."""
        x = torch.asinh(torch.stack([difference, -difference], -1)).float() + self.offset
        return harden_far(x if noise is None else x + _logistic((x.shape[1], CHANNELS), noise).to(x.device))


def _logistic(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    uniform = torch.rand(shape, generator=generator).clamp_(1e-6, 1 - 1e-6)
    return uniform.log() - (-uniform).log1p()
