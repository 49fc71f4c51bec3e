"""One look without memory: bits from neighbours, joined by "or", then concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.data import Situations
from algolens.fields import Number
from algolens.graphs import Graph, Location
from algolens.models.architecture import Architecture
from algolens.models.contract import CLASSES, Contract, Slot
from algolens.models.memoryless.bits import harden
from algolens.models.memoryless.cases import MOST_KINDS, Cases, num_kinds
from algolens.models.memoryless.classes import Classes
from algolens.models.memoryless.comparison import CHANNELS, Comparison
from algolens.models.memoryless.exchange import Exchange
from algolens.models.memoryless.without_memory import Studied, WithoutMemory
from algolens.models.perceiver import Look


@dataclass(frozen=True, eq=False)
class Prepared:
    """What stays the same while a graph is worked on."""

    graph: Graph
    inputs: Values
    compared: Tensor  # [S, A, channels] bits of the comparisons of the receiver's numbers with the sender's, for every link
    cases: tuple[Cases, Tensor] | None = None  # for running one seed: the table, and the comparisons as numbers [A]


class Memoryless(WithoutMemory):
    """For algorithms on nodes that are Markov in their discrete state, which is all that this network sees.

    An exchange between neighbours: their messages are bits, joined by "or", and the head's logits are the concepts'. So a
    node's concepts are settled by its class and by which kinds of neighbours it has: finitely many cases, whatever the graph.
    """

    contract = Contract(
        location=Location.NODE,
        inputs=Slot(Location.NODE, (*CLASSES, Number)),
        state=Slot(Location.NODE, CLASSES),
        most_classes=256,
        bottleneck=True,
    )
    most_nodes, runs = 20, 40

    def __init__(self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> None:
        super().__init__(declaration, architecture, seeds)
        self.declaration, self.classes = declaration, Classes(declaration)
        count, width, bits = len(seeds), architecture.width, architecture.message_bits
        self.comparisons: Mapping[str, Comparison] = nn.ModuleDict(  # type: ignore[assignment]
            {name: Comparison(count, kind.bits) for name, kind in self.classes.numbers.items()}
        )
        outputs = len(declaration.concepts)
        self.exchange = Exchange(
            count, self.classes.count, self.classes.count, outputs, width=width, bits=bits, channels=self.num_channels
        )

    @property
    def num_channels(self) -> int:
        """How many bits compare the numbers of two nodes."""
        return CHANNELS * len(self.comparisons)

    @property
    def device(self) -> torch.device:
        return self.exchange.message.weight.device

    def prepare(self, graph: Graph, inputs: Values, noise: torch.Generator | None = None) -> Prepared:
        """noise: makes unsure comparisons err, in training."""
        senders, receivers = graph.links
        parts = [self._no_comparison(len(senders))]
        for name, comparison in self.comparisons.items():
            scores = comparison.scores(self.classes.numbers[name].encode(inputs[name]))
            difference = scores.index_select(1, receivers) - scores.index_select(1, senders)
            parts.append(comparison(difference, noise))
        compared = torch.cat(parts, -1)
        cases = None
        if not self.training and len(compared) == 1 and num_kinds(self.exchange) <= MOST_KINDS:
            table = Cases(self.exchange)
            cases = table, table.combinations(compared[0])
        return Prepared(graph, inputs, compared, cases)

    def forward(self, prepared: Prepared, state: Values, memory: Tensor | None = None) -> Look:
        graph = prepared.graph
        if prepared.cases is not None:
            table, combinations = prepared.cases
            classes = self.classes.of({**prepared.inputs, **state})
            return Look(table.conclude(classes, self._present(graph, table.kinds(classes[graph.links[0]], combinations))))
        classes, sent = self.sent(prepared, state)
        joined = harden(self.exchange.join(sent, graph.links[1], graph.num_nodes))
        return Look(self.exchange.conclude(classes, joined))

    def sent(self, prepared: Prepared, state: Values) -> tuple[Tensor, Tensor]:
        """[N] the class of every node, and [S, A, bits] logits of what is sent along every link."""
        senders, receivers = prepared.graph.links
        classes = self.classes.of({**prepared.inputs, **state})
        receiving, sending = classes.index_select(0, receivers), classes.index_select(0, senders)
        return classes, self.exchange.messages(receiving, sending, prepared.compared)

    def study(self, met: Situations, noise: torch.Generator) -> Studied:
        graph = met.setting.graph
        classes, sent = self.sent(self.prepare(graph, met.setting.inputs, noise), met.setting.state)
        joined = harden(self.exchange.join(sent, graph.links[1], graph.num_nodes))
        return Studied(self.exchange.conclude(classes, joined), [sent])

    def _present(self, graph: Graph, kinds: Tensor) -> Tensor:
        """[kinds, N] bools: does a node hear a neighbour of a kind? kinds: [A] of the senders."""
        count = num_kinds(self.exchange)
        present = torch.zeros(count * graph.num_nodes, dtype=torch.bool, device=graph.device)
        return present.scatter_(0, kinds * graph.num_nodes + graph.links[1], True).view(count, graph.num_nodes)

    def _no_comparison(self, links: int) -> Tensor:
        weight = self.exchange.message.weight
        return weight.new_zeros(len(weight), links, 0)
