"""Examples: every state of every run as a graph of its own, and what is true in it.

What a statement says is computed by the engine that runs algorithms, so that it means here what it
means wherever it is used later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Values
from algolens.discovery.literals import (
    Literal,
    crossing_literals,
    field_tests,
    own_literals,
    tested_paths,
)
from algolens.discovery.oracle import Episodes, Schema
from algolens.engines.tensors import Tensors
from algolens.graphs import Graph
from algolens.language.ir import (
    IT,
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

Row = tuple[Literal, ndarray]  # and of which elements or pairs it holds


@dataclass(eq=False)
class Block:
    """The states of some runs on one batch of graphs."""

    graph: Graph
    values: dict[str, Tensor]  # inputs and state
    after: dict[str, Tensor]  # the state and outputs that the step gave
    has_step: Tensor  # [G] bools: a step was taken from this state; else the run ends here
    asked: Tensor  # [G] 1 and 0: whether it goes on from here; -1: it was not asked
    outcomes: dict[str, Tensor]  # [G], where the run ends
    run: Tensor  # [G] the run that each state is of, of its batch


class Examples:
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
        self.fields = schema.before
        chosen = [all_states(some) for some in episodes] if kept is None else kept
        pairs = zip(episodes, chosen, strict=True)
        self.blocks = [unrolled(schema, some, states) for some, states in pairs if states.any()]
        self.directed = any(block.graph.directed for block in self.blocks)
        self._tensors = [
            tensors_on(block.graph, self.fields, block.values) for block in self.blocks
        ]
        self.tried = 0  # statements whose behaviour was computed
        self.prices: dict[str, int] = {}  # of fields that cost more than 1 to name
        self._all_pairs: dict[str, tuple[ndarray, ndarray]] = {}
        self._own: dict[tuple[At, Expr], ndarray] = {}
        self._observed: dict[str, None] = {}  # masks that were added, which compare no numbers
        # by relation and table, and by mask, or None for all else
        self._rows: dict[tuple[str, At, str | None], list[Row]] = {}

    # ---- fields

    def add(self, added: Mapping[str, tuple[Field, Sequence[Tensor]]]) -> None:
        """Adds fields that statements may name; a tensor for each block."""
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

    def split(self, column: ndarray, location: At) -> list[Tensor]:
        """A value of every element as a tensor for each block."""
        parts = np.split(column, self.starts(location)[1:])
        return [torch.from_numpy(np.ascontiguousarray(part)) for part in parts]

    def observe(self, at: At, said: Expr) -> list[Tensor]:
        """What a statement says in every block; a KeyError where it names what is not there."""
        return [tensors.value(at, said) for tensors in self._tensors]

    def after(self, name: str) -> ndarray:
        """A field after the step; a pointer as the number of an element in its block."""
        return self._placed(name, [block.after[name] for block in self.blocks])

    def earlier(self, name: str) -> ndarray:
        """A field of the state before the step, in the same way."""
        return self._placed(name, [block.values[name] for block in self.blocks])

    def _placed(self, name: str, values: Sequence[Tensor]) -> ndarray:
        field = self.schema.decided[name]
        if field.to is not None:
            graphs = [block.graph for block in self.blocks]
            pairs = zip(values, graphs, strict=True)
            values = [some + graph.first(field.to)[graph.owner(field.at)] for some, graph in pairs]
        return torch.cat([*values]).numpy()

    def _joined(self, of_block: Callable[[Block], Tensor]) -> ndarray:
        """A value of every element, block by block."""
        return torch.cat([of_block(block) for block in self.blocks]).numpy()

    # ---- elements

    def counts(self, location: At) -> list[int]:
        """How many elements each block has at a location."""
        return [block.graph.count(location) for block in self.blocks]

    def count(self, location: At) -> int:
        """How many elements there are at a location, in all states."""
        return sum(self.counts(location))

    def starts(self, location: At) -> ndarray:
        """The number of the first element of each block."""
        counts = self.counts(location)
        return np.cumsum(counts) - counts

    def has_step(self, location: At) -> ndarray:
        """[N] bools: whether a step was taken from the state that each element is of."""
        return self._joined(lambda block: block.has_step[block.graph.owner(location)])

    def owner(self, location: At) -> ndarray:
        """The graph of each element, numbered through all blocks."""
        shifts = np.repeat(self.starts("graph"), self.counts(location))
        return self._joined(lambda block: block.graph.owner(location)) + shifts

    def edges_of_links(self) -> ndarray:
        """The edge of each link, numbered through all blocks."""
        shifts = np.repeat(self.starts("edge"), self.counts("link"))
        return self.value(Get("edge", "link"), "link") + shifts

    # ---- what is said of them

    def own(self, said: Expr, at: At) -> ndarray:
        """[N] bools: where a statement holds of the element itself."""
        if isinstance(said, Not):
            return ~self.own(said.term, at)
        if (at, said) not in self._own:
            self._own[at, said] = self.value(said, at)
        return self._own[at, said]

    def rows(self, at: At, relation: Relation | None = None) -> list[Row]:
        """All literals of an element alone, and where they hold; or of one in view, and of which
        pairs they hold. Computed once for each mask that was added, and once for all other fields.
        """
        key = "itself" if relation is None else relation.phrase(1)
        others = None if relation is None else self.pairs(relation)[1]

        def made(literals: Iterable[Literal]) -> list[Row]:
            rows = []
            for literal in literals:
                holds = self.own(literal.said, at)
                if others is not None:
                    literal, holds = replace(literal, said=put(literal.said, me=IT)), holds[others]
                rows.append((literal, holds))
            return rows

        if (key, at, None) not in self._rows:
            given = {n: field for n, field in self.fields.items() if n not in self._observed}
            rows = made(own_literals(given, at))
            if relation is not None:
                crossing = crossing_literals(given, relation)
                rows += [(literal, self._crossing(literal.said, relation)) for literal in crossing]
            self._rows[key, at, None] = rows
        known = None
        for name in self._observed:
            if (key, at, name) not in self._rows:
                known = known or tested_paths(self.fields, at)
                self._rows[key, at, name] = made(field_tests(self.fields, known, (name,)))
        return [row for name in (None, *self._observed) for row in self._rows[key, at, name]]

    def pairs(self, relation: Relation) -> tuple[ndarray, ndarray]:
        """[A] who looks and [A] whom it sees, numbered through all blocks."""
        key = relation.phrase(1)
        if key not in self._all_pairs:
            own: At = relation.own
            parts = [tensors.pairs(own, relation.view) for tensors in self._tensors]
            starts = self.starts(relation.own), self.starts(relation.others)
            looks, others = (
                np.concatenate(
                    [pairs[side].numpy() + one for pairs, one in zip(parts, first, strict=True)]
                )
                for side, first in enumerate(starts)
            )
            self._all_pairs[key] = looks, others
        return self._all_pairs[key]

    def _crossing(self, said: Expr, relation: Relation) -> ndarray:
        """[A] bools: of which pairs a statement holds that speaks of both."""
        own: At = relation.own
        parts = []
        for tensors in self._tensors:
            pairs = tensors.pairs(own, relation.view)
            parts.append(tensors.of_pairs(said, *pairs, own, relation.others))
        return torch.cat(parts).numpy()

    def value(self, said: Expr, at: At) -> ndarray:
        """[N] a number, or the number of the element in its block that a path leads to."""
        if isinstance(said, Arith):  # of the few that are tried, none is refused
            return self.value(said.a, at) + self.value(said.b, at)
        return torch.cat(self.observe(at, said)).numpy()


def tensors_on(graph: Graph, fields: Mapping[str, Field], values: Values) -> Tensors:
    """A state of a batch, on which statements are computed."""
    made = Tensors(graph, fields)
    made.give(values)
    return made


def all_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the states that each run has, the first and one after each step."""
    return torch.arange(len(episodes.frames))[:, None] <= episodes.lengths


