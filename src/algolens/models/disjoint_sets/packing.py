"""Groups of mixed sizes, packed one after the other; and all steps of a batch as such groups.

Softmax and sums run inside a group, without scattering. A group's members stand together. Where
they must stand in a table, with a row for each group, they are gathered into it, and gradients are
gathered back: every member has one place, so nothing is ever added up in an order that could
change.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from algolens.graphs import Graph
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
        """Groups of these sizes [P]; their largest and sum, known without asking the device."""
        device, most = counts.device, max(most, 1)
        first = counts.cumsum(0) - counts
        columns = torch.arange(most, device=device)
        absent = columns >= counts[:, None]
        owner = owners(counts, total)
        member = torch.where(absent, 0, first[:, None] + columns).flatten()
        place = torch.arange(total, device=device) - first[owner] + owner * most
        return cls(owner, member, absent, place)

    @property
    def sizes(self) -> Tensor:
        """[P] the members of each group, as floats."""
        return (~self.absent).sum(1).float()

    def table(self, x: Tensor) -> Tensor:
        """[S, P, M, ...] the members [S, R, ...] in a table; where none is, anything finite."""
        if not len(self.owner):
            return x.new_zeros(x.shape[0], *self.absent.shape, *x.shape[2:])
        return _Table.apply(x, self)

    def members(self, table: Tensor) -> Tensor:
        """[S, R, ...] the members of a table [S, P, M, ...]."""
        return table.flatten(1, 2).index_select(1, self.place)

    def pool(self, logits: Tensor, x: Tensor) -> Tensor:
        """[S, P, F] the mean of members [S, R, F], by a group's softmax of logits [S, R]."""
        table = self.table(x)
        weights = self.table(logits).masked_fill(self.absent, torch.finfo(x.dtype).min).softmax(-1)
        return (weights.unsqueeze(-2) @ table).squeeze(-2)

    def spread(self, x: Tensor) -> Tensor:
        """[S, R, F] for each member what its group [S, P, F] has."""
        return _Spread.apply(x, self)

    def scores(self, scores: Tensor) -> Tensor:
        """[S, P, M] members' scores [S, R] as pointers to them take scores: -inf where none is."""
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
            return grad.new_zeros(grad.shape[0], len(packing.absent), *grad.shape[2:]), None
        table = grad.index_select(1, packing.member).unflatten(1, packing.absent.shape)
        return (there.unsqueeze(-2) @ table).squeeze(-2), None


@dataclass(frozen=True, eq=False)
class Rows:
    """The nodes, or edges, of all steps, one step after the other; at each those that go on."""

    element: Tensor  # [R] which node or edge of the whole set
    step: Tensor  # [R]
    sizes: list[int]  # rows of each step
    groups: Packing  # those of one graph at one step are a group

    @classmethod
    def of(cls, elements: Tensor, counts: list[int], alive: list[int]) -> Rows:
        """The rows of graphs' elements. counts: of each graph. alive: the graphs at each step."""
        device, before = elements.device, [0, *accumulate(counts)]
        sizes = [before[count] for count in alive]
        steps = owners(torch.tensor(sizes, device=device), sum(sizes))
        groups = torch.tensor([size for count in alive for size in counts[:count]], device=device)
        return cls(
            over_steps(elements, sizes),
            steps,
            sizes,
            Packing.of(groups, max(counts, default=0), sum(sizes)),
        )

    def at(self, values: Tensor) -> Tensor:
        """[R, ...] values [T, N, ...] of the whole set."""
        return values[self.step, self.element]


@dataclass(frozen=True, eq=False)
class Steps:
    """The graphs, nodes and edges of all steps of a batch."""

    graphs: Rows
    nodes: Rows
    edges: Rows
    shift: Tensor  # [M] for each node's row, where its graph's nodes begin among those of the step
    ends: Tensor  # [2, R] for each edge's row, the rows of its ends

    @classmethod
    def of(
        cls, graph: Graph, chosen: Tensor, lengths: list[int], counts: tuple[list[int], list[int]]
    ) -> Steps:
        """chosen: graphs, the longest first. lengths: their steps. counts: of nodes and edges."""
        alive = [sum(length > step for length in lengths) for step in range(max(lengths))]
        part = graph.take(chosen)
        graphs = Rows.of(chosen, [1] * len(lengths), alive)
        nodes, edges = Rows.of(part.nodes, counts[0], alive), Rows.of(part.edges, counts[1], alive)
        shift = over_steps(part.graph.first_node[part.graph.node_owner], nodes.sizes)
        before = [0, *accumulate(nodes.sizes)]
        ends = torch.cat(
            [
                part.graph.edges[:, :size] + first
                for size, first in zip(edges.sizes, before, strict=False)
            ],
            1,
        )
        return cls(graphs, nodes, edges, shift, ends)


def over_steps(values: Tensor, sizes: list[int]) -> Tensor:
    """The first so many values for each step, one step after the other."""
    return torch.cat([values[:size] for size in sizes])
