"""A whole look: observations in order, sums before them, moves after them, and the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Category, Field, Mask, Number, Observed, Pointer
from algolens.graphs import Graph, Location
from algolens.looks.language import Quantified, Whose, atoms
from algolens.looks.memo import Memo
from algolens.looks.moves import Move, Mover, Sum, check_sum, summed
from algolens.looks.observer import Observer
from algolens.looks.parsing import WORDS, Parser, parse_look
from algolens.looks.reading import Observation, Statement
from algolens.looks.scope import NUMBER, STEPS, CompiledPath, GraphState, Scope, carried

SUM_BITS = 62
# a statement, a class, a value; or for each class the statement where it is taken
Start = str | int | Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Look:
    """What an algorithm sees in a state, and how its pointers and numbers move. Refused where it
    contradicts itself.

    Two looks are equal when they say the same, however it was spaced. Text, LaTeX, JSON, Python and
    SQL are views of it.
    """

    observed: Mapping[str, Observed]  # in order: each may name those before it
    fields: Mapping[str, Field]  # inputs and state, by the names that observations call them
    starting: Mapping[str, Field]  # what the start may name: all inputs
    state: Mapping[str, Field]
    start: Mapping[str, Start]
    moves: Mapping[str, str | Sequence[str]]  # of several, the first that applies
    sums: Mapping[str, Observed]

    def __post_init__(self) -> None:
        for name in (*self.observed, *self.fields, *self.sums, *self.starting):
            if name in WORDS or name == NUMBER or any(name == step for _, step in STEPS):
                raise DefinitionError(
                    f"'{name}' is a word of the language of looks: give the field another name."
                )
        _ = self.readings, self.movers
        missing = [name for name in self.state if name not in self.start]
        if missing:
            raise DefinitionError(f"state '{missing[0]}' has no start: add start['{missing[0]}'].")
        self._check_start()

    @cached_property
    def scope(self) -> Scope:
        """All that is known after the last observation."""
        seen = {name: Field(each.location, Mask()) for name, each in self.observed.items()}
        return Scope({**self._before.fields, **seen})

    @cached_property
    def _before(self) -> Scope:
        """All that is known before the first observation."""
        sums = {
            name: Field(each.location, Number(SUM_BITS, signed=True))
            for name, each in self.sums.items()
        }
        for name, each in self.sums.items():
            check_sum(name, each.location, Sum.parse(each.text), Scope(self.fields))
        return Scope({**self.fields, **sums})

    @cached_property
    def readings(self) -> tuple[Statement, ...]:
        """Its observations, their words resolved."""
        found: list[Statement] = []
        known = dict(self._before.fields)
        for name, each in self.observed.items():
            try:
                found.append(
                    Statement(
                        Observation(name, each.location, parse_look(each.text)), Scope(dict(known))
                    )
                )
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"observation '{name}': {problem}") from problem
            known[name] = Field(each.location, Mask())
        return tuple(found)

    @cached_property
    def movers(self) -> tuple[Mover, ...]:
        """Its moves, their words resolved."""
        found = []
        for name, texts in self.moves.items():
            if name not in self.state:
                raise DefinitionError(
                    f"'{name}' moves, and is no state: name it in state, or take the move out."
                )
            try:
                each = [texts] if isinstance(texts, str) else texts
                found += [
                    Mover(name, self.state[name], Move.parse(text), self.scope) for text in each
                ]
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"move of '{name}': {problem}") from problem
        return tuple(found)

    @cached_property
    def moves_in_order(self) -> list[tuple[Mover, frozenset[str]]]:
        """The moves in the order in which they are made, and the fields that each goes by, with
        those made before it.
        """
        found: list[tuple[Mover, frozenset[str]]] = []
        known: dict[str, frozenset[str]] = {}
        for mover in reversed(self.movers):  # of several, the first has the last word
            known[mover.name] = known.get(mover.name, frozenset({mover.name})) | set(mover.fields)
            found.append((mover, known[mover.name]))
        return found

    @cached_property
    def summands(self) -> dict[str, tuple[Location, int, list[CompiledPath]]]:
        """Of every sum: where it sits, its constant, and the paths to what is added."""
        found = {}
        for name, each in self.sums.items():
            total = Sum.parse(each.text)
            terms = [self.scope.resolve(term, each.location, None) for term in total.terms]
            found[name] = (
                each.location,
                total.constant,
                [self.observer.path(term, self.scope) for term in terms],
            )
        return found

    @cached_property
    def observer(self) -> Observer:
        """Observes what is true."""
        return Observer(self.readings)

    def on(self, graph: Graph) -> LookOnGraph:
        """The look at one batch of graphs, state after state."""
        return LookOnGraph(self, graph)

    def first_state(self, graph: Graph, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The state before the first step."""
        scope = Scope(self.starting)
        batch = GraphState(graph, scope, inputs)
        return {
            name: _started(field, self.start[name], graph, scope, batch)
            for name, field in self.state.items()
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Look) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        from algolens.looks.exports.readable import look_to_text

        return look_to_text(self)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        from algolens.looks.exports.json import look_to_json

        return look_to_json(self)

    @classmethod
    def from_json(cls, value: Any) -> Look:
        """The look that ``to_json`` wrote."""
        from algolens.looks.exports.json import look_from_json

        return look_from_json(value)

    def to_latex(self) -> str:
        """Itself as aligned LaTeX mathematics."""
        from algolens.looks.exports.readable import look_to_latex

        return look_to_latex(self)

    def to_markdown(self) -> str:
        """Itself as Markdown tables."""
        from algolens.looks.exports.readable import look_to_markdown

        return look_to_markdown(self)

    def to_python_source(self) -> str:
        """Itself as a module of functions on NumPy arrays, which needs NumPy alone."""
        from algolens.looks.exports.python import look_to_python

        return look_to_python(self)

    def to_sql(self) -> str:
        """Itself as tables and a query for each observation, in standard SQL."""
        from algolens.looks.exports.sql import look_to_sql

        return look_to_sql(self)

    def _check_start(self) -> None:
        scope = Scope(self.starting)
        empty = Graph.pack([1], [])
        inputs = {
            name: torch.zeros(empty.count(each.location), dtype=each.kind.dtype)
            for name, each in self.starting.items()
        }
        batch = GraphState(empty, scope, inputs)
        for name, start in self.start.items():
            if name not in self.state:
                raise DefinitionError(f"there is a start for '{name}', which is no state.")
            try:
                _started(self.state[name], start, empty, scope, batch)
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"start of '{name}': {problem}") from problem


