"""The fields of a batch of graphs in one state, and what was computed from them so far.

A step computes only what follows from fields that have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from algolens.fields import Pointer
from algolens.graphs import Graph, Location
from algolens.language.relations import Relation
from algolens.looks.adjacency import Adjacency, adjacency
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm, Scope

Result = TypeVar("Result")


class MemoEntry:
    """A tensor as it was: one that was written into since is known by its version."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        # tensors of inference mode count no versions
        self.version = None if tensor.is_inference() else tensor._version

    def holds(self, tensor: Tensor) -> bool:
        """Whether a tensor is this very one, and as it was."""
        return (
            tensor is self.tensor and self.version is not None and tensor._version == self.version
        )

    def equals(self, tensor: Tensor) -> bool:
        """Whether this one is as it was, and a tensor has the same values."""
        return self.holds(self.tensor) and self.tensor.equal(tensor)


class Memo:
    """When each field has changed last, and what was computed from fields since.

    Parameters
    ----------
    lasting : iterable of str
        Fields that are expected to stay as they are, so that more work on them pays.
    """

    def __init__(self, lasting: Iterable[str] = ()) -> None:
        self.lasting = frozenset(lasting)
        self.now = 0  # the number of the state
        self._kept: dict[str, MemoEntry] = {}
        self._changed: dict[str, int] = {}  # in which state a field came to be what it is
        # in which state, and what
        self._results: dict[Hashable, tuple[int, object, MemoEntry | None]] = {}

    def begin(self, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The next state. A field that is as it was comes as the tensor of last time."""
        self.now += 1
        return {name: self.keep(name, value) for name, value in values.items()}

    def keep(self, name: str, value: Tensor) -> Tensor:
        """A field of this state."""
        kept = self._kept.get(name)
        if kept is not None and (kept.holds(value) or kept.equals(value)):
            return kept.tensor
        self._kept[name] = MemoEntry(value)
        self._changed[name] = self.now
        return value

    def recall(
        self, what: Hashable, fields: Iterable[str], compute: Callable[[], Result]
    ) -> Result:
        """What follows from some fields; computed again only where one of them has changed."""
        known = self._results.get(what)
        if known is not None:
            state, result, kept = known
            changed = self._changed
            for name in fields:
                if changed[name] > state:
                    break
            else:
                # else who was given it has written into it
                if kept is None or kept.holds(kept.tensor):
                    return result  # type: ignore[return-value]
        new = compute()
        self._results[what] = (self.now, new, MemoEntry(new) if isinstance(new, Tensor) else None)
        return new


class GraphState:
    """The values of fields on a batch of graphs, in one state.

    Parameters
    ----------
    graph : Graph
        The batch.
    scope : Scope
        What the fields are.
    values : mapping of str to Tensor
        Their values.
    history : Memo, optional
        Of the states before it, of this graph: what was computed in them is not computed again.
    """

    def __init__(
        self,
        graph: Graph,
        scope: Scope,
        values: Mapping[str, Tensor],
        history: Memo | None = None,
    ) -> None:
        self.graph, self.scope = graph, scope
        self.history = Memo() if history is None else history
        self.values = self.history.begin(values)
        self._state = self.history.now

    def add(self, name: str, value: Tensor) -> Tensor:
        """Adds a field; where it is as it was, it comes as the tensor of last time."""
        kept = self.history.keep(name, value) if self._state == self.history.now else value
        self.values[name] = kept
        return kept

    def recall(
        self, what: Hashable, fields: Iterable[str], compute: Callable[[], Result]
    ) -> Result:
        """What follows from some fields; computed again only where one of them has changed."""
        history = self.history
        return history.recall(what, fields, compute) if self._state == history.now else compute()

    def lasts(self, fields: Iterable[str]) -> bool:
        """Whether fields are expected to stay as they are."""
        return self.history.lasting.issuperset(fields)

    def of(self, term: ResolvedTerm) -> Tensor:
        """A term's value of every element; an element by its number in the batch."""
        return CompiledPath(term, self.scope).of(self)

    def step(self, at: Location, step: str) -> Tensor:
        """For every element at a location, the number of the one that a step leads to."""
        if (at, step) in STEPS:
            return self.recall((at, step), (), lambda: _given(step, at, self.graph))
        return self.pointer(step)

    def leads(self, at: Location, path: tuple[str, ...]) -> tuple[Location, Tensor]:
        """Where a path from a location ends, and for every element at which one there."""
        ends: Tensor | None = None
        for step in path:
            there = self.step(at, step)
            ends = there if ends is None else there.index_select(0, ends)
            at = self.scope.end_of(step, at)
        if ends is None:
            ends = torch.arange(self.graph.count(at), device=self.graph.device)
        return at, ends

    def view(self, relation: Relation) -> Adjacency:
        """Who has whom in view; computed again only where a pointer that decides it has moved."""
        return self.recall(
            relation, relation.pointers, lambda: adjacency(relation, self.graph, self.leads)
        )

    def pointer(self, name: str) -> Tensor:
        """Where a pointer field leads, numbered through the batch."""
        if self.graph.num_graphs == 1:
            return self.values[name]
        return self.recall(
            ("pointer", name), (name,), lambda: self.values[name] + self._shift(name)
        )

    def _shift(self, name: str) -> Tensor:
        """For every pointer, the number of the first element that it can lead to."""
        field, graph = self.scope.fields[name], self.graph
        assert isinstance(field.kind, Pointer)
        to = field.kind.to
        return self.recall(
            ("shift", name),
            (),
            lambda: graph.first(to).index_select(0, graph.owner(field.location)),
        )


class CompiledPath:
    """A term on batches of graphs: along pointers it is looked up anew in every state."""

    def __init__(self, term: ResolvedTerm, scope: Scope) -> None:
        self._term = term
        steps, at = [], term.own
        for step in term.steps:
            steps.append((at, step))
            at = scope.end_of(step, at)
        names = {step for at, step in steps if (at, step) not in STEPS}
        ends_in_field = term.field is not None and term.field != NUMBER
        # that it goes by
        self.fields = tuple(sorted(names | ({str(term.field)} if ends_in_field else set())))
        self.is_field = ends_in_field and not steps
        self._steps = steps[::-1]  # the value at the end is handed back along them

    def of(self, batch: GraphState) -> Tensor:
        """The term's value, for every element at the location that it begins with."""
        if self.is_field:
            return batch.values[self.fields[0]]
        return batch.recall(self, self.fields, partial(self._value, batch))

    def _value(self, batch: GraphState) -> Tensor:
        term, graph, steps = self._term, batch.graph, self._steps
        if term.field is not None:
            value = graph.place(term.at) if term.field == NUMBER else batch.values[term.field]
        elif steps:
            value, steps = batch.step(*steps[0]), steps[1:]
        else:
            value = torch.arange(graph.count(term.own), device=graph.device)
        for step in steps:
            value = value.index_select(0, batch.step(*step))
        return value


def _given(step: str, at: Location, graph: Graph) -> Tensor:
    """For every element at a location, the number of the one that a step leads to."""
    match step:
        case "sender":
            return graph.links[0]
        case "receiver":
            return graph.links[1]
        case "edge":
            return graph.at_links(torch.arange(graph.num_edges, device=graph.device))
        case "reverse":
            return graph.reverse_link
        case "one_end":
            return graph.edges[0]
        case "other_end":
            return graph.edges[1]
    return graph.owner(at)
