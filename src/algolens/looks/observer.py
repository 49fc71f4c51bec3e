"""What is true on a batch of graphs, observation after observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from algolens.language.relations import Relation
from algolens.logic.formula import Formula, Not, conjunction, disjunction
from algolens.logic.tensors import Has, circuit, table_as_formula
from algolens.looks.compiled import Bools, CompiledStatement
from algolens.looks.features import Feature
from algolens.looks.language import Quantified, Quantity, atoms
from algolens.looks.scope import ResolvedTerm, Scope
from algolens.looks.state import CompiledPath, GraphState
from algolens.looks.statement import Statement
from algolens.looks.view_query import ViewQuery


class CompiledObservation:
    """How an observation is computed, on any batch of graphs, in any state.

    Parameters
    ----------
    compiled : CompiledStatement
        What is observed.
    result : callable or bool
        [N] bools in a state; or what it is in all of them.
    """

    def __init__(self, compiled: CompiledStatement, result: Bools | bool) -> None:
        self.statement, self.fields = compiled.statement, compiled.fields
        self.name = compiled.statement.name
        self.find: Bools = result if callable(result) else partial(self._always, result)

    def _always(self, value: bool, batch: GraphState) -> Tensor:
        count = batch.graph.count(self.statement.location)
        return torch.full((count,), value, device=batch.graph.device)

    def see(self, batch: GraphState) -> Tensor:
        """[N] bools, added to the batch; computed anew only where a field of it has changed."""
        seen = batch.recall(self, self.fields, lambda: batch.add(self.name, self.find(batch)))
        batch.values[self.name] = seen
        return seen


class Observer:
    """Observes what is true, on any batch of graphs, in any state.

    Parameters
    ----------
    statements : sequence of Statement
        What is observed, in order; each may name those before it.
    """

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        # of all statements: what one path leads to is looked up once in a state
        self.paths: dict[ResolvedTerm, CompiledPath] = {}
        self._compiled: dict[int, CompiledObservation] = {}
        # statements that tell those in view apart alike: their kinds are marked in one pass
        self._alike = Counter(
            (statement.relation, statement.other)
            for statement in statements
            if statement.relation is not None
        )

    def see(
        self, batch: GraphState, observations: Sequence[CompiledObservation] | None = None
    ) -> dict[str, Tensor]:
        """Every observation by its name.

        Parameters
        ----------
        batch : GraphState
            Inputs and state; each observation is added to it.
        observations : sequence of CompiledObservation, optional
            How each is made, if not truly.

        Returns
        -------
        dict of str to Tensor
            Bools of every element.
        """
        return {
            observation.name: observation.see(batch)
            for observation in observations or self.observations
        }

    @cached_property
    def observations(self) -> list[CompiledObservation]:
        """How each observation is truly made, in order."""
        return [self.observation(statement) for statement in self.statements]

    def observe(self, statement: Statement, batch: GraphState) -> Tensor:
        """[N] bools: one observation, where those before it are among the values."""
        return self.observation(statement).find(batch)

    def observation(self, statement: Statement) -> CompiledObservation:
        """How an observation is truly made."""
        known = self._compiled.get(id(statement))
        if known is None:
            known = self._compiled[id(statement)] = self._observation(self.compile(statement))
        return known

    def compile(self, statement: Statement) -> CompiledStatement:
        """A statement on batches of graphs; it shares its paths with all others."""
        return CompiledStatement(statement, self.paths)

    def _observation(self, compiled: CompiledStatement) -> CompiledObservation:
        statement = compiled.statement

        def of_atom(atom: Formula) -> Bools | bool:
            if isinstance(atom, Quantified):
                return self._quantified(compiled, atom)
            feature, values = statement.features[atom]
            return compiled.features[feature].has(values)

        return CompiledObservation(compiled, circuit(statement.formula, of_atom))

    def _quantified(self, compiled: CompiledStatement, atom: Quantified) -> Bools | bool:
        statement = compiled.statement
        features = dict.fromkeys(statement.features[part][0] for part in atoms(atom.body))
        own = tuple(feature for feature in features if not feature.of_another)
        other = tuple(feature for feature in features if feature.of_another)
        table = statement.table(atom.counted, (*own, *other))
        own_sizes = table.shape[: len(own)]
        table = table.reshape(-1, *table.shape[len(own) :])
        query = self.in_view(atom.relation, other, compiled)
        alike: dict[bytes, list[int]] = {}  # own classes to whom the same kinds count
        for number, kinds in enumerate(table):
            alike.setdefault(kinds.tobytes(), []).append(number)
        parts: list[Formula] = []
        enough: list[Bools | bool] = []  # of each part, whether enough of its kinds are in view
        for classes in alike.values():
            is_one = np.isin(np.arange(len(table)), classes).reshape(own_sizes)
            there = Has(len(own) + len(enough), frozenset({1}))
            parts.append(conjunction(table_as_formula(is_one), there))
            kinds = table[classes[0]]
            counting = atom.quantity is Quantity.AT_LEAST
            enough.append(query.at_least(kinds, atom.count) if counting else query.some(kinds))

        def of_atom(part: Formula) -> Bools | bool:
            assert isinstance(part, Has)
            if part.variable >= len(own):
                return enough[part.variable - len(own)]
            return compiled.features[own[part.variable]].has(part.values)

        some = disjunction(*parts)
        return circuit(Not(some) if atom.quantity is Quantity.EVERY else some, of_atom)

    def in_view(
        self, relation: Relation, features: Sequence[Feature], compiled: CompiledStatement
    ) -> ViewQuery:
        """A query for those in view by a relation, told apart by some features of a statement."""
        is_shared = bool(features) and self._alike[relation, tuple(features)] > 1
        return ViewQuery(
            relation, [compiled.features[feature] for feature in features], is_shared=is_shared
        )

    def path(self, term: ResolvedTerm, scope: Scope) -> CompiledPath:
        """A term on batches of graphs."""
        if term not in self.paths:
            self.paths[term] = CompiledPath(term, scope)
        return self.paths[term]
