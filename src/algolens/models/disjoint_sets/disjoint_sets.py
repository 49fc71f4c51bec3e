"""The next edge, sets of nodes that grow together, and from both the concepts of every edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines import Run
from algolens.graphs import Graph, Location
from algolens.language.fields import Number
from algolens.models.architecture import LITERAL_SETS, Architecture
from algolens.models.disjoint_sets.min_finder import MinFinder
from algolens.models.disjoint_sets.packing import Packing
from algolens.models.disjoint_sets.pointer_network import PointerNetwork, SetHeads, updated
from algolens.models.disjoint_sets.roles import Roles, objection
from algolens.models.layers import Linear, leaky
from algolens.models.perceiver import Lessons, Perceived, Perceiver, Taught, Unrolled

if TYPE_CHECKING:
    from algolens.models.network import Network


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
        one, other = (either.index_select(1, end).chunk(2, -1) for end in ends)
        hidden = leaky(own + one[0] + other[1])
        if not self.literal:
            hidden = (hidden + leaky(own + one[1] + other[0])) / 2
        return self.last(hidden)


class VisitedHead(nn.Module):
    """Whether an edge is visited after the step, from: it is the next one, it was visited."""

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
    """The network for algorithms that take edges by weight and keep sets of nodes.

    The min-finder sees every edge's weight, or -1 for every bit once it is visited, and whether it
    is in the tree. The pointer network sees the priorities, which two nodes the next edge joins,
    its own last latent states and the pointers.
    """

    location = Location.EDGE

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        self.concepts, self.bottleneck = declaration.concepts, architecture.bottleneck
        self.seeds = count = len(seeds)
        self.width = width = architecture.width
        self.roles = roles = Roles.of(declaration)
        self.weight, self.priority = (
            cast(Number, declaration.inputs[name].kind) for name in (roles.weight, roles.priority)
        )
        self.literal = literal = architecture.processor == LITERAL_SETS
        self.finder = MinFinder(count, self.weight.width + 1, width, literal=literal)
        self.pointers = PointerNetwork(count, 2, width, literal=literal)
        self.sets = SetHeads(count, width, literal=literal)
        self.visited = VisitedHead(count, width)
        outputs = sum(kind.num_scores for kind in declaration.outputs.values())
        scores = len(self.concepts) - 1 if self.bottleneck else outputs
        self.head = EdgeHead(count, width, scores, literal=literal)

    @classmethod
    def objection(cls, algorithm: Algorithm, _: Architecture) -> str | None:
        return objection(algorithm)

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
        edges, nodes = Packing.of(graph.edge_counts), Packing.of(graph.node_counts)
        weight = self.weight.encode(inputs[self.roles.weight])
        return PreparedSets(graph, edges, nodes, weight, inputs[self.roles.priority])

    def forward(self, prepared: PreparedSets, state: Values, memory: Tensor | None) -> Perceived:
        graph, roles = prepared.graph, self.roles
        visited, in_tree, parent = state[roles.visited], state[roles.in_tree], state[roles.parent]
        edge_latent, edge_scores = self.finder(
            self.edge_features(prepared.weight, visited, in_tree), prepared.edges
        )
        next_scores = prepared.edges.scores(edge_scores)
        # [S, E]
        is_next = next_scores.argmax(-1).index_select(1, graph.edge_owner) == graph.edge_place
        joined = self.join(prepared.priority, is_next, graph.edges)
        last = torch.zeros_like(joined) if memory is None else memory
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
        return Traces(trace, device)

    def edge_features(self, weight: Tensor, visited: Tensor, in_tree: Tensor) -> Tensor:
        """[S, R, features] what the min-finder sees, from weights [R, bits] and bools [R]."""
        features = torch.cat(
            [weight.masked_fill(visited[:, None], -1), in_tree[:, None].float()], -1
        )
        return features.expand(self.seeds, *features.shape)

    def node_features(self, priority: Tensor, is_end: Tensor) -> Tensor:
        """[S, R, 2] what the pointer network sees: priorities [R], and the next edge's ends [S, R].

        Priorities are only ever compared, so they come as numbers and not as bits. A set's root has
        the highest of its set: the larger sets are, the closer their roots' priorities lie below
        the top. Log-odds keep them as far apart. The authors' code has numbers from 0 to 1.
        """
        number = (priority + 0.5) / 2**self.priority.bits
        if not self.literal:
            number = torch.logit(number) / 2
        shape = (self.seeds, len(priority))
        return torch.stack([number.expand(shape), is_end.expand(shape)], -1)

    def join(self, priority: Tensor, is_next: Tensor, ends: Tensor) -> Tensor:
        """[S, R, width] the encoded features of nodes.

        priority: [R]. is_next: [E] or [S, E] bools, of edges. ends: [2, E] the rows of their ends.
        """
        is_end = torch.zeros(self.seeds, len(priority), device=priority.device)
        is_next = is_next.expand(self.seeds, -1).float()
        for end in ends:
            is_end.scatter_reduce_(1, end.expand(self.seeds, -1), is_next, "amax")
        return self.pointers.join(self.node_features(priority, is_end))

    def on_edges(
        self, edges: Tensor, nodes: Tensor, ends: Tensor, is_next: Tensor, was_visited: Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """[S, R, C] concept logits; without a bottleneck, outputs' scores and what is fed back."""
        visited = self.visited(is_next, was_visited.expand_as(is_next))
        rest = self.head(edges, nodes, ends)
        if not self.bottleneck:
            return rest, {self.roles.visited: visited}
        place = self.concepts.index(self.roles.visited)
        return torch.cat([rest[:, :, :place], visited[:, :, None], rest[:, :, place:]], -1), {}


