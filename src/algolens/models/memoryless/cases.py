"""A look case by case: nodes that are alike, with neighbours that are alike, go through the layers once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.graphs import Graph

if TYPE_CHECKING:
    from algolens.models.memoryless.perceiver import Memoryless

MOST_KINDS = 54  # of neighbours: with the node's own class, a case is a number of 63 bits


class Cases:
    """What each kind of neighbour sends to each class of node, as a table.

    A kind is a class and the bits of the comparison. Since messages are joined by "or", a node's concepts are settled by its
    class and by the set of kinds around it; there are few such cases in a graph, and every node looks its own up.
    """

    def __init__(self, perceiver: Memoryless) -> None:
        self.perceiver, self.count = perceiver, perceiver.classes.count
        channels = perceiver.num_channels
        combinations = torch.arange(2**channels, device=perceiver.device)
        self.shifts = torch.arange(channels, device=perceiver.device)
        compared = (combinations[:, None] >> self.shifts & 1).float().repeat(self.count**2, 1)
        classes = torch.arange(self.count, device=perceiver.device)
        self.num_kinds = self.count * 2**channels
        senders = classes.repeat_interleave(2**channels).repeat(self.count)
        logits = perceiver.messages(classes.repeat_interleave(self.num_kinds), senders, compared[None])[0]
        self.bits = (logits > 0).float().view(self.count, self.num_kinds, -1)  # [classes, kinds, bits]

    def combinations(self, compared: Tensor) -> Tensor:
        """[A] the bits of comparisons [A, channels] as one number."""
        return (compared.long() << self.shifts).sum(-1)

    def concepts(self, graph: Graph, classes: Tensor, combinations: Tensor) -> Tensor:
        """[1, N, C] concept logits of nodes of these classes [N], the numbers of linked ones comparing so [A]."""
        senders, receivers = graph.links
        kinds = classes.index_select(0, senders) * 2 ** len(self.shifts) + combinations
        present = torch.zeros(graph.num_nodes * self.num_kinds, dtype=torch.bool, device=graph.device)
        present.scatter_(0, receivers * self.num_kinds + kinds, True)
        keys = classes
        for column in present.view(graph.num_nodes, -1).unbind(1):
            keys = keys * 2 + column
        cases, here = keys.unique(return_inverse=True)
        own = cases >> self.num_kinds
        places = torch.arange(self.num_kinds - 1, -1, -1, device=graph.device)
        members = (cases[:, None] >> places & 1).float()
        joined = (torch.einsum("mk,mkb->mb", members, self.bits[own]) > 0).float()
        return self.perceiver.concepts(own, joined[None]).index_select(1, here)
