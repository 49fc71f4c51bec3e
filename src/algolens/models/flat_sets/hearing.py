"""Who hears whom in the exchanges of a look: pair by pair, as it is learnt; case by case, to the same end, as it runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.graphs import Graph
from algolens.models.flat_sets.among import Ranks, pairs, pairs_apart
from algolens.models.memoryless.bits import harden
from algolens.models.memoryless.cases import Cases
from algolens.models.memoryless.exchange import Exchange
from algolens.models.packing import Packing

if TYPE_CHECKING:
    from algolens.models.flat_sets.perceiver import FlatSets


class Hearing(ABC):
    """The exchanges on one graph. Classes are [N], alike for all seeds, or [S, N]; logits [S, N, outputs]."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.shift = graph.first_node.index_select(0, graph.node_owner)
        counts = graph.node_counts
        self.nodes = Packing.of(counts, int(counts.max()) if len(counts) else 0, graph.num_nodes)

    @abstractmethod
    def edges(self, classes: Tensor) -> Tensor:
        """Edges hear all other edges of their graph, and how weights compare."""

    @abstractmethod
    def ends(self, target: Tensor) -> Tensor:
        """Edges hear all nodes of their graph: does the one end point there, does the other? target: [N] pointers."""

    @abstractmethod
    def joins(self, classes: Tensor, concepts: Tensor) -> Tensor:
        """Edges know their class and their concepts, bools [S, E, C]. Logits [S, E]."""

    @abstractmethod
    def roots(self, target: Tensor, joins: Tensor) -> Tensor:
        """Nodes hear the edges whose ends point to them."""

    @abstractmethod
    def rivals(self, united: Tensor) -> Tensor:
        """Nodes hear all other nodes of their graph, and how priorities compare."""

    def target(self, parent: Tensor) -> Tensor:
        """[N] pointers, numbered through the batch, from places inside the own graph."""
        return parent + self.shift


class PairByPair(Hearing):
    """Every message is computed, and kept: what is learnt from."""

    def __init__(self, perceiver: FlatSets, graph: Graph, inputs: Values, noise: torch.Generator | None = None) -> None:
        super().__init__(graph)
        self.perceiver = perceiver
        self.sent: list[Tensor] = []
        scores = perceiver.scores(inputs)
        self.edge_pairs, self.node_pairs = pairs_apart(graph.edge_counts), pairs_apart(graph.node_counts)
        self.compared_edges, self.compared_nodes = (
            perceiver.comparison(each.index_select(1, own) - each.index_select(1, other), noise)
            for each, (own, other) in zip(scores, (self.edge_pairs, self.node_pairs), strict=True)
        )

    def edges(self, classes: Tensor) -> Tensor:
        return self._told(self.perceiver.edges, classes, classes, self.edge_pairs, self.compared_edges)

    def ends(self, target: Tensor) -> Tensor:
        edges, nodes = pairs(self.graph.edge_counts, self.graph.node_counts)
        first, second = (target[each[edges]] == nodes for each in self.graph.edges)
        alike = torch.zeros(self.graph.num_edges, dtype=torch.int64, device=target.device)
        every = torch.arange(len(nodes), device=target.device)
        return self._told(self.perceiver.ends, alike, 2 * first + second.long(), torch.stack([edges, every]))

    def joins(self, classes: Tensor, concepts: Tensor) -> Tensor:
        return self.perceiver.joins(classes, concepts.float()).squeeze(-1)

    def roots(self, target: Tensor, joins: Tensor) -> Tensor:
        alike = torch.zeros_like(target)
        edges = torch.arange(self.graph.num_edges, device=target.device).repeat(2)
        return self._told(self.perceiver.roots, alike, joins, torch.stack([target[self.graph.edges.flatten()], edges]))

    def rivals(self, united: Tensor) -> Tensor:
        return self._told(self.perceiver.rivals, united, united, self.node_pairs, self.compared_nodes)

    def _told(self, exchange: Exchange, own: Tensor, others: Tensor, who: Tensor, compared: Tensor | None = None) -> Tensor:
        """who: [2, A] who hears, and who is heard."""
        hears, heard = who
        sent = exchange.messages(own.index_select(-1, hears), others.index_select(-1, heard), compared)
        self.sent.append(sent)
        return exchange.conclude(own, harden(exchange.join(sent, hears, own.shape[-1])))


class CaseByCase(Hearing):
    """Elements of one class that hear the same kinds of others go through the layers once; for one seed."""

    def __init__(self, perceiver: FlatSets, graph: Graph, inputs: Values) -> None:
        super().__init__(graph)
        self.cases = {name: Cases(exchange) for name, exchange in perceiver.exchanges.items()}
        weights, priorities = perceiver.scores(inputs)
        self.weights = Ranks.of(weights[0], graph.edge_counts, perceiver.comparison)
        self.priorities = Ranks.of(priorities[0], graph.node_counts, perceiver.comparison)
        self.more_than_two = (graph.node_counts > 2)[graph.edge_owner]
        concepts, classes = len(perceiver.concepts), perceiver.classes.count
        self.shifts = torch.arange(concepts, device=graph.device)
        patterns = (torch.arange(2**concepts, device=graph.device)[:, None] >> self.shifts & 1).float().repeat(classes, 1)
        own = torch.arange(classes, device=graph.device).repeat_interleave(2**concepts)
        self.join_table = perceiver.joins(own, patterns[None]).squeeze(-1)  # [1, classes x patterns]

    def edges(self, classes: Tensor) -> Tensor:
        return self._looked_up("edges", classes, self.weights)

    def ends(self, target: Tensor) -> Tensor:
        """Only the nodes that ends point to differ from the rest, and of the rest one speaks for all."""
        cases, (first, second) = self.cases["ends"], target[self.graph.edges]
        both = first == second
        other = self.more_than_two | both  # of two nodes or more, which an edge has, both ends point to one
        present = torch.stack([other, ~both, ~both, both])
        return cases.conclude(torch.zeros_like(first), present)

    def joins(self, classes: Tensor, concepts: Tensor) -> Tensor:
        pattern = (concepts[0].long() << self.shifts).sum(-1)
        return self.join_table.index_select(1, classes << len(self.shifts) | pattern)

    def roots(self, target: Tensor, joins: Tensor) -> Tensor:
        present = torch.zeros(2 * len(target), dtype=torch.bool, device=target.device)
        for ends in target[self.graph.edges]:
            present.scatter_(0, joins.view(-1) * len(target) + ends, True)
        return self.cases["roots"].conclude(torch.zeros_like(target), present.view(2, -1))

    def rivals(self, united: Tensor) -> Tensor:
        return self._looked_up("rivals", united, self.priorities)

    def _looked_up(self, name: str, classes: Tensor, ranks: Ranks) -> Tensor:
        classes = classes.view(-1)  # [1, N] where it was concluded
        cases = self.cases[name]
        return cases.conclude(classes, ranks.present(classes, cases.exchange.num_others))