class Traces(Lessons):
    """True traces of many graphs: all steps of a batch are taught as one large batch."""

    def __init__(self, trace: Run, device: torch.device) -> None:
        self.lengths, self.trace = trace.lengths.tolist(), trace.to(device)

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        perceiver, trace = cast(DisjointSets, network.perceiver), self.trace
        roles, batch = perceiver.roles, Unrolled(trace, graphs, lengths)
        graph, inputs = batch.graph, batch.inputs()
        edges, nodes = Packing.of(graph.edge_counts), Packing.of(graph.node_counts)
        fields = trace.algorithm.declaration.predicted
        outputs = {
            name: batch.at(over_time, Location.EDGE) for name, over_time in trace.outputs.items()
        }
        truth = {
            name: batch.at(over_time, fields[name].location)
            for name, over_time in trace.hints.items()
        }
        visited, in_tree, parent = (
            batch.at(trace.state(name), fields[name].location)
            for name in (roles.visited, roles.in_tree, roles.parent)
        )
        seen = [batch.at(concept, Location.EDGE) for concept in trace.concepts.values()]
        concepts = torch.stack(seen, 1)

        weight = perceiver.weight.encode(inputs[roles.weight])
        edge_latent, edge_scores = perceiver.finder(
            perceiver.edge_features(weight, visited, in_tree), edges
        )
        is_next = truth[roles.next_edge][edges.owner] == graph.edge_place
        joined = perceiver.join(inputs[roles.priority], is_next, graph.edges)
        sizes = torch.bincount(batch.steps(Location.NODE)).tolist()
        target = parent + graph.first_node[nodes.owner]
        encoded, latent = [], []
        memory, first = torch.zeros_like(joined[:, : sizes[0]]), 0
        for part, targets in zip(joined.split(sizes, 1), target.split(sizes), strict=True):
            # pointers are numbers among the rows of a step
            z, memory = perceiver.pointers(part, memory[:, : len(targets)], targets - first)
            first += len(targets)
            encoded.append(z)
            latent.append(memory)
        last = torch.cat(latent, 1)
        same_set, keeps, parents = perceiver.sets(torch.cat(encoded, 1), last, nodes)
        head, fed_back = perceiver.on_edges(
            edge_latent, last, graph.edges, is_next.expand(len(last), -1), visited
        )
        scores = {
            roles.next_edge: edges.scores(edge_scores),
            roles.same_set: same_set,
            roles.keeps_parent: keeps,
            roles.parent: perceiver.sets.taught(keeps, parents, parent),
            **fed_back,
        }
        head = network.with_given_concepts(head, concepts)
        truth |= {name: concepts[:, perceiver.concepts.index(name)] for name in fed_back}
        return Taught(
            head=head,
            concepts=concepts.float(),
            scores=network.decide(head),
            outputs=outputs,
            hints={name: (values, truth[name]) for name, values in scores.items()},
        )
