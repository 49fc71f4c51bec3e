"""Situations: every state of every run as a graph of its own, and what is true in it.

What an atom says is computed by the library's own features, so that a statement means here what it
means wherever it is used later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from algolens.discovery.literals import (
    Literal,
    crossing_literals,
    field_tests,
    own_literals,
    tested_paths,
    turned_to,
)
from algolens.discovery.schema import Episodes, Schema
from algolens.fields import Field, Location, Mask, Pointer
from algolens.graphs import Graph
from algolens.logic.formula import Formula, Not
from algolens.looks import GraphState, Observer, Relation, Scope, Statement, Whose
from algolens.looks.compiled import CompiledFeature, compared_numbers, one_of
from algolens.looks.features import feature_of
from algolens.looks.language import terms
from algolens.looks.state import CompiledPath
from algolens.looks.terms import Term


@dataclass(eq=False)
class Block:
    """The states of some runs on one batch of graphs."""

    graph: Graph
    values: dict[str, Tensor]  # inputs and state, as looks call them
    after: dict[str, Tensor]  # the state and outputs that the step gave
    has_step: Tensor  # [G] bools: a step was taken from this state
    asked: Tensor  # [G] 1 and 0: whether it goes on from here; -1: it was not asked
    is_last: Tensor  # [G] bools: the run ends here
    outcomes: dict[str, Tensor]  # [G], where the run ends
    state: GraphState | None = None
    pairs: dict[str, tuple[Tensor, Tensor]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LiteralRow:
    """A literal, and of which elements or pairs it holds."""

    literal: Literal
    holds: np.ndarray  # [A] bools
    key: bytes | None  # equal where another holds of the same; None: it holds of all or of none

    @classmethod
    def of(cls, literal: Literal, holds: np.ndarray) -> LiteralRow:
        tells = len(holds) and holds.any() and not holds.all()
        return cls(literal, holds, np.packbits(holds).tobytes() if tells else None)


class Situations:
    """All states of some runs, and the fields that statements may name in them.

    Parameters
    ----------
    schema : Schema
        What the fields are.
    episodes : sequence of Episodes
        The runs.
    kept : sequence of Tensor, optional
        Of each, [T + 1, G] bools: the states that are looked at; by default all.
    """

    def __init__(
        self, schema: Schema, episodes: Sequence[Episodes], kept: Sequence[Tensor] | None = None
    ) -> None:
        self.schema = schema
        self.fields: dict[str, Field] = dict(schema.before)
        chosen = [all_states(some) for some in episodes] if kept is None else kept
        self.blocks = [
            _unrolled(schema, some, states)
            for some, states in zip(episodes, chosen, strict=True)
            if bool(states.any())
        ]
        self.prices: dict[str, int] = {}  # of fields that cost more than 1 to name
        self._paths: dict[object, CompiledPath] = {}
        self._all_pairs: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._own: dict[tuple[Location, Formula], np.ndarray] = {}
        self._observed: dict[str, None] = {}  # masks that were added, which compare no numbers
        # by relation or location, and by mask, or None for all else
        self._rows: dict[tuple[object, str | None], list[LiteralRow]] = {}
        self._renew()

    def _renew(self) -> None:
        self.scope = Scope(dict(self.fields))
        for block in self.blocks:
            block.state = GraphState(block.graph, self.scope, block.values)

    # ---- fields

    def add(self, added: Mapping[str, tuple[Field, Sequence[Tensor]]]) -> None:
        """Further fields that statements may name; a tensor for each block."""
        for name, (declared, values) in added.items():
            self.fields[name] = declared
            if isinstance(declared.kind, Mask):
                self._observed[name] = None
            else:
                self._rows.clear()
            for block, value in zip(self.blocks, values, strict=True):
                block.values[name] = value
        self._renew()

    def remove(self, names: Iterable[str]) -> None:
        """Takes fields away that were added."""
        for name in names:
            self.fields.pop(name, None)
            self._observed.pop(name, None)
            for block in self.blocks:
                block.values.pop(name, None)
        self._renew()

    def price(self, literal: Literal) -> int:
        """What a literal costs, with what it names."""
        words = (term.path[-1] for term in terms(literal.formula) if term.path)
        return literal.cost + sum(self.prices.get(word, 1) - 1 for word in words)

    def split(self, column: np.ndarray, location: Location) -> list[Tensor]:
        """A value of every element as a tensor for each block."""
        parts = np.split(column, self.starts(location)[1:])
        return [torch.from_numpy(np.ascontiguousarray(part)) for part in parts]

    def observe(self, name: str, location: Location, formula: Formula) -> list[Tensor]:
        """What a statement says in every block, by the library's observer."""
        statement = Statement(name, location, formula, self.scope)
        observer = Observer([statement])
        states = [block.state for block in self.blocks]
        return [observer.observe(statement, state) for state in states if state is not None]

    def after(self, name: str) -> np.ndarray:
        """A field after the step; a pointer as the number of an element in its block."""
        return np.concatenate(
            [self._placed(name, block, block.after[name]) for block in self.blocks]
        )

    def earlier(self, name: str) -> np.ndarray:
        """A field of the state before the step, in the same way."""
        called = self.schema.in_look(name)
        return np.concatenate(
            [self._placed(name, block, block.values[called]) for block in self.blocks]
        )

    def _placed(self, name: str, block: Block, values: Tensor) -> np.ndarray:
        declared = self.schema.decided[name]
        if isinstance(declared.kind, Pointer):
            first = block.graph.first(declared.kind.to)
            values = values + first.index_select(0, block.graph.owner(declared.location))
        return values.numpy()

    # ---- elements

    def count(self, location: Location) -> int:
        """How many elements there are at a location, in all states."""
        return sum(block.graph.count(location) for block in self.blocks)

    def starts(self, location: Location) -> list[int]:
        """The number of the first element of each block."""
        counts = [block.graph.count(location) for block in self.blocks]
        return [0, *np.cumsum(counts).tolist()][: len(counts)]

    def of_graphs(self, values: str, location: Location) -> np.ndarray:
        """Something of graphs (``has_step``, ``asked``, ``is_last``), at elements."""
        parts = [getattr(block, values)[block.graph.owner(location)] for block in self.blocks]
        return torch.cat(parts).numpy()

    def owner(self, location: Location) -> np.ndarray:
        """The graph of each element, numbered through all blocks."""
        shifts = self.starts(Location.GRAPH)
        parts = [
            block.graph.owner(location) + shift
            for block, shift in zip(self.blocks, shifts, strict=True)
        ]
        return torch.cat(parts).numpy()

    def edges_of_links(self) -> np.ndarray:
        """The edge of each link, numbered through all blocks."""
        counts = [block.graph.count(Location.LINK) for block in self.blocks]
        in_block = self.value(Term(Whose.MY, ("edge",)), Location.LINK)
        return in_block + np.repeat(self.starts(Location.EDGE), counts)

    # ---- atoms

    def own(self, atom: Formula, location: Location) -> np.ndarray:
        """[N] bools: where an atom holds of the element itself."""
        key = (location, atom)
        if key not in self._own:
            parts = [self._value(atom, block, location) for block in self.blocks]
            self._own[key] = torch.cat(parts).numpy()
        return self._own[key]

    def own_rows(self, location: Location) -> list[LiteralRow]:
        """All literals of an element alone, and where they hold."""
        return self._all_rows(location, location, Whose.MY, None)

    def rows_in_view(self, relation: Relation) -> list[LiteralRow]:
        """All literals of one in view, and of which pairs they hold."""
        return self._all_rows(relation.phrase(1), relation.others, Whose.ITS, relation)

    def _all_rows(
        self, key: object, at: Location, whose: Whose, relation: Relation | None
    ) -> list[LiteralRow]:
        """Computed once for each mask that was added, and once for all other fields."""
        others = None if relation is None else self.pairs(relation)[1]

        def made(literals: Iterable[Literal]) -> list[LiteralRow]:
            rows = []
            for literal in literals:
                holds = self._own_column(turned_to(literal.formula, Whose.MY), at)
                rows.append(LiteralRow.of(literal, holds if others is None else holds[others]))
            return rows

        if (key, None) not in self._rows:
            given = {n: field for n, field in self.fields.items() if n not in self._observed}
            rows = made(own_literals(Scope(given), at, whose))
            if relation is not None:
                rows += [
                    LiteralRow.of(literal, self.crossing(literal.formula, relation))
                    for literal in crossing_literals(Scope(given), relation)
                ]
            self._rows[key, None] = rows
        known = None
        for name in self._observed:
            if (key, name) not in self._rows:
                known = known or tested_paths(self.scope, at)
                self._rows[key, name] = made(field_tests(self.scope, known, (name,), whose))
        return [row for name in (None, *self._observed) for row in self._rows[key, name]]

    def _own_column(self, formula: Formula, location: Location) -> np.ndarray:
        if isinstance(formula, Not):
            return ~self.own(formula.term, location)
        return self.own(formula, location)

    def pairs(self, relation: Relation) -> tuple[np.ndarray, np.ndarray]:
        """[A] who looks and [A] whom it sees, numbered through all blocks."""
        key = relation.phrase(1)
        if key not in self._all_pairs:
            looks, others = [], []
            begins = zip(self.starts(relation.own), self.starts(relation.others), strict=True)
            for block, (own, other) in zip(self.blocks, begins, strict=True):
                look, seen = self._pairs(relation, block)
                looks.append(look + own)
                others.append(seen + other)
            self._all_pairs[key] = torch.cat(looks).numpy(), torch.cat(others).numpy()
        return self._all_pairs[key]

    def _pairs(self, relation: Relation, block: Block) -> tuple[Tensor, Tensor]:
        key = relation.phrase(1)
        if key not in block.pairs:
            assert block.state is not None
            block.pairs[key] = block.state.view(relation).pairs(block.graph.count(relation.own))
        return block.pairs[key]

    def crossing(self, atom: Formula, relation: Relation) -> np.ndarray:
        """[A] bools: of which pairs an atom holds that speaks of both."""
        parts = [
            self._value(atom, block, relation.own, relation.others, self._pairs(relation, block))
            for block in self.blocks
        ]
        return torch.cat(parts).numpy()

    def value(self, term: Term, own: Location) -> np.ndarray:
        """[N] a number, or the number of the element in its block that a path leads to."""
        resolved = self.scope.resolve(term, own, None)
        states = [block.state for block in self.blocks]
        return np.concatenate([state.of(resolved).numpy() for state in states if state is not None])

    def _value(
        self,
        atom: Formula,
        block: Block,
        own: Location,
        other: Location | None = None,
        pairs: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        feature, values = feature_of(atom, self.scope, own, other)
        paths = {}
        for term in (term for side in feature.sides for term in side):
            resolved = self.scope.resolve(term, own, other)
            if resolved not in self._paths:
                self._paths[resolved] = CompiledPath(resolved, self.scope)
            paths[term] = self._paths[resolved]
        compiled = CompiledFeature(feature, paths, compared_numbers)
        assert block.state is not None
        return one_of(compiled.value(block.state, *(pairs or ())), feature.size, values)


def all_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the states that each run has, the first and one after each step."""
    return torch.arange(len(episodes.frames))[:, None] <= episodes.lengths


def _unrolled(schema: Schema, episodes: Episodes, kept: Tensor | None = None) -> Block:
    """States of runs as graphs: all, or those kept, [T + 1, G] bools."""
    lengths = episodes.lengths
    kept = all_states(episodes) if kept is None else kept
    step, which = kept.nonzero().unbind(1)
    taken = episodes.graph.take(which)

    def at(location: Location, frames: Sequence[Tensor], steps: Tensor) -> Tensor:
        """Of every state, the frame of its step."""
        places = taken.index(location)
        return torch.stack(list(frames))[steps[taken.graph.owner(location)], places]

    values = {
        name: episodes.inputs[name][taken.index(declared.location)]
        for name, declared in schema.inputs.items()
        if not declared.start_only
    }
    for name, declared in schema.state.items():
        frames = [frame[name] for frame in episodes.frames]
        values[schema.in_look(name)] = at(declared.location, frames, step)
    has_step = step < lengths[which]
    following = (step + has_step).clamp(min=1)
    after = {
        name: at(declared.location, [frame[name] for frame in episodes.frames[1:]], following - 1)
        for name, declared in schema.decided.items()
        if len(episodes.frames) > 1
    }
    asked = torch.full_like(step, -1)
    late = step > 0
    asked[late] = episodes.asked[step[late] - 1, which[late]]
    return Block(
        taken.graph,
        values,
        after,
        has_step,
        asked,
        ~has_step,
        {name: value[which] for name, value in episodes.outcomes.items()},
    )
