"""All steps of a batch of true traces as one large batch: where every node and edge of every step
stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.execution import Run
from algolens.graphs import Graph
from algolens.graphs.elements import owners
from algolens.models.packing import Packing
from algolens.models.perceiver import Lessons, Taught

if TYPE_CHECKING:
    from algolens.models.disjoint_sets.disjoint_sets import DisjointSets
    from algolens.models.network import Network


@dataclass(frozen=True, eq=False)
class Rows:
    """The nodes, or edges, of all steps: those of the first step, then those of the second that
    still go on, and so on.
    """

    element: Tensor  # [R] which node or edge of the whole set
    step: Tensor  # [R]
    sizes: list[int]  # rows of each step
    groups: Packing  # those of one graph at one step are a group

    @classmethod
    def of(cls, elements: Tensor, counts: list[int], alive: list[int]) -> Rows:
        """elements: those of the graphs, one graph after the other. counts: of each. alive: the
        graphs at each step.
        """
        device, before = elements.device, [0, *accumulate(counts)]
        sizes = [before[count] for count in alive]
        steps = owners(torch.tensor(sizes, device=device), sum(sizes))
        groups = torch.tensor([each for count in alive for each in counts[:count]], device=device)
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
        """chosen: the graphs, the longest first. lengths: their steps. counts: of their nodes and
        edges.
        """
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


@dataclass(frozen=True, eq=False)
class Traces(Lessons):
    """True traces of many graphs."""

    lengths: list[int]
    trace: Run  # on the device
    states: dict[str, Tensor]  # each [T + 1, ...]
    node_counts: list[int]  # known without asking the device
    edge_counts: list[int]

    @classmethod
    def of(cls, trace: Run, device: torch.device) -> Traces:
        """The traces on a device."""
        moved = trace.to(device)
        return cls(
            lengths=trace.lengths.tolist(),
            trace=moved,
            states={name: moved.state(name) for name in moved.start},
            node_counts=trace.graph.node_counts.tolist(),
            edge_counts=trace.graph.edge_counts.tolist(),
        )

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        perceiver, trace = cast("DisjointSets", network.perceiver), self.trace
        roles = perceiver.roles
        numbers = graphs.tolist()
        counts = [self.node_counts[i] for i in numbers], [self.edge_counts[i] for i in numbers]
        steps = Steps.of(trace.graph, graphs, lengths, counts)
        edges, nodes = steps.edges, steps.nodes
        truth = {
            name: steps.graphs.at(trace.hints[name]) for name in (roles.next_edge, roles.same_set)
        }
        truth |= {name: nodes.at(trace.hints[name]) for name in (roles.keeps_parent, roles.parent)}

        visited = edges.at(self.states[roles.visited])
        weight = perceiver.weight.encode(trace.inputs[roles.weight][edges.element])
        features = perceiver.edge_features(weight, visited, edges.at(self.states[roles.in_tree]))
        edge_latent, edge_scores = perceiver.finder(features, edges.groups)

        is_next = (
            truth[roles.next_edge][edges.groups.owner] == trace.graph.edge_place[edges.element]
        )
        encoded, latent = self._unroll(perceiver, steps, is_next)
        same_set, keeps, parents = perceiver.sets(encoded, latent, nodes.groups)
        parents = perceiver.sets.taught(keeps, parents, nodes.at(self.states[roles.parent]))
        head, by_name = perceiver.on_edges(
            edge_latent, latent, steps.ends, is_next.expand(len(latent), -1), visited
        )
        scores = {
            roles.next_edge: edges.groups.scores(edge_scores),
            roles.same_set: same_set,
            roles.keeps_parent: keeps,
            roles.parent: parents,
            **by_name,
        }
        concepts = edges.at(trace.concepts)
        head = network.with_given_concepts(head, concepts)
        truth |= {name: concepts[:, perceiver.concepts.index(name)] for name in by_name}
        return Taught(
            head=head,
            concepts=concepts.float(),
            scores=network.decide(head),
            outputs={name: edges.at(values) for name, values in trace.outputs.items()},
            hints={name: (each, truth[name]) for name, each in scores.items()},
        )

    def _unroll(
        self, perceiver: DisjointSets, steps: Steps, is_next: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[S, M, width] encoded and latent states of all nodes' rows, one step after the other.
        is_next: of edges' rows.
        """
        nodes = steps.nodes
        indicator = torch.zeros(len(nodes.element), device=is_next.device)
        for ends in steps.ends:
            indicator.scatter_reduce_(0, ends, is_next.float(), "amax")
        priority = self.trace.inputs[perceiver.roles.priority][nodes.element]
        joined = perceiver.pointers.join(perceiver.node_features(priority, indicator)).split(
            nodes.sizes, 1
        )
        targets = (nodes.at(self.states[perceiver.roles.parent]) + steps.shift).split(nodes.sizes)
        memory, encoded, latent = torch.zeros_like(joined[0]), [], []
        for size, part, target in zip(nodes.sizes, joined, targets, strict=True):
            z, memory = perceiver.pointers(part, memory[:, :size], target)
            encoded.append(z)
            latent.append(memory)
        return torch.cat(encoded, 1), torch.cat(latent, 1)
