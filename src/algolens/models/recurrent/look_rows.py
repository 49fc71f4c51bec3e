"""The rows that a batch of true traces computes: of nodes whose latent states must agree, one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.models.recurrent.neighbourhoods import Neighbourhoods


@dataclass(frozen=True, eq=False)
class LookRows:
    """The rows of all looks at a batch, look after look, L in all.

    A step of a node is one of R: step after step, at each the nodes of the graphs that take it.
    """

    tables: list[Neighbourhoods]  # one for each look
    # [L] the row of the same node at the look before; None: a look's nodes are the first of those
    # of the look before, and every node has a row of its own
    before: Tensor | None
    place: Tensor  # [L] the node of each row, by its place in the batch
    look: Tensor  # [L] its look
    taken: Tensor  # [R] the row from which each step is taken
    ahead: Tensor  # [R] the row of the look after it
    step_sizes: list[int]  # how many nodes take each step

    @classmethod
    def of_every_node(cls, tables: list[Neighbourhoods]) -> LookRows:
        """Every node of every look; a table's nodes are the first of those of the table before."""
        sizes, device = [table.num_nodes for table in tables], tables[0].senders.device
        place, look = rows_in_order(sizes, sizes[0], device)
        places = torch.arange(len(place), device=device).split(sizes)
        taken = [rows[:n] for rows, n in zip(places, sizes[1:], strict=False)]
        return cls(tables, None, place, look, torch.cat(taken), torch.cat(places[1:]), sizes[1:])

    @property
    def sizes(self) -> list[int]:
        """How many rows each look has."""
        return [table.num_nodes for table in self.tables]

    @property
    def goes_on_from(self) -> list[Tensor] | None:
        """For each look, the rows of the look before by their places there; as in ``before``."""
        if self.before is None:
            return None
        first = accumulate([0, 0, *self.sizes])
        return [
            rows - start for rows, start in zip(self.before.split(self.sizes), first, strict=False)
        ]

    def chosen_table(self, rows: Tensor) -> Neighbourhoods:
        """The table of some rows of all looks, among which are all that send to them."""
        first = accumulate(self.sizes, initial=0)
        number = torch.zeros_like(self.place).index_copy_(0, rows, torch.arange(len(rows)))
        most = max(len(table.senders) for table in self.tables)
        senders = [
            # a node sends to itself, and a message twice does not change a maximum
            torch.cat([table.senders, table.receivers.expand(most - len(table.senders), -1)])
            + start
            for table, start in zip(self.tables, first, strict=False)
        ]
        return _of_senders(number[torch.cat(senders, 1)[:, rows]])


@dataclass(frozen=True, eq=False)
class Alike:
    """Which nodes have the same latent state at a look, whatever the weights of a network are.

    Those whose inputs, states and last latent states agree, and whose senders have the same set of
    these: a maximum of messages does not tell how many send the same.
    """

    classes: Tensor  # [N, looks] a number for each class
    neighbours: Tensor  # [N, D] who sends to each node, itself among them, some perhaps twice

    @classmethod
    def of(cls, graph: Graph, looks: Tensor, seen: Tensor) -> Alike | None:
        """None where more than half of all rows differ, and nothing would be gained.

        looks: [G] how often each graph is looked at. seen: [N, most looks, width] what the encoder
        reads.
        """
        degree = torch.bincount(graph.links[1], minlength=graph.num_nodes)
        rows = int(degree.max()) + 1 if graph.num_nodes else 1
        neighbours = Neighbourhoods.of(graph, rows, self_loops=True).senders.T.contiguous()
        alive_until = looks[graph.node_owner]
        latent, classes = torch.zeros_like(degree), []
        spare = int(alive_until.sum()) // 2
        for look in range(seen.shape[1]):
            encoded = _numbered(torch.cat([seen[:, look].double(), latent[:, None]], 1))
            received = encoded[neighbours].sort(1).values
            received[:, 1:][received[:, 1:] == received[:, :-1]] = -1
            latent = _numbered(torch.cat([encoded[:, None], received.sort(1).values], 1))
            classes.append(latent)
            spare -= len(latent[alive_until > look].unique())
            if spare < 0:
                return None
        return cls(torch.stack(classes, 1), neighbours)

    def rows(self, nodes: Tensor, sizes: list[int]) -> LookRows:
        """A row for each class of a batch and look. sizes: how many nodes each look has."""
        place, look = rows_in_order(sizes, len(nodes), nodes.device)
        of_node = nodes[place]
        first = torch.tensor([0, *accumulate(sizes)])
        number = look * (int(self.classes.max()) + 1) + self.classes[of_node, look]
        distinct, row = number.unique(return_inverse=True)  # in the order of looks
        shown = torch.full_like(distinct, len(row)).scatter_reduce_(
            0, row, torch.arange(len(row)), "amin"
        )
        place, look, of_node = place[shown], look[shown], of_node[shown]
        senders = row[(first[look] + place - of_node)[:, None] + self.neighbours[of_node]]
        # each sender once, and slots that are left hold the node's own row
        senders = senders.sort(1).values
        is_repeated = torch.zeros_like(senders, dtype=torch.bool)
        is_repeated[:, 1:] = senders[:, 1:] == senders[:, :-1]
        senders = torch.where(is_repeated, torch.arange(len(shown))[:, None], senders)
        order = is_repeated.sort(stable=True, dim=1).indices
        senders, kept = senders.gather(1, order).T, (~is_repeated).sum(1)
        counts = torch.bincount(look, minlength=len(sizes)).tolist()
        tables = [
            _of_senders(senders[: int(kept[start:end].max()), start:end] - start)
            for start, end in pairwise(accumulate(counts, initial=0))
        ]
        everyone = torch.arange(len(row)).split(sizes)
        taken = [rows[:n] for rows, n in zip(everyone, sizes[1:], strict=False)]
        return LookRows(
            tables,
            before=row[(first[(look - 1).clamp(min=0)] + place)],
            place=place,
            look=look,
            taken=row[torch.cat(taken)],
            ahead=row[sizes[0] :],
            step_sizes=sizes[1:],
        )


def rows_in_order(sizes: list[int], count: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The element, by its place, and the step of each row: at each step the first so many."""
    every = torch.arange(len(sizes) * count, device=device).split(count)
    rows = torch.cat([step[:n] for step, n in zip(every, sizes, strict=True)])
    return rows % count, rows // count


def _of_senders(senders: Tensor) -> Neighbourhoods:
    """A table of rows that stand for many nodes: who sends to a row need not receive from it."""
    none = senders.new_empty(0)
    return Neighbourhoods(
        senders=senders,
        reverse_row=None,
        reverse_column=None,
        owner=none,
        num_nodes=senders.shape[1],
        node_counts=none,
        extra_counts=none,
        even=None,
        self_loops=True,
    )


def _numbered(rows: Tensor) -> Tensor:
    """[N] a number for each different row of [N, K]."""
    return rows.unique(dim=0, return_inverse=True)[1]
