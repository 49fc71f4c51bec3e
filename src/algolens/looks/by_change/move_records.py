"""Records of moves, and of lists of elements by where their paths lead."""

from __future__ import annotations

import numpy as np

from algolens.fields import Number, Pointer
from algolens.graphs import Location
from algolens.looks.by_change import layout
from algolens.looks.by_change.field_memory import Depends, FieldMemory, Steps
from algolens.looks.by_change.layout import FIRST
from algolens.looks.by_change.memory import NUMBERS, NotByChange, Sized
from algolens.looks.by_change.orders import Keys
from algolens.looks.by_change.plan import ViewPart
from algolens.looks.by_change.view_records import group_records, part_record
from algolens.looks.moves import Mover

MOST_HEADS = 2**27  # lists of those that a path leads from


class Registers:
    """Lists of elements by where their paths lead, and by what is known of them."""

    def __init__(self, memory: FieldMemory, own: Location, count: int, num_rows: int) -> None:
        self.memory, self.own, self.count, self.num_rows = memory, own, count, num_rows
        self.steps: list[Steps] = []

    def number(self, steps: Steps) -> int:
        """The number of the register of a path."""
        if steps not in self.steps:
            self.steps.append(steps)
        return self.steps.index(steps)

    def listing(self) -> int:
        """The record of all registers."""
        memory, rows = self.memory, []
        for steps in self.steps:
            at = self.own
            for step in steps:
                at = memory.look.scope.end_of(step, at)
            targets = memory.graph.count(at)
            if targets * self.num_rows > MOST_HEADS:
                raise NotByChange("it has too many cases")
            space = memory.lists(self.count, targets * self.num_rows)
            rows.append((space, memory.element_term(self.own, steps), Sized(targets)))
        return memory.records(rows)


def field_record(memory: FieldMemory, name: str, largest: int) -> int:
    """The record of a field that moves."""
    movers = [mover for mover in memory.look.movers if mover.name == name]
    own, kind = memory.look.state[name].location, memory.look.state[name].kind
    count = memory.graph.count(own)
    direct: Depends = []
    records = [_mover(memory, mover, count, direct) for mover in movers]
    address = [
        memory.fields[name],
        Sized(count),
        memory.changed[name],
        memory.queue(count),
        memory.changes(count),
        memory.room(count, NUMBERS),
        kind.least if isinstance(kind, Number) else 0,
        kind.most if isinstance(kind, Number) else 0,
        largest,
        memory.depends(own, direct),
        memory.pointer_lists(name) if isinstance(kind, Pointer) else -1,
        memory.listing(records),
    ]
    return memory.put(address)


def _mover(memory: FieldMemory, mover: Mover, count: int, direct: Depends) -> int:
    relation, own = mover.move.relation, mover.at
    guard = table = view = -1
    if mover.guard is not None:
        features, resolve = mover.guard.own, mover.guard.resolve
        guard = memory.features(features, resolve)
        table = memory.data(mover.guard.table(mover.guard.formula, features), NUMBERS)
        direct += memory.feature_dependencies(features, resolve)
    registers, registered, of_others = Registers(memory, own, count, 1), [], []
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
        address, sizes, group_depends, look_depends = group_records(memory, relation)
        mark = mover.mark
        mask = mark.table(mark.formula, mark.own)
        first = ViewPart(FIRST, np.asarray(mask).reshape(-1))
        part = part_record(memory, relation, first, address, sizes, Keys(-1, -1, None))
        address[layout.LEAST] = address[layout.MOST] = 1
        address[layout.PLAIN] = memory.features(mark.own, mark.resolve)
        address[layout.PARTS] = memory.listing([part])
        depends = memory.feature_dependencies(mark.own, mark.resolve) + group_depends
        address[layout.OTHER_DEPENDENCIES] = memory.depends(relation.others, depends)
        view = memory.put(address)
        of_others = value_depends
        value_queue = memory.queue(address[layout.NUM_OTHERS])
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