def unrolled(schema: Schema, episodes: Episodes, kept: Tensor | None = None) -> Block:
    """States of runs as graphs: all, or those kept, [T + 1, G] bools."""
    step, which = (all_states(episodes) if kept is None else kept).nonzero().unbind(1)
    taken = episodes.graph.take(which)

    def at(name: str, location: At, steps: Tensor, first: int = 0) -> Tensor:
        """Of every state, the frame of its step."""
        frames = torch.stack([frame[name] for frame in episodes.frames[first:]])
        return frames[steps[taken.graph.owner(location)] - first, taken.index(location)]

    values = {
        name: episodes.inputs[name][taken.index(declared.at)]
        for name, declared in schema.inputs.items()
        if not declared.start_only
    }
    values |= {name: at(name, one.at, step) for name, one in schema.state.items()}
    has_step = step < episodes.lengths[which]
    following = (step + has_step).clamp(min=1)
    decided = schema.decided if len(episodes.frames) > 1 else {}
    asked = torch.full_like(step, -1)
    late = step > 0
    asked[late] = episodes.asked[step[late] - 1, which[late]]
    return Block(
        taken.graph,
        values,
        {name: at(name, one.at, following, 1) for name, one in decided.items()},
        has_step,
        asked,
        {name: value[which] for name, value in episodes.outcomes.items()},
        which,
    )
