"""What the words of a look stand for: fields, and steps from an element to one that it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import torch
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields import Field, Number, Pointer
from algolens.fields.kinds import Kind
from algolens.graphs import Graph, Location
from algolens.looks.language import LAST, Term, Whose

NUMBER = "number"  # what every node, edge and link has: its place inside its graph; both links of an edge have their edge's
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
class Resolved:
    """A term whose words are known: the steps from element to element, and the field at the end."""

    own: Location  # where the element sits that it begins with
    steps: tuple[str, ...]
    at: Location  # where they lead
    field: str | None  # None: the element itself that they lead to, or the one that a pointer at the end points to
    kind: Kind | None  # of the field; None of an element


@dataclass(frozen=True)
class Scope:
    """The fields that a look may name, and where they sit."""

    fields: Mapping[str, Field]

    def resolve(self, term: Term, own: Location, other: Location | None) -> Resolved:
        """own, other: where the element sits that looks, and the one it sees; None outside of quantifiers."""
        at = own if term.whose is Whose.MY else other
        if at is None:
            raise DefinitionError(f"'{term}' speaks of another one, and stands outside of every quantifier.")
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
                raise DefinitionError(f"'{term}': {word} is a {type(kind).__name__} and leads nowhere: take '{word}' alone.")
            return Resolved(begin, tuple(steps), at, word, kind)
        return Resolved(begin, tuple(steps), at, None, None)

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
            raise DefinitionError(f"'{term}': {word} sits at the {field.location.value}, and this speaks of a {at.value}.")
        return field


@dataclass(frozen=True)
class Lasting:
    """What holds in every state of a graph with some inputs, found once."""

    inputs: frozenset[str]
    numbers: dict[object, tuple[Tensor, Tensor]] = dataclass_field(default_factory=dict)  # that are compared
    shifts: dict[str, Tensor | None] = dataclass_field(default_factory=dict)  # from places inside a graph to numbers in a batch


class Batch:
    """The values of fields on a batch of graphs."""

    def __init__(self, graph: Graph, scope: Scope, values: Mapping[str, Tensor], lasting: Lasting | None = None) -> None:
        """lasting: what was found of this graph and these inputs in other states, and holds in all of them."""
        self.graph, self.scope, self.values = graph, scope, dict(values)
        self.marks: dict[object, Tensor] = {}  # kinds in view that several observations ask for
        self.lasting = lasting or Lasting(frozenset())
        self._pointers: dict[str, Tensor] = {}

    def of(self, term: Resolved) -> Tensor:
        """What a term is, for every element at the location that it begins with; an element as its number in the batch."""
        return Path(term, self.graph, self.scope).of(self)

    def pointer(self, name: str) -> Tensor:
        """Where a pointer field leads, numbered through the batch."""
        if name not in self._pointers:
            if name not in self.lasting.shifts:
                self.lasting.shifts[name] = self._shift(name)
            shift = self.lasting.shifts[name]
            self._pointers[name] = self.values[name] if shift is None else self.values[name] + shift
        return self._pointers[name]

    def _shift(self, name: str) -> Tensor | None:
        """For every pointer, the number of the first element that it can lead to; None where that is 0 for all."""
        field = self.scope.fields[name]
        assert isinstance(field.kind, Pointer)
        if self.graph.num_graphs == 1:
            return None
        return self.graph.first(field.kind.to).index_select(0, self.graph.owner(field.location))


class Path:
    """A term on one batch of graphs: steps that the graph gives are looked up once, those along pointers in every state."""

    def __init__(self, term: Resolved, graph: Graph, scope: Scope) -> None:
        places = _places(term, scope)
        steps = list(zip(places, term.steps, strict=True))
        # the value at the end is handed back along the steps, the last first; a step is a tensor, or the name of a pointer
        self._end: Tensor | str | None = None  # None: it is what the first of the steps gives
        if term.field == NUMBER:
            self._end = graph.place(term.at)
        elif term.field is not None:
            self._end = term.field
        elif not steps:
            self._end = torch.arange(graph.count(term.own), device=graph.device)
        self._steps = [_step(step, at, graph) for at, step in reversed(steps)]
        self.fields = {each for each in (self._end, *self._steps) if isinstance(each, str)}  # that it goes by

    def of(self, batch: Batch) -> Tensor:
        """The term's value, for every element at the location that it begins with."""
        found = batch.values[self._end] if isinstance(self._end, str) else self._end
        if found is not None and not self._steps:
            return found
        for step in self._steps:
            along = batch.pointer(step) if isinstance(step, str) else step
            found = along if found is None else found.index_select(0, along)
        assert found is not None
        return found


def _places(term: Resolved, scope: Scope) -> list[Location]:
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


def _step(step: str, at: Location, graph: Graph) -> Tensor | str:
    """For every element at a location, the number of the one that a step leads to; of a pointer, its name."""
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
        case "graph":
            return graph.owner(at)
    return step


def carried(name: str) -> str:
    """How a look calls what a concept or hint was before the step."""
    return LAST + name
