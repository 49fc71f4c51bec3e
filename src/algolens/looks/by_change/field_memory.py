"""The fields of a look on one graph as parts of the array, and what speaks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.fields import Number, Pointer
from algolens.graphs import Graph, Location
from algolens.looks.by_change.memory import (
    CLASSES,
    NUMBERS,
    WORDS,
    Memory,
    NotByChange,
    Sized,
)
from algolens.looks.by_change.places import (
    as_words,
    grouped,
    inverted,
    is_ascending,
    links_by_sender,
    taken_at,
)
from algolens.looks.by_change.structures import ALL, ALONG, POINTED
from algolens.looks.by_change.terms import COMPARED_FEATURE, LABEL_FEATURE, MEETING_FEATURE
from algolens.looks.features import Compared, Feature, Label
from algolens.looks.look import Look
from algolens.looks.relations import Adjacency, Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm
from algolens.looks.sums import MOST, Summand, expanded
from algolens.looks.terms import Term, Whose

Steps = tuple[str, ...]
Resolve = Callable[[Term], ResolvedTerm]
Depends = list[tuple[str, Steps]]  # fields, and the steps to each
MOST_ELEMENTS = 2**29  # of a graph, so that 32 bits hold all that is counted
MOST_SUMMANDS = 64  # products that a sum is multiplied out into


class FieldMemory(Memory):
    """The fields of a look on one graph, and what speaks of them: terms, keys, features, paths.

    Parameters
    ----------
    look : Look
        What the words stand for.
    graph : Graph
        One graph.
    values : mapping of str to np.ndarray
        Inputs, state and observations, under the names that statements call them.
    moving : collection of str
        Those that change.
    at_links : collection of str
        Those that sit at links.
    """

    def __init__(
        self,
        look: Look,
        graph: Graph,
        values: Mapping[str, np.ndarray],
        moving: frozenset[str],
        at_links: frozenset[str],
    ) -> None:
        super().__init__()
        self._at_links = at_links
        self.look, self.graph, self.moving = look, graph, moving
        if max(map(graph.count, Location)) >= MOST_ELEMENTS:
            raise NotByChange("the graph is too large")
        self.link_order = links_by_sender(graph)
        self.link_places = inverted(self.link_order)
        self.values = {
            name: taken_at(value, self.link_order) if self.is_at_link(name) else value
            for name, value in values.items()
        }
        self.fields = {
            name: self.state(value, self.where(name)) for name, value in self.values.items()
        }
        self.changed = {name: self.changes(len(values[name])) for name in moving}
        self._given: dict[str, int] = {}
        self._leads: dict[str, np.ndarray] = {}
        self._terms: dict[tuple[object, ...], int] = {}
        self._entries: dict[str, tuple[int, int]] = {}
        self._adjacencies: dict[Relation, Adjacency] = {}
        self._views: dict[Relation, tuple[int, int, int]] = {}
        # elements of entries (none: entry n is element n), their groups, and the number of groups
        self.entry_values: dict[Relation, tuple[np.ndarray | None, np.ndarray, int]] = {}
        self.rankings: dict[tuple[object, ...], tuple[int, int, int, int]] = {}
        self.pointed: dict[str, int] = {}  # list spaces of pointers that are walked back

    def is_at_link(self, name: str) -> bool:
        """Whether a field sits at links."""
        return name in self._at_links

    def where(self, name: str) -> str:
        """Which array a field lies in."""
        field = self.look.scope.fields.get(name)
        if field is None:  # an output that nothing reads
            return CLASSES
        is_number = isinstance(field.kind, Number)
        return NUMBERS if is_number else WORDS if isinstance(field.kind, Pointer) else CLASSES

    # ---- terms

    def given(self, step: str) -> np.ndarray:
        """Where a step that the graph gives leads."""
        if step not in self._leads:
            self._leads[step] = self._given_by_graph(step)
        return self._leads[step]

    def _given_by_graph(self, step: str) -> np.ndarray:
        graph = self.graph
        match step:
            case "sender" | "receiver":
                ends = graph.links[int(step == "receiver")].numpy()
                return taken_at(as_words(ends), self.link_order)
            case "one_end" | "other_end":
                return as_words(graph.edges[int(step == "other_end")].numpy())
            case "reverse":
                reverse = as_words(graph.reverse_link.numpy())
                return taken_at(self.link_places, taken_at(reverse, self.link_order))
        return self.link_order % np.int32(max(1, graph.num_edges))

    def _address(self, at: Location, step: str) -> int:
        """The address of the values that a step looks up; -1: it leads to the graph."""
        if (at, step) not in STEPS:
            return self.fields[step]
        if step == "graph":
            return -1
        if step not in self._given:
            self._given[step] = self.data(self.given(step), WORDS)
        return self._given[step]

    def _chain(self, own: Location, steps: Steps, field: str | None) -> list[int]:
        """The addresses of pointers that lead to an element, or to its number."""
        addresses, at = [], own
        for step in steps:
            addresses.append(self._address(at, step))
            at = self.look.scope.end_of(step, at)
        if field == NUMBER:  # of a node or an edge, it is the element itself
            return [*addresses, self._address(at, "edge")] if at is Location.LINK else addresses
        return addresses

    def term(self, term: ResolvedTerm) -> int:
        """The record of a term."""
        label = (term.own, term.steps, term.field)
        if label not in self._terms:
            constant, flat, number = 0, [], 0
            for summand in self.summands(term):
                constant += 0 if summand.terms else summand.factor
                for place, part in enumerate(summand.terms):
                    chain, number_at = self._chain(part.own, part.steps, part.field), -1
                    field = part.field
                    if field is not None and field in self.fields:
                        number_at = self.fields[field]
                        if self.where(field) == WORDS:
                            chain, number_at = [*chain, number_at], -1
                    flat += [len(chain), 0 if place else summand.factor, number_at, *chain]
                    number += 1
            self._terms[label] = self.put([constant, number, *flat])
        return self._terms[label]

    def summands(self, term: ResolvedTerm) -> list[Summand]:
        """A term as products of fields: of a sum, all that it is made of."""
        if term.field is None or term.field not in self.look.sums:
            return [Summand(1, (term,))]
        constants = {name: total.constant for name, total in self.look.totals.items()}
        products = expanded(term, constants, self.look.summands, MOST_SUMMANDS)
        if products is None or any(abs(product.factor) >= MOST for product in products):
            raise NotByChange("it adds up more products than pay")
        return products

    def element_term(self, own: Location, steps: Steps) -> int:
        """The record of a path to an element."""
        return self.term(ResolvedTerm(own, steps, own, None, None))

    def dependencies(self, term: ResolvedTerm) -> list[tuple[str, Steps]]:
        """The fields that change and the steps to each, of a term."""
        depends: list[tuple[str, Steps]] = []
        at = term.own
        for place, step in enumerate(term.steps):
            if (at, step) not in STEPS and step in self.moving:
                depends.append((step, term.steps[:place]))
            at = self.look.scope.end_of(step, at)
        if term.field is not None and term.field in self.look.sums:
            for summand in self.summands(term):
                for part in summand.terms:
                    depends += self.dependencies(part)
        elif term.field in self.moving:
            depends.append((str(term.field), term.steps))
        return list(dict.fromkeys(depends))

    # ---- features and keys

    def feature(self, feature: Feature, resolve: Resolve) -> int:
        """The record of a feature of single elements."""
        if isinstance(feature, Label):
            return self.label(resolve(feature.term))
        kind = COMPARED_FEATURE if isinstance(feature, Compared) else MEETING_FEATURE
        terms = [self.term(resolve(term)) for side in feature.sides for term in side]
        return self.put([kind, len(feature.sides[0]), *terms])

    def label(self, term: ResolvedTerm) -> int:
        """The record of the class of a mask or a category."""
        chain = [*self._chain(term.own, term.steps, None), self.fields[str(term.field)]]
        return self.put([LABEL_FEATURE, len(chain), *chain])

    def features(self, features: Sequence[Feature], resolve: Resolve) -> int:
        """The record of a combination of features."""
        rows = [(self.feature(feature, resolve), feature.size) for feature in features]
        return self.records(rows)

    def feature_dependencies(
        self, features: Sequence[Feature], resolve: Resolve, whose: Whose | None = None
    ) -> list[tuple[str, Steps]]:
        """The fields that features depend on; whose: of one side alone."""
        terms = [term for feature in features for side in feature.sides for term in side]
        return [
            dependency
            for term in terms
            if whose is None or term.whose is whose
            for dependency in self.dependencies(resolve(term))
        ]

    def term_values(self, term: ResolvedTerm) -> np.ndarray:
        """The values of a term at all elements, of fields that stay."""
        if term.field is not None and term.field in self.look.sums:
            total = np.zeros(self.graph.count(term.own), np.int64)
            for summand in self.summands(term):
                # inputs whose products leave their bits were refused before the run
                factors = (self.term_values(part).astype(np.int64) for part in summand.terms)
                total = total + summand.factor * prod(factors)
            return total
        ends, at = self.ends(term.own, term.steps)
        if term.field == NUMBER:
            return taken_at(self.given("edge"), ends) if at is Location.LINK else ends
        return ends if term.field is None else taken_at(self.values[term.field], ends)

    def ends(self, own: Location, steps: Steps) -> tuple[np.ndarray, Location]:
        """Where a path leads to now, of every element, and at which location."""
        ends, at = None, own
        for step in steps:
            if step == "graph" and (at, step) in STEPS:
                ends = np.zeros(self.graph.count(own), np.int32)
            else:
                there = self.given(step) if (at, step) in STEPS else as_words(self.values[step])
                ends = there if ends is None else taken_at(there, ends)
            at = self.look.scope.end_of(step, at)
        return np.arange(self.graph.count(own), dtype=np.int32) if ends is None else ends, at

    def view(self, relation: Relation) -> Adjacency:
        """Who has whom in view by a relation that no pointer decides."""
        if relation in self._adjacencies:
            return self._adjacencies[relation]

        def leads(own: Location, steps: Steps) -> tuple[Location, Tensor]:
            ends, at = self.ends(own, steps)
            return at, torch.from_numpy(ends)

        self._adjacencies[relation] = relation.view(self.graph, leads)
        return self._adjacencies[relation]

    # ---- paths, walked back

    def path(self, own: Location, steps: Steps) -> int:
        """The record of the way back from where steps lead."""
        at, kinds = own, list[tuple[int, int, int]]()
        for step in steps:
            if step == "graph" and (at, step) in STEPS:
                kinds.append((ALL, Sized(self.graph.count(at)), 0))
            elif (at, step) in STEPS:
                kinds.append((ALONG, *self._entries_of(step, at)))
            else:
                kinds.append((POINTED, self.pointer_lists(step), 0))
            at = self.look.scope.end_of(step, at)
        return self.records(kinds[::-1])

    def pointer_lists(self, name: str) -> int:
        """The list space of who points where by a pointer."""
        if name not in self.pointed:
            kind = self.look.scope.fields[name].kind
            assert isinstance(kind, Pointer)
            self.pointed[name] = self.lists(len(self.values[name]), self.graph.count(kind.to))
        return self.pointed[name]

    def _entries_of(self, step: str, at: Location) -> tuple[int, int]:
        """Of each element that a given step leads to, where from: starts and elements."""
        if step not in self._entries:
            starts, elements = grouped(
                self.given(step), self.graph.count(self.look.scope.end_of(step, at))
            )
            self._entries[step] = (self.data(starts, WORDS), self.data(elements, WORDS))
        return self._entries[step]

    def entries(self, relation: Relation, view: Adjacency) -> tuple[int, int, int]:
        """Who stands where by a relation that no pointer decides: starts, groups and elements."""
        if relation not in self._views:
            others, group, entries, seen = None, view.group.numpy(), -1, -1
            if not view.each_once:
                others = view.others.numpy()
                starts, order = grouped(others, self.graph.count(relation.others))
                if not is_ascending(others):
                    others, group = taken_at(others, order), taken_at(group, order)
                entries, seen = self.data(starts, WORDS), self.data(others, WORDS)
            groups = self.data(group, WORDS)
            self._views[relation] = (entries, groups, seen)
            self.entry_values[relation] = (others, group, view.num_groups)
        return self._views[relation]

    def depends(self, own: Location, depends: Sequence[tuple[str, Steps]]) -> int:
        """The record of fields and ways back from them."""
        rows = [
            (self.changed[field], self.path(own, steps)) for field, steps in dict.fromkeys(depends)
        ]
        return self.records(rows)


def path_term(own: Location, steps: Steps) -> ResolvedTerm:
    """A path to an element."""
    return ResolvedTerm(own, steps, own, None, None)


def field_term(own: Location, name: str) -> ResolvedTerm:
    """A field of the element itself."""
    return ResolvedTerm(own, (), own, name, None)
