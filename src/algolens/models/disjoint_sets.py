"""The network after the paper's for algorithms that take edges by weight and keep sets of nodes.

A min-finder finds the next edge, a pointer network keeps sets of nodes that grow together, and from
both come the concepts of every edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines import Run
from algolens.graphs import At, Graph
from algolens.language.fields import Field
from algolens.models.architecture import (
    LITERAL_SETS,
    Architecture,
    Slot,
    mismatch,
    misplaced,
    network_inputs,
)
from algolens.models.layers import GRU, Bias, Linear, Norm, in_one_matrix, leaky
from algolens.models.packing import Packing, repeated
from algolens.models.perceiver import Lessons, Perceived, Perceiver, Taught

if TYPE_CHECKING:
    from algolens.models.network import Network

LAYERS = 6
WIDER = 4  # the feed-forward part is so many times as wide
# of messages in a step: sets are trees, and an end of an edge is some pointers away from its root
ROUNDS = 4
# under the names of the protocol's facts; words say what the layers do
FACTS = {
    # they would not change the pointer to the next edge: see docs/built.md
    "finder_decoder_layers": 0,
    "finder_norm": "before each part",
    "finder_sum": "x + f(x)",
    "finder_maps": "one for each",
    "finder_logits": "the logarithm of the number of edges",
    "priorities": "half of their log-odds",
    "pointer_gate": "the last latent state",
    "pointer_encoder_end": "nothing",
    "pointer_biases": True,
    "pointers_from": "encoded and latent states",
    "pointer_loss": (
        "cross-entropy of old and new pointers, mixed by how likely each node keeps its own"
    ),
    "edge_head": "in both orders, averaged",
}
LITERAL_FACTS = {
    "finder_decoder_layers": "the keys of the last; nothing else of them has an effect",
    "finder_norm": "after each part",
    "finder_sum": "1.5 x + 0.5 f(x)",
    "finder_maps": "one for both",
    "finder_logits": "1",
    "priorities": "numbers",
    "pointer_rounds": 1,
    "pointer_gate": "zero at every step",
    "pointer_encoder_end": "LeakyReLU",
    "pointer_biases": False,
    "pointers_from": "latent states",
    "pointer_loss": "cross-entropy of the new pointers, apart from who keeps its own",
    "edge_head": "in one order",
}


# ---- the next edge, after the transformer of Yan et al. (2020)


class Layer(nn.Module):
    """A transformer layer whose attention is the same for every query: one pooled vector a graph.

    An attention logit is a linear map of [query; key] plus the same map of [key; query]: a term of
    the query and a term of the key. The softmax over keys does not see the query's. literal: as in
    the authors' code, normalised after each part, with one map for queries, keys and values.
    """

    def __init__(self, seeds: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal = literal
        if literal:
            self.value = Linear(seeds, width, width)
            self.attention: nn.Module = KeyLogits(seeds, width)
        else:
            self.before_attention = Norm(seeds, width)
            self.attention = Linear(seeds, width, 1, bias=False, fan_in=2 * width)
            self.value = Linear(seeds, width, width)
        self.output = Linear(seeds, width, width)
        if literal:
            self.after_attention, self.after_forward = Norm(seeds, width), Norm(seeds, width)
        else:
            self.before_forward = Norm(seeds, width)
        self.widen = Linear(seeds, width, WIDER * width)
        self.narrow = Linear(seeds, WIDER * width, width)

    def forward(self, x: Tensor, edges: Packing, sharpness: Tensor) -> Tensor:
        """[S, R, width] to the same. sharpness: [R] what logits are multiplied by."""
        if self.literal:
            mapped = self.value(x)
            attended = self.output(edges.pool(self.attention(mapped), mapped))
            x = self.after_attention(1.5 * x + 0.5 * edges.spread(attended))
            return self.after_forward(1.5 * x + 0.5 * self.narrow(torch.relu(self.widen(x))))
        normal = self.before_attention(x)
        # values are linear: mapped after the pooling, there are only as many as graphs
        pooled = edges.pool(self.attention(normal).squeeze(-1) * sharpness, normal)
        x = x + edges.spread(self.output(self.value(pooled)))
        return x + self.narrow(torch.relu(self.widen(self.before_forward(x))))


class KeyLogits(nn.Module):
    """[S, R] what of an attention's logits depends on the key [S, R, width].

    It is a linear map of [query; key] plus the same of [key; query].
    """

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        # the key in the one place, and in the other
        self.both = Linear(seeds, width, 2, bias=False, fan_in=2 * width)

    def forward(self, keys: Tensor) -> Tensor:
        return self.both(keys).sum(-1)


class MinFinder(nn.Module):
    """Edges' latent states, and how likely each edge is the next: the lightest unvisited one.

    Attention is sharper among more edges, by the logarithm of their number (Chiang and Cholak
    2022): else the last unvisited edge of a large graph is lost among the visited ones. literal: as
    in the authors' code, but for weights there that can have no effect. Those are all of the
    decoder but the map of keys in its last layer: the pointer to the next edge is that layer's
    attention, and the query (like a bias of the keys) adds the same to all of its logits.
    """

    def __init__(self, seeds: int, features: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        self.embed = Linear(seeds, features, width)
        self.layers = nn.ModuleList([Layer(seeds, width, literal=literal) for _ in range(LAYERS)])
        self.keys = Linear(seeds, width, width, bias=False) if literal else None
        self.point = (
            KeyLogits(seeds, width)
            if literal
            else Linear(seeds, width, 1, bias=False, fan_in=2 * width)
        )

    def forward(self, features: Tensor, edges: Packing) -> tuple[Tensor, Tensor]:
        """[S, R, width] latent states and [S, R] scores, from features [S, R, F]."""
        x = self.embed(features)
        sharpness = edges.counts.float().log().index_select(0, edges.owner)
        for layer in self.layers:
            x = layer(x, edges, sharpness)
        return x, self.point(x if self.keys is None else self.keys(x)).view(x.shape[:2])


# ---- sets of nodes, after the pointer graph network of Veličković et al. (2020)


class PointerNetwork(nn.Module):
    """Latent states of nodes, by rounds of messages along pointers, then a GRU.

    literal: as in the authors' code, with one round, a GRU whose state is zero, and no biases. Left
    out of that GRU is what can have no effect: the maps of the state, which is zero, with the gate
    that resets it.
    """

    def __init__(self, seeds: int, features: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        fan_in = features + width
        self.literal = literal
        self.join = Linear(seeds, features, width, bias=False, fan_in=fan_in)
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.first = Linear(seeds, width, 3 * width, bias=False, fan_in=2 * width)
        if not literal:
            self.first_bias = Bias(seeds, width, fan_in=2 * width)
        self.message = Linear(seeds, width, width, bias=False)
        if not literal:
            self.message_bias = Bias(seeds, width, fan_in=width)
        self.update = Linear(seeds, width, width, bias=not literal, fan_in=2 * width)
        if literal:  # how much of the state stays, and what is new
            self.gates = Linear(seeds, width, 2 * width, bias=False)
        else:
            self.gate = GRU(seeds, width)

    def forward(self, joined: Tensor, memory: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """[S, N, width] encoded and latent states.

        joined: [S, N, width] the features' part of the encoding, ``join`` of them. memory: [S, N,
        width] the last latent states. target: [N] or [S, N] the node that each points to, numbered
        through the batch.
        """
        z = joined + self.join_memory(memory)
        rows = in_one_matrix(target, *z.shape[:2])
        if self.literal:
            z = leaky(z)
            stays, new = self.gates(self.round(z, rows)).chunk(2, -1)
            return z, (1 - torch.sigmoid(stays)) * torch.tanh(new)
        x = z
        for _ in range(ROUNDS):
            x = self.round(x, rows)
        return z, self.gate(x, memory)

    def round(self, x: Tensor, target: Tensor) -> Tensor:
        """leaky(U [x_i, max_j M(x_i, x_j)]) over all j that a pointer joins to i.

        M is two layers with LeakyReLU. target: [S * N] among the rows of all seeds.
        """
        receiver, sender, own = self.first(x).chunk(3, -1)
        if not self.literal:
            receiver = self.first_bias(receiver)
        # from the node that one points to, and to it
        down = leaky(receiver + sender.flatten(0, 1).index_select(0, target).view_as(sender))
        up = leaky(receiver.flatten(0, 1).index_select(0, target).view_as(sender) + sender)
        down, up = (
            part.flatten(0, 1) for part in self.message(torch.cat([down, up], 1)).chunk(2, 1)
        )
        best = down.scatter_reduce(0, target[:, None].expand_as(up), up, "amax").view_as(x)
        if not self.literal:
            # the second layer's bias and LeakyReLU are monotonic, and may follow the maximum
            best = self.message_bias(best)
        return leaky(own + self.update(leaky(best)))


class SetHeads(nn.Module):
    """What is read off the nodes: are the ends in one set, who keeps its pointer, and new ones."""

    def __init__(self, seeds: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal = literal  # as in the authors' code
        seen = width if literal else 2 * width  # of which new pointers come
        self.same_set = Linear(seeds, 2 * width, 1)
        self.keeps = Linear(seeds, 2 * width, 1)
        self.query = Linear(seeds, seen, width)
        # a bias would add the same to all scores of a query
        self.key = Linear(seeds, seen, width, bias=False)

    def forward(
        self, encoded: Tensor, latent: Tensor, nodes: Packing
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [S, P] of one set and [S, R] of keeping; scores [S, R, M] of new pointers."""
        both = torch.cat([encoded, latent], -1)
        pooled = nodes.masked(nodes.table(both)).amax(2)
        seen = latent if self.literal else both
        queries, keys = nodes.table(self.query(seen)), nodes.table(self.key(seen))
        scores = nodes.masked(queries @ keys.mT, 3)
        return (
            self.same_set(pooled).squeeze(-1),
            self.keeps(both).squeeze(-1),
            nodes.members(scores),
        )


