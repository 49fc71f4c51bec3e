"""Running stages: by their tables, which need the fewest operations, or by the layers
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from algolens.logic.formula import Formula
from algolens.logic.tensors import Has, circuit
from algolens.looks import Compared, CompiledObservation, GraphState, Observer
from algolens.looks.compiled import (
    Bools,
    Compare,
    CompiledStatement,
    compared_numbers,
    one_of,
)

if TYPE_CHECKING:
    from algolens.models.exact.exact import Exact
    from algolens.models.exact.stage import Stage
    from algolens.models.exact.table import StageTable

PAIRS_AT_ONCE = 2**18  # of which messages are computed


class Running:
    """The stages of one seed, made ready to run.

    By tables, a comparison that is in order tells numbers as they are, so they are compared
    themselves; any other is asked pair by pair. By layers, all are.
    """

    def __init__(self, perceiver: Exact, tables: Mapping[str, StageTable] | None) -> None:
        """tables: what each stage concludes; None: the layers themselves run."""
        self.perceiver, observer = perceiver, perceiver.seen.observer
        self.in_order = {
            width: tables is not None and bool(each.in_order().all())
            for width, each in perceiver.comparisons.items()
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

    def _comparing(self, feature: Compared) -> Compare:
        if self.in_order[str(feature.bits)]:
            return compared_numbers

        def learnt(*sides: Sequence[Tensor]) -> Tensor:
            left, right = (
                torch.cat(
                    [kind.encode(each) for each, kind in zip(side, feature.kinds, strict=True)], -1
                )
                for side in sides
            )
            return self.perceiver.comparison(feature).outcome(left, right)[0].to(torch.uint8)

        return learnt


class StageLayers:
    """One stage by its layers: a message from everyone in view, computed and joined, and what the
    head makes of it.
    """

    def __init__(self, plan: CompiledStatement, stage: Stage) -> None:
        self.plan, self.stage = plan, stage

    def conclude(self, batch: GraphState) -> Tensor:
        """[N] bools in a state."""
        stage, own = self.stage, self.plan.own_class(batch).long()
        joined = self._joined(batch, own) if stage.looks_at_others else stage.nothing(len(own))
        return stage.conclude(own, joined)[0] > 0

    def _joined(self, batch: GraphState, own: Tensor) -> Tensor:
        """[1, N, bits x most] what elements of these own classes [N] receive: how many send each
        bit, up to the most.
        """
        stage, plan = self.stage, self.plan
        assert plan.statement.relation is not None
        looks, others = batch.view(plan.statement.relation).pairs(len(own))
        counts = torch.zeros(len(own), stage.bits, dtype=torch.int64, device=own.device)
        for here, there in zip(
            looks.split(PAIRS_AT_ONCE), others.split(PAIRS_AT_ONCE), strict=True
        ):
            kinds = plan.kinds(batch, here, there).long()
            counts.index_add_(0, here, (stage.messages(own[here], kinds)[0] > 0).long())
        return (
            (counts[..., None] > torch.arange(stage.most, device=own.device))
            .flatten(1)
            .float()[None]
        )


class StagePlan:
    """One stage: by its table, the fewest operations that give what it concludes."""

    def __init__(self, plan: CompiledStatement, table: StageTable, observer: Observer) -> None:
        self.plan, self.table, self.statement = plan, table, plan.statement
        # for each group of kinds, [N] how many are in view; where none is counted, is one
        self.counts: list[Counted] = []
        relation, other = self.statement.relation, self.statement.other
        if relation is not None:
            in_view = observer.in_view(relation, other, plan)
            is_counted, sizes = self.statement.most > 1, [each.size for each in other]
            for group in table.groups:
                kinds = np.isin(np.arange(self.statement.num_kinds), group).reshape(sizes)
                found = in_view.counted(kinds) if is_counted else in_view.some(kinds)
                self.counts.append(Counted(found, in_view.fields, self.statement.most))
        formula = table.formula(
            tuple(each.size for each in self.statement.own), self.statement.most
        )
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
        graph = batch.graph
        first, after, concluded = (
            each.to(graph.device)
            for each in (self.table.first, self.table.after, self.table.concluded)
        )
        case = first.index_select(0, self.plan.own_class(batch).int())
        for group, counted in zip(self.table.groups, self.counts, strict=True):
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

    def __init__(self, found: Bools | bool, fields: tuple[str, ...], most: int) -> None:
        self.found, self.fields, self.most = found, fields, most

    def has(self, values: frozenset[int]) -> Bools | bool:
        """Whether there are as many as one of these values; the largest stands for all beyond
        it.
        """
        if isinstance(self.found, bool):
            return int(self.found) in values
        if self.most == 1:
            return self.of if values == {1} else lambda batch: ~self.of(batch)
        if values == frozenset(range(min(values), self.most + 1)):
            return lambda batch: self.of(batch) >= min(values)
        return lambda batch: one_of(self.of(batch).clamp(max=self.most), self.most + 1, values)

    def of(self, batch: GraphState) -> Tensor:
        """[N] in a state."""
        assert callable(self.found)
        return batch.recall(self, self.fields, partial(self.found, batch))
