"""The next edge, sets of nodes that grow together, and from both the concepts of every edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.engines import Run
from algolens.graphs import Graph
from algolens.language.fields import Number
from algolens.models.architecture import LITERAL_SETS, Architecture
from algolens.models.disjoint_sets.min_finder import LiteralFinder, MinFinder
from algolens.models.disjoint_sets.packing import Packing, Steps
from algolens.models.disjoint_sets.pointer_network import (
    LiteralPointers,
    PointerNetwork,
    SetHeads,
    updated,
)
from algolens.models.disjoint_sets.roles import EdgesByWeight, Roles
from algolens.models.layers import Linear, leaky
from algolens.models.perceiver import Lessons, Perceived, Perceiver, Taught

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

    contract = EdgesByWeight()

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
        finder, pointers = (
            (LiteralFinder, LiteralPointers) if literal else (MinFinder, PointerNetwork)
        )
        self.finder = finder(count, self.weight.width + 1, width)
        self.pointers = pointers(count, 2, width)
        self.sets = SetHeads(count, width, literal=literal)
        self.visited = VisitedHead(count, width)
        outputs = sum(kind.num_scores for kind in declaration.outputs.values())
        scores = len(self.concepts) - 1 if self.bottleneck else outputs
        self.head = EdgeHead(count, width, scores, literal=literal)

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
        return Traces.of(trace, device)

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


@dataclass(frozen=True, eq=False)
class Traces(Lessons):
    """True traces of many graphs: all steps of a batch are taught as one large batch."""

    lengths: list[int]
    trace: Run  # on the device
    states: dict[str, Tensor]  # each [T + 1, ...]
    fields: dict[str, Tensor]  # each [T, ...]: outputs and hints
    concepts: Tensor  # [T, E, C] bools
    node_counts: list[int]  # known without asking the device
    edge_counts: list[int]

    @classmethod
    def of(cls, trace: Run, device: torch.device) -> Traces:
        """The traces on a device."""
        moved = trace.to(device)
        return cls(
            lengths=trace.lengths.tolist(),
            trace=moved,
            states={name: moved.state(name).dense() for name in moved.start},
            fields={
                name: over_time.dense()
                for name, over_time in {**moved.outputs, **moved.hints}.items()
            },
            concepts=moved.patterns(),
            node_counts=trace.graph.node_counts.tolist(),
            edge_counts=trace.graph.edge_counts.tolist(),
        )

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        perceiver, trace = cast(DisjointSets, network.perceiver), self.trace
        roles = perceiver.roles
        numbers = graphs.tolist()
        counts = [self.node_counts[i] for i in numbers], [self.edge_counts[i] for i in numbers]
        steps = Steps.of(trace.graph, graphs, lengths, counts)
        edges, nodes = steps.edges, steps.nodes
        truth = {
            roles.next_edge: steps.graphs.at(self.fields[roles.next_edge]),
            roles.same_set: steps.graphs.at(self.fields[roles.same_set]),
            roles.keeps_parent: nodes.at(self.fields[roles.keeps_parent]),
            roles.parent: nodes.at(self.fields[roles.parent]),
        }

        visited = edges.at(self.states[roles.visited])
        weight = perceiver.weight.encode(trace.inputs[roles.weight][edges.element])
        features = perceiver.edge_features(weight, visited, edges.at(self.states[roles.in_tree]))
        edge_latent, edge_scores = perceiver.finder(features, edges.groups)

        next_place = truth[roles.next_edge][edges.groups.owner]
        is_next = next_place == trace.graph.edge_place[edges.element]
        encoded, latent = self._unroll(perceiver, steps, is_next)
        same_set, keeps, parents = perceiver.sets(encoded, latent, nodes.groups)
        parents = perceiver.sets.taught(keeps, parents, nodes.at(self.states[roles.parent]))
        head, fed_back = perceiver.on_edges(
            edge_latent, latent, steps.ends, is_next.expand(len(latent), -1), visited
        )
        scores = {
            roles.next_edge: edges.groups.scores(edge_scores),
            roles.same_set: same_set,
            roles.keeps_parent: keeps,
            roles.parent: parents,
            **fed_back,
        }
        concepts = edges.at(self.concepts)
        head = network.with_given_concepts(head, concepts)
        truth |= {name: concepts[:, perceiver.concepts.index(name)] for name in fed_back}
        return Taught(
            head=head,
            concepts=concepts.float(),
            scores=network.decide(head),
            outputs={name: edges.at(self.fields[name]) for name in trace.outputs},
            hints={name: (values, truth[name]) for name, values in scores.items()},
        )

    def _unroll(
        self, perceiver: DisjointSets, steps: Steps, is_next: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[S, M, width] encoded and latent states of all nodes' rows. is_next: of edges' rows."""
        nodes, roles = steps.nodes, perceiver.roles
        priority = self.trace.inputs[roles.priority][nodes.element]
        joined = perceiver.join(priority, is_next, steps.ends).split(nodes.sizes, 1)
        targets = (nodes.at(self.states[roles.parent]) + steps.shift).split(nodes.sizes)
        memory, encoded, latent = torch.zeros_like(joined[0]), [], []
        for size, part, target in zip(nodes.sizes, joined, targets, strict=True):
            z, memory = perceiver.pointers(part, memory[:, :size], target)
            encoded.append(z)
            latent.append(memory)
        return torch.cat(encoded, 1), torch.cat(latent, 1)
