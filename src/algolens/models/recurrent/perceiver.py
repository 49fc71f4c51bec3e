"""Encoder, processor and concept head, with a memory at every node (eqs. 1 to 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import Declaration, Values
from algolens.execution import Run
from algolens.fields import Number
from algolens.graphs import Graph, Location
from algolens.models.architecture import Architecture
from algolens.models.contract import CLASSES, Fields, Slot
from algolens.models.layers import Linear, add_leaky
from algolens.models.perceiver import Perceived, Perceiver
from algolens.models.recurrent.encoder import Constant, Encoder
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import processor
from algolens.models.recurrent.recurrence import recur
from algolens.models.recurrent.samples import Samples
from algolens.models.recurrent.thought import Thought


class Recurrent(Perceiver):
    """Encoder, processor and concept head, for algorithms whose concepts sit at nodes."""

    contract = Fields(
        location=Location.NODE,
        inputs=Slot(Location.NODE, (*CLASSES, Number)),
        state=Slot(Location.NODE, CLASSES),
        concepts_as_state=False,
    )

    def __init__(self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> None:
        super().__init__(declaration, architecture, seeds)
        self.declaration = declaration
        count, width = len(seeds), architecture.width
        inputs = {name: field.kind for name, field in declaration.inputs.items() if not field.start_only}
        scores = [kind.num_scores for kind in declaration.outputs.values()]
        self.encoder = Encoder(count, inputs, {name: declaration.outputs[name] for name in declaration.state}, width)
        self.processor = processor(architecture.processor, seeds, width)
        self.head_encoded = Linear(count, width, width, fan_in=2 * width)
        self.head_latent = Linear(count, width, width, bias=False, fan_in=2 * width)
        self.head_last = Linear(count, width, len(declaration.concepts) if architecture.bottleneck else sum(scores))

    def facts(self) -> dict[str, Any]:
        return {
            "network": "encoder, processor, concept decoder; latent states handed on from step to step",
            "width": self.head_last.weight.shape[1],
            "encoder_end": "nothing" if self.encoder.deepen is None else "LeakyReLU",
            **self.processor.facts(),
        }

    def prepare(self, graph: Graph, inputs: Values) -> tuple[Constant, Neighbourhoods]:
        """The encoded inputs and the neighbourhoods."""
        kinds = {name: self.declaration.inputs[name].kind for name in self.encoder.inputs}
        constant = self.encoder.constant({name: kind.encode(inputs[name]) for name, kind in kinds.items()})
        return constant, Neighbourhoods.of(graph)

    def forward(self, prepared: tuple[Constant, Neighbourhoods], state: Values, memory: Tensor | None) -> Perceived:
        constant, table = prepared
        encoded = {name: self.declaration.outputs[name].encode(value) for name, value in state.items()}
        last = self.no_memory(table.num_nodes, table.senders.device) if memory is None else memory
        thought = self.recur(self.encoder.given(constant, encoded), last, [table])
        return Perceived(self.head(thought), memory=thought.latent)

    def lessons(self, trace: Run, device: torch.device) -> Samples:
        return Samples.of(trace, device)

    def recur(self, given: Tensor, memory: Tensor, tables: Sequence[Neighbourhoods]) -> Thought:
        """Eqs. 1 and 2 (or 5 and 6), look after look; see ``recur``."""
        return recur(self.encoder, self.processor, given, memory, tables)

    def head(self, thought: Thought) -> Tensor:
        """Eq. 3 before the sigmoid: concept logits [S, N, C]; without a bottleneck, all outputs' scores."""
        return self.head_last(add_leaky(self.head_encoded(thought.encoded), self.head_latent(thought.latent)))

    def no_memory(self, num_nodes: int, device: torch.device) -> Tensor:
        """[S, N, width] the latent state before the first step."""
        seeds, width = self.head_last.weight.shape[:2]
        return torch.zeros(seeds, num_nodes, width, device=device)
