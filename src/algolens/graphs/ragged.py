"""Groups of different sizes that stand one after the other."""

from __future__ import annotations

import torch
from torch import Tensor


def owners(counts: Tensor, total: int | None = None) -> Tensor:
    """[R] the group that each member belongs to, for groups of these sizes [G].

    total: of all sizes, where it is known: a device is then not asked for it.

    >>> owners(torch.tensor([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return torch.repeat_interleave(
        torch.arange(len(counts), device=counts.device), counts, output_size=total
    )


def ranges(starts: Tensor, counts: Tensor) -> Tensor:
    """start, start + 1, ..., start + count - 1 for each pair, one range after the other.

    >>> ranges(torch.tensor([5, 9, 0]), torch.tensor([2, 0, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = torch.repeat_interleave(starts - (counts.cumsum(0) - counts), counts)
    return torch.arange(len(shift), device=counts.device) + shift