class LookOnGraph:
    """A look at one batch of graphs. What depends on the graph alone is found once."""

    def __init__(self, look: Look, graph: Graph) -> None:
        self.look, self.graph = look, graph
        self.observer = look.observer
        self.names = {name: name if name in look.fields else carried(name) for name in look.state}
        self._history = Memo(name for name in look.starting if name in look.fields)

    def batch(self, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]) -> GraphState:
        """Inputs, state and sums, under the names that observations call them."""
        fields, names = self.look.fields, self.names
        values = {name: value for name, value in inputs.items() if name in fields}
        for name, value in state.items():
            values[names[name]] = value
        batch = GraphState(self.graph, self.look.scope, values, self._history)
        for name, (location, constant, paths) in self.look.summands.items():
            batch.add(name, summed(name, location, constant, paths, batch))
        return batch

    def __call__(
        self, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """All observations, and what pointers and numbers become."""
        batch = self.batch(inputs, state)
        found = self.observer.see(batch)
        return found | self.moved(batch)

    def moved(self, batch: GraphState) -> dict[str, Tensor]:
        """What pointers and numbers become, once all observations are among the values."""
        found: dict[str, Tensor] = {}
        for mover, fields in self.look.moves_in_order:
            before = found.get(mover.name, batch.values[mover.name])
            found[mover.name] = batch.recall(
                mover, fields, partial(self._move, mover, batch, before)
            )
        return found

    def _move(self, mover: Mover, batch: GraphState, before: Tensor) -> Tensor:
        after, now = mover.move_from(self.observer, batch, before), batch.values[mover.name]
        # a field that stays is the same tensor
        return now if after is not now and after.equal(now) else after


def _started(field: Field, start: Start, graph: Graph, scope: Scope, batch: GraphState) -> Tensor:
    """A state field before the first step."""
    count, kind = graph.count(field.location), field.kind
    match kind, start:
        case Mask(), str():
            return _statement(start, field.location, scope, batch)
        case Category(), str():
            return torch.full((count,), _class(kind, start), device=graph.device)
        case Category(), Mapping():
            found = torch.full((count,), -1, device=graph.device)
            for label, text in start.items():
                holds = _statement(text, field.location, scope, batch)
                found = torch.where((found < 0) & holds, _class(kind, label), found)
            return found.clamp(min=0)
        case Number(), int():
            if not kind.holds(start):
                raise DefinitionError(
                    f"{start} has no room in {kind.bits} bits, which hold {kind.least} to "
                    f"{kind.most}."
                )
            return torch.full((count,), start, device=graph.device)
        case ((Number() | Pointer()), str()):
            value = scope.resolve(
                Parser(start).whole(lambda parser: parser.term(Whose.MY)), field.location, None
            )
            fits = (
                isinstance(value.kind, Number)
                if isinstance(kind, Number)
                else value.kind is None and value.at is kind.to
            )
            if not fits:
                raise DefinitionError(f"'{start}' is no {type(kind).__name__} as it is declared.")
            found = batch.of(value)
            return (
                graph.place(kind.to).index_select(0, found)
                if isinstance(kind, Pointer)
                else found.clone()
            )
    raise DefinitionError(
        f"a {type(kind).__name__} cannot start as {start!r}: give a mask a statement, a category a "
        "class (or statements by class), a pointer a path as 'me', a number a whole number or a "
        "path."
    )


def _statement(text: str, location: Location, scope: Scope, batch: GraphState) -> Tensor:
    formula = parse_look(text)
    if any(isinstance(atom, Quantified) for atom in atoms(formula)):
        raise DefinitionError(
            f"'{text}' looks at others; a start goes by the element's own inputs."
        )
    reading = Statement(Observation("start", location, formula), scope)
    return Observer((reading,)).observe(reading, batch)


def _class(kind: Category, label: str) -> int:
    if label not in kind.labels:
        raise DefinitionError(f"there is no class '{label}': there are {', '.join(kind.labels)}.")
    return kind.labels.index(label)
