"""All steps of a batch of true traces as one large batch: where every node and edge of every step
stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.graphs.ragged import owners
from algolens.models.packing import Packing


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
