"""Neighbourhoods as tables, so that messages are dense products and a maximum over a table's rows.

A table has a column for each node and D rows; a slot holds a neighbour that sends to the column's node, the node itself
first (its self-loop). Columns are filled up with the node itself: a message twice does not change a maximum. Nodes with
more than D - 1 neighbours have further columns, which stand behind those of all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.models.layers import SLOPE, Linear
from algolens.models.predinet import padded

MOST_ROWS = 6  # degree 5 and the node itself fit; larger neighbourhoods go on in further columns


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The neighbours of every node, in a table."""

    senders: Tensor  # [D, K] the node in each slot; K columns, of which the first N are the nodes' own
    reverse: Tensor  # [D, K] the slot (row * K + column) in which the sender finds this column's node
    owner: Tensor  # [K - N] the nodes that the further columns belong to
    num_nodes: int
    node_counts: Tensor  # [G]
    extra_counts: Tensor  # [G] further columns of each graph
    even: int | None  # nodes of a graph, where all have as many

    @classmethod
    def of(cls, graph: Graph, rows: int | None = None) -> Neighbourhoods:
        """The table of a graph; rows: how many slots a column has."""
        n, device = graph.num_nodes, graph.device
        senders, receivers = graph.links
        degree = torch.bincount(receivers, minlength=n)
        rows = rows or min(int(degree.max()) + 1 if n else 1, MOST_ROWS)
        extra = degree // rows  # further columns: the node itself and its neighbours, cut into pieces of so many rows
        first_extra = n + extra.cumsum(0) - extra
        columns = n + int(extra.sum())
        # the how-manieth of its receiver's links each link is, the self-loop being the first
        order = torch.argsort(receivers, stable=True)
        rank = torch.empty_like(order)
        rank[order] = 1 + torch.arange(len(order), device=device) - (degree.cumsum(0) - degree)[receivers[order]]
        piece, row = rank // rows, rank % rows
        column = torch.where(piece == 0, receivers, first_extra[receivers] + piece - 1)
        slot = row * columns + column
        owner = torch.repeat_interleave(torch.arange(n, device=device), extra)
        table = torch.cat([torch.arange(n, device=device), owner]).repeat(rows)
        table[slot] = senders
        reverse = torch.arange(rows * columns, device=device)
        reverse[slot] = slot.view(2, -1).flip(0).flatten()  # links stand both ways, one half after the other
        extra_counts = torch.zeros_like(graph.node_counts).index_add_(0, graph.node_owner, extra)
        sizes = graph.node_counts.unique().tolist()
        return cls(
            senders=table.view(rows, columns),
            reverse=reverse.view(rows, columns),
            owner=owner,
            num_nodes=n,
            node_counts=graph.node_counts,
            extra_counts=extra_counts,
            even=sizes[0] if len(sizes) == 1 else None,
        )

    @property
    def num_columns(self) -> int:
        return self.senders.shape[1]

    @cached_property
    def first_node(self) -> Tensor:
        return self.node_counts.cumsum(0) - self.node_counts

    @cached_property
    def first_extra(self) -> Tensor:
        return self.extra_counts.cumsum(0) - self.extra_counts

    @cached_property
    def edge_index(self) -> Tensor:
        """[2, A] senders and receivers, self-loops among them, as PyTorch Geometric takes edges."""
        receivers = torch.cat([torch.arange(self.num_nodes, device=self.owner.device), self.owner]).expand_as(self.senders)
        both = torch.stack([self.senders.flatten(), receivers.flatten()])
        first_row = torch.arange(both.shape[1], device=both.device) < self.num_nodes  # the self-loops, once
        return both[:, first_row | (both[0] != both[1])]

    def members_of(self, node_counts: Tensor) -> Tensor | tuple[int, int]:
        """The nodes of graphs of these sizes, one after the other, as the termination network takes them."""
        return padded(node_counts) if self.even is None else (len(node_counts), self.even)

    def nodes_of(self, graphs: Tensor) -> Tensor:
        """[N'] the nodes of the chosen graphs, in the order of choice."""
        return _block(graphs, self.first_node, self.node_counts, self.even)

    def take(self, graphs: Tensor) -> Neighbourhoods:
        """The table of the chosen graphs, in the order of choice; a graph may be chosen twice."""
        if self.even is not None and not len(self.owner):
            return self._take_blocks(graphs, self.even)
        nodes = self.nodes_of(graphs)
        extras = _block(graphs, self.first_extra, self.extra_counts, None if len(self.owner) else 0)
        n, columns = len(nodes), len(nodes) + len(extras)
        node_counts, extra_counts = self.node_counts[graphs], self.extra_counts[graphs]
        of_node = _spread(graphs, node_counts, n, self.even)
        of_extra = _spread(graphs, extra_counts, len(extras), None if len(self.owner) else 0)
        node_shift = (node_counts.cumsum(0) - node_counts) - self.first_node[graphs]
        extra_shift = (extra_counts.cumsum(0) - extra_counts) - self.first_extra[graphs] + n - self.num_nodes
        place = torch.cat([of_node, of_extra])
        by_node, by_extra = node_shift[place], extra_shift[place]
        chosen = torch.cat([nodes, extras + self.num_nodes])
        reverse_row, reverse_column = self._reverse_parts[0][:, chosen], self._reverse_parts[1][:, chosen]
        if len(extras):
            reverse_column = reverse_column + torch.where(reverse_column < self.num_nodes, by_node, by_extra)
        else:
            reverse_column = reverse_column + by_node
        return Neighbourhoods(
            senders=self.senders[:, chosen] + by_node,
            reverse=reverse_row * columns + reverse_column,
            owner=self.owner[extras] + by_node[n:],
            num_nodes=n,
            node_counts=node_counts,
            extra_counts=extra_counts,
            even=self.even,
        )

    def _take_blocks(self, graphs: Tensor, each: int) -> Neighbourhoods:
        """The same where every graph is a block of as many columns."""
        senders, reverse_row, reverse_column = self._blocks
        n = len(graphs) * each
        shift = (torch.arange(len(graphs), device=graphs.device) * each)[:, None]
        reverse = reverse_row.index_select(1, graphs).mul_(n).add_(reverse_column.index_select(1, graphs)).add_(shift)
        return Neighbourhoods(
            senders=senders.index_select(1, graphs).add_(shift).view(-1, n),
            reverse=reverse.view(-1, n),
            owner=self.owner,
            num_nodes=n,
            node_counts=self.node_counts[graphs],
            extra_counts=self.extra_counts[graphs],
            even=each,
        )

    @cached_property
    def _blocks(self) -> tuple[Tensor, Tensor, Tensor]:
        """[D, G, n] senders, and rows and columns of the reverse slots, as places inside the graph."""
        first = torch.repeat_interleave(self.first_node, self.node_counts)
        parts = (self.senders - first, self._reverse_parts[0], self._reverse_parts[1] - first)
        senders, row, column = (part.view(len(part), len(self.node_counts), -1) for part in parts)
        return senders, row, column

    @cached_property
    def _reverse_parts(self) -> tuple[Tensor, Tensor]:
        return self.reverse // self.num_columns, self.reverse % self.num_columns


