"""Encoder, processor and concept head, with a memory at every node (eqs. 1 to 3 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.engines import Run
from algolens.graphs import Graph
from algolens.language.fields import Kind
from algolens.models.architecture import LITERAL, Architecture, OnNodes, network_inputs
from algolens.models.layers import Linear, leaky, rows_of
from algolens.models.own_classes import GAVE, own_file, refuse_nan
from algolens.models.perceiver import Perceived, Perceiver
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import processor
from algolens.models.recurrent.samples import Samples


@dataclass(frozen=True, eq=False)
class EncodedInputs:
    """What the encoder need compute only once for a batch."""

    # [S, N, width] the inputs' part of the joint map; None where no input is seen
    inputs: Tensor | None
    classes: Mapping[str, Tensor]  # [S, K, width] the part of each class of a state field

    def repeated(self, sizes: list[int]) -> EncodedInputs:
        """That of the first so many nodes, again and again."""
        if self.inputs is None:
            return self
        return EncodedInputs(torch.cat([self.inputs[:, :n] for n in sizes], 1), self.classes)

    def rows(self, index: Tensor) -> EncodedInputs:
        """That of some rows."""
        if self.inputs is None:
            return self
        return EncodedInputs(rows_of(self.inputs, index), self.classes)


class Encoder(nn.Module):
    """Eq. 1: z = f(x, h). Fields are embedded, then joined with the last latent state.

    A single field goes straight into one affine map with the state, and in the authors' code
    LeakyReLU follows; several are embedded first (a class in one layer, a number's bits in two),
    and joined in two layers, as in the authors' code.
    """

    def __init__(
        self,
        seeds: int,
        inputs: Mapping[str, Kind],
        state: Mapping[str, Kind],
        width: int,
        *,
        ends_leaky: bool = False,
    ) -> None:
        super().__init__()
        self.ends_leaky = ends_leaky  # after one layer; after two it always does
        self.kinds = {name: kind for name, kind in {**inputs, **state}.items() if kind.width}
        self.inputs = tuple(name for name in inputs if name in self.kinds)
        self.state = tuple(name for name in state if name in self.kinds)
        several = len(self.kinds) > 1
        widths = {name: width if several else kind.width for name, kind in self.kinds.items()}
        fan_in = sum(widths.values()) + width
        self.embed = nn.ModuleDict(
            {name: _Embedding(seeds, kind, width) for name, kind in self.kinds.items() if several}
        )
        # the joint map in parts, so that what does not change between steps is computed once
        self.join = nn.ModuleDict(
            {
                name: Linear(seeds, inputs, width, bias=False, fan_in=fan_in)
                for name, inputs in widths.items()
            }
        )
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.deepen = Linear(seeds, width, width) if several else None

    def constant(self, inputs: Mapping[str, Tensor]) -> EncodedInputs:
        """What is the same at every step. inputs: encoded, each [N, ...]."""
        parts = [self._part(name, inputs[name]) for name in self.inputs]
        # there are only so many classes: each goes through the layers once, and every node looks
        # its own up
        device = self.join_memory.weight.device
        classes = {
            name: self._part(name, torch.eye(self.kinds[name].width, device=device))
            for name in self.state
            if self.kinds[name].labels
        }
        return EncodedInputs(sum(parts[1:], parts[0]) if parts else None, classes)

    def given(self, constant: EncodedInputs, state: Mapping[str, Tensor]) -> Tensor:
        """[S, R, width] the joint map but for the memory. state: encoded, with or without seeds."""
        parts = []
        for name in self.state:
            known = constant.classes.get(name)
            if known is None:
                parts.append(self._part(name, state[name]))
            else:
                parts.append(_for_seeds(state[name], len(known)) @ known)
        if constant.inputs is not None:
            parts.append(constant.inputs)
        return sum(parts[1:], parts[0])

    def forward(self, given: Tensor, memory: Tensor) -> Tensor:
        """[S, N, width], from what was given and the memory, both [S, N, width]."""
        z = given + self.join_memory(memory)
        if self.deepen is None:
            return leaky(z) if self.ends_leaky else z
        return leaky(self.deepen(leaky(z)))

    def _part(self, name: str, encoded: Tensor) -> Tensor:
        x = _for_seeds(encoded, len(self.join_memory.weight))
        return self.join[name](self.embed[name](x) if name in self.embed else x)


class _Embedding(nn.Sequential):
    """As many layers as a kind takes, with LeakyReLU after each."""

    def __init__(self, seeds: int, kind: Kind, width: int) -> None:
        widths = [kind.width, *[width] * (kind.num_embedding_layers - 1)]
        super().__init__(*(Linear(seeds, inputs, width) for inputs in widths))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self:
            x = leaky(layer(x))
        return x


def _for_seeds(x: Tensor, seeds: int) -> Tensor:
    return x if x.dim() == 3 else x.expand(seeds, *x.shape)


@dataclass(frozen=True, eq=False)
class Processed:
    """What encoder and processor gave, for every seed; the concept head reads it."""

    encoded: Tensor  # [S, N, width] z
    latent: Tensor  # [S, N, width] h, handed back at the next step


class Recurrent(Perceiver):
    """Encoder, processor and concept head, for algorithms on nodes.

    Hints come from the hidden layer of the concept head, beside the concepts. Where there is no
    bottleneck, so do the concepts that are state: they are fed back, though nothing is decided from
    them.
    """

    contract = OnNodes()
    runs_seeds = True

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        count, width = len(seeds), architecture.width
        self.self_loops = architecture.self_loops
        self.inputs = {name: field.kind for name, field in network_inputs(declaration).items()}
        self.state = {name: declaration.predicted[name].kind for name in declaration.state}
        fed_back = [name for name in declaration.state if name in declaration.concepts]
        if architecture.bottleneck:
            fed_back, scores = [], len(declaration.concepts)
        else:
            scores = sum(kind.num_scores for kind in declaration.outputs.values())
        self.beside = {
            name: declaration.predicted[name].kind for name in (*fed_back, *declaration.hints)
        }
        self.encoder = Encoder(
            count, self.inputs, self.state, width, ends_leaky=architecture.processor == LITERAL
        )
        self.processor = processor(architecture.processor, seeds, width, self_loops=self.self_loops)
        # the name of the user's own processor, which is not trusted; of any other, none
        self.of_user = architecture.processor if own_file(architecture) else ""
        self.head_encoded = Linear(count, width, width, fan_in=2 * width)
        self.head_latent = Linear(count, width, width, bias=False, fan_in=2 * width)
        self.head_last = Linear(count, width, scores)
        scores_beside = sum(kind.num_scores for kind in self.beside.values())
        self.head_beside = Linear(count, width, scores_beside) if scores_beside else None

    def facts(self) -> dict[str, Any]:
        is_plain = self.encoder.deepen is None and not self.encoder.ends_leaky
        return {
            "network": (
                "encoder, processor, concept decoder; latent states handed on from step to step"
            ),
            "width": self.head_last.weight.shape[1],
            "encoder_end": "nothing" if is_plain else "LeakyReLU",
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
            trace,
            device,
            self_loops=self.self_loops,
            can_record=self.processor.can_record,
            by_set=self.processor.by_set,
        )

    def recur(
        self,
        given: Tensor,
        memory: Tensor,
        tables: Sequence[Neighbourhoods],
        before: Sequence[Tensor] | None = None,
    ) -> Processed:
        """Eqs. 1 and 2 (or 5 and 6), look after look: what all looks gave, [S, R, width].

        given: [S, R, width] what the encoder computed of all but the memory. memory: [S, N, width]
        before the first look. tables: one for each look. before: for each look, which row of the
        look before each of its own goes on from; None: its nodes are the first of those.
        """
        encoded, latent = [], []
        sizes = [table.num_nodes for table in tables]
        for look, (here, table) in enumerate(zip(given.split(sizes, 1), tables, strict=True)):
            if look and before is not None:
                last = rows_of(memory, before[look])
            else:
                last = memory[:, : table.num_nodes]
            z = self.encoder(here, last)
            memory = self.processor(z, last, table)
            if self.of_user:
                refuse_nan(memory, f"{self.of_user}: {GAVE}")
            encoded.append(z)
            latent.append(memory)
        return Processed(torch.cat(encoded, 1), torch.cat(latent, 1))

    def head(self, processed: Processed) -> Tensor:
        """[S, N, scores] eq. 3 before the sigmoid: what ``parted`` takes apart."""
        hidden = leaky(self.head_encoded(processed.encoded) + self.head_latent(processed.latent))
        scores = self.head_last(hidden)
        if self.head_beside is None:
            return scores
        return torch.cat([scores, self.head_beside(hidden)], -1)

    def parted(self, scores: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The head's part [S, N, C], and the scores of the fields beside it."""
        sizes = [kind.num_scores for kind in self.beside.values()]
        head, *parts = scores.split([self.head_last.weight.shape[2], *sizes], -1)
        named = zip(self.beside.items(), parts, strict=True)
        return head, {name: kind.shaped(part) for (name, kind), part in named}

    def no_memory(self, num_nodes: int, device: torch.device) -> Tensor:
        """[S, N, width] the latent state before the first step."""
        seeds, width = self.head_last.weight.shape[:2]
        return torch.zeros(seeds, num_nodes, width, device=device)