def updated(keeps: Tensor, scores: Tensor, parent: Tensor) -> Tensor:
    """[S, R, M] scores of the pointers after a step; where one stays, the old one's alone.

    The appendix's equation. keeps: [S, R] logits. scores: [S, R, M] of new pointers. parent: [R] or
    [S, R] the old pointers.
    """
    kept = torch.where(_is_old(scores, parent), 0.0, -torch.inf)
    return torch.where((keeps > 0)[:, :, None], kept, scores)


def expected(keeps: Tensor, scores: Tensor, parent: Tensor) -> Tensor:
    """Before anything is decided: log-probabilities of old and new pointers, mixed by ``keeps``."""
    new = F.log_softmax(scores, -1) + F.logsigmoid(-keeps)[:, :, None]
    stays = F.logsigmoid(keeps)[:, :, None].expand_as(new)
    return torch.where(_is_old(scores, parent), torch.logaddexp(new, stays), new)


def _is_old(scores: Tensor, parent: Tensor) -> Tensor:
    """[R, M] bools: is this the old pointer?"""
    return torch.arange(scores.shape[-1], device=parent.device) == parent[..., None]


# ---- concepts of edges


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
        """[S, R, 1] logits, from bools [S, R]."""
        return self.last(leaky(self.first(torch.stack([is_next, was_visited], -1).float())))


