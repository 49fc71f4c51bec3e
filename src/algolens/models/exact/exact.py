"""Going on as an observation of the graph: some node (or edge) asks for it by its concepts, or all
do, or none does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.errors import DefinitionError
from algolens.graphs import Graph, Location
from algolens.logic import Quantifier
from algolens.logic.formula import And, Concept, Constant, Formula, Not, Or
from algolens.looks import (
    RELATIONS,
    Compared,
    GraphState,
    LookOnGraph,
    Observation,
    Quantified,
    Quantity,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.memo import Memo
from algolens.models.architecture import Architecture
from algolens.models.contract import GOES_ON, DeclaredLook
from algolens.models.exact.comparator import Comparator
from algolens.models.exact.running import Running
from algolens.models.exact.stage import Stage
from algolens.models.exact.table import StageTable
from algolens.models.perceiver import Perceived, Perceiver

if TYPE_CHECKING:
    from algolens.execution import Run
    from algolens.models.exact.stars import Stars


def going_on(declaration: Declaration) -> Statement | None:
    """What is to be seen of a graph that goes on; None where the number of steps is fixed."""
    rule = declaration.rule_set.continues
    if rule is None or declaration.seen is None:
        return None
    relation = next(
        each
        for each in RELATIONS
        if each.own is Location.GRAPH and each.others is declaration.location
    )
    found: Formula = Quantified(Quantity.SOME, relation(), _said_of_another(rule.witness))
    formula = found if rule.quantifier is Quantifier.EXISTS else Not(found)
    return Statement(Observation(GOES_ON, Location.GRAPH, formula), declaration.seen.scope)


def _said_of_another(formula: Formula) -> Formula:
    """A rule about concepts, said of one in view."""
    match formula:
        case Constant():
            return formula
        case Concept(name):
            return Test(Term(Whose.ITS, (name,)))
        case Not(term):
            return Not(_said_of_another(term))
        case And(terms):
            return And(tuple(_said_of_another(term) for term in terms))
        case Or(terms):
            return Or(tuple(_said_of_another(term) for term in terms))
    raise DefinitionError(f"'{formula}' cannot say when to go on.")


@dataclass(frozen=True, eq=False)
class PreparedLook:
    """What stays the same while a graph is worked on."""

    inputs: Values
    look: LookOnGraph
    running: Running
    asked: Memo  # of the concepts by which it is asked whether to go on


class Exact(Perceiver):
    """For every algorithm that declares what it sees.

    A stage for each observation, in order; running, each gets what those before it gave. Pointers
    and numbers then move as declared, by what was observed: that is no matter of learning. Whether
    to go on is one more stage, at the graph.
    """

    contract = DeclaredLook()
    remembers = False

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        assert declaration.seen is not None  # as the contract says
        self.declaration, self.seen = declaration, declaration.seen
        self.readings = all_readings(declaration)
        self.to_go_on = self.readings.get(GOES_ON)
        self._tables: dict[str, StageTable] = {}
        self._running: Running | None = None
        self._tabled: list[Tensor] = []  # copies of the weights that they were found from
        size = {"width": architecture.width, "bits": architecture.message_bits}
        self.stages: Mapping[str, Stage] = nn.ModuleDict(  # type: ignore[assignment]
            {name: Stage(len(seeds), reading, **size) for name, reading in self.readings.items()}
        )
        widths = sorted(
            {each.bits for reading in self.readings.values() for each in comparisons_of(reading)}
        )
        self.comparisons: Mapping[str, Comparator] = nn.ModuleDict(  # type: ignore[assignment]
            {str(width): Comparator(len(seeds), width) for width in widths}
        )

    def facts(self) -> dict[str, Any]:
        """It is none of the paper's: of what makes up theirs it has nothing else, and it is taught
        otherwise.
        """
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
        return {**self.__dict__, "_tables": {}, "_tabled": [], "_running": None}

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def comparison(self, feature: Compared) -> Comparator:
        """The one that serves numbers of so many bits."""
        return self.comparisons[str(feature.bits)]

    def tables(self) -> dict[str, StageTable]:
        """Every stage as a table; of one seed. Found again only where weights have changed, in
        whatever way.
        """
        self._renew()
        return self._tables

    def _renew(self) -> None:
        weights = [each.detach() for each in self.parameters()]
        # contents are compared: a write through .data leaves no other trace
        if len(self._tabled) != len(weights) or not all(map(_are_equal, self._tabled, weights)):
            self._tables = {name: StageTable.of(stage) for name, stage in self.stages.items()}
            self._running = None
            self._tabled = [each.clone() for each in weights]

    def running(self) -> Running:
        """The stages, made ready to run; again only where weights have changed."""
        self._renew()
        if self._running is None:
            self._running = Running(self, self._tables)
        return self._running

    def prepare(self, graph: Graph, inputs: Values) -> PreparedLook:
        return PreparedLook(inputs, self.seen.on(graph), self.running(), Memo())

    def prepare_layers(self, graph: Graph, inputs: Values) -> PreparedLook:
        """The same for a run by the layers themselves, without tables."""
        return PreparedLook(inputs, self.seen.on(graph), Running(self, None), Memo())

    def forward(
        self, prepared: PreparedLook, state: Values, memory: Tensor | None = None
    ) -> Perceived:
        look = prepared.look
        batch = look.batch(prepared.inputs, state)
        observed = look.observer.see(batch, prepared.running.in_order_of_look)
        return Perceived(settled=observed | look.moved(batch))

    def goes_on(self, prepared: PreparedLook, concepts: Tensor) -> Tensor:
        """[G] bools: whether to go on, by the concepts [N, C] after a step."""
        seen = dict(zip(self.declaration.concepts, concepts.unbind(1), strict=True))
        batch = GraphState(prepared.look.graph, self.seen.scope, seen, prepared.asked)
        return prepared.running.stages[GOES_ON].find(batch)

    def lessons(self, trace: Run, device: torch.device) -> Stars:
        from algolens.models.exact.stars import Stars

        return Stars(self, trace.algorithm.declaration, device)


def _are_equal(one: Tensor, other: Tensor) -> bool:
    return one.device == other.device and torch.equal(one, other)


def all_readings(declaration: Declaration) -> dict[str, Statement]:
    """Every observation of a look by its name, and last whether to go on, where that is seen: a
    stage each.
    """
    assert declaration.seen is not None
    to_go_on = going_on(declaration)
    readings = [*declaration.seen.readings, *([] if to_go_on is None else [to_go_on])]
    return {reading.observation.name: reading for reading in readings}


def comparisons_of(reading: Statement) -> list[Compared]:
    """The comparisons of numbers that an observation reads."""
    return [each for each in (*reading.own, *reading.other) if isinstance(each, Compared)]
