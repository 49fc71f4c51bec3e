"""One look without memory: bits from neighbours, joined by "or", then concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.errors import AlgoLensError
from algolens.execution import Run
from algolens.graphs import Graph, Location
from algolens.models.architecture import Architecture
from algolens.models.layers import Linear, add_leaky, leaky
from algolens.models.memoryless.bits import harden
from algolens.models.memoryless.cases import MOST_KINDS, Cases
from algolens.models.memoryless.classes import Classes
from algolens.models.memoryless.comparison import CHANNELS, Comparison
from algolens.models.memoryless.lessons import FreshLessons
from algolens.models.perceiver import Look, Perceiver

SILENCE = -5.0  # the logit of a bit that no neighbour sends


@dataclass(frozen=True, eq=False)
class Prepared:
    """What stays the same while a graph is worked on."""

    graph: Graph
    inputs: Values
    compared: Tensor  # [S, A, channels] bits of the comparisons of the receiver's numbers with the sender's, for every link
    cases: tuple[Cases, Tensor] | None = None  # for running one seed: the table, and the comparisons as numbers [A]


class Memoryless(Perceiver):
    """For algorithms on nodes that are Markov in their discrete state, which is all that this network sees.

    A neighbour's message is bits: hard(M(own class, other's class, compared numbers)), M being two layers. Messages are joined
    by max, which for bits is "or". The concept head is two layers on (own class, joined bits). So a node's concepts are settled
    by its class and by which kinds of neighbours it has: finitely many cases, whatever the graph.
    """

    remembers = False

    def __init__(self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> None:
        super().__init__(declaration, architecture, seeds)
        if declaration.location is not Location.NODE or declaration.hints or not architecture.bottleneck:
            raise AlgoLensError(
                "a network without memory has a bottleneck, and learns algorithms whose concepts sit at nodes, without hints: "
                "choose another preset for this one."
            )
        self.declaration, self.classes = declaration, Classes(declaration)
        count, width, bits = len(seeds), architecture.width, architecture.message_bits
        self.comparisons: Mapping[str, Comparison] = nn.ModuleDict(  # type: ignore[assignment]
            {name: Comparison(count, kind.bits) for name, kind in self.classes.numbers.items()}
        )
        channels = self.num_channels
        # a class picks a row of these; drawn as if it were the only input, since all others are 0
        self.receiver = Linear(count, self.classes.count, width, fan_in=1)
        self.sender = Linear(count, self.classes.count, width, bias=False, fan_in=1)
        self.compare = Linear(count, channels, width, bias=False, fan_in=1) if channels else None
        self.message = Linear(count, width, bits)
        self.own = Linear(count, self.classes.count, 2 * width, fan_in=1)
        self.joined = Linear(count, bits, 2 * width, bias=False)
        self.head = Linear(count, 2 * width, len(declaration.concepts))

    @property
    def num_channels(self) -> int:
        """How many bits compare the numbers of two nodes."""
        return CHANNELS * len(self.comparisons)

    @property
    def device(self) -> torch.device:
        return self.head.weight.device

    def prepare(self, graph: Graph, inputs: Values, noise: torch.Generator | None = None) -> Prepared:
        """noise: makes unsure comparisons err, in training."""
        senders, receivers = graph.links
        parts = [self._no_comparison(len(senders))]
        for name, comparison in self.comparisons.items():
            scores = comparison.scores(self.classes.numbers[name].encode(inputs[name]))
            difference = scores.index_select(1, receivers) - scores.index_select(1, senders)
            logistic = None if noise is None else _logistic((len(senders), CHANNELS), noise).to(graph.device)
            parts.append(comparison(difference, logistic))
        compared = torch.cat(parts, -1)
        cases = None
        if not self.training and len(compared) == 1 and self.classes.count * 2**self.num_channels <= MOST_KINDS:
            table = Cases(self)
            cases = table, table.combinations(compared[0])
        return Prepared(graph, inputs, compared, cases)

    def forward(self, prepared: Prepared, state: Values, memory: Tensor | None = None) -> Look:
        graph = prepared.graph
        if prepared.cases is not None:
            table, combinations = prepared.cases
            return Look(table.concepts(graph, self.classes.of({**prepared.inputs, **state}), combinations))
        classes, sent = self.sent(prepared, state)
        return Look(self.concepts(classes, harden(self.join(sent, graph.links[1], graph.num_nodes))))

    def sent(self, prepared: Prepared, state: Values) -> tuple[Tensor, Tensor]:
        """[N] the class of every node, and [S, A, bits] logits of what is sent along every link."""
        senders, receivers = prepared.graph.links
        classes = self.classes.of({**prepared.inputs, **state})
        return classes, self.messages(classes.index_select(0, receivers), classes.index_select(0, senders), prepared.compared)

    def messages(self, receivers: Tensor, senders: Tensor, compared: Tensor) -> Tensor:
        """[S, A, bits] logits of what senders of these classes [A] send to receivers. compared: [S, A, ...] bits."""
        hidden = _rows(self.receiver, receivers) + _rows(self.sender, senders)
        if self.compare is not None:
            hidden = hidden + self.compare(compared)
        return self.message(leaky(hidden))

    def join(self, sent: Tensor, receivers: Tensor, num_nodes: int) -> Tensor:
        """[S, N, bits] the largest logit that each node gets: hardened, the "or" of the bits."""
        nothing = sent.new_full((sent.shape[0], num_nodes, sent.shape[2]), SILENCE)
        return nothing.scatter_reduce(1, receivers[None, :, None].expand_as(sent), sent, "amax")

    def concepts(self, classes: Tensor, joined: Tensor) -> Tensor:
        """[S, N, C] concept logits of nodes of these classes [N] that got these bits [S, N, bits]."""
        return self.head(add_leaky(_rows(self.own, classes), self.joined(joined)))

    def lessons(self, trace: Run, device: torch.device) -> FreshLessons:
        return FreshLessons(trace.algorithm, device)

    def _no_comparison(self, links: int) -> Tensor:
        return self.head.weight.new_zeros(len(self.head.weight), links, 0)


def _rows(layer: Linear, classes: Tensor) -> Tensor:
    """[S, N, ...] a layer of one-hot classes: a row of its weights for each node."""
    rows = layer.weight.index_select(1, classes)
    return rows if layer.bias is None else rows + layer.bias


def _logistic(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    uniform = torch.rand(shape, generator=generator).clamp_(1e-6, 1 - 1e-6)
    return uniform.log() - (-uniform).log1p()