# ---- the network

WHERE: tuple[At, ...] = ("node", "edge", "graph")
EDGE_MASK = Slot("edge", ("mask",))
TO_NODE = Slot("node", ("pointer",), to="node")
INPUT, STATE_OUTPUT, STATE_CONCEPT, STATE_HINT, HINT = (
    "an input",
    "an output that is state",
    "a concept that is state",
    "a hint that is state",
    "a hint",
)
# the one field of a declaration that plays each role, found by what it is and not by its name
ROLES = {
    "weight": (INPUT, Slot("edge", ("number",))),  # the lightest edge comes next
    "priority": (INPUT, Slot("node", ("number",))),  # of two roots, the one with more wins
    "in_tree": (STATE_OUTPUT, EDGE_MASK),
    "visited": (STATE_CONCEPT, EDGE_MASK),
    "parent": (STATE_HINT, TO_NODE),  # the pointers that sets are kept by
    "next_edge": (HINT, Slot("graph", ("pointer",), to="edge")),
    # whether the ends of that edge are in one set
    "same_set": (HINT, Slot("graph", ("mask",))),
    "keeps_parent": (HINT, Slot("node", ("mask",))),  # whether a pointer stays as it is
}


def _parts(declaration: Declaration) -> dict[str, dict[str, Field]]:
    """The fields of each part of a declaration."""
    predicted, state = declaration.predicted, declaration.state

    def carried(names: Iterable[str]) -> dict[str, Field]:
        return {name: predicted[name] for name in names if name in state}

    return {
        INPUT: network_inputs(declaration),
        STATE_OUTPUT: carried(declaration.outputs),
        STATE_CONCEPT: carried(declaration.concepts),
        STATE_HINT: carried(declaration.hints),
        HINT: {name: field for name, field in declaration.hints.items() if name not in state},
    }


