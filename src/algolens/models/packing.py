"""Groups of mixed sizes, packed one after the other: softmax and sums inside a group, without
scattering.

A group's members stand together. Where they must stand in a table, with a row for each group, they
are gathered into it, and gradients are gathered back: every member has one place, so nothing is
ever added up in an order that could change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from algolens.graphs.elements import owners


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the members of P groups stand: R of them packed, P rows of M places in a table."""

    owner: Tensor  # [R] the group of each member
    member: Tensor  # [P * M] the member in each place of the table; any, where there is none
    absent: Tensor  # [P, M] bools: no member is here
    place: Tensor  # [R] where each member stands in the table, row * M + column

    @classmethod
    def of(cls, counts: Tensor, most: int, total: int) -> Packing:
        """Groups of these sizes: [P] on the device, and the largest and the sum of them as numbers,
        known without asking it.
        """
        device, most = counts.device, max(most, 1)
        first = counts.cumsum(0) - counts
        columns = torch.arange(most, device=device)
        absent = columns >= counts[:, None]
        owner = owners(counts, total)
        member = torch.where(absent, 0, first[:, None] + columns).flatten()
        place = torch.arange(total, device=device) - first[owner] + owner * most
        return cls(owner, member, absent, place)

    @property
    def num_groups(self) -> int:
        return self.absent.shape[0]

    @property
    def sizes(self) -> Tensor:
        """[P] the members of each group, as numbers with a fraction."""
        return (~self.absent).sum(1).float()

    @property
    def most(self) -> int:
        """The members of the largest group."""
        return self.absent.shape[1]

    def table(self, x: Tensor) -> Tensor:
        """[S, P, M, ...] the members [S, R, ...] in a table; where none is, anything finite."""
        if not len(self.owner):
            return x.new_zeros(x.shape[0], *self.absent.shape, *x.shape[2:])
        table: Tensor = _Table.apply(x, self)
        return table

    def members(self, table: Tensor) -> Tensor:
        """[S, R, ...] the members of a table [S, P, M, ...]."""
        return table.flatten(1, 2).index_select(1, self.place)

    def pool(self, logits: Tensor, x: Tensor) -> Tensor:
        """[S, P, F] the mean of the members [S, R, F], weighted by the softmax, inside a group, of
        logits [S, R].
        """
        table = self.table(x)
        weights = self.table(logits).masked_fill(self.absent, torch.finfo(x.dtype).min).softmax(-1)
        return (weights.unsqueeze(-2) @ table).squeeze(-2)

    def spread(self, x: Tensor) -> Tensor:
        """[S, R, F] for each member what its group [S, P, F] has."""
        spread: Tensor = _Spread.apply(x, self)
        return spread

    def scores(self, scores: Tensor) -> Tensor:
        """[S, P, M] scores [S, R] of a group's members, -inf where there is none: as pointers to
        them take scores.
        """
        return self.table(scores).masked_fill(self.absent, -torch.inf)


class _Table(torch.autograd.Function):
    """Gathers members into places, and gradients back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, packing: Packing) -> Tensor:
        ctx.packing = packing
        return x.index_select(1, packing.member).unflatten(1, packing.absent.shape)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad.flatten(1, 2).index_select(1, ctx.packing.place), None


class _Spread(torch.autograd.Function):
    """Gathers what groups have; gradients are gathered into the table and summed along its rows."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, packing: Packing) -> Tensor:
        ctx.packing = packing
        return x.index_select(1, packing.owner)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        packing: Packing = ctx.packing
        there = (~packing.absent).to(grad.dtype)
        if not len(packing.owner):
            return grad.new_zeros(grad.shape[0], packing.num_groups, *grad.shape[2:]), None
        table = grad.index_select(1, packing.member).unflatten(1, packing.absent.shape)
        return (there.unsqueeze(-2) @ table).squeeze(-2), None
