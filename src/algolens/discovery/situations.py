"""Situations: every state of every run as a graph of its own, and what is true in it.

What a statement says is computed by the engine that runs algorithms, so that it means here what it
means wherever it is used later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from algolens.discovery.literals import (
    Literal,
    crossing_literals,
    field_tests,
    own_literals,
    tested_paths,
)
from algolens.discovery.schema import Episodes, Schema, as_column
from algolens.engines.tensors import Tensors
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Location, Pointer
from algolens.language.ir import (
    IT,
    NUMBER,
    STEPS,
    Arith,
    At,
    Expr,
    Field,
    Get,
    Not,
    columns_of,
    put,
)
from algolens.language.relations import Relation


@dataclass(eq=False)
class Block:
    """The states of some runs on one batch of graphs."""

    graph: Graph
    values: dict[str, Tensor]  # inputs and state
    after: dict[str, Tensor]  # the state and outputs that the step gave
    has_step: Tensor  # [G] bools: a step was taken from this state
    asked: Tensor  # [G] 1 and 0: whether it goes on from here; -1: it was not asked
    is_last: Tensor  # [G] bools: the run ends here
    outcomes: dict[str, Tensor]  # [G], where the run ends
    run: Tensor  # [G] the run that each state is of, of its batch


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
        self.fields = {name: as_column(field) for name, field in schema.before.items()}
        chosen = [all_states(some) for some in episodes] if kept is None else kept
        self.blocks = [
            unrolled(schema, some, states)
            for some, states in zip(episodes, chosen, strict=True)
            if bool(states.any())
        ]
        self._tensors = [
            tensors_on(block.graph, self.fields, block.values) for block in self.blocks
        ]
        self.prices: dict[str, int] = {}  # of fields that cost more than 1 to name
        self._all_pairs: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._own: dict[tuple[At, Expr], np.ndarray] = {}
        self._observed: dict[str, None] = {}  # masks that were added, which compare no numbers
        # by relation and table, and by mask, or None for all else
        self._rows: dict[tuple[str, At, str | None], list[LiteralRow]] = {}

    # ---- fields

    def add(self, added: Mapping[str, tuple[Field, Sequence[Tensor]]]) -> None:
        """Further fields that statements may name; a tensor for each block."""
        for name, (declared, values) in added.items():
            self.fields[name] = declared
            if declared.kind == "mask":
                self._observed[name] = None
            else:
                self._rows.clear()
            for tensors, value in zip(self._tensors, values, strict=True):
                tensors.set(declared.at, name, value)

    def remove(self, names: Collection[str]) -> None:
        """Takes fields away that were added."""
        gone = {(self.fields.pop(name).at, name) for name in names if name in self.fields}
        for _, name in gone:
            self._observed.pop(name, None)
        self._own = {key: own for key, own in self._own.items() if not columns_of(key[1]) & gone}
        self._rows = {key: rows for key, rows in self._rows.items() if key[2] not in names}

    def price(self, literal: Literal) -> int:
        """What a literal costs, with what it names."""
        words = (word for _, word in columns_of(literal.said))
        return literal.cost + sum(self.prices.get(word, 1) - 1 for word in words)

    def split(self, column: np.ndarray, location: Location) -> list[Tensor]:
        """A value of every element as a tensor for each block."""
        parts = np.split(column, self.starts(location)[1:])
        return [torch.from_numpy(np.ascontiguousarray(part)) for part in parts]

    def observe(self, at: At, said: Expr) -> list[Tensor]:
        """What a statement says in every block.

        Raises
        ------
        DefinitionError
            Where it names what is not there.
        """
        for place, name in columns_of(said):
            is_given = (place, name) in STEPS or name == NUMBER
            if not is_given and (name not in self.fields or self.fields[name].at != place):
                raise DefinitionError(f"'{name}' is not observed.")
        return [tensors.value(at, said) for tensors in self._tensors]

    def after(self, name: str) -> np.ndarray:
        """A field after the step; a pointer as the number of an element in its block."""
        return np.concatenate(
            [self._placed(name, block, block.after[name]) for block in self.blocks]
        )

    def earlier(self, name: str) -> np.ndarray:
        """A field of the state before the step, in the same way."""
        return np.concatenate(
            [self._placed(name, block, block.values[name]) for block in self.blocks]
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
        in_block = self.value(Get("edge", "link"), "link")
        return in_block + np.repeat(self.starts(Location.EDGE), counts)

    # ---- what is said of them

    def own(self, said: Expr, at: At) -> np.ndarray:
        """[N] bools: where a statement holds of the element itself."""
        if isinstance(said, Not):
            return ~self.own(said.term, at)
        if (at, said) not in self._own:
            self._own[at, said] = torch.cat(self.observe(at, said)).numpy()
        return self._own[at, said]

    def own_rows(self, at: At) -> list[LiteralRow]:
        """All literals of an element alone, and where they hold."""
        return self._all_rows("itself", at, None)

    def rows_in_view(self, relation: Relation) -> list[LiteralRow]:
        """All literals of one in view, and of which pairs they hold."""
        return self._all_rows(relation.phrase(1), relation.others.value, relation)

    def _all_rows(self, key: str, at: At, relation: Relation | None) -> list[LiteralRow]:
        """Computed once for each mask that was added, and once for all other fields."""
        others = None if relation is None else self.pairs(relation)[1]

        def made(literals: Iterable[Literal]) -> list[LiteralRow]:
            rows = []
            for literal in literals:
                holds = self.own(literal.said, at)
                if others is not None:
                    literal, holds = replace(literal, said=put(literal.said, me=IT)), holds[others]
                rows.append(LiteralRow.of(literal, holds))
            return rows

        if (key, at, None) not in self._rows:
            given = {n: field for n, field in self.fields.items() if n not in self._observed}
            rows = made(own_literals(given, at))
            if relation is not None:
                rows += [
                    LiteralRow.of(literal, self.crossing(literal.said, relation))
                    for literal in crossing_literals(given, relation)
                ]
            self._rows[key, at, None] = rows
        known = None
        for name in self._observed:
            if (key, at, name) not in self._rows:
                known = known or tested_paths(self.fields, at)
                self._rows[key, at, name] = made(field_tests(self.fields, known, (name,)))
        return [row for name in (None, *self._observed) for row in self._rows[key, at, name]]

    def pairs(self, relation: Relation) -> tuple[np.ndarray, np.ndarray]:
        """[A] who looks and [A] whom it sees, numbered through all blocks."""
        key = relation.phrase(1)
        if key not in self._all_pairs:
            looks, others = [], []
            begins = zip(self.starts(relation.own), self.starts(relation.others), strict=True)
            for tensors, (own, other) in zip(self._tensors, begins, strict=True):
                look, seen = tensors.pairs(relation.own.value, relation.view)
                looks.append(look + own)
                others.append(seen + other)
            self._all_pairs[key] = torch.cat(looks).numpy(), torch.cat(others).numpy()
        return self._all_pairs[key]

    def crossing(self, said: Expr, relation: Relation) -> np.ndarray:
        """[A] bools: of which pairs a statement holds that speaks of both."""
        own: At = relation.own.value
        parts = []
        for tensors in self._tensors:
            pairs = tensors.pairs(own, relation.view)
            parts.append(tensors.of_pairs(said, *pairs, own, relation.others.value))
        return torch.cat(parts).numpy()

    def value(self, said: Expr, at: At) -> np.ndarray:
        """[N] a number, or the number of the element in its block that a path leads to."""
        if isinstance(said, Arith):  # of the few that are tried, none is refused
            return self.value(said.a, at) + self.value(said.b, at)
        return torch.cat([tensors.value(at, said) for tensors in self._tensors]).numpy()


def tensors_on(graph: Graph, fields: Mapping[str, Field], values: Mapping[str, Tensor]) -> Tensors:
    """A state of a batch, on which statements are computed."""
    made = Tensors(graph, fields)
    made.give(values)
    return made


def all_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the states that each run has, the first and one after each step."""
    return torch.arange(len(episodes.frames))[:, None] <= episodes.lengths


def unrolled(schema: Schema, episodes: Episodes, kept: Tensor | None = None) -> Block:
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
        values[name] = at(declared.location, frames, step)
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
        which,
    )