@dataclass(frozen=True, eq=False)
class PreparedSets:
    """What stays the same while a graph is worked on."""

    edges: Packing  # a group for each graph
    nodes: Packing
    ends: Tensor  # [2, E] the nodes at the ends of each edge
    weight: Tensor  # [E, bits] encoded
    priority: Tensor  # [N]


class DisjointSets(Perceiver):
    """The network for algorithms that take edges by weight and keep sets of nodes.

    The min-finder sees every edge's weight, or -1 for every bit once it is visited, and whether it
    is in the tree. The pointer network sees the priorities, which two nodes the next edge joins,
    its own last latent states and the pointers.
    """

    location = "edge"
    runs_seeds = True

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        count, width, parts = self.count, self.width, _parts(declaration)
        self.roles = roles = {
            role: name
            for role, (part, slot) in ROLES.items()
            for name, field in parts[part].items()
            if slot.takes(field)
        }
        self.weight, self.priority = (
            declaration.inputs[roles[role]] for role in ("weight", "priority")
        )
        self.literal = literal = architecture.processor == LITERAL_SETS
        self.finder = MinFinder(count, self.weight.width + 1, width, literal=literal)
        self.pointers = PointerNetwork(count, 2, width, literal=literal)
        self.sets = SetHeads(count, width, literal=literal)
        self.visited = VisitedHead(count, width)
        outputs = sum(kind.num_scores for kind in declaration.outputs.values())
        scores = len(declaration.concepts) - 1 if self.bottleneck else outputs
        self.head = EdgeHead(count, width, scores, literal=literal)

    @classmethod
    def objection(cls, algorithm: Algorithm, _: Architecture) -> str | None:
        by_part: dict[str, list[Slot]] = {}
        for part, slot in ROLES.values():
            by_part.setdefault(part, []).append(slot)
        objection = mismatch(
            algorithm,
            "edge",
            inputs=by_part[INPUT],
            state=[EDGE_MASK, TO_NODE],
            outputs=[Slot("edge", ("mask", "category"))],
            hints=[*by_part[HINT], TO_NODE],
        )
        for part, fields in _parts(algorithm.declaration).items():
            for slot in by_part[part]:
                names = [name for name, field in fields.items() if slot.takes(field)]
                if not names:
                    missing = f"needs {part} that is {slot}, and none is declared"
                    objection = objection or missing
                elif len(names) > 1:
                    objection = objection or (
                        f"needs one field as {part} that is {slot}, and '{names[0]}' and "
                        f"'{names[1]}' are declared so"
                    )
            objection = objection or misplaced(fields, by_part[part], "has", part)
        if objection is None and algorithm.declaration.terminates:
            return "takes a fixed number of steps, and this algorithm has a rule for going on"
        return objection

    def facts(self) -> dict[str, Any]:
        return {
            "network": (
                "a transformer (NEE) finds the next edge, a pointer network (PGN) keeps sets, "
                "concepts come from both"
            ),
            "width": self.width,
            "finder_layers": LAYERS,
            "finder_forward": WIDER * self.width,
            "pointer_rounds": ROUNDS,
            **FACTS,
            **(LITERAL_FACTS if self.literal else {}),
        }

    def prepare(self, graph: Graph, inputs: Values) -> PreparedSets:
        edges, nodes = Packing.of(graph.edge_counts), Packing.of(graph.node_counts)
        return self.prepared(edges, nodes, graph.edges, inputs)

    def prepared(
        self, edges: Packing, nodes: Packing, ends: Tensor, inputs: Values
    ) -> PreparedSets:
        """The same of graphs whose members are packed so."""
        weight = self.weight.encode(inputs[self.roles["weight"]])
        return PreparedSets(edges, nodes, ends, weight, inputs[self.roles["priority"]])

    def forward(self, prepared: PreparedSets, state: Values, memory: Tensor | None) -> Perceived:
        return self.look(prepared, state, [len(prepared.priority)], memory=memory)

    def look(
        self,
        prepared: PreparedSets,
        state: Values,
        sizes: list[int],
        next_edge: Tensor | None = None,
        memory: Tensor | None = None,
    ) -> Perceived:
        """A look at the graphs of several steps, step after step.

        Parameters
        ----------
        prepared, state
            Of all of them.
        sizes
            How many nodes each step has; those of the first graphs go on.
        next_edge
            [G] the true next edge of each graph, for a network that is taught; by default, the one
            that it finds itself.
        memory
            [S, N, width] before the first step.
        """
        roles, edges, nodes = self.roles, prepared.edges, prepared.nodes
        visited, in_tree, parent = (state[roles[role]] for role in ("visited", "in_tree", "parent"))
        seen = torch.where(visited[..., None], -1.0, prepared.weight)
        features = torch.cat([seen, in_tree[..., None].float()], -1)
        edge_latent, edge_scores = self.finder(
            features.expand(self.count, *features.shape[-2:]), edges
        )
        next_scores = edges.masked(edges.table(edge_scores))
        chosen = next_scores.argmax(-1) if next_edge is None else next_edge.expand(self.count, -1)
        is_next = chosen.index_select(1, edges.owner) == edges.column  # [S, E]
        joined = self.join(prepared.priority, is_next, prepared.ends)
        target = parent + nodes.first.index_select(0, nodes.owner)
        if memory is None:
            memory = torch.zeros_like(joined[:, : sizes[0]])
        steps, first = [], 0
        for part, targets in zip(joined.split(sizes, 1), target.split(sizes, -1), strict=True):
            # pointers are numbers among the rows of a step
            z, memory = self.pointers(part, memory[:, : part.shape[1]], targets - first)
            first += part.shape[1]
            steps.append((z, memory))
        encoded, latent = (torch.cat(parts, 1) for parts in zip(*steps, strict=True))
        same_set, keeps, parents = self.sets(encoded, latent, nodes)
        if next_edge is None:
            parents = updated(keeps, parents, parent)
        elif not self.literal:
            parents = expected(keeps, parents, parent)
        head = self.head(edge_latent, latent, prepared.ends)
        after = self.visited(is_next, visited.expand_as(is_next))  # [S, E, 1]
        hints = {
            roles["next_edge"]: next_scores,
            roles["same_set"]: same_set,
            roles["keeps_parent"]: keeps,
            roles["parent"]: parents,
        }
        if self.bottleneck:
            place = self.declaration.concepts.index(roles["visited"])
            head = torch.cat([head[..., :place], after, head[..., place:]], -1)
        else:
            hints[roles["visited"]] = after.squeeze(-1)
        return Perceived(head, hints, memory=memory)

    def lessons(self, trace: Run, device: torch.device) -> Traces:
        return Traces(trace, device)

    def join(self, priority: Tensor, is_next: Tensor, ends: Tensor) -> Tensor:
        """[S, N, width] the encoded features of nodes: priorities, and the next edge's ends.

        Priorities are only ever compared, so they come as numbers and not as bits. A set's root has
        the highest of its set: the larger sets are, the closer their roots' priorities lie below
        the top. Log-odds keep them as far apart. The authors' code has numbers from 0 to 1.

        priority: [N]. is_next: [S, E] bools, of edges. ends: [2, E] the nodes at their ends.
        """
        number = (priority + 0.5) / 2**self.priority.bits
        if not self.literal:
            number = torch.logit(number) / 2
        is_end = torch.zeros(self.count, len(priority), device=priority.device)
        for end in ends:
            is_end.scatter_reduce_(1, end.expand(self.count, -1), is_next.float(), "amax")
        return self.pointers.join(torch.stack([number.expand_as(is_end), is_end], -1))


