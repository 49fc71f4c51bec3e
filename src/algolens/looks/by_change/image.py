"""A look on one graph as the array that the kernel works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from algolens.fields import Number, Pointer
from algolens.graphs import Graph, Location
from algolens.looks.by_change import observing, structures, views
from algolens.looks.by_change.entry import build_indices
from algolens.looks.by_change.kernel import BY_OBSERVATION, BY_WITNESS, NEVER
from algolens.looks.by_change.memory import FieldMemory, NotByChange, Resolve, Steps, grouped
from algolens.looks.by_change.plan import (
    COUNT,
    DIFFER,
    FIRST,
    MEET,
    ORDER,
    Deciding,
    ObservationPlan,
    ViewCount,
    ViewPart,
)
from algolens.looks.features import Feature, Label
from algolens.looks.look import Look
from algolens.looks.moves import Mover
from algolens.looks.relations import Relation
from algolens.looks.scope import STEPS, ResolvedTerm
from algolens.looks.state import GraphState

MOST_HEADS = 2**27  # lists of those that a path leads from


class Image:
    """A look on one graph in one state, with all indices.

    Parameters
    ----------
    look : Look
        What moves, and what words stand for.
    plans : sequence of ObservationPlan
        The observations in order.
    deciding : Deciding
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
        deciding: Deciding,
        graph: Graph,
        values: Mapping[str, np.ndarray],
        traced: Sequence[str],
    ) -> None:
        moved = {mover.name for mover in look.movers}
        names = [plan.statement.name for plan in plans]
        moving = frozenset(moved | set(names) | set(deciding.outputs))
        moving |= set(deciding.carried.values())
        self.look, self.graph = look, graph
        self.memory = memory = FieldMemory(look, graph, values, moving)
        self._static = GraphState(graph, look.scope, {})
        observations = memory.listing([self._observation(plan) for plan in plans])
        largest = {
            name: memory.room(1)
            for name in moved
            if isinstance(look.state[name].kind, Number)
        }
        fields = memory.listing([self._field(name, largest.get(name, -1)) for name in moved])
        header = {
            structures.OBSERVATIONS: observations,
            structures.MOVED: fields,
            structures.DECIDED: self._decided(deciding),
            structures.CARRIED: self._carried(deciding),
            structures.TRACED: memory.records(
                [(memory.changed[name], memory.fields[name], i) for i, name in enumerate(traced)]
            ),
            structures.SUMS: memory.listing(self._sums(largest)),
            structures.GOING_ON: self._going_on(deciding),
            structures.WORK: self._work(moved | set(deciding.outputs), deciding),
            structures.FRESH: 1,
        }
        most = max(graph.count(at) for at in Location) + 1
        header[structures.SCRATCH] = memory.room(2 * most)
        header[structures.SCRATCH_SIZE] = most
        pointers = memory.records(
            [
                (memory.fields[name], len(values[name]), space)
                for name, space in memory.pointed.items()
            ]
        )
        self.changes_of = {name: memory.changed[name] for name in names}
        self.cells = memory.array()
        for cell, value in header.items():
            self.cells[cell] = value
        # what was given is what the indices say, as a law of the tests holds
        self.num_wrong = int(build_indices(self.cells, pointers))

    def values_of(self, name: str) -> np.ndarray:
        """The values of a field now, as a part of the array."""
        begin = self.memory.fields[name]
        return self.cells[begin : begin + len(self.memory.values[name])]

    # ---- observations

    def _observation(self, plan: ObservationPlan) -> int:
        statement, memory = plan.statement, self.memory
        own, resolve, table = statement.location, statement.resolve, plan.table
        count = self.graph.count(own)
        assert table is not None
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
        registers, targets = _Registers(self, own, count, len(rows)), {}
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
        records = []
        for count_of_view in plan.counts:
            record, own_depends = self._view(count_of_view, resolve)
            records.append((record, count_of_view.size))
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
        address[observing.COUNT_OF] = count
        address[observing.CHANGES] = memory.changed[statement.name]
        address[observing.DIRTY] = memory.queue(count)
        address[observing.TRACKED] = memory.room(count, -1)
        address[observing.EARLY] = memory.features(early, resolve)
        address[observing.DECIDED_EARLY] = memory.put(np.where(is_open, -1, of_early[:, 0]))
        address[observing.VIEWS] = memory.records(records)
        address[observing.ROWS] = memory.put(row_of.reshape(-1))
        address[observing.CONSTANT] = memory.put(np.where(is_constant, rows[:, 0], -1))
        address[observing.REST] = memory.features(rest, resolve)
        address[observing.REST_SIZE] = rest_size
        address[observing.TABLE] = memory.put(rows)
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
        return memory.put(address)

    def _label(
        self,
        registers: _Registers,
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
        flat = [
            (memory.put([0, 1, memory.term(at_end[feature])]), feature.size)
            for feature in features
        ]
        known = memory.room(self.graph.count(term.at))
        record = [number, memory.records(flat), known, memory.put(differs), len(changes), *changes]
        return [(registers.number(steps), record)]

    # ---- views

    def _view(self, view: ViewCount, resolve: Resolve) -> tuple[int, list[tuple[str, Steps]]]:
        """The record of a count of those in view, and what an element's own value depends on."""
        memory, relation = self.memory, view.relation
        parts, of_class = view.parts
        if view.obstacle is not None:
            raise NotByChange(view.obstacle)
        address, group_depends, look_depends = self._groups(relation)
        plain = view.plain
        others = memory.feature_dependencies(plain, resolve) + group_depends
        own = memory.feature_dependencies(view.own, resolve) + look_depends
        records = []
        for part in parts:
            its = mine = -1
            if part.feature is not None:
                its, mine = memory.keys(part.feature, part.sign, resolve)
                sides = [[resolve(term) for term in side] for side in part.feature.sides]
                others += [name for term in sides[0] for name in memory.dependencies(term)]
                own += [name for term in sides[1] for name in memory.dependencies(term)]
            records.append(self._part(part, address, its, mine))
        address[views.OTHERS_ONLY] |= int(any(part.without_itself for part in parts))
        address[views.LEAST], address[views.MOST] = view.least, view.most
        address[views.PLAIN] = memory.features(plain, resolve)
        address[views.PARTS] = memory.listing(records)
        address[views.SELECTING] = memory.features(view.own, resolve)
        address[views.SELECTED] = memory.put(
            [sum(1 << number for number in numbers) for numbers in of_class]
        )
        address[views.OTHER_DEPENDENCIES] = memory.depends(relation.others, others)
        return memory.put(address), own

    def _groups(
        self, relation: Relation
    ) -> tuple[list[int], list[tuple[str, Steps]], list[tuple[str, Steps]]]:
        """Who stands where and who looks there: the begin of a record, and what each depends on."""
        memory, graph = self.memory, self.graph
        address = [0] * views.VIEW_SIZE
        count, others = graph.count(relation.own), graph.count(relation.others)
        address[views.NUM_OWN], address[views.NUM_OTHERS] = count, others
        address[views.MOVED_OTHERS] = memory.queue(others)
        address[views.NUM_LOOKS] = 1
        address[views.LOOK_TERM] = address[views.GROUP_TERM] = address[views.SEEN] = -1
        if relation.pointers:
            mine, its = relation.joins[0].paths
            term = path_term(relation.others, its)
            address[views.GROUP_TERM] = memory.term(term)
            groups = self._along(relation.others, its)
            address[views.GROUPS] = memory.put(groups)
            address[views.OTHERS_ONLY] = int(relation.others_only)
            address[views.SINGLE] = int(not mine)
            looks = path_term(relation.own, mine)
            address[views.LOOK_TERM] = memory.term(looks)
            self._sizes = (others, graph.num_nodes, count)
            return address, memory.dependencies(term), memory.dependencies(looks)
        view = self._static.view(relation)
        starts, order = grouped(view.others.numpy(), others)
        address[views.ENTRIES] = memory.put(starts)
        address[views.GROUPS] = memory.put(view.group.numpy()[order])
        address[views.SEEN] = memory.put(view.others.numpy()[order])
        address[views.OTHERS_ONLY] = int(view.others_only)
        address[views.SINGLE] = int(view.own_groups is None)
        if view.own_groups is not None:
            address[views.NUM_LOOKS] = len(view.own_groups)
            address[views.LOOK_GROUPS] = memory.put(view.own_groups.numpy())
        self._sizes = (len(order), view.num_groups, count * address[views.NUM_LOOKS])
        return address, [], []

    def _along(self, own: Location, steps: Steps) -> np.ndarray:
        """Where a path leads to now, of every element."""
        ends, at = np.arange(self.graph.count(own)), own
        for step in steps:
            is_given = (at, step) in STEPS
            ends = (self.memory.given(step) if is_given else self.memory.values[step])[ends]
            at = self.look.scope.end_of(step, at)
        return ends

    def _part(self, part: ViewPart, view: list[int], its: int, mine: int) -> int:
        """The record of a part, its index empty."""
        memory = self.memory
        entries, groups, lookers = self._sizes
        address = [0] * views.PART_SIZE
        address[views.KIND] = part.kind
        address[views.MASK] = memory.put(part.mask)
        address[views.ITS_KEY], address[views.MY_KEY] = its, mine
        address[views.IS_ON] = memory.room(view[views.NUM_OTHERS])
        address[views.KEPT_KEY] = memory.room(view[views.NUM_OTHERS])
        places = groups
        if part.kind in (MEET, DIFFER):
            address[views.PAIRS], places = memory.pairs(entries + lookers)
            if part.kind == DIFFER:
                address[views.MARKED_HEAP] = memory.room(places)  # how many have a key
                places = groups
        if part.kind in (ORDER, FIRST):
            address[views.MARKED_HEAP] = memory.heaps(entries, groups)
        else:
            address[views.NUMBERS] = memory.room(places)
            address[views.TOTALS] = memory.room(places)
        address[views.TOUCHED] = memory.queue(places)
        address[views.OLD_NUMBERS] = memory.room(places)
        address[views.OLD_TOTALS] = memory.room(places)
        if not view[views.SINGLE]:
            is_order = part.kind == ORDER
            address[views.LOOKERS] = (
                memory.heaps(lookers, 2 * groups) if is_order else memory.lists(lookers, places)
            )
        address[views.WITH_EQUAL] = int(part.with_equal)
        excludes = part.kind in (COUNT, MEET, FIRST) or part.with_equal
        excludes |= part.kind == ORDER and not part.is_alike
        excludes &= bool(view[views.OTHERS_ONLY])
        address[views.EXCLUDES] = int(excludes or part.without_itself)
        return memory.put(address)

    # ---- moves

    def _field(self, name: str, largest: int) -> int:
        """The record of a field that moves."""
        memory = self.memory
        movers = [mover for mover in self.look.movers if mover.name == name]
        own, kind = self.look.state[name].location, self.look.state[name].kind
        count = self.graph.count(own)
        direct: list[tuple[str, Steps]] = []
        records = [self._mover(mover, count, direct) for mover in movers]
        address = [
            memory.fields[name],
            count,
            memory.changed[name],
            memory.queue(count),
            memory.changes(count),
            memory.room(count),
            kind.least if isinstance(kind, Number) else 0,
            kind.most if isinstance(kind, Number) else 0,
            largest,
            memory.depends(own, direct),
            # after all paths are known
            memory.pointer_lists(name) if isinstance(kind, Pointer) else -1,
            memory.listing(records),
        ]
        return memory.put(address)

    def _mover(self, mover: Mover, count: int, direct: list[tuple[str, Steps]]) -> int:
        memory, relation, own = self.memory, mover.move.relation, mover.at
        guard = table = view = -1
        if mover.guard is not None:
            features, resolve = mover.guard.own, mover.guard.resolve
            guard = memory.features(features, resolve)
            table = memory.put(mover.guard.table(mover.guard.formula, features))
            direct += memory.feature_dependencies(features, resolve)
        registers, registered, of_others = _Registers(self, own, count, 1), [], []
        value_queue = -1
        value_depends = memory.dependencies(mover.value)
        if relation is None:
            for name, steps in value_depends:
                if mover.guard is None or not steps:
                    direct.append((name, steps))
                else:
                    registered.append((memory.changed[name], registers.number(steps)))
        else:
            assert mover.mark is not None
            address, group_depends, look_depends = self._groups(relation)
            mark = mover.mark
            mask = mark.table(mark.formula, mark.own)
            part = self._part(ViewPart(FIRST, np.asarray(mask).reshape(-1)), address, -1, -1)
            address[views.LEAST] = address[views.MOST] = 1
            address[views.PLAIN] = memory.features(mark.own, mark.resolve)
            address[views.PARTS] = memory.listing([part])
            depends = memory.feature_dependencies(mark.own, mark.resolve) + group_depends
            address[views.OTHER_DEPENDENCIES] = memory.depends(relation.others, depends)
            view = memory.put(address)
            of_others = value_depends
            value_queue = memory.queue(address[views.NUM_OTHERS])
            direct += look_depends
        register_list = registers.listing()
        return memory.put(
            [
                guard,
                table,
                view,
                memory.term(mover.value),
                memory.depends(own if relation is None else relation.others, of_others),
                value_queue,
                memory.listing([register_list + 1 + 3 * i for i in range(len(registers.steps))]),
                memory.records(
                    [(changes, register_list + 1 + 3 * number) for changes, number in registered]
                ),
            ]
        )

    # ---- what follows from concepts

    def _decided(self, deciding: Deciding) -> int:
        memory = self.memory
        count = self.graph.count(deciding.location)
        concepts = [(memory.fields[name], memory.changed[name]) for name in deciding.concepts]
        outputs = [
            (memory.fields[name], memory.put(table), memory.changed[name])
            for name, table in deciding.outputs.items()
        ]
        return memory.put(
            [
                memory.queue(count),
                count,
                len(concepts),
                *(number for row in concepts for number in row),
                len(outputs),
                *(number for row in outputs for number in row),
            ]
        )

    def _carried(self, deciding: Deciding) -> int:
        memory = self.memory
        return memory.records(
            [
                (
                    memory.fields[name],
                    memory.changed[name],
                    memory.fields[last],
                    memory.changed[last],
                    len(memory.values[last]),
                )
                for name, last in deciding.carried.items()
            ]
        )

    def _going_on(self, deciding: Deciding) -> int:
        memory = self.memory
        if deciding.observed is not None:
            return memory.put([BY_OBSERVATION, memory.fields[deciding.observed]])
        if deciding.witness is None:
            return memory.put([NEVER])
        count = self.graph.count(deciding.location)
        table = memory.put(deciding.witness.table)
        return memory.put(
            [BY_WITNESS, int(deciding.witness.exists), table, memory.room(count), 0]
        )

    def _sums(self, largest: Mapping[str, int]) -> list[int]:
        """Of each sum, its constant and where the largest magnitudes of its terms are kept."""
        memory, records = self.memory, []
        for name, terms in self.look.summands.items():
            cells = []
            for term in terms:
                if term.field in largest:
                    cells.append(largest[str(term.field)])
                else:
                    # of a field that stays, and of a number
                    values = memory.values.get(str(term.field), np.zeros(0, np.int64))
                    most = int(np.abs(values).max(initial=max(self.graph.count(term.at), 1)))
                    cells.append(memory.put([most]))
            records.append(memory.put([self.look.totals[name].constant, len(cells), *cells]))
        return records

    def _work(self, state: set[str], deciding: Deciding) -> int:
        """What a change of each field of the state costs, about: the links at its element."""
        memory, rows = self.memory, []
        at_node = 1 + self.graph.num_links // max(1, self.graph.num_nodes)
        for name in (*sorted(state), *deciding.carried.values()):
            is_node = len(memory.values[name]) == self.graph.num_nodes
            rows.append((memory.changed[name], at_node if is_node else 1))
        return memory.records(rows)


class _Registers:
    """Lists of elements by where their paths lead, and by what is known of them."""

    def __init__(self, image: Image, own: Location, count: int, num_rows: int) -> None:
        self.image, self.own, self.count, self.num_rows = image, own, count, num_rows
        self.steps: list[Steps] = []

    def number(self, steps: Steps) -> int:
        """The number of the register of a path."""
        if steps not in self.steps:
            self.steps.append(steps)
        return self.steps.index(steps)

    def listing(self) -> int:
        """The record of all registers."""
        memory, rows = self.image.memory, []
        for steps in self.steps:
            at = self.own
            for step in steps:
                at = self.image.look.scope.end_of(step, at)
            targets = self.image.graph.count(at)
            if targets * self.num_rows > MOST_HEADS:
                raise NotByChange("it has too many cases")
            space = memory.lists(self.count, targets * self.num_rows)
            rows.append((space, memory.element_term(self.own, steps), targets))
        return memory.records(rows)


def path_term(own: Location, steps: Steps) -> ResolvedTerm:
    """A path to an element."""
    return ResolvedTerm(own, steps, own, None, None)


def field_term(own: Location, name: str) -> ResolvedTerm:
    """A field of the element itself."""
    return ResolvedTerm(own, (), own, name, None)


def _is_given(own: Location, steps: Steps) -> bool:
    """Whether steps lead along the graph's own links alone, and not to all of it."""
    at = own
    for step in steps:
        if (at, step) not in STEPS or step == "graph":
            return False
        at = STEPS[at, step]
    return True