def max_message(receiver: Tensor, sender: Tensor, second: Linear, table: Neighbourhoods) -> Tensor:
    """max over neighbours j (and i) of leaky(receiver_i + sender_j) @ weight: [S, N, F].

    The message's first layer comes as its two halves, computed per node; what is monotonic (the second layer's bias and
    LeakyReLU) may follow the maximum.
    """
    if len(table.owner):
        receiver = torch.cat([receiver, receiver.index_select(1, table.owner)], 1)
    best = _MaxMessage.apply(receiver, sender, second.weight, table, second.notes)
    if len(table.owner):
        n = table.num_nodes
        further = table.owner[None, :, None].expand(best.shape[0], -1, best.shape[2])
        best = best[:, :n].scatter_reduce(1, further, best[:, n:], "amax")
    return best


class _MaxMessage(torch.autograd.Function):
    """Gathers only, also backwards: what a node sent lies in the reverse slots of its own column."""

    @staticmethod
    def forward(
        ctx: Any, receiver: Tensor, sender: Tensor, weight: Tensor, table: Neighbourhoods, notes: list[tuple[Tensor, Tensor]]
    ) -> Tensor:
        seeds, columns, width = receiver.shape
        rows = len(table.senders)
        first = sender.index_select(1, table.senders.view(-1)).view(seeds, rows, columns, width)
        first = torch.nn.functional.leaky_relu_(first.add_(receiver[:, None]), SLOPE)
        second = torch.bmm(first.view(seeds, rows * columns, width), weight).view(seeds, rows, columns, -1)
        best = second.amax(1)
        ctx.save_for_backward(first, second, best, weight)
        ctx.table, ctx.notes = table, notes
        return best

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        first, second, best, weight = ctx.saved_tensors
        table: Neighbourhoods = ctx.table
        seeds, rows, columns, width = first.shape
        winners = torch.eq(second, best[:, None], out=torch.empty_like(second))  # 1 or 0; equals share
        share = winners.mul_((grad / winners.sum(1))[:, None]).view(seeds, rows * columns, -1)
        grad_weight = None
        if grad.is_cuda:  # see Linear
            ctx.notes.append((first.view(seeds, rows * columns, width), share))
        else:
            grad_weight = torch.bmm(first.view(seeds, rows * columns, width).mT, share)
        # LeakyReLU's gradient goes by the sign of its result as well as by that of its argument
        grad_first = torch.ops.aten.leaky_relu_backward(torch.bmm(share, weight.mT).view_as(first), first, SLOPE, True)
        sent = grad_first.view(seeds, rows * columns, width).index_select(1, table.reverse.view(-1))
        grad_sender = sent.view(seeds, rows, columns, width).sum(1)
        if len(table.owner):
            n = table.num_nodes
            grad_sender = grad_sender[:, :n].index_add(1, table.owner, grad_sender[:, n:])
        return grad_first.sum(1), grad_sender, grad_weight, None, None


def _block(graphs: Tensor, first: Tensor, counts: Tensor, each: int | None) -> Tensor:
    """The numbers of the chosen graphs' members."""
    if each is not None:
        return (first[graphs][:, None] + torch.arange(each, device=graphs.device)).flatten()
    starts, sizes = first[graphs], counts[graphs]
    shift = torch.repeat_interleave(starts - (sizes.cumsum(0) - sizes), sizes)
    return torch.arange(len(shift), device=graphs.device) + shift


def _spread(graphs: Tensor, counts: Tensor, total: int, each: int | None) -> Tensor:
    """For each member, which of the choices it belongs to."""
    places = torch.arange(len(graphs), device=graphs.device)
    return torch.repeat_interleave(places, counts, output_size=total) if each is None else places.repeat_interleave(each)
