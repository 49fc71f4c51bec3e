"""What a perceiver is: all of a network before its concepts, and how true traces teach it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines import Run
from algolens.errors import AlgoLensError
from algolens.graphs import At, Graph
from algolens.models.architecture import Architecture, network_inputs

if TYPE_CHECKING:
    from algolens.models.network import Network


@dataclass(frozen=True, eq=False)
class Perceived:
    """What one look gave, for every seed. N: nodes, or edges where concepts sit at edges."""

    # [S, N, C] concept logits; without a bottleneck, all outputs' scores
    head: Tensor | None = None
    # their scores, [S, ...] as their kinds take them
    hints: Mapping[str, Tensor] = field(default_factory=dict)
    # values that are no scores: without memory, of all fields; what moves; of one seed
    settled: Mapping[str, Tensor] = field(default_factory=dict)
    memory: Tensor | None = None  # [S, N, width] at nodes, handed back at the next step
    # [S, G] logits: whether to take a step from this state, where the perceiver itself tells
    goes_on: Tensor | None = None


class Perceiver(nn.Module, ABC):
    """From graph, inputs, state and memory to concepts and hints: eqs. 1 to 3, or another way.

    It holds the weights of several seeds side by side. Where a state field is a concept and there
    is no bottleneck, the perceiver gives its scores by name among the hints, since the state must
    go on.
    """

    location: ClassVar[At | None] = None  # of concepts and outputs; None: anywhere
    takes_directed: ClassVar[bool] = False  # whether it reads the directions of edges
    runs_seeds: ClassVar[bool] = False  # whether a state may be given for each seed: [S, N]
    # whether to go on is for the termination network to find, from the memory
    has_termination: ClassVar[bool] = True
    # whether the network says when to stop; if not, the algorithm's rule does, on its concepts
    tells_going_on: bool = True
    decides: bool = False  # whether it decides outputs from concepts itself, without decoders

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__()
        self.declaration, self.count = declaration, len(seeds)
        self.width, self.bottleneck = architecture.width, architecture.bottleneck

    @classmethod
    @abstractmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        """What keeps it from learning an algorithm, in words that follow on its name."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts, which tell how it departs."""

    @abstractmethod
    def prepare(self, graph: Graph, inputs: Values) -> Any:
        """What stays the same while a graph is worked on, computed once."""

    @abstractmethod
    def forward(self, prepared: Any, state: Values, memory: Tensor | None) -> Perceived:
        """One look at a state, alike for all seeds. memory: the last look's, None at the first."""

    def decide(self, concepts: Tensor) -> dict[str, Tensor]:
        """Scores of the outputs from concepts [S, N, C]; of one that decides."""
        raise NotImplementedError

    def lessons(self, trace: Run, device: torch.device) -> Lessons:
        """True traces as they teach it; unless overridden, it is not taught by traces."""
        raise AlgoLensError(
            "this network is not taught by traces, so no losses on them can select an epoch: leave "
            "'selection' of the schedule as it is."
        )


@dataclass(frozen=True, eq=False)
class Taught:
    """What a network gave on true traces, and what was true: M elements of all graphs and steps."""

    head: Tensor  # [S, M, C]
    concepts: Tensor  # [M, C] true, 0 or 1
    scores: Mapping[str, Tensor]  # of the outputs, each [S, M, ...]
    outputs: Mapping[str, Tensor]  # true, each [M]
    # scores [S, K, ...] and truth [K]
    hints: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)
    # logits [S, K] and truth [K], over graphs and steps
    goes_on: tuple[Tensor, Tensor] | None = None
    # [K] or [S, K] how much what sits there counts, by location; where none is given, all alike
    weight: Mapping[str, Tensor] = field(default_factory=dict)


class Lessons(ABC):
    """True traces of many graphs, on the device: a batch is an index."""

    # whether shapes follow from a batch's size and longest trace, so that a GPU can record
    can_record: bool = False
    # whether a graph that has ended can go on to count until the longest of its batch has
    can_count_on: bool = False

    def __init__(self, trace: Run, device: torch.device) -> None:
        # [G] steps of each graph, known without asking the device
        self.lengths: list[int] = trace.lengths.tolist()
        self.trace, declaration = trace.to(device), trace.algorithm.declaration
        fields = network_inputs(declaration)
        self.inputs = {name: self.trace.inputs[name] for name in fields}
        self.location = {name: field.at for name, field in (fields | declaration.predicted).items()}
        # each [T + 1, N]: before each step and after the last; and each [T, N]
        self.states = {name: self.trace.state(name).dense() for name in trace.start}
        self.fields = {name: self.trace[name].dense() for name in declaration.predicted}

    def at(
        self, values: Mapping[str, Tensor], step: Tensor, where: Mapping[At, tuple[Tensor, Tensor]]
    ) -> dict[str, Tensor]:
        """States or fields of the trace in some steps [P]. where: by location, of which of these
        steps each element is, and its place in the trace.
        """
        known = {name: where[self.location[name]] for name in values}
        return {name: values[name][step[of], place] for name, (of, place) in known.items()}

    @abstractmethod
    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """Lead a network through the true traces of some graphs: teacher forcing.

        graphs: which ones, the longest first. lengths: their steps. always: everything is computed,
        needed or not, so that shapes do not depend on what comes out: for CUDA graphs.
        """

    def run_free(self, network: Network) -> Taught:
        """What a network gives in free running until it stops, beside what is true then."""
        raise AlgoLensError(
            f"the network '{network.architecture.processor}' gives no losses in free running, so "
            "none can select an epoch: leave 'selection' of the schedule as it is."
        )
