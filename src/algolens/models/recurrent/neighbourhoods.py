"""Neighbourhoods as tables, so that messages are dense products and a maximum over a table's rows.

A table has a column for each node and D rows; a slot holds a neighbour that sends to the column's
node, and the first slot the node itself. Columns are filled up with the node itself. With
self-loops a node sends to itself, and a message twice does not change a maximum; without them, the
slots that hold the node itself are left out of every maximum. Nodes with more than D - 1 neighbours
have further columns, which stand behind those of all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.graphs.elements import owners, ranges
from algolens.models.layers import added_to, padded

MOST_ROWS = 6  # degree 5 and the node itself fit; larger neighbourhoods go on in further columns


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The neighbours of every node, in a table."""

    # [D, K] the node in each slot; K columns, of which the first N are the nodes' own
    senders: Tensor
    # [D, K] the row and the column of the slot in which the sender finds this column's node; None
    # where columns stand for several nodes, and no slot has a reverse
    reverse_row: Tensor | None
    reverse_column: Tensor | None
    owner: Tensor  # [K - N] the nodes that the further columns belong to
    num_nodes: int
    node_counts: Tensor  # [G]
    extra_counts: Tensor  # [G] further columns of each graph
    even: int | None  # nodes of a graph, where all have as many
    self_loops: bool  # whether every node sends to itself

    @classmethod
    def of(cls, graph: Graph, rows: int | None = None, *, self_loops: bool) -> Neighbourhoods:
        """The table of a graph; rows: how many slots a column has."""
        n, device = graph.num_nodes, graph.device
        senders, receivers = graph.links
        degree = torch.bincount(receivers, minlength=n)
        rows = rows or min(int(degree.max()) + 1 if n else 1, MOST_ROWS)
        # further columns: the node itself and its neighbours, cut into pieces of so many rows
        extra = degree // rows
        first_extra = n + extra.cumsum(0) - extra
        columns = n + int(extra.sum())
        # the index of each link among those of its receiver, which begin with the node itself
        order = torch.argsort(receivers, stable=True)
        rank = torch.empty_like(order)
        rank[order] = (
            1
            + torch.arange(len(order), device=device)
            - (degree.cumsum(0) - degree)[receivers[order]]
        )
        piece, row = rank // rows, rank % rows
        column = torch.where(piece == 0, receivers, first_extra[receivers] + piece - 1)
        slot = row * columns + column
        owner = owners(extra)
        table = torch.cat([torch.arange(n, device=device), owner]).repeat(rows)
        table[slot] = senders
        reverse = torch.arange(rows * columns, device=device)
        # links stand both ways, one half after the other
        reverse[slot] = slot.view(2, -1).flip(0).flatten()
        extra_counts = torch.zeros_like(graph.node_counts).index_add_(0, graph.node_owner, extra)
        sizes = graph.node_counts.unique().tolist()
        return cls(
            senders=table.view(rows, columns),
            reverse_row=reverse.view(rows, columns) // columns,
            reverse_column=reverse.view(rows, columns) % columns,
            owner=owner,
            num_nodes=n,
            node_counts=graph.node_counts,
            extra_counts=extra_counts,
            even=sizes[0] if len(sizes) == 1 else None,
            self_loops=self_loops,
        )

    @cached_property
    def reverse(self) -> Tensor | None:
        """[D, K] the slot (row * K + column) in which the sender finds this column's node."""
        if self.reverse_row is None or self.reverse_column is None:
            return None
        return self.reverse_row * self.senders.shape[1] + self.reverse_column

    @cached_property
    def first_node(self) -> Tensor:
        return self.node_counts.cumsum(0) - self.node_counts

    @cached_property
    def first_extra(self) -> Tensor:
        return self.extra_counts.cumsum(0) - self.extra_counts

    @cached_property
    def receivers(self) -> Tensor:
        """[K] the node of each column."""
        return torch.cat([torch.arange(self.num_nodes, device=self.owner.device), self.owner])

    @cached_property
    def edge_index(self) -> Tensor:
        """[2, A] senders and receivers, self-loops among them, as PyTorch Geometric takes edges."""
        both = torch.stack(
            [self.senders.flatten(), self.receivers.expand_as(self.senders).flatten()]
        )
        kept = both[0] != both[1]
        if self.self_loops:
            # the first row: each node itself, once
            kept |= torch.arange(both.shape[1], device=both.device) < self.num_nodes
        return both[:, kept]

    @cached_property
    def empty(self) -> Tensor:
        """[D, K, 1] bools: the slots that hold no sender, where nodes do not send to themselves."""
        return (self.senders == self.receivers)[:, :, None]

    def without_empty(self, slots: Tensor) -> Tensor:
        """The slots [S, D, K, F], changed in place: minus infinity where no sender is."""
        return slots if self.self_loops else slots.masked_fill_(self.empty, -torch.inf)

    def members_of(self, node_counts: Tensor) -> Tensor | tuple[int, int]:
        """The nodes of graphs of these sizes, as the termination network takes them."""
        return padded(node_counts) if self.even is None else (len(node_counts), self.even)

    def nodes_of(self, graphs: Tensor) -> Tensor:
        """[N'] the nodes of the chosen graphs, in the order of choice."""
        return _members(graphs, self.first_node, self.node_counts, self.even)[0]

    def take(self, graphs: Tensor) -> Neighbourhoods:
        """The table of the chosen graphs, in the order of choice; a graph may be chosen twice."""
        assert self.reverse_row is not None
        assert self.reverse_column is not None
        nodes, of_node = _members(graphs, self.first_node, self.node_counts, self.even)
        extras, of_extra = _members(
            graphs, self.first_extra, self.extra_counts, None if len(self.owner) else 0
        )
        n, node_counts, extra_counts = (
            len(nodes),
            self.node_counts[graphs],
            self.extra_counts[graphs],
        )
        chosen, place = torch.cat([nodes, extras + self.num_nodes]), torch.cat([of_node, of_extra])
        # by how much the numbers of nodes change, for each column
        shift = (node_counts.cumsum(0) - node_counts - self.first_node[graphs])[place]
        column = self.reverse_column.index_select(1, chosen)
        column_shift = shift
        if len(extras):
            extra_shift = (extra_counts.cumsum(0) - extra_counts - self.first_extra[graphs])[place]
            further = extra_shift + n - self.num_nodes
            column_shift = torch.where(column < self.num_nodes, shift, further)
        return Neighbourhoods(
            senders=self.senders.index_select(1, chosen) + shift,
            reverse_row=self.reverse_row.index_select(1, chosen),
            reverse_column=column + column_shift,
            owner=self.owner[extras] + shift[n:],
            num_nodes=n,
            node_counts=node_counts,
            extra_counts=extra_counts,
            even=self.even,
            self_loops=self.self_loops,
        )

    def first(self, count: int) -> Neighbourhoods:
        """The table of the first graphs."""
        if count == len(self.node_counts):
            return self
        return self.take(torch.arange(count, device=self.senders.device))

    def columns(self, values: Tensor) -> Tensor:
        """[S, K, F] for each column what its node has: values [S, N, F]."""
        if not len(self.owner):
            return values
        return torch.cat([values, values.index_select(1, self.owner)], 1)

    def nodes(self, values: Tensor) -> Tensor:
        """[S, N, F] for each node the sum of what its columns have: values [S, K, F]."""
        n = self.num_nodes
        return values[:, :n].index_add(1, self.owner, values[:, n:]) if len(self.owner) else values

    def gather(self, values: Tensor) -> Tensor:
        """[S, D, K, F] for each slot what its sender has: values [S, N, F]."""
        return values.index_select(1, self.senders.reshape(-1)).view(
            len(values), *self.senders.shape, -1
        )

    def gather_back(self, slots: Tensor) -> Tensor:
        """[S, N, F] each node's sum over the slots [S, D, K, F] in which it is the sender.

        They are the reverses of the slots of its own columns: nothing is scattered, so sums repeat
        bit for bit on a GPU too.
        """
        flat = slots.view(len(slots), -1, slots.shape[-1])
        if self.reverse is None:
            return added_to(self.num_nodes, self.senders.reshape(-1), flat)
        return self.nodes(flat.index_select(1, self.reverse.view(-1)).view_as(slots).sum(1))

    def most(self, slots: Tensor) -> Tensor:
        """[S, N, F] the maximum over each node's slots [S, D, K, F]; 0 where nobody sends."""
        most = slots.amax(1)
        if len(self.owner):
            further = self.owner[None, :, None].expand(len(most), -1, most.shape[2])
            most = most[:, : self.num_nodes].scatter_reduce(
                1, further, most[:, self.num_nodes :], "amax"
            )
        return most if self.self_loops else most.masked_fill(most == -torch.inf, 0)


def _members(
    graphs: Tensor, first: Tensor, counts: Tensor, size: int | None
) -> tuple[Tensor, Tensor]:
    """The members of the chosen graphs, and the place of each one's graph among those chosen."""
    if size is None:
        chosen = counts[graphs]
        return ranges(first[graphs], chosen), owners(chosen)
    members = first[graphs][:, None] + torch.arange(size, device=graphs.device)
    places = torch.arange(len(graphs), device=graphs.device).repeat_interleave(size)
    return members.flatten(), places
