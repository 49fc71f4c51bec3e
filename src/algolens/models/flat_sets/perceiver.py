"""One look without memory at edges, sets and their roots: exchanges of bits, one after the other."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.algorithms import Declaration, Values
from algolens.data import Situations
from algolens.fields import Mask, Number
from algolens.graphs import Graph, Location
from algolens.models.architecture import Architecture
from algolens.models.contract import EDGE_MASK, TO_NODE, Contract, Slot
from algolens.models.flat_sets.hearing import CaseByCase, Hearing, PairByPair
from algolens.models.flat_sets.names import IN_TREE, JOINS, LEAVES, PARENT, PRIORITY, SAME_SET, TAKES, UNITED, VISITED, WEIGHT
from algolens.models.memoryless.classes import Classes
from algolens.models.memoryless.comparison import CHANNELS, Comparison
from algolens.models.memoryless.exchange import Conclusion, Exchange
from algolens.models.memoryless.without_memory import Studied, WithoutMemory
from algolens.models.perceiver import Look


class FlatSets(WithoutMemory):
    """For algorithms that take edges by weight and keep sets of nodes, each pointing to its root: Kruskal's, with flat sets.

    1. Edges hear all other edges, and how weights compare: concepts.
    2. Edges hear all nodes, as the goals of their ends' pointers: are the ends in one set?
    3. From its class and its concepts, an edge knows whether it joins two sets.
    4. Nodes hear the edges whose ends point to them: which roots are united?
    5. Nodes hear all other nodes, and how priorities compare: does a root's set leave it, and is it the root to go to?
    A node whose root is left points to the node that is most the one to go to. What goes from one part to the next are hard
    bits. Weights and priorities share one comparison, to which weights show many pairs.
    """

    contract = Contract(
        location=Location.EDGE,
        inputs={WEIGHT: Slot(Location.EDGE, (Number,)), PRIORITY: Slot(Location.NODE, (Number,))},
        state={VISITED: EDGE_MASK, IN_TREE: EDGE_MASK, PARENT: TO_NODE},
        hints={JOINS: EDGE_MASK, UNITED: Slot(Location.NODE, (Mask,)), PARENT: TO_NODE},
        concepts=(VISITED, SAME_SET),
        outputs=(IN_TREE,),
        fixed_steps=True,
        bottleneck=True,
    )
    most_nodes, runs = 8, 10

    def __init__(self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> None:
        super().__init__(declaration, architecture, seeds)
        self.concepts = declaration.concepts
        self.classes = Classes(declaration, (VISITED, IN_TREE))
        kinds = [declaration.inputs[name].kind for name in (WEIGHT, PRIORITY)]
        self.number = Number(max(kind.bits for kind in kinds if isinstance(kind, Number)))  # of both
        count, classes, concepts = len(seeds), self.classes.count, len(self.concepts)
        size = {"width": architecture.width, "bits": architecture.message_bits}
        self.comparison = Comparison(count, self.number.bits)
        self.edges = Exchange(count, classes, classes, concepts - 1, channels=CHANNELS, **size)
        self.ends = Exchange(count, 1, 4, 1, **size)
        self.joins = Conclusion(count, classes, concepts, 1, width=architecture.width)
        self.roots = Exchange(count, 1, 2, 1, **size)
        self.rivals = Exchange(count, 2, 2, 2, channels=CHANNELS, **size)

    @property
    def exchanges(self) -> dict[str, Exchange]:
        """By name."""
        return {"edges": self.edges, "ends": self.ends, "roots": self.roots, "rivals": self.rivals}

    def scores(self, inputs: Values) -> tuple[Tensor, Tensor]:
        """[S, E] and [S, N] the learnt scores of weights and of priorities."""
        weight, priority = (self.comparison.scores(self.number.encode(inputs[name])) for name in (WEIGHT, PRIORITY))
        return weight, priority

    def prepare(self, graph: Graph, inputs: Values) -> Hearing:
        one_seed = len(self.comparison.change) == 1
        return CaseByCase(self, graph, inputs) if one_seed and not self.training else PairByPair(self, graph, inputs)

    def forward(self, prepared: Hearing, state: Values, memory: Tensor | None = None) -> Look:
        classes, target = self.classes.of(state), prepared.target(state[PARENT])
        head = self.on_edges(prepared.edges(classes), prepared.ends(target))
        joins = prepared.joins(classes, head > 0) > 0
        united = prepared.roots(target, joins.long()).squeeze(-1) > 0
        leaves, takes = prepared.rivals(united.long()).unbind(-1)
        best = prepared.nodes.scores(takes).argmax(-1).index_select(1, prepared.graph.node_owner)
        parent = torch.where(leaves.index_select(1, target) > 0, best, state[PARENT])
        return Look(head, settled={JOINS: joins, UNITED: united, PARENT: parent})

    def on_edges(self, edges: Tensor, ends: Tensor) -> Tensor:
        """[S, E, C] all concepts' logits, in their order."""
        place = self.concepts.index(SAME_SET)
        return torch.cat([edges[:, :, :place], ends, edges[:, :, place:]], -1)

    def study(self, met: Situations, noise: torch.Generator) -> Studied:
        """Every part is given the truth of what comes before it, so that all are learnt at once."""
        graph, state, hints = met.setting.graph, met.setting.state, met.hints
        hearing = PairByPair(self, graph, met.setting.inputs, noise)
        classes, target = self.classes.of(state), hearing.target(state[PARENT])
        head = self.on_edges(hearing.edges(classes), hearing.ends(target))
        joins = hearing.joins(classes, met.concepts.expand(len(head), -1, -1))
        united = hearing.roots(target, hints[JOINS].long()).squeeze(-1)
        concluded = hearing.rivals(hints[UNITED].long())
        return Studied(
            head=head,
            sent=hearing.sent,
            hints={JOINS: (joins, hints[JOINS]), UNITED: (united, hints[UNITED])},
            others={PARENT: _on_pointers(concluded, hearing, target, hints[PARENT] != state[PARENT], hints[PARENT])},
        )


def _on_pointers(concluded: Tensor, hearing: Hearing, target: Tensor, changes: Tensor, parent: Tensor) -> Tensor:
    """[S] the loss of what roots conclude, by what became of the pointers to them. changes, parent: [N] true."""
    leaves = concluded[:, :, LEAVES].index_select(1, target)
    loss = F.binary_cross_entropy_with_logits(leaves, changes.float().expand_as(leaves), reduction="none").mean(1)
    if not bool(changes.any()):
        return loss
    scores = hearing.nodes.scores(concluded[:, :, TAKES]).index_select(1, hearing.graph.node_owner[changes])  # [S, K, M]
    goal = parent[changes].expand(len(scores), -1)
    return loss + F.cross_entropy(scores.flatten(0, 1), goal.flatten(), reduction="none").view(goal.shape).mean(1)
