"""A whole look: observations in order, sums before them, moves after them, and the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from torch import Tensor

from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field, Mask, Number, Observed
from algolens.graphs import Graph, Location
from algolens.logic.formula import Formula
from algolens.looks.exports import json
from algolens.looks.language import terms
from algolens.looks.moves import Move, Mover
from algolens.looks.observer import Observer
from algolens.looks.parsing import parse_look
from algolens.looks.scope import NUMBER, STEPS, Scope, carried
from algolens.looks.start import FieldStart, Start
from algolens.looks.state import GraphState, Memo
from algolens.looks.statement import Statement
from algolens.looks.sums import CompiledSum, Sum, Summand
from algolens.looks.terms import CONSTANT, WORDS

SUM_BITS = 62


@dataclass(frozen=True, eq=False)
class Look:
    """What an algorithm sees in a state, and how its pointers and numbers move.

    Two looks are equal when they say the same, however it was spaced.

    Parameters
    ----------
    observed : mapping of str to Observed
        Statements in order: each may name those before it.
    fields : mapping of str to Field
        Inputs and state, by the names that observations call them.
    starting : mapping of str to Field
        What the start may name: all inputs.
    state : mapping of str to Field
        What changes from step to step.
    start : mapping of str to Start
        How each field of the state begins.
    moves : mapping of str to str or sequence of str
        What pointers and numbers of the state become; of several moves, the first that applies.
    sums : mapping of str to Observed
        Numbers that follow from others, before all observations; each may name those before it.

    Raises
    ------
    DefinitionError
        Where it contradicts itself.
    """

    observed: Mapping[str, Observed]
    fields: Mapping[str, Field]
    starting: Mapping[str, Field]
    state: Mapping[str, Field]
    start: Mapping[str, Start]
    moves: Mapping[str, str | Sequence[str]]
    sums: Mapping[str, Observed]

    def __post_init__(self) -> None:
        for name in (*self.observed, *self.fields, *self.sums, *self.starting):
            if name in WORDS or name == NUMBER or any(name == step for _, step in STEPS):
                raise DefinitionError(
                    f"'{name}' is a word of the language of looks: give the field another name."
                )
        self._declare_constants()
        _ = self.statements, self.movers
        missing = [name for name in self.state if name not in self.start]
        if missing:
            raise DefinitionError(f"state '{missing[0]}' has no start: add start['{missing[0]}'].")
        _ = self.starts

    def _declare_constants(self) -> None:
        """Adds each number that statements compare with as a sum at the graph, which it is."""
        constants = {
            term.path[-1]: Observed(Location.GRAPH, str(term.constant))
            for formula in self._formulas.values()
            for term in terms(formula)
            if term.constant is not None
        }
        for name in (*self.observed, *self.fields, *self.sums, *self.starting):
            constant = CONSTANT.fullmatch(name)
            if constant and self.sums.get(name) != Observed(Location.GRAPH, constant[1]):
                raise DefinitionError(
                    f"'{name}' is what the {constant[1]} of a comparison is called: give the field "
                    "another name."
                )
        object.__setattr__(self, "sums", {**self.sums, **constants})

    @cached_property
    def _formulas(self) -> dict[str, Formula]:
        """What each observation says, its words not yet resolved."""
        formulas = {}
        for name, observed in self.observed.items():
            try:
                formulas[name] = parse_look(observed.text, observed.location)
            except FormulaError as problem:
                raise DefinitionError(f"observation '{name}': {problem}") from problem
        return formulas

    @cached_property
    def scope(self) -> Scope:
        """All that is known after the last observation."""
        seen = {name: Field(observed.location, Mask()) for name, observed in self.observed.items()}
        return Scope({**self._before.fields, **seen})

    @cached_property
    def _before(self) -> Scope:
        """All that is known before the first observation."""
        known = dict(self.fields)
        for name, total in self.totals.items():
            location = self.sums[name].location
            total.check(name, location, Scope(known))
            known[name] = Field(location, Number(SUM_BITS, signed=True))
        return Scope(known)

    @cached_property
    def totals(self) -> dict[str, Sum]:
        """Its sums, parsed."""
        totals = {}
        for name, total in self.sums.items():
            try:
                totals[name] = Sum.parse(total.text)
            except FormulaError as problem:
                raise DefinitionError(f"sum '{name}': {problem}") from problem
        return totals

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Its observations, their words resolved."""
        statements: list[Statement] = []
        known = dict(self._before.fields)
        for name, observed in self.observed.items():
            try:
                formula, scope = self._formulas[name], Scope(dict(known))
                statements.append(Statement(name, observed.location, formula, scope))
            except DefinitionError as problem:
                raise DefinitionError(f"observation '{name}': {problem}") from problem
            known[name] = Field(observed.location, Mask())
        return tuple(statements)

    @cached_property
    def movers(self) -> tuple[Mover, ...]:
        """Its moves, their words resolved."""
        movers = []
        for name, texts in self.moves.items():
            if name not in self.state:
                raise DefinitionError(
                    f"'{name}' moves, and is no state: name it in state, or take the move out."
                )
            try:
                moves = [
                    Move.parse(text) for text in ([texts] if isinstance(texts, str) else texts)
                ]
                movers += [Mover(name, self.state[name], move, self.scope) for move in moves]
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"move of '{name}': {problem}") from problem
        return tuple(movers)

    @cached_property
    def starts(self) -> dict[str, FieldStart]:
        """How each field of the state begins, its words resolved."""
        starts = {}
        for name, start in self.start.items():
            if name not in self.state:
                raise DefinitionError(f"there is a start for '{name}', which is no state.")
            try:
                field = self.state[name]
                starts[name] = FieldStart.parse(name, field, start, Scope(self.starting))
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"start of '{name}': {problem}") from problem
        return starts

    @cached_property
    def moves_in_order(self) -> list[tuple[Mover, frozenset[str]]]:
        """The moves as they are made, and the fields that each goes by with those before it."""
        moves: list[tuple[Mover, frozenset[str]]] = []
        known: dict[str, frozenset[str]] = {}
        for mover in reversed(self.movers):  # of several, the first that is declared decides
            known[mover.name] = known.get(mover.name, frozenset({mover.name})) | set(mover.fields)
            moves.append((mover, known[mover.name]))
        return moves

    @cached_property
    def summands(self) -> dict[str, list[Summand]]:
        """For each sum, its products, and what their terms stand for."""
        return {
            name: [
                Summand(
                    product.factor,
                    tuple(
                        self.scope.resolve(term, self.sums[name].location, None)
                        for term in product.terms
                    ),
                )
                for product in total.products
            ]
            for name, total in self.totals.items()
        }

    @cached_property
    def observer(self) -> Observer:
        """Observes what is true."""
        return Observer(self.statements)

    def on(self, graph: Graph) -> LookOnGraph:
        """The look at one batch of graphs, state after state."""
        return LookOnGraph(self, graph)

    def first_state(self, graph: Graph, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The state before the first step."""
        batch = GraphState(graph, Scope(self.starting), inputs)
        return {name: self.starts[name].of(batch) for name in self.state}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Look) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return json.look_to_json(self)

    @classmethod
    def from_json(cls, value: Any) -> Look:
        """The look that ``to_json`` wrote."""
        return cls(**json.look_from_json(value))


class LookOnGraph:
    """A look at one batch of graphs; what depends on the graph alone is computed once.

    Parameters
    ----------
    look : Look
        What is seen.
    graph : Graph
        The batch.
    """

    def __init__(self, look: Look, graph: Graph) -> None:
        self.look, self.graph = look, graph
        self.observer = look.observer
        self.names = {name: name if name in look.fields else carried(name) for name in look.state}
        self._history = Memo(name for name in look.starting if name in look.fields)
        self._sums = [
            CompiledSum(
                name,
                look.sums[name].location,
                look.totals[name].constant,
                tuple(
                    (one.factor, tuple(look.observer.path(term, look.scope) for term in one.terms))
                    for one in products
                ),
            )
            for name, products in look.summands.items()
        ]

    def batch(self, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]) -> GraphState:
        """Inputs, state and sums, under the names that observations call them."""
        fields, names = self.look.fields, self.names
        values = {name: value for name, value in inputs.items() if name in fields}
        for name, value in state.items():
            values[names[name]] = value
        batch = GraphState(self.graph, self.look.scope, values, self._history)
        for total in self._sums:
            batch.add(
                total.name,
                batch.recall(("sum", total.name), total.fields, partial(total.of, batch)),
            )
        return batch

    def __call__(
        self, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """All observations, and what pointers and numbers become."""
        batch = self.batch(inputs, state)
        return self.observer.see(batch) | self.moved(batch)

    def moved(self, batch: GraphState) -> dict[str, Tensor]:
        """What pointers and numbers become, once all observations are among the values."""
        after: dict[str, Tensor] = {}
        for mover, fields in self.look.moves_in_order:
            before = after.get(mover.name, batch.values[mover.name])
            after[mover.name] = batch.recall(
                mover, fields, partial(self._move, mover, batch, before)
            )
        return after

    def _move(self, mover: Mover, batch: GraphState, before: Tensor) -> Tensor:
        after, now = mover.move_from(self.observer, batch, before), batch.values[mover.name]
        # a field that stays is the same tensor
        return now if after is not now and after.equal(now) else after
