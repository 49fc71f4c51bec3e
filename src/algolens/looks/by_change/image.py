"""A look on one graph as the array that the kernel works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from algolens.fields import Number
from algolens.graphs import Graph, Location
from algolens.looks.by_change import observing, structures
from algolens.looks.by_change.concept_records import (
    carried_record,
    decided_record,
    going_on_record,
)
from algolens.looks.by_change.entry import is_compiled, kernel_for
from algolens.looks.by_change.field_memory import (
    FieldMemory,
    Resolve,
    Steps,
    field_term,
    path_term,
)
from algolens.looks.by_change.kernel import (
    CLASS,
    NUMBER,
    WORD,
)
from algolens.looks.by_change.memory import CLASSES, NUMBERS, WORDS, Sized
from algolens.looks.by_change.move_records import Registers, field_record
from algolens.looks.by_change.plan import ConceptTables, ObservationPlan
from algolens.looks.by_change.view_records import Followed, view_record
from algolens.looks.features import Feature, Label
from algolens.looks.look import Look
from algolens.looks.scope import STEPS, ResolvedTerm

COLUMNS = (np.int32, np.int32, np.int64)  # of changes: steps, elements, values
NO_CHANGES = [np.zeros(0, dtype) for dtype in COLUMNS]


class Image:
    """A look on one graph in one state, with all indices.

    Parameters
    ----------
    look : Look
        What moves, and what words stand for.
    plans : sequence of ObservationPlan
        The observations in order.
    deciding : ConceptTables
        What follows from the concepts.
    graph : Graph
        One graph.
    values : mapping of str to np.ndarray
        Inputs, state, observations and outputs.
    traced : sequence of str
        The fields whose changes are kept.

    Raises
    ------
    NotByChange
        Where changes do not bound it.
    """

    def __init__(
        self,
        look: Look,
        plans: Sequence[ObservationPlan],
        deciding: ConceptTables,
        graph: Graph,
        values: Mapping[str, np.ndarray],
        traced: Sequence[str],
    ) -> None:
        moved = sorted({mover.name for mover in look.movers})
        names = [plan.statement.name for plan in plans]
        moving = frozenset((*moved, *names, *deciding.outputs))
        moving |= set(deciding.carried.values())
        self.look, self.graph = look, graph
        locations = dict.fromkeys(deciding.outputs, deciding.location)
        locations |= {name: field.location for name, field in look.scope.fields.items()}
        locations |= {plan.statement.name: plan.statement.location for plan in plans}
        locations |= {last: locations[name] for name, last in deciding.carried.items()}
        at_links = frozenset(name for name, at in locations.items() if at is Location.LINK)
        self.memory = memory = FieldMemory(look, graph, values, moving, at_links)
        observations = memory.listing([self._observation(plan) for plan in plans])
        largest = {
            name: memory.room(1, NUMBERS)
            for name in moved
            if isinstance(look.state[name].kind, Number)
        }
        fields = memory.listing(
            [field_record(memory, name, largest.get(name, -1)) for name in moved]
        )
        header = {
            structures.OBSERVATIONS: observations,
            structures.MOVED: fields,
            structures.DECIDED: decided_record(memory, deciding),
            structures.CARRIED: carried_record(memory, deciding),
            structures.TRACED: memory.records(
                [(memory.changed[name], memory.fields[name], self._array(name)) for name in traced]
            ),
            structures.SUMS: memory.listing(self._sums(largest)),
            structures.GOING_ON: going_on_record(memory, deciding),
            structures.FILLED: memory.room(len(traced), NUMBERS),
            structures.WORK: self._work({*moved, *deciding.outputs}, deciding),
        }
        most = max(graph.count(at) for at in Location) + 1
        header[structures.SCRATCH] = memory.room(2 * most, WORDS)
        header[structures.SCRATCH_SIZE] = Sized(most)
        header[structures.POINTERS] = memory.records(
            [
                (memory.fields[name], Sized(len(values[name])), space)
                for name, space in memory.pointed.items()
            ]
        )
        self.changes_of = {name: memory.changed[name] for name in names}
        for cell, value in header.items():
            memory.head(cell, value)
        self.cells = memory.arrays()
        self.cells.m[structures.FRESH] = 1
        # what was given is what the indices say, as a law of the tests holds
        self.is_special = is_compiled(memory.known())
        self.advance = kernel_for(memory.known()) if self.is_special else kernel_for()
        self.advance(self.cells, NO_CHANGES, 0, False)
        filled = int(self.cells.m[structures.FILLED])
        self.filled = self.cells.m[filled : filled + len(traced)]  # changes kept of each field
        self.num_wrong = int(self.cells.m[structures.NUM_WRONG])

    def specialise(self) -> None:
        """Goes on by the program of this look alone: it is compiled once, and kept on disk."""
        self.is_special, self.advance = True, kernel_for(self.memory.known())

    def given_order(self, name: str, elements: np.ndarray) -> np.ndarray:
        """Elements of a field by their numbers in the graph."""
        order = self.memory.link_order
        return order[elements].astype(np.int32) if self.memory.is_at_link(name) else elements

    def frame_of(self, name: str) -> np.ndarray:
        """The values of a field now, in the order of the graph's elements."""
        values = self.values_of(name)
        return values[self.memory.link_places] if self.memory.is_at_link(name) else values.copy()

    def values_of(self, name: str) -> np.ndarray:
        """The values of a field now, as a part of the array."""
        begin, cells = self.memory.fields[name], getattr(self.cells, self.memory.where(name))
        return np.asarray(cells[begin : begin + len(self.memory.values[name])])

    def _array(self, name: str) -> int:
        """The number of the array that a field lies in."""
        return {NUMBERS: NUMBER, WORDS: WORD, CLASSES: CLASS}[self.memory.where(name)]

    # ---- observations

    def _observation(self, plan: ObservationPlan) -> int:
        statement, memory = plan.statement, self.memory
        own, resolve, table = statement.location, statement.resolve, plan.table
        count = self.graph.count(own)
        assert table is not None
        if self._is_direct(plan):
            return self._direct(plan, table)
        early = [
            feature
            for feature in plan.own
            if isinstance(feature, Label) and _is_given(own, resolve(feature.term).steps)
        ]
        rest = [feature for feature in plan.own if feature not in early]
        order = [plan.own.index(feature) for feature in (*early, *rest)]
        views = range(len(plan.own), table.ndim)
        order = [*order[: len(early)], *views, *order[len(early) :]]
        rest_size = prod(feature.size for feature in rest)
        cases = table.transpose(order).reshape(-1, rest_size)
        rows, row_of = np.unique(cases, axis=0, return_inverse=True)
        num_early = prod(feature.size for feature in early)
        of_early = cases.reshape(num_early, -1)
        is_open = (of_early != of_early[:, :1]).any(1)
        is_constant = (rows == rows[:, :1]).all(1)
        registers = Registers(memory, own, count, len(rows))
        targets: dict[Steps, list[Label]] = {}
        depends = [
            dependency
            for feature in rest
            if not isinstance(feature, Label)
            for dependency in memory.feature_dependencies([feature], resolve)
        ]
        for feature in rest:
            if isinstance(feature, Label):
                term = resolve(feature.term)
                targets.setdefault(term.steps, []).append(feature)
                depends += memory.dependencies(path_term(term.own, term.steps))
        records, of_firsts = [], []
        followed = Followed(early, is_open, resolve)
        for count_of_view in plan.counts:
            record, own_depends, is_of_firsts = view_record(
                memory, count_of_view, resolve, followed
            )
            records.append((record, count_of_view.size))
            of_firsts.append(is_of_firsts)
            depends += own_depends
        labels = []
        for steps, features in targets.items():
            labels += self._label(registers, rows, rest, steps, features, resolve)
        mine, along, registered = [], [], []
        for name, steps in dict.fromkeys(depends):
            if not steps:
                mine.append((name, steps))
            elif is_open.all() and _is_given(own, steps):
                along.append((name, steps))
            else:
                registered.append((memory.changed[name], registers.number(steps)))
        register_list = registers.listing()
        address = [0] * observing.OBSERVATION_SIZE
        address[observing.OUT] = memory.fields[statement.name]
        address[observing.COUNT_OF] = Sized(count)
        address[observing.CHANGES] = memory.changed[statement.name]
        address[observing.DIRTY] = memory.queue(count)
        address[observing.TRACKED] = memory.room(count, CLASSES)
        address[observing.EARLY] = memory.features(early, resolve)
        address[observing.DECIDED_EARLY] = memory.data(
            np.where(is_open, -1, of_early[:, 0]), NUMBERS
        )
        address[observing.VIEWS] = memory.records(records)
        address[observing.ROWS] = memory.data(row_of, NUMBERS)
        address[observing.CONSTANT] = memory.data(np.where(is_constant, rows[:, 0], -1), NUMBERS)
        address[observing.REST] = memory.features(rest, resolve)
        address[observing.REST_SIZE] = rest_size
        address[observing.TABLE] = memory.data(rows, NUMBERS)
        address[observing.REGISTERS] = register_list
        early_depends = memory.feature_dependencies(early, resolve)
        address[observing.EARLY_DEPENDENCIES] = memory.depends(own, early_depends)
        address[observing.OWN_DEPENDENCIES] = memory.depends(own, mine)
        address[observing.ALONG_DEPENDENCIES] = memory.depends(own, along)
        address[observing.REGISTERED] = memory.records(
            [(changes, register_list + 1 + 3 * number) for changes, number in registered]
        )
        address[observing.LABELS] = memory.listing(
            [memory.put([register_list + 1 + 3 * number, *record]) for number, record in labels]
        )
        address[observing.NUM_ROWS] = len(rows)
        address[observing.IS_OF_FIRSTS] = int(
            len(of_firsts) == 1
            and of_firsts[0]
            and not rest
            and not (along or registered or labels)
            # who is not followed is unmarked, and false; so is who is not the first
            and not of_early[~is_open].any()
            and not cases.reshape(num_early, -1)[is_open, -1].any()
        )
        return memory.put(address)

    def _is_direct(self, plan: ObservationPlan) -> bool:
        """Whether it looks at no others, and goes along the graph's own links alone."""
        own, resolve = plan.statement.location, plan.statement.resolve
        terms = [resolve(term) for part in plan.own for side in part.sides for term in side]
        depends = [part for term in terms for part in self.memory.dependencies(term)]
        if plan.counts or not all(_is_given(own, steps) for _, steps in depends):
            return False
        # what masks leave open for few is not asked for at every change of a number
        return all(isinstance(part, Label) for part in plan.own) or not any(
            isinstance(part, Label) for part in plan.own
        )

    def _direct(self, plan: ObservationPlan, table: np.ndarray) -> int:
        statement, memory = plan.statement, self.memory
        depends = memory.feature_dependencies(plan.own, statement.resolve)
        address = [0] * observing.OBSERVATION_SIZE
        address[observing.OUT] = memory.fields[statement.name]
        address[observing.COUNT_OF] = Sized(self.graph.count(statement.location))
        address[observing.CHANGES] = memory.changed[statement.name]
        address[observing.VIEWS] = address[observing.LABELS] = memory.listing([])
        address[observing.REST] = memory.features(plan.own, statement.resolve)
        address[observing.TABLE] = memory.data(table, NUMBERS)
        address[observing.ALONG_DEPENDENCIES] = memory.depends(statement.location, depends)
        address[observing.IS_DIRECT] = 1
        return memory.put(address)

    def _label(
        self,
        registers: Registers,
        rows: np.ndarray,
        rest: Sequence[Feature],
        steps: Steps,
        features: Sequence[Label],
        resolve: Resolve,
    ) -> list[tuple[int, list[int]]]:
        """The record of classes at the end of a path: which changes make a difference to whom."""
        memory, term = self.memory, resolve(features[0].term)
        fields = dict.fromkeys(str(resolve(feature.term).field) for feature in features)
        changes = [memory.changed[name] for name in fields if name in memory.moving]
        if not changes:
            return []
        axes = [1 + list(rest).index(feature) for feature in features]
        table = rows.reshape(-1, *(feature.size for feature in rest))
        table = np.moveaxis(table, axes, range(1, 1 + len(axes)))
        table = table.reshape(len(rows), prod(feature.size for feature in features), -1)
        differs = (table[:, :, None] != table[:, None]).any(-1)
        at_end = {
            feature: field_term(term.at, str(resolve(feature.term).field)) for feature in features
        }
        number = table.shape[1]
        flat = [(memory.label(at_end[feature]), feature.size) for feature in features]
        known = memory.room(self.graph.count(term.at), WORDS)
        table_at = memory.data(differs, NUMBERS)
        record = [number, memory.records(flat), known, table_at, len(changes), *changes]
        return [(registers.number(steps), record)]

    def _sums(self, largest: Mapping[str, int]) -> list[int]:
        """Of each sum, its products: factors, and where the largest magnitudes are kept."""
        memory, records = self.memory, []
        for name, total in self.look.sums.items():
            record, products = [], memory.summands(field_term(total.location, name))
            for product in products:
                cells = [self._largest(term, largest) for term in product.terms]
                record += [abs(product.factor), len(cells), *cells]
            records.append(memory.put([len(products), *record]))
        return records

    def _largest(self, term: ResolvedTerm, largest: Mapping[str, int]) -> int:
        """Where the largest magnitude of a number is kept."""
        if term.field in largest:
            return largest[str(term.field)]
        # of a field that stays, and of a number
        values = self.memory.values.get(str(term.field), np.zeros(0, np.int64))
        most = int(np.abs(values).max(initial=max(self.graph.count(term.at), 1)))
        return self.memory.data(np.array([most]), NUMBERS)

    def _work(self, state: set[str], deciding: ConceptTables) -> int:
        """What a change of each field of the state costs, about: the links at its element."""
        memory, rows = self.memory, []
        at_node = 1 + self.graph.num_links // max(1, self.graph.num_nodes)
        for name in (*sorted(state), *deciding.carried.values()):
            is_node = len(memory.values[name]) == self.graph.num_nodes
            rows.append((memory.changed[name], Sized(at_node) if is_node else 1))
        return memory.records(rows)


def _is_given(own: Location, steps: Steps) -> bool:
    """Whether steps lead along the graph's own links alone, and not to all of it."""
    at = own
    for step in steps:
        if (at, step) not in STEPS or step == "graph":
            return False
        at = STEPS[at, step]
    return True
