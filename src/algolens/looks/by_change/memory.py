"""One array of whole numbers for all that the kernel works on, put together record by record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np

from algolens.fields import Number, Pointer
from algolens.graphs import Graph, Location
from algolens.looks.by_change.structures import ALL, ALONG, HEADER, HEAP_NODE, LIST_NODE, POINTED
from algolens.looks.by_change.terms import COMPARED_FEATURE, LABEL_FEATURE, MEETING_FEATURE
from algolens.looks.features import Compared, Feature, Label
from algolens.looks.language import Term, Whose
from algolens.looks.look import Look
from algolens.looks.relations import Adjacency, Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm
from algolens.looks.state import GraphState
from algolens.looks.sums import MOST, Summand, expanded

Steps = tuple[str, ...]
Resolve = Callable[[Term], ResolvedTerm]
Depends = list[tuple[str, Steps]]  # fields, and the steps to each
ASSUMED = 2**30  # magnitude of a later number of a key that has no bound; a larger one is noticed
MOST_KEY = 2**62
MOST_SUMMANDS = 64  # products that a sum is multiplied out into


class NotByChange(Exception):
    """A look that the kernel by change does not take."""


class Memory:
    """Addresses are given at once; the array is made at the end."""

    def __init__(self) -> None:
        self.size = HEADER
        self._parts: list[tuple[int, int, np.ndarray | int]] = []

    def put(self, values: np.ndarray | Sequence[int]) -> int:
        """The address of some values."""
        array = np.asarray(values, dtype=np.int64).reshape(-1)
        return self._add(len(array), array)

    def room(self, count: int, fill: int = 0) -> int:
        """The address of as many equal numbers."""
        return self._add(count, fill)

    def listing(self, values: Sequence[int]) -> int:
        """The address of a number of values and these."""
        return self.put([len(values), *values])

    def records(self, rows: Sequence[Sequence[int]]) -> int:
        """The address of a number of records and these, one after the other."""
        return self.put([len(rows), *(value for row in rows for value in row)])

    def queue(self, count: int) -> int:
        """An empty queue for so many elements."""
        stamps = self.room(count)
        address = self.put([0, stamps])
        self.room(count)
        return address

    def changes(self, count: int) -> int:
        """An empty list of changed elements."""
        return self.room(count + 1)

    def lists(self, nodes: int, heads: int) -> int:
        """A space of linked lists, all empty."""
        return self.put([self.room(LIST_NODE * nodes), self.room(heads)])

    def heaps(self, nodes: int, roots: int) -> int:
        """A space of heaps, all empty."""
        return self.put([self.room(HEAP_NODE * nodes), self.room(roots)])

    def pairs(self, count: int) -> tuple[int, int]:
        """A table of pairs (group, key) and the number of its places."""
        places = 1 << max(4, int(4 * count + 1).bit_length())
        return self.put([places - 1, 0, self.room(places), self.room(places)]), places

    def _add(self, count: int, values: np.ndarray | int) -> int:
        address = self.size
        self._parts.append((address, count, values))
        self.size += count
        return address

    def array(self) -> np.ndarray:
        """All of it."""
        whole = np.zeros(self.size, dtype=np.int64)
        for address, count, values in self._parts:
            if isinstance(values, np.ndarray) or values:
                whole[address : address + count] = values
        return whole


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
    """

    def __init__(
        self,
        look: Look,
        graph: Graph,
        values: Mapping[str, np.ndarray],
        moving: frozenset[str],
    ) -> None:
        super().__init__()
        self.look, self.graph, self.moving = look, graph, moving
        self.fields = {name: self.put(value) for name, value in values.items()}
        self.values = values
        self.static = GraphState(graph, look.scope, {})  # for what no field decides
        self.changed = {name: self.changes(len(values[name])) for name in moving}
        self._given: dict[str, int] = {}
        self._terms: dict[tuple[object, ...], int] = {}
        self._entries: dict[str, tuple[int, int]] = {}
        self._views: dict[Relation, tuple[int, int, int]] = {}
        self.pointed: dict[str, int] = {}  # list spaces of pointers that are walked back

    # ---- terms

    def given(self, step: str) -> np.ndarray:
        """Where a step that the graph gives leads."""
        graph = self.graph
        match step:
            case "sender" | "receiver":
                return graph.links[int(step == "receiver")].numpy()
            case "one_end" | "other_end":
                return graph.edges[int(step == "other_end")].numpy()
            case "reverse":
                return graph.reverse_link.numpy()
        edges = np.arange(graph.num_edges)
        return edges if graph.directed else np.concatenate([edges, edges])

    def _address(self, at: Location, step: str) -> int:
        """The address of the values that a step looks up; -1: it leads to the graph."""
        if (at, step) not in STEPS:
            return self.fields[step]
        if step == "graph":
            return -1
        if step not in self._given:
            self._given[step] = self.put(self.given(step))
        return self._given[step]

    def _chain(self, own: Location, steps: Steps, field: str | None) -> list[int]:
        """The addresses that values are looked up by, one after the other."""
        addresses, at = [], own
        for step in steps:
            addresses.append(self._address(at, step))
            at = self.look.scope.end_of(step, at)
        if field == NUMBER:  # of a node or an edge, it is the element itself
            return [*addresses, self._address(at, "edge")] if at is Location.LINK else addresses
        return addresses if field is None else [*addresses, self.fields[field]]

    def term(self, term: ResolvedTerm) -> int:
        """The record of a term."""
        label = (term.own, term.steps, term.field)
        if label not in self._terms:
            constant, flat, number = 0, [], 0
            for summand in self.summands(term):
                constant += 0 if summand.terms else summand.factor
                for place, part in enumerate(summand.terms):
                    chain = self._chain(part.own, part.steps, part.field)
                    flat += [len(chain), 0 if place else summand.factor, *chain]
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
        chain = self._chain(term.own, term.steps, term.field)
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

    def keys(self, feature: Feature, sign: int, resolve: Resolve) -> tuple[int, int]:
        """The records of what is compared of one in view, and of the element that looks."""
        sides = [[resolve(term) for term in side] for side in feature.sides]
        bounds = [self._bounds(*pair) for pair in zip(*sides, strict=True)]
        later = prod(high - low for low, high in bounds[1:])
        if later > MOST_KEY // 2**10:
            raise NotByChange("it compares more numbers than one holds")
        first = MOST_KEY // later
        if bounds[0][1] - bounds[0][0] > min(first, 2 * ASSUMED - 1):  # a number beyond is noticed
            bounds[0] = (-(first // 2), first // 2)
        its, mine = (
            self.put(
                [
                    sign,
                    len(side),
                    *(
                        number
                        for term, (low, high) in zip(side, bounds, strict=True)
                        for number in (self.term(term), low, high - low)
                    ),
                ]
            )
            for side in sides
        )
        return its, mine

    def _bounds(self, *terms: ResolvedTerm) -> tuple[int, int]:
        """Numbers between which both sides of a comparison lie."""
        lows, highs = [], []
        for term in terms:
            if term.field is None or term.field == NUMBER:
                lows.append(0)
                highs.append(max(1, self.graph.count(term.at)))
            elif isinstance(term.kind, Number) and term.kind.bits <= 31:
                lows.append(term.kind.least)
                highs.append(term.kind.most + 1)
            else:
                lows.append(-ASSUMED)
                highs.append(ASSUMED)
        return min(lows), max(highs)

    # ---- paths, walked back

    def path(self, own: Location, steps: Steps) -> int:
        """The record of the way back from where steps lead."""
        at, kinds = own, []
        for step in steps:
            if step == "graph" and (at, step) in STEPS:
                kinds.append((ALL, self.graph.count(at), 0))
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
            self._entries[step] = (self.put(starts), self.put(elements))
        return self._entries[step]

    def entries(self, relation: Relation, view: Adjacency) -> tuple[int, int, int]:
        """Who stands where by a relation that no pointer decides: starts, groups and elements."""
        if relation not in self._views:
            others, group = view.others.numpy(), view.group.numpy()
            starts, order = grouped(others, self.graph.count(relation.others))
            self._views[relation] = (
                self.put(starts),
                self.put(group[order]),
                self.put(others[order]),
            )
        return self._views[relation]

    def depends(self, own: Location, depends: Sequence[tuple[str, Steps]]) -> int:
        """The record of fields and ways back from them."""
        rows = [
            (self.changed[field], self.path(own, steps)) for field, steps in dict.fromkeys(depends)
        ]
        return self.records(rows)


def grouped(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts [count + 1] and places of each of the numbers 0 to count - 1 among values."""
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=count), out=starts[1:])
    return starts, np.argsort(values, kind="stable")


def path_term(own: Location, steps: Steps) -> ResolvedTerm:
    """A path to an element."""
    return ResolvedTerm(own, steps, own, None, None)


def field_term(own: Location, name: str) -> ResolvedTerm:
    """A field of the element itself."""
    return ResolvedTerm(own, (), own, name, None)
