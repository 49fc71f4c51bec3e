"""Groups of mixed sizes, packed one after the other: softmax and sums run inside a group."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.graphs.elements import owners
from algolens.models.layers import rows_of


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the members of P groups stand: R of them packed, P rows of M places in a table."""

    owner: Tensor  # [R] the group of each member
    absent: Tensor  # [P, M] bools: no member is here
    place: Tensor  # [R] where each member stands in the table, row * M + column

    @classmethod
    def of(cls, counts: Tensor) -> Packing:
        """Groups of these sizes [P]."""
        owner, first = owners(counts), counts.cumsum(0) - counts
        most = max(int(counts.max()) if len(counts) else 0, 1)
        columns = torch.arange(most, device=counts.device)
        absent = columns >= counts[:, None]
        place = torch.arange(len(owner), device=counts.device) - first[owner] + owner * most
        return cls(owner, absent, place)

    @property
    def sizes(self) -> Tensor:
        """[P] the members of each group, as floats."""
        return (~self.absent).sum(1).float()

    def table(self, x: Tensor) -> Tensor:
        """[S, P, M, ...] the members [S, R, ...] in a table; 0 where none is."""
        table = x.new_zeros(len(x), self.absent.numel(), *x.shape[2:])
        return table.index_copy(1, self.place, x).unflatten(1, self.absent.shape)

    def members(self, table: Tensor) -> Tensor:
        """[S, R, ...] the members of a table [S, P, M, ...]."""
        return rows_of(table.flatten(1, 2), self.place)

    def pool(self, logits: Tensor, x: Tensor) -> Tensor:
        """[S, P, F] the mean of members [S, R, F], by a group's softmax of logits [S, R]."""
        table = self.table(x)
        weights = self.table(logits).masked_fill(self.absent, torch.finfo(x.dtype).min).softmax(-1)
        return (weights.unsqueeze(-2) @ table).squeeze(-2)

    def spread(self, x: Tensor) -> Tensor:
        """[S, R, F] for each member what its group [S, P, F] has."""
        return rows_of(x, self.owner)

    def scores(self, scores: Tensor) -> Tensor:
        """[S, P, M] members' scores [S, R] as pointers to them take scores: -inf where none is."""
        return self.table(scores).masked_fill(self.absent, -torch.inf)
