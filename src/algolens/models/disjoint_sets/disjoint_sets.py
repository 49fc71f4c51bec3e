"""From the latent states of edges and nodes to the concepts of edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.execution import Run
from algolens.fields import Number
from algolens.graphs import Graph
from algolens.models.architecture import LITERAL_SETS, Architecture
from algolens.models.disjoint_sets.lessons import Traces
from algolens.models.disjoint_sets.literal import LiteralFinder, LiteralPointers
from algolens.models.disjoint_sets.min_finder import MinFinder
from algolens.models.disjoint_sets.pointer_network import PointerNetwork, SetHeads, updated
from algolens.models.disjoint_sets.roles import EdgesByWeight, Roles
from algolens.models.layers import Linear, leaky
from algolens.models.packing import Packing
from algolens.models.perceiver import Perceived, Perceiver


class EdgeHead(nn.Module):
    """Scores of edges from [edge, one end, other end], two layers.

    They are the same whichever end is named first; in the authors' code, they are those of the
    order in which an edge is given.
    """

    def __init__(self, seeds: int, width: int, scores: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal = literal
        self.edge = Linear(seeds, width, width, fan_in=3 * width)
        # as the one end, and as the other
        self.ends = Linear(seeds, width, 2 * width, bias=False, fan_in=3 * width)
        self.last = Linear(seeds, width, scores)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        return {"edge_head": "in one order" if self.literal else "in both orders, averaged"}

    def forward(self, edges: Tensor, nodes: Tensor, ends: Tensor) -> Tensor:
        """[S, R, scores]. edges: [S, R, width]; nodes: [S, M, width]; ends: [2, R]."""
        own, either = self.edge(edges), self.ends(nodes)
        one, other = (either.index_select(1, each).chunk(2, -1) for each in ends)
        if self.literal:
            return self.last(leaky(own + one[0] + other[1]))
        hidden = leaky(own + one[0] + other[1]) + leaky(own + one[1] + other[0])
        return self.last(hidden / 2)


class VisitedHead(nn.Module):
    """Whether an edge is visited after the step, from two bits: it is the next one, it was visited
    before.
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.first = Linear(seeds, 2, width)
        self.last = Linear(seeds, width, 1)

    def forward(self, is_next: Tensor, was_visited: Tensor) -> Tensor:
        """[S, R] logits, from bools [S, R]."""
        bits = torch.stack([is_next, was_visited], -1).float()
        return self.last(leaky(self.first(bits))).squeeze(-1)


@dataclass(frozen=True, eq=False)
class PreparedSets:
    """What stays the same while a graph is worked on."""

    graph: Graph
    edges: Packing  # a group for each graph
    nodes: Packing
    weight: Tensor  # [E, bits] encoded
    priority: Tensor  # [N]


