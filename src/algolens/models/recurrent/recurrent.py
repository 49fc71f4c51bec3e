"""Encoder, processor and concept head, with a memory at every node (eqs. 1 to 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import Declaration, Values
from algolens.execution import Run
from algolens.graphs import Graph
from algolens.models.architecture import LITERAL, Architecture
from algolens.models.contract import network_inputs
from algolens.models.layers import Linear, add_leaky
from algolens.models.perceiver import Perceived, Perceiver
from algolens.models.recurrent.contract import OnNodes
from algolens.models.recurrent.encoder import EncodedInputs, Encoder
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import processor
from algolens.models.recurrent.recurrence import Processed, recur
from algolens.models.recurrent.samples import Samples


class Recurrent(Perceiver):
    """Encoder, processor and concept head, for algorithms on nodes: any classes as state, outputs
    and hints.

    Hints come from the hidden layer of the concept head, beside the concepts. Where there is no
    bottleneck, so do the concepts that are state: they are fed back, though nothing is decided from
    them.
    """

    contract = OnNodes()

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        count, width = len(seeds), architecture.width
        self.self_loops = architecture.self_loops
        self.inputs = {name: field.kind for name, field in network_inputs(declaration).items()}
        self.state = {name: declaration.predicted[name].kind for name in declaration.state}
        fed_back = (
            []
            if architecture.bottleneck
            else [name for name in declaration.state if name in declaration.concepts]
        )
        self.beside = {
            name: declaration.predicted[name].kind for name in (*fed_back, *declaration.hints)
        }
        outputs = sum(kind.num_scores for kind in declaration.outputs.values())
        self.encoder = Encoder(
            count, self.inputs, self.state, width, ends_leaky=architecture.processor == LITERAL
        )
        self.processor = processor(architecture.processor, seeds, width, self_loops=self.self_loops)
        self.head_encoded = Linear(count, width, width, fan_in=2 * width)
        self.head_latent = Linear(count, width, width, bias=False, fan_in=2 * width)
        self.head_last = Linear(
            count, width, len(declaration.concepts) if architecture.bottleneck else outputs
        )
        scores = sum(kind.num_scores for kind in self.beside.values())
        self.head_beside = Linear(count, width, scores) if scores else None

    def facts(self) -> dict[str, Any]:
        return {
            "network": (
                "encoder, processor, concept decoder; latent states handed on from step to step"
            ),
            "width": self.head_last.weight.shape[1],
            "encoder_end": "nothing"
            if self.encoder.deepen is None and not self.encoder.ends_leaky
            else "LeakyReLU",
            "self_loops": self.self_loops,
            **self.processor.facts(),
        }

    def prepare(self, graph: Graph, inputs: Values) -> tuple[EncodedInputs, Neighbourhoods]:
        """The encoded inputs and the neighbourhoods."""
        constant = self.encoder.constant(
            {name: kind.encode(inputs[name]) for name, kind in self.inputs.items()}
        )
        return constant, Neighbourhoods.of(graph, self_loops=self.self_loops)

    def forward(
        self, prepared: tuple[EncodedInputs, Neighbourhoods], state: Values, memory: Tensor | None
    ) -> Perceived:
        constant, table = prepared
        encoded = {name: kind.encode(state[name]) for name, kind in self.state.items()}
        last = self.no_memory(table.num_nodes, table.senders.device) if memory is None else memory
        processed = self.recur(self.encoder.given(constant, encoded), last, [table])
        head, hints = self.parted(self.head(processed))
        return Perceived(head, hints, memory=processed.latent)

    def lessons(self, trace: Run, device: torch.device) -> Samples:
        return Samples.of(
            trace, device, self_loops=self.self_loops, can_record=self.processor.can_record
        )

    def recur(self, given: Tensor, memory: Tensor, tables: Sequence[Neighbourhoods]) -> Processed:
        """Eqs. 1 and 2 (or 5 and 6), look after look; see ``recur``."""
        return recur(self.encoder, self.processor, given, memory, tables)

    def head(self, processed: Processed) -> Tensor:
        """[S, N, scores] eq. 3 before the sigmoid: what ``parted`` takes apart."""
        hidden = add_leaky(self.head_encoded(processed.encoded), self.head_latent(processed.latent))
        found = self.head_last(hidden)
        return (
            found if self.head_beside is None else torch.cat([found, self.head_beside(hidden)], -1)
        )

    def parted(self, scores: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The concept logits [S, N, C], or without a bottleneck all outputs' scores; and the scores
        of fields beside them.
        """
        if not self.beside:
            return scores, {}
        head, *parts = scores.split(
            [self.head_last.weight.shape[2], *(kind.num_scores for kind in self.beside.values())],
            -1,
        )
        named = zip(self.beside.items(), parts, strict=True)
        return head, {name: kind.shaped(part) for (name, kind), part in named}

    def no_memory(self, num_nodes: int, device: torch.device) -> Tensor:
        """[S, N, width] the latent state before the first step."""
        seeds, width = self.head_last.weight.shape[:2]
        return torch.zeros(seeds, num_nodes, width, device=device)
