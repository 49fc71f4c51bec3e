"""The exact network: a stage for each declared statement, run as a program or by its layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines.tensors import Running, Tensors
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.fields import Number
from algolens.language.finite import Compared
from algolens.language.rules import with_lets
from algolens.models.architecture import GOES_ON, Architecture, reserved
from algolens.models.exact.classes import classes
from algolens.models.exact.stage import Comparator, Stage, all_statements, comparisons_of
from algolens.models.exact.table import StageTable
from algolens.models.perceiver import Perceived, Perceiver

PAIRS_AT_ONCE = 2**18  # of which messages are computed


@dataclass(frozen=True, eq=False)
class Prepared:
    """What stays the same while a graph is worked on."""

    inputs: Values
    running: Running
    asked: Running  # of concepts, whether to go on


class Exact(Perceiver):
    """The network for every algorithm that declares what it sees.

    A stage for each statement, in order; running, each gets what those before it gave. Pointers
    and numbers then move as declared, by what was found: that is not learnt. Whether to go on is
    one more stage, at the graph.
    """

    takes_directed = True
    has_termination = False

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        self.declaration, self.statements = declaration, all_statements(declaration)
        self._tables: dict[str, StageTable] = {}
        self._stated: dict[str, ir.Expr] | None = None
        self._tabled: list[Tensor] = []  # copies of the weights that they were found from
        size = {"width": architecture.width, "bits": architecture.message_bits}
        self.stages: Mapping[str, Stage] = nn.ModuleDict(  # type: ignore[assignment]
            {
                name: Stage(len(seeds), statement, **size)
                for name, statement in self.statements.items()
            }
        )
        widths = sorted(
            {
                feature.bits
                for statement in self.statements.values()
                for feature in comparisons_of(statement)
            }
        )
        self.comparisons: Mapping[str, Comparator] = nn.ModuleDict(  # type: ignore[assignment]
            {str(width): Comparator(len(seeds), width) for width in widths}
        )

    @classmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        if declaration.in_python:
            return (
                "learns what is declared as a look, and this algorithm sees in Python, of which "
                "nothing can be proven"
            )
        if not architecture.bottleneck:
            return "has a bottleneck, and this is to be one without"
        if declaration.terminates and GOES_ON in declaration.predicted:
            return f"calls whether to go on '{GOES_ON}', and this algorithm calls something else so"
        return reserved([*declaration.statements, *declaration.outputs])

    def facts(self) -> dict[str, Any]:
        """Not a network of the paper; only these facts apply."""
        return {
            "network": (
                "no memory: a stage of messages of bits for every declared observation, which "
                "can be proven right"
            ),
            "batches": "drawn anew, with what the last proof found wrong",
            "train_graphs": (
                "none: single elements with arbitrary others in view, and what is declared of them"
            ),
            "train_size": "up to 8 others in view",
        }

    def __getstate__(self) -> dict[str, Any]:
        """Without what follows from the weights: a copy finds it anew, from its own."""
        return {**self.__dict__, "_tables": {}, "_tabled": [], "_stated": None}

    def comparison(self, feature: Compared) -> Comparator:
        """The one that serves numbers of so many bits."""
        return self.comparisons[str(feature.bits)]

    def tables(self) -> dict[str, StageTable]:
        """Every stage as a table; of one seed. Computed again only where weights have changed."""
        weights = [parameter.detach() for parameter in self.parameters()]
        # contents are compared: a write through .data leaves no other trace
        if len(self._tabled) != len(weights) or not all(map(_are_equal, self._tabled, weights)):
            self._tables = {name: StageTable.of(stage) for name, stage in self.stages.items()}
            self._stated = self._all_stated()
            self._tabled = [weight.clone() for weight in weights]
        return self._tables

    def stated(self) -> dict[str, ir.Expr] | None:
        """What the stages conclude as statements, by the let that each stands for.

        None where one is too large, or where numbers are compared wrongly.
        """
        self.tables()
        return self._stated

    def _all_stated(self) -> dict[str, ir.Expr] | None:
        stated = {}
        for name, table in self._tables.items():
            said = table.stated(self.statements[name])
            if said is None:
                return None
            stated[_let_of(name)] = said
        is_in_order = all(bool(each.in_order().all()) for each in self.comparisons.values())
        return stated if is_in_order else None

    def prepare(self, graph: Graph, inputs: Values, *, by_layers: bool = False) -> Prepared:
        """by_layers: the layers themselves run, whatever they conclude, and not tables of them."""
        stated = None if by_layers else self.stated()
        layers = {_let_of(name): partial(self._conclude, name) for name in self.stages}
        instead = layers if stated is None else {}
        program = with_lets(self.declaration.program, stated or {})
        concepts = dict.fromkeys(
            self.declaration.concepts, ir.Field(self.declaration.location.value, "mask")
        )
        asks = tuple(let for let in program.lets if let.name == ir.GOES_ON)
        asking = ir.Program(program.name, {}, concepts, (), asks, ())
        return Prepared(inputs, Running(program, graph, instead), Running(asking, graph, instead))

    def forward(self, prepared: Prepared, state: Values, memory: Tensor | None = None) -> Perceived:
        names = self.declaration.perceived
        return Perceived(settled=prepared.running.perceive(prepared.inputs, state, names))

    def goes_on(self, prepared: Prepared, concepts: Tensor) -> Tensor:
        """[G] bools: whether to go on, by the concepts [N, C] after a step."""
        prepared.asked.give(dict(zip(self.declaration.concepts, concepts.unbind(1), strict=True)))
        return prepared.asked.goes_on()

    def _conclude(self, name: str, tensors: Tensors) -> Tensor:
        """[N] bools: what the layers of a stage conclude in a state."""
        stage = self.stages[name]
        own, looks, kinds = classes(self.statements[name], tensors, self._outcome)
        if not stage.looks_at_others:
            return stage.conclude(own, stage.nothing(len(own)))[0] > 0
        counts = torch.zeros(len(own), stage.bits, dtype=torch.int64, device=own.device)
        for here, there in zip(looks.split(PAIRS_AT_ONCE), kinds.split(PAIRS_AT_ONCE), strict=True):
            counts.index_add_(0, here, (stage.messages(own[here], there)[0] > 0).long())
        thermometer = counts[..., None] > torch.arange(stage.most, device=own.device)
        return stage.conclude(own, thermometer.flatten(1).float()[None])[0] > 0

    def _outcome(self, feature: Compared, left: list[Tensor], right: list[Tensor]) -> Tensor:
        """[A] how numbers compare, as the network finds it from their bits."""
        kinds = [Number(each.bits, signed=each.signed) for each in feature.numbers]
        encoded = [
            torch.cat([kind.encode(values) for values, kind in zip(side, kinds, strict=True)], -1)
            for side in (left, right)
        ]
        return self.comparison(feature).outcome(*encoded)[0]


def _let_of(stage: str) -> str:
    """The name of the let that a stage stands for."""
    return ir.GOES_ON if stage == GOES_ON else stage


def _are_equal(one: Tensor, other: Tensor) -> bool:
    return one.device == other.device and torch.equal(one, other)