class DisjointSets(Perceiver):
    """The next edge, sets of nodes that grow together, and from both the concepts of every edge.

    The min-finder sees every edge's weight, or -1 for every bit once it is visited, and whether it
    is in the tree. The pointer network sees the priorities, which two nodes the next edge joins,
    its own last latent states and the pointers.
    """

    contract = EdgesByWeight()

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        self.concepts, self.bottleneck, self.seeds = (
            declaration.concepts,
            architecture.bottleneck,
            len(seeds),
        )
        count, self.width = len(seeds), architecture.width
        self.roles = roles = Roles.of(declaration)
        self.weight, self.priority = (
            cast(Number, declaration.inputs[name].kind) for name in (roles.weight, roles.priority)
        )
        self.literal = literal = architecture.processor == LITERAL_SETS
        self.finder = (LiteralFinder if literal else MinFinder)(
            count, self.weight.width + 1, self.width
        )
        self.pointers = (LiteralPointers if literal else PointerNetwork)(count, 2, self.width)
        self.sets = SetHeads(count, self.width, literal=literal)
        self.visited = VisitedHead(count, self.width)
        outputs = sum(kind.num_scores for kind in declaration.outputs.values())
        self.head = EdgeHead(
            count,
            self.width,
            len(self.concepts) - 1 if self.bottleneck else outputs,
            literal=literal,
        )

    def facts(self) -> dict[str, Any]:
        return {
            "network": (
                "a transformer (NEE) finds the next edge, a pointer network (PGN) keeps sets, "
                "concepts come from both"
            ),
            "width": self.width,
            "priorities": "numbers" if self.literal else "half of their log-odds",
            **self.finder.facts(),
            **self.pointers.facts(),
            **self.sets.facts(),
            **self.head.facts(),
        }

    def prepare(self, graph: Graph, inputs: Values) -> PreparedSets:
        edges, nodes = (
            Packing.of(counts, int(counts.max()) if len(counts) else 0, int(counts.sum()))
            for counts in (graph.edge_counts, graph.node_counts)
        )
        return PreparedSets(
            graph,
            edges,
            nodes,
            self.weight.encode(inputs[self.roles.weight]),
            inputs[self.roles.priority],
        )

    def forward(self, prepared: PreparedSets, state: Values, memory: Tensor | None) -> Perceived:
        graph, roles = prepared.graph, self.roles
        visited, in_tree, parent = state[roles.visited], state[roles.in_tree], state[roles.parent]
        edge_latent, edge_scores = self.finder(
            self.edge_features(prepared.weight, visited, in_tree), prepared.edges
        )
        next_scores = prepared.edges.scores(edge_scores)
        # [S, E]
        is_next = next_scores.argmax(-1).index_select(1, graph.edge_owner) == graph.edge_place
        indicator = _ends(is_next, graph)
        joined = self.pointers.join(self.node_features(prepared.priority, indicator))
        last = joined.new_zeros(joined.shape) if memory is None else memory
        encoded, latent = self.pointers(joined, last, parent + graph.first_node[graph.node_owner])
        same_set, keeps, parents = self.sets(encoded, latent, prepared.nodes)
        head, fed_back = self.on_edges(edge_latent, latent, graph.edges, is_next, visited)
        hints = {
            roles.next_edge: next_scores,
            roles.same_set: same_set,
            roles.keeps_parent: keeps,
            roles.parent: updated(keeps, parents, parent),
        }
        return Perceived(head, {**hints, **fed_back}, memory=latent)

    def lessons(self, trace: Run, device: torch.device) -> Traces:
        return Traces.of(trace, device)

    def edge_features(self, weight: Tensor, visited: Tensor, in_tree: Tensor) -> Tensor:
        """[S, R, features] what the min-finder sees. weight: [R, bits] encoded; visited and
        in_tree: [R].
        """
        features = torch.cat(
            [weight.masked_fill(visited[:, None], -1), in_tree[:, None].float()], -1
        )
        return features.expand(self.seeds, *features.shape)

    def node_features(self, priority: Tensor, indicator: Tensor) -> Tensor:
        """[S, R, 2] what the pointer network sees. priority: [R]; indicator: [R] or [S, R] 1 at the
        ends of the next edge.

        Priorities are only ever compared, so they come as numbers and not as bits. A set's root has
        the highest of its
        set: the larger sets are, the closer their roots' priorities lie below the top. Log-odds
        keep them as far apart. The authors' code has numbers from 0 to 1.
        """
        number = (priority + 0.5) / 2**self.priority.bits
        if not self.literal:
            number = torch.logit(number) / 2
        return torch.stack(
            [each.expand(self.seeds, len(priority)) for each in (number, indicator)], -1
        )

    def on_edges(
        self, edges: Tensor, nodes: Tensor, ends: Tensor, is_next: Tensor, was_visited: Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """[S, R, C] concept logits; without a bottleneck, the outputs' scores, and that of the fed
        back concept by name.
        """
        visited = self.visited(is_next, was_visited.expand_as(is_next))
        rest = self.head(edges, nodes, ends)
        if not self.bottleneck:
            return rest, {self.roles.visited: visited}
        place = self.concepts.index(self.roles.visited)
        return torch.cat([rest[:, :, :place], visited[:, :, None], rest[:, :, place:]], -1), {}


def _ends(is_next: Tensor, graph: Graph) -> Tensor:
    """[S, N] 1 at both ends of the next edges [S, E]."""
    indicator = torch.zeros(len(is_next), graph.num_nodes, device=graph.device)
    for ends in graph.edges:
        indicator.scatter_reduce_(1, ends.expand(len(is_next), -1), is_next.float(), "amax")
    return indicator
