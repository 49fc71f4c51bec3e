"""Groups of mixed sizes, one after the other or as a table: the nodes of graphs, their edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.graphs.elements import owners
from algolens.models.layers import rows_of


def repeated(values: Iterable[int], counts: Sequence[int], device: torch.device) -> Tensor:
    """Each value as often as a count says; no device is waited for, as CUDA graphs ask."""
    parts = zip(values, counts, strict=False)
    return torch.cat([torch.full((count,), value, device=device) for value, count in parts])


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the members of P groups stand: R of them packed, P rows of M places in a table."""

    counts: Tensor  # [P] of members
    owner: Tensor  # [R] the group of each member
    column: Tensor  # [R] its place there
    first: Tensor  # [P] the first member of each group
    size: int  # M
    absent: Tensor | None  # [P, M] bools: no member is here; None: all are there
    place: Tensor | None  # [R] where each stands in the table, row * M + column; None: all in order

    @classmethod
    def of(cls, counts: Tensor, size: int | None = None, *, padded: bool = False) -> Packing:
        """Groups of these sizes [P].

        size: of every group, so that no device is asked for it. padded: groups have as many
        members, absent ones among them, and may have fewer than ``size``.
        """
        even = size is not None and not padded
        if size is None:
            least, most = map(int, counts.aminmax()) if len(counts) else (1, 1)
            even, size = least == most > 0, max(most, 1)
        columns = torch.arange(size, device=counts.device)
        absent = None if even else columns >= counts[:, None]
        if even or padded:
            every = torch.arange(len(counts) * size, device=counts.device)
            return cls(counts, every // size, every % size, every[::size], size, absent, None)
        owner, first = owners(counts), counts.cumsum(0) - counts
        column = torch.arange(len(owner), device=counts.device) - first[owner]
        return cls(counts, owner, column, first, size, absent, owner * size + column)

    def take(self, groups: Tensor, *, padded: bool = False) -> tuple[Tensor, Packing]:
        """Some groups: where their members stand among all, and how they are packed.

        padded: all as large as the largest of all groups; absent members stand anywhere.
        """
        known = padded or self.absent is None
        counts = self.counts[groups].clamp(min=1) if padded else self.counts[groups]
        part = Packing.of(counts, self.size if known else None, padded=padded)
        place = self.first[groups][part.owner] + part.column
        return place.clamp(max=max(len(self.owner) - 1, 0)) if padded else place, part

    def sizes(self, counts: Sequence[int]) -> list[int]:
        """How many members the first so many groups have."""
        if self.place is None:
            return [count * self.size for count in counts]
        until = [*self.first.tolist(), len(self.owner)]
        return [until[count] for count in counts]

    def table(self, x: Tensor) -> Tensor:
        """[S, P, M, ...] the members [S, R, ...] in a table; 0 where none is."""
        shape = len(self.counts), self.size
        if self.place is None:
            return x.unflatten(1, shape)
        table = x.new_zeros(len(x), shape[0] * shape[1], *x.shape[2:])
        return table.index_copy(1, self.place, x).unflatten(1, shape)

    def members(self, table: Tensor) -> Tensor:
        """[S, R, ...] the members of a table [S, P, M, ...]."""
        rows = table.flatten(1, 2)
        return rows if self.place is None else rows_of(rows, self.place)

    def masked(self, table: Tensor, dim: int = 2, fill: float = -torch.inf) -> Tensor:
        """A table [S, P, ...] whose members are along a dimension, filled where none is."""
        if self.absent is None:
            return table
        shape = [1] * table.dim()
        shape[1], shape[dim] = self.absent.shape
        return table.masked_fill(self.absent.view(shape), fill)

    def pool(self, logits: Tensor, x: Tensor) -> Tensor:
        """[S, P, F] the mean of members [S, R, F], by a group's softmax of logits [S, R]."""
        least = torch.finfo(x.dtype).min  # where nobody is, all weigh alike
        weights = self.masked(self.table(logits), fill=least).softmax(-1)
        return (weights.unsqueeze(-2) @ self.table(x)).squeeze(-2)

    def spread(self, x: Tensor) -> Tensor:
        """[S, R, F] for each member what its group [S, P, F] has."""
        return (
            rows_of(x, self.owner) if self.place is not None else x.repeat_interleave(self.size, 1)
        )
