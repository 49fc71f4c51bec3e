"""What the words of a look stand for: fields, and steps from an element to one that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields import Field, Number, Pointer
from algolens.fields.kinds import Kind
from algolens.graphs import Graph, Location
from algolens.looks.language import LAST, Term, Whose
from algolens.looks.memo import Found, Memo
from algolens.looks.relations import Adjacency, Relation

# what every node, edge and link has: its place inside its graph; both links of an edge have their
# edge's
NUMBER = "number"
NUMBER_BITS = 31
NUMBER_KIND = Number(NUMBER_BITS)

# steps that the graph itself gives
STEPS: Mapping[tuple[Location, str], Location] = {
    (Location.LINK, "sender"): Location.NODE,
    (Location.LINK, "receiver"): Location.NODE,
    (Location.LINK, "edge"): Location.EDGE,
    (Location.LINK, "reverse"): Location.LINK,
    (Location.EDGE, "one_end"): Location.NODE,
    (Location.EDGE, "other_end"): Location.NODE,
    (Location.NODE, "graph"): Location.GRAPH,
    (Location.EDGE, "graph"): Location.GRAPH,
    (Location.LINK, "graph"): Location.GRAPH,
}


@dataclass(frozen=True)
class ResolvedTerm:
    """A term whose words are known: the steps from element to element, and the field at the end."""

    own: Location  # where the element sits that it begins with
    steps: tuple[str, ...]
    at: Location  # where they lead
    # None: the element itself that they lead to, or the one that a pointer at the end points to
    field: str | None
    kind: Kind | None  # of the field; None of an element


@dataclass(frozen=True)
class Scope:
    """The fields that a look may name, and where they sit."""

    fields: Mapping[str, Field]

    def resolve(self, term: Term, own: Location, other: Location | None) -> ResolvedTerm:
        """own, other: where the element sits that looks, and the one it sees; None outside of
        quantifiers.
        """
        at = own if term.whose is Whose.MY else other
        if at is None:
            raise DefinitionError(
                f"'{term}' speaks of another one, and stands outside of every quantifier."
            )
        begin, steps = at, []
        for place, word in enumerate(term.path):
            last = place == len(term.path) - 1
            if word == NUMBER and at is not Location.GRAPH:
                kind: Kind | None = NUMBER_KIND
            elif (at, word) in STEPS:
                steps.append(word)
                at = STEPS[at, word]
                continue
            else:
                field = self._field(term, word, at)
                kind = field.kind
                if isinstance(kind, Pointer):
                    steps.append(word)
                    at = kind.to
                    continue
            if not last:
                raise DefinitionError(
                    f"'{term}': {word} is a {type(kind).__name__} and leads nowhere: take '{word}' "
                    "alone."
                )
            return ResolvedTerm(begin, tuple(steps), at, word, kind)
        return ResolvedTerm(begin, tuple(steps), at, None, None)

    def _field(self, term: Term, word: str, at: Location) -> Field:
        if word not in self.fields:
            here = [name for name, field in self.fields.items() if field.location is at]
            steps = [step for place, step in STEPS if place is at]
            raise DefinitionError(
                f"'{term}': a {at.value} has no {word}, or not yet; at a {at.value} there are: "
                f"{', '.join([*here, *steps, *([NUMBER] if at is not Location.GRAPH else [])])}."
            )
        field = self.fields[word]
        if field.location is not at:
            raise DefinitionError(
                f"'{term}': {word} sits at the {field.location.value}, and this speaks of a "
                f"{at.value}."
            )
        return field


class GraphState:
    """The values of fields on a batch of graphs, in one state."""

    def __init__(
        self,
        graph: Graph,
        scope: Scope,
        values: Mapping[str, Tensor],
        history: Memo | None = None,
    ) -> None:
        """history: of the states before it, of this graph; what was found in them is not found
        again.
        """
        self.graph, self.scope = graph, scope
        self.history = Memo() if history is None else history
        self.values = self.history.begin(values)
        self._state = self.history.now

    def add(self, name: str, value: Tensor) -> Tensor:
        """Adds a field; where it is as it was, it comes as the tensor of last time."""
        found = self.values[name] = (
            self.history.keep(name, value) if self._state == self.history.now else value
        )
        return found

    def recall(self, what: Hashable, fields: Iterable[str], find: Callable[[], Found]) -> Found:
        """What is found from some fields, and by what never changes; it is found again only where
        one of them has changed.
        """
        history = self.history
        return history.recall(what, fields, find) if self._state == history.now else find()

    def lasts(self, fields: Iterable[str]) -> bool:
        """Whether fields are expected to stay as they are."""
        return self.history.lasting.issuperset(fields)

    def of(self, term: ResolvedTerm) -> Tensor:
        """What a term is, for every element at the location that it begins with; an element as its
        number in the batch.
        """
        return CompiledPath(term, self.scope).of(self)

    def step(self, at: Location, step: str) -> Tensor:
        """For every element at a location, the number of the one that a step leads to."""
        if (at, step) in STEPS:
            return self.recall((at, step), (), lambda: _given(step, at, self.graph))
        return self.pointer(step)

    def view(self, relation: Relation) -> Adjacency:
        """Who has whom in view; found again only where a pointer that has a say in it has moved."""
        return self.recall(
            relation, relation.pointers, lambda: relation.view(self.graph, self.pointer)
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
    """A term on batches of graphs: steps that the graph gives are looked up once, those along
    pointers in every state.
    """

    def __init__(self, term: ResolvedTerm, scope: Scope) -> None:
        self._term = term
        steps = list(zip(_places(term, scope), term.steps, strict=True))
        # the value at the end is handed back along the steps, the last first
        self._steps = [(at, step) for at, step in reversed(steps)]
        names = {step for at, step in steps if (at, step) not in STEPS}
        ends_in_field = term.field is not None and term.field != NUMBER
        # that it goes by
        self.fields = tuple(sorted(names | ({str(term.field)} if ends_in_field else set())))
        self.is_field = ends_in_field and not steps

    def of(self, batch: GraphState) -> Tensor:
        """The term's value, for every element at the location that it begins with."""
        if self.is_field:
            return batch.values[self.fields[0]]
        return batch.recall(self, self.fields, partial(self._found, batch))

    def _found(self, batch: GraphState) -> Tensor:
        term, graph, steps = self._term, batch.graph, self._steps
        if term.field is not None:
            found = graph.place(term.at) if term.field == NUMBER else batch.values[term.field]
        elif steps:
            found, steps = batch.step(*steps[0]), steps[1:]
        else:
            found = torch.arange(graph.count(term.own), device=graph.device)
        for step in steps:
            found = found.index_select(0, batch.step(*step))
        return found


def _places(term: ResolvedTerm, scope: Scope) -> list[Location]:
    """Where each step begins."""
    at, places = term.own, []
    for step in term.steps:
        places.append(at)
        if (at, step) in STEPS:
            at = STEPS[at, step]
        else:
            kind = scope.fields[step].kind
            assert isinstance(kind, Pointer)
            at = kind.to
    return places


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


def carried(name: str) -> str:
    """How a look calls what a concept or hint was before the step."""
    return LAST + name
