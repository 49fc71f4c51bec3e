"""The exact network: a stage for each declared observation, run by tables or by layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from algolens.algorithms import Declaration, Values
from algolens.graphs import Graph
from algolens.logic.formula import Formula
from algolens.logic.tensors import Has, circuit
from algolens.looks import Compared, CompiledObservation, GraphState, LookOnGraph, Observer
from algolens.looks.compiled import (
    Bools,
    Compare,
    CompiledStatement,
    compared_numbers,
    one_of,
)
from algolens.looks.state import Memo
from algolens.models.architecture import GOES_ON, Architecture, DeclaredLook
from algolens.models.exact.stage import Comparator, Stage, all_statements, comparisons_of
from algolens.models.exact.table import StageTable
from algolens.models.perceiver import Perceived, Perceiver

PAIRS_AT_ONCE = 2**18  # of which messages are computed


@dataclass(frozen=True, eq=False)
class PreparedLook:
    """What stays the same while a graph is worked on."""

    inputs: Values
    look: LookOnGraph
    running: Running
    asked: Memo  # of the concepts by which it is asked whether to go on


class Exact(Perceiver):
    """The network for every algorithm that declares what it sees.

    A stage for each observation, in order; running, each gets what those before it gave. Pointers
    and numbers then move as declared, by what was observed: that is no matter of learning. Whether
    to go on is one more stage, at the graph.
    """

    contract = DeclaredLook()
    takes_directed = True
    has_termination = False

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        assert declaration.seen is not None  # as the contract says
        self.declaration, self.seen = declaration, declaration.seen
        self.statements = all_statements(declaration)
        self.to_go_on = self.statements.get(GOES_ON)
        self._tables: dict[str, StageTable] = {}
        self._running: Running | None = None
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
        return {**self.__dict__, "_tables": {}, "_tabled": [], "_running": None}

    def comparison(self, feature: Compared) -> Comparator:
        """The one that serves numbers of so many bits."""
        return self.comparisons[str(feature.bits)]

    def tables(self) -> dict[str, StageTable]:
        """Every stage as a table; of one seed. Computed again only where weights have changed."""
        weights = [parameter.detach() for parameter in self.parameters()]
        # contents are compared: a write through .data leaves no other trace
        if len(self._tabled) != len(weights) or not all(map(_are_equal, self._tabled, weights)):
            self._tables = {name: StageTable.of(stage) for name, stage in self.stages.items()}
            self._running = None
            self._tabled = [weight.clone() for weight in weights]
        return self._tables

    def running(self) -> Running:
        """The stages, made ready to run; again only where weights have changed."""
        tables = self.tables()
        if self._running is None:
            self._running = Running(self, tables)
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


def _are_equal(one: Tensor, other: Tensor) -> bool:
    return one.device == other.device and torch.equal(one, other)


class Running:
    """The stages of one seed, made ready to run.

    By tables, a comparison that is in order tells numbers as they are, so they are compared
    themselves; any other is asked pair by pair. By layers, all are.
    """

    def __init__(self, perceiver: Exact, tables: Mapping[str, StageTable] | None) -> None:
        """tables: what each stage concludes; None: the layers themselves run."""
        self.perceiver, self.tables, observer = perceiver, tables, perceiver.seen.observer
        self.in_order = {
            width: tables is not None and bool(comparison.in_order().all())
            for width, comparison in perceiver.comparisons.items()
        }
        self.stages: dict[str, CompiledObservation] = {}
        for name, statement in perceiver.statements.items():
            plan = CompiledStatement(statement, observer.paths, self._comparing)
            stage = (
                StageLayers(plan, perceiver.stages[name])
                if tables is None
                else StagePlan(plan, tables[name], observer)
            )
            self.stages[name] = CompiledObservation(plan, stage.conclude)
        self.in_order_of_look = [
            self.stages[statement.name] for statement in perceiver.seen.statements
        ]

    def stated(self) -> dict[str, Formula] | None:
        """What each stage concludes as a statement; None where pairs are to be asked."""
        if self.tables is None or not all(self.in_order.values()):
            return None
        statements = self.perceiver.statements
        stated = {name: table.stated(statements[name]) for name, table in self.tables.items()}
        known = {name: formula for name, formula in stated.items() if formula is not None}
        return known if len(known) == len(stated) else None

    def _comparing(self, feature: Compared) -> Compare:
        if self.in_order[str(feature.bits)]:
            return compared_numbers

        def learnt(*sides: Sequence[Tensor]) -> Tensor:
            encoded = [
                [kind.encode(values) for values, kind in zip(side, feature.kinds, strict=True)]
                for side in sides
            ]
            left, right = (torch.cat(bits, -1) for bits in encoded)
            return self.perceiver.comparison(feature).outcome(left, right)[0].to(torch.uint8)

        return learnt


class StageLayers:
    """One stage by its layers: messages from everyone in view, joined, and what the head says."""

    def __init__(self, plan: CompiledStatement, stage: Stage) -> None:
        self.plan, self.stage = plan, stage

    def conclude(self, batch: GraphState) -> Tensor:
        """[N] bools in a state."""
        stage, own = self.stage, self.plan.own_class(batch).long()
        joined = self._joined(batch, own) if stage.looks_at_others else stage.nothing(len(own))
        return stage.conclude(own, joined)[0] > 0

    def _joined(self, batch: GraphState, own: Tensor) -> Tensor:
        """[1, N, bits x most] what elements of own classes [N] receive: how many send each bit."""
        stage, plan = self.stage, self.plan
        assert plan.statement.relation is not None
        looks, others = batch.view(plan.statement.relation).pairs(len(own))
        counts = torch.zeros(len(own), stage.bits, dtype=torch.int64, device=own.device)
        for here, there in zip(
            looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True
        ):
            kinds = plan.kinds(batch, here, there).long()
            counts.index_add_(0, here, (stage.messages(own[here], kinds)[0] > 0).long())
        thermometer = counts[..., None] > torch.arange(stage.most, device=own.device)
        return thermometer.flatten(1).float()[None]


class StagePlan:
    """One stage: by its table, the fewest operations that give what it concludes."""

    def __init__(self, plan: CompiledStatement, table: StageTable, observer: Observer) -> None:
        self.plan, self.table, self.statement = plan, table, plan.statement
        # for each group of kinds, [N] how many are in view; where none is counted, is one
        self.counts: list[Counted] = []
        relation, other = self.statement.relation, self.statement.other
        if relation is not None:
            in_view = observer.in_view(relation, other, plan)
            count = in_view.counted if self.statement.most > 1 else in_view.some
            sizes = [feature.size for feature in other]
            for group in table.groups:
                kinds = np.isin(np.arange(self.statement.num_kinds), group).reshape(sizes)
                self.counts.append(Counted(count(kinds), in_view.fields, self.statement.most))
        own = [feature.size for feature in self.statement.own]
        formula = table.formula(own, self.statement.most)
        self.conclude = (
            self._one_after_the_other if formula is None else circuit(formula, self._of_atom)
        )

    def _of_atom(self, atom: Formula) -> Bools | bool:
        assert isinstance(atom, Has)
        own = self.plan.own
        if atom.variable < len(own):
            return own[atom.variable].has(atom.values)
        return self.counts[atom.variable - len(own)].has(atom.values)

    def _one_after_the_other(self, batch: GraphState) -> Tensor:
        """From case to case: what follows when another of a kind is in view."""
        table, device = self.table, batch.graph.device
        after, concluded = table.after.to(device), table.concluded.to(device)
        case = table.first.to(device).index_select(0, self.plan.own_class(batch).int())
        for group, counted in zip(table.groups, self.counts, strict=True):
            following = after[:, group[0]].contiguous()
            for number in range(
                1, self.statement.most + 1
            ):  # where others are counted, one for each
                there = counted.has(frozenset(range(number, self.statement.most + 1)))
                if callable(there):
                    case = torch.where(there(batch), following.index_select(0, case), case)
                elif there:
                    case = following.index_select(0, case)
        return concluded.index_select(0, case)


class Counted:
    """How many of some kinds are in view, as far as it makes a difference; or whether one is."""

    def __init__(self, count: Bools | bool, fields: tuple[str, ...], most: int) -> None:
        self.count, self.fields, self.most = count, fields, most

    def has(self, values: frozenset[int]) -> Bools | bool:
        """Whether there are as many as one of these values; the largest stands for all above it."""
        if isinstance(self.count, bool):
            return int(self.count) in values
        if self.most == 1:
            return self.of if values == {1} else lambda batch: ~self.of(batch)
        if values == frozenset(range(min(values), self.most + 1)):
            return lambda batch: self.of(batch) >= min(values)
        return lambda batch: one_of(self.of(batch).clamp(max=self.most), self.most + 1, values)

    def of(self, batch: GraphState) -> Tensor:
        """[N] in a state."""
        assert callable(self.count)
        return batch.recall(self, self.fields, partial(self.count, batch))
