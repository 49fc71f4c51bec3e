"""What is true on a batch of graphs, observation after observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from algolens.logic.formula import Formula, Not, conjunction, disjunction
from algolens.logic.tensors import Has, circuit, table_as_formula
from algolens.looks.compiled import Bools, CompiledStatement
from algolens.looks.in_view import ViewQuery
from algolens.looks.language import Quantified, Quantity
from algolens.looks.relations import Relation
from algolens.looks.scope import CompiledPath, GraphState, ResolvedTerm, Scope
from algolens.looks.statement import Feature, Statement


class Observer:
    """Observes what is true, on whatever batch of graphs, in whatever state."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        # of all readings: what one path leads to is looked up once in a state
        self.paths: dict[ResolvedTerm, CompiledPath] = {}
        self._sights: dict[int, CompiledObservation] = {}
        # observations that tell those in view apart alike: their kinds are marked in one pass for
        # all of them
        self._alike = Counter(
            (each.relation, each.other) for each in statements if each.relation is not None
        )

    def see(
        self, batch: GraphState, sights: Sequence[CompiledObservation] | None = None
    ) -> dict[str, Tensor]:
        """Every observation by its name: bools. batch: inputs and state; each observation is added
        to it.

        sights: how each is observed, if not truly. Asked again is only what goes by a field that
        has changed.
        """
        return {sight.name: sight.see(batch) for sight in sights or self.sights}

    @cached_property
    def sights(self) -> list[CompiledObservation]:
        """How each observation is truly made, in order."""
        return [self.sight(statement) for statement in self.statements]

    def observe(self, statement: Statement, batch: GraphState) -> Tensor:
        """[N] bools: one observation, where those before it are among the values."""
        return self.sight(statement).find(batch)

    def sight(self, statement: Statement) -> CompiledObservation:
        """How an observation is truly made."""
        known = self._sights.get(id(statement))
        if known is None:
            known = self._sights[id(statement)] = self._sight(self.plan(statement))
        return known

    def plan(self, statement: Statement) -> CompiledStatement:
        """A reading, made ready to be looked up; it shares its paths with all others."""
        return CompiledStatement(statement, self.paths)

    def _sight(self, plan: CompiledStatement) -> CompiledObservation:
        statement = plan.statement

        def of_atom(atom: Formula) -> Bools | bool:
            if isinstance(atom, Quantified):
                return self._quantified(plan, atom)
            return plan.features[statement.feature(atom)].has(statement.says(atom))

        return CompiledObservation(plan, circuit(statement.observation.formula, of_atom))

    def _quantified(self, plan: CompiledStatement, atom: Quantified) -> Bools | bool:
        own, other, table = plan.statement.body(atom)
        if atom.quantity is Quantity.EVERY:
            table = ~table
        in_view = self.in_view(atom.relation, other, plan)
        sizes = tuple(each.size for each in own)
        alike: dict[bytes, list[int]] = {}  # own classes to whom the same kinds count
        for number, kinds in enumerate(table):
            alike.setdefault(kinds.tobytes(), []).append(number)
        parts: list[Formula] = []
        found: list[Bools | bool] = []
        for classes in alike.values():
            is_one = np.zeros(len(table), bool)
            is_one[classes] = True
            parts.append(
                conjunction(
                    table_as_formula(is_one.reshape(sizes)),
                    Has(len(own) + len(found), frozenset({1})),
                )
            )
            kinds = table[classes[0]]
            found.append(
                in_view.some(kinds)
                if atom.quantity is not Quantity.AT_LEAST
                else _many(in_view, kinds, atom.count)
            )

        def of_atom(part: Formula) -> Bools | bool:
            assert isinstance(part, Has)
            if part.variable >= len(own):
                return found[part.variable - len(own)]
            return plan.features[own[part.variable]].has(part.values)

        some = disjunction(*parts)
        return circuit(Not(some) if atom.quantity is Quantity.EVERY else some, of_atom)

    def in_view(
        self, relation: Relation, features: Sequence[Feature], plan: CompiledStatement
    ) -> ViewQuery:
        """Those whom a reading has in view by a relation, told apart by some of its features."""
        found = [plan.features[each] for each in features]
        return ViewQuery(
            relation, found, is_shared=bool(found) and self._alike[relation, tuple(features)] > 1
        )

    def path(self, term: ResolvedTerm, scope: Scope) -> CompiledPath:
        """A term, made ready to be looked up."""
        if term not in self.paths:
            self.paths[term] = CompiledPath(term, scope)
        return self.paths[term]


class CompiledObservation:
    """How an observation is made, on whatever batch of graphs, in whatever state."""

    def __init__(self, plan: CompiledStatement, found: Bools | bool) -> None:
        """found: [N] bools in a state; or what it is in all of them."""
        self.statement, self.name, self.fields = (
            plan.statement,
            plan.statement.observation.name,
            plan.fields,
        )
        self.find: Bools = found if callable(found) else partial(_always, found, plan)

    def see(self, batch: GraphState) -> Tensor:
        """[N] what is observed, which is added to the batch; found again only where a field that it
        goes by has changed.
        """
        found = batch.values[self.name] = batch.recall(
            self, self.fields, partial(self._added, batch)
        )
        return found

    def _added(self, batch: GraphState) -> Tensor:
        return batch.add(self.name, self.find(batch))


def _always(value: bool, plan: CompiledStatement, batch: GraphState) -> Tensor:
    return torch.full(
        (batch.graph.count(plan.statement.observation.location),), value, device=batch.graph.device
    )


def _many(in_view: ViewQuery, kinds: np.ndarray, least: int) -> Bools:
    count = in_view.counted(kinds)
    return lambda batch: count(batch) >= least