class Traces(Lessons):
    """True traces of many graphs: all steps of a batch are taught as one large batch.

    Where a GPU records, each graph is as large as the largest and takes as many steps as the
    longest of its batch, so that few shapes are recorded; what is not there counts nothing.
    """

    can_record = True

    def __init__(self, trace: Run, device: torch.device) -> None:
        super().__init__(trace, device)
        graph = self.trace.graph
        self.packed = {location: Packing.of(graph.counts(location)) for location in WHERE}

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        perceiver, trace = cast(DisjointSets, network.perceiver), self.trace
        graph, roles = trace.graph, perceiver.roles
        alive = [
            len(graphs) if always else sum(length > step for length in lengths)
            for step in range(max(lengths))
        ]
        # [P] of each pair of a step and a graph that takes it
        step = repeated(range(len(alive)), alive, graphs.device)
        chosen = torch.cat([graphs[:count] for count in alive])
        taken = {at: packing.take(chosen, padded=always) for at, packing in self.packed.items()}
        place = {at: place for at, (place, _) in taken.items()}
        packed = {at: packing for at, (_, packing) in taken.items()}
        nodes, edges = packed["node"], packed["edge"]
        # [2, E] the ends of edges by their places in the own graph
        ends = graph.edges[:, place["edge"]] - graph.first_node[chosen[edges.owner]]
        ends = ends.clamp(0, nodes.size - 1) + nodes.first[edges.owner]
        where = {at: (packing.owner, place[at]) for at, packing in packed.items()}
        state, true = (self.at(values, step, where) for values in (self.states, self.fields))
        inputs = {name: values[place[self.location[name]]] for name, values in self.inputs.items()}
        weight: dict[str, Tensor] = {}
        if always:
            lasts = (trace.lengths[chosen] > step).float()
            weight = {
                location: lasts[packing.owner] * (packing.column < packing.counts[packing.owner])
                for location, packing in packed.items()
            }
            # a node that is not there sends to none
            parent, absent = roles["parent"], nodes.column >= nodes.counts[nodes.owner]
            state[parent] = torch.where(absent, nodes.column, state[parent])
        until = nodes.sizes([0, *accumulate(alive)])
        sizes = [end - start for start, end in pairwise(until)]
        look = perceiver.look(
            perceiver.prepared(edges, nodes, ends, inputs), state, sizes, true[roles["next_edge"]]
        )
        assert look.head is not None
        concepts = torch.stack([true[name] for name in trace.concepts], 1).float()
        head = network.with_given_concepts(look.head, concepts)
        return Taught(
            head=head,
            concepts=concepts,
            scores=network.decide(head),
            outputs={name: true[name] for name in trace.outputs},
            hints={name: (values, true[name]) for name, values in look.hints.items()},
            weight=weight,
        )
