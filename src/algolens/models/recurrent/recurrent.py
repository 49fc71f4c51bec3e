"""Encoder, processor and concept head, with a memory at every node (eqs. 1 to 3 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines import Run
from algolens.graphs import Graph
from algolens.language.fields import Category, Kind, Location, Mask, Number
from algolens.language.finite import Statement
from algolens.language.ir import IT, NUMBER, Expr, Get, Quantified, children, speaks_of
from algolens.models.architecture import (
    LITERAL,
    PAPERS,
    Architecture,
    Slot,
    elsewhere,
    misplaced,
    network_inputs,
    reserved,
    taught_directed,
)
from algolens.models.layers import Linear, leaky, rows_of
from algolens.models.own_classes import GAVE, own_file, refuse_nan
from algolens.models.perceiver import Perceived, Perceiver
from algolens.models.recurrent.processors import processor
from algolens.models.recurrent.samples import Samples


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
        several = len(self.kinds) > 1
        widths = {name: width if several else kind.width for name, kind in self.kinds.items()}
        fan_in = sum(widths.values()) + width
        self.embed: Mapping[str, nn.Sequential] = nn.ModuleDict(  # type: ignore[assignment]
            {name: _embedding(seeds, kind, width) for name, kind in self.kinds.items() if several}
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

    def constant(self, inputs: Mapping[str, Tensor]) -> Tensor | None:
        """[S, N, width] the inputs' part of the joint map; None where none is seen."""
        seen = {name: values for name, values in inputs.items() if name in self.kinds}
        return self.given(seen) if seen else None

    def given(self, values: Mapping[str, Tensor], constant: Tensor | None = None) -> Tensor:
        """[S, R, width] the joint map but for the memory. values: of fields, each [R] or [S, R]."""
        parts = [] if constant is None else [constant]
        for name, kind in self.kinds.items():
            if name in values:
                x = kind.encode(values[name])
                x = x if x.dim() == 3 else x.expand(len(self.join_memory.weight), *x.shape)
                for layer in self.embed[name] if self.embed else ():
                    x = leaky(layer(x))
                parts.append(self.join[name](x))
        return sum(parts[1:], parts[0])

    def forward(self, given: Tensor, memory: Tensor) -> Tensor:
        """[S, N, width], from what was given and the memory, both [S, N, width]."""
        z = given + self.join_memory(memory)
        if self.deepen is None:
            return leaky(z) if self.ends_leaky else z
        return leaky(self.deepen(leaky(z)))


def _embedding(seeds: int, kind: Kind, width: int) -> nn.Sequential:
    """As many layers as a kind takes; LeakyReLU follows each."""
    widths = [kind.width, *[width] * (kind.num_embedding_layers - 1)]
    return nn.Sequential(*(Linear(seeds, inputs, width) for inputs in widths))


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

    location = Location.NODE
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

    @classmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        inputs, hints = network_inputs(declaration), declaration.hints
        outputs = {name: declaration.predicted[name] for name in declaration.outputs}
        state = {name: declaration.predicted[name] for name in declaration.state}
        read = Slot(Location.NODE, (Mask, Category, Number))
        classes = Slot(Location.NODE, (Mask, Category))
        objection = (
            elsewhere(declaration, Location.NODE)
            or misplaced(inputs, [read], "reads", "input")
            or misplaced(state, [classes], "carries over", "state")
            or misplaced(outputs, [classes], "decides", "output")
            or misplaced(hints, [classes], "gives", "hint")
            or reserved((*inputs, *state, *outputs))
            or taught_directed(algorithm)
        )
        if objection is None and not declaration.in_python:
            counts = architecture.processor not in (PAPERS, LITERAL)
            objection = _out_of_reach(declaration.statements, counts=counts)
        return objection

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

    def prepare(self, graph: Graph, inputs: Values) -> tuple[Tensor | None, Tensor]:
        """The encoded inputs, and the edges."""
        arcs = graph.arcs
        edge_index = arcs if self.self_loops else arcs[:, arcs[0] != arcs[1]]
        return self.encoder.constant(inputs), edge_index

    def forward(
        self, prepared: tuple[Tensor | None, Tensor], state: Values, memory: Tensor | None
    ) -> Perceived:
        constant, edge_index = prepared
        given = self.encoder.given(state, constant)
        processed = self.recur(given, given.shape[1:2], [edge_index], [], memory)
        head, hints = self.parted(self.head(processed))
        return Perceived(head, hints, memory=processed.latent)

    def lessons(self, trace: Run, device: torch.device) -> Samples:
        return Samples(
            trace,
            device,
            self_loops=self.self_loops,
            takes_maximum=self.processor.takes_maximum,
        )

    def recur(
        self,
        given: Tensor,
        sizes: Sequence[int],
        edges: Sequence[Tensor],
        before: Sequence[Tensor | slice],
        memory: Tensor | None = None,
    ) -> Processed:
        """Eqs. 1 and 2 (or 5 and 6), look after look: what all looks gave, [S, R, width].

        Parameters
        ----------
        given
            [S, R, width] what the encoder computed of all but the memory.
        sizes
            How many rows each look has.
        edges
            For each look [2, A], senders and receivers among its rows.
        before
            For each look but the first, the row of the look before that each of its own goes on
            from.
        memory
            [S, N, width] before the first look; None: zero.
        """
        encoded, latent = [], []
        parts = given.split(sizes, 1)
        memory = torch.zeros_like(parts[0]) if memory is None else memory
        for look, (part, edge_index) in enumerate(zip(parts, edges, strict=True)):
            last = memory
            if look:
                index = before[look - 1]
                last = memory[:, index] if isinstance(index, slice) else rows_of(memory, index)
            z = self.encoder(part, last)
            memory = self.process(z, last, edge_index)
            encoded.append(z)
            latent.append(memory)
        return Processed(torch.cat(encoded, 1), torch.cat(latent, 1))

    def process(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        """Eq. 2: [S, N, width] new latent states; a user's own processor is not trusted."""
        latent = self.processor(z, memory, edge_index)
        return refuse_nan(latent, f"{self.of_user}: {GAVE}") if self.of_user else latent

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


def _out_of_reach(statements: Mapping[str, Statement], *, counts: bool) -> str | None:
    """The first statement that one round of messages along edges cannot tell, as an objection."""
    rounds: dict[str, int] = {}
    for name, statement in statements.items():
        view = statement.view
        # along edges are those at the other end of links
        if view is not None and view.it == IT:
            return f"sends messages along edges, and '{name}' looks at every {view.words}"
        if statement.most > 1 and not counts:
            return (
                f"takes the largest message and counts none, and '{name}' counts up to "
                f"{statement.most}: a processor that sums, as --processor GINConv, may learn it"
            )
        columns = list(_columns(statement.value))
        if any(each.column == NUMBER for each in columns):
            return (
                f"is not shown the numbers of nodes, which '{name}' compares: declare an input "
                "Number to compare instead"
            )
        rounds[name] = max(
            [
                0 if view is None else 1,
                *(
                    rounds[each.column] + (IT in speaks_of(each))
                    for each in columns
                    if each.column in rounds
                ),
            ]
        )
        if rounds[name] > 1:
            return (
                f"sends messages once in a step, and '{name}' looks at what neighbours see among "
                "theirs"
            )
    return None


def _columns(node: Expr) -> Iterator[Get]:
    """All columns that are read in a statement, but for those that its view goes by."""
    if isinstance(node, Get):
        yield node
    parts = [node.body] if isinstance(node, Quantified) else children(node)
    for part in parts:
        yield from _columns(part)
