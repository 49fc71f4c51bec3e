"""Records of those in view: who stands where, who looks there, and the parts that are kept."""

from __future__ import annotations

import numpy as np

from algolens.graphs import Location
from algolens.looks.by_change import layout
from algolens.looks.by_change.layout import COUNT, DIFFER, FIRST, MEET, ORDER
from algolens.looks.by_change.memory import (
    Depends,
    FieldMemory,
    NotByChange,
    Resolve,
    Steps,
    path_term,
)
from algolens.looks.by_change.plan import ViewCount, ViewPart
from algolens.looks.relations import Relation
from algolens.looks.scope import STEPS

Sizes = tuple[int, int, int]  # entries, groups, and those who look


def view_record(memory: FieldMemory, view: ViewCount, resolve: Resolve) -> tuple[int, Depends]:
    """The record of a count of those in view, and what an element's own value depends on."""
    relation = view.relation
    parts, of_class = view.parts
    if view.obstacle is not None:
        raise NotByChange(view.obstacle)
    address, sizes, group_depends, look_depends = group_records(memory, relation)
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
        records.append(part_record(memory, part, address, sizes, its, mine))
    address[layout.OTHERS_ONLY] |= int(any(part.without_itself for part in parts))
    address[layout.LEAST], address[layout.MOST] = view.least, view.most
    address[layout.PLAIN] = memory.features(plain, resolve)
    address[layout.PARTS] = memory.listing(records)
    address[layout.SELECTING] = memory.features(view.own, resolve)
    address[layout.SELECTED] = memory.put(
        [sum(1 << number for number in numbers) for numbers in of_class]
    )
    address[layout.OTHER_DEPENDENCIES] = memory.depends(relation.others, others)
    return memory.put(address), own


def group_records(
    memory: FieldMemory, relation: Relation
) -> tuple[list[int], Sizes, Depends, Depends]:
    """Who stands where and who looks there: the begin of a record, and what each depends on."""
    graph = memory.graph
    address = [0] * layout.VIEW_SIZE
    count, others = graph.count(relation.own), graph.count(relation.others)
    address[layout.NUM_OWN], address[layout.NUM_OTHERS] = count, others
    address[layout.MOVED_OTHERS] = memory.queue(others)
    address[layout.NUM_LOOKS] = 1
    address[layout.LOOK_TERM] = address[layout.GROUP_TERM] = address[layout.SEEN] = -1
    if relation.pointers:
        mine, its = relation.joins[0].paths
        term = path_term(relation.others, its)
        address[layout.GROUP_TERM] = memory.term(term)
        groups = _along(memory, relation.others, its)
        address[layout.GROUPS] = memory.put(groups)
        address[layout.OTHERS_ONLY] = int(relation.others_only)
        address[layout.SINGLE] = int(not mine)
        looks = path_term(relation.own, mine)
        address[layout.LOOK_TERM] = memory.term(looks)
        sizes = (others, graph.num_nodes, count)
        return address, sizes, memory.dependencies(term), memory.dependencies(looks)
    view = memory.static.view(relation)
    address[layout.ENTRIES], address[layout.GROUPS], address[layout.SEEN] = memory.entries(
        relation, view
    )
    address[layout.OTHERS_ONLY] = int(view.others_only)
    address[layout.SINGLE] = int(view.own_groups is None)
    if view.own_groups is not None:
        address[layout.NUM_LOOKS] = len(view.own_groups)
        address[layout.LOOK_GROUPS] = memory.put(view.own_groups.numpy())
    sizes = (len(view.others), view.num_groups, count * address[layout.NUM_LOOKS])
    return address, sizes, [], []


def _along(memory: FieldMemory, own: Location, steps: Steps) -> np.ndarray:
    """Where a path leads to now, of every element."""
    ends, at = np.arange(memory.graph.count(own)), own
    for step in steps:
        is_given = (at, step) in STEPS
        ends = (memory.given(step) if is_given else memory.values[step])[ends]
        at = memory.look.scope.end_of(step, at)
    return ends


def part_record(
    memory: FieldMemory, part: ViewPart, view: list[int], sizes: Sizes, its: int, mine: int
) -> int:
    """The record of a part, its index empty."""
    entries, groups, lookers = sizes
    address = [0] * layout.PART_SIZE
    address[layout.KIND] = part.kind
    address[layout.MASK] = memory.put(part.mask)
    address[layout.ITS_KEY], address[layout.MY_KEY] = its, mine
    address[layout.IS_ON] = memory.room(view[layout.NUM_OTHERS])
    address[layout.KEPT_KEY] = memory.room(view[layout.NUM_OTHERS])
    places = groups
    if part.kind in (MEET, DIFFER):
        address[layout.PAIRS], places = memory.pairs(entries + lookers)
        if part.kind == DIFFER:
            address[layout.MARKED_HEAP] = memory.room(places)  # how many have a key
            places = groups
    if part.kind in (ORDER, FIRST):
        address[layout.MARKED_HEAP] = memory.heaps(entries, groups)
    else:
        address[layout.NUMBERS] = memory.room(places)
        address[layout.TOTALS] = memory.room(places)
    address[layout.TOUCHED] = memory.queue(places)
    address[layout.OLD_NUMBERS] = memory.room(places)
    address[layout.OLD_TOTALS] = memory.room(places)
    if not view[layout.SINGLE]:
        is_order = part.kind == ORDER
        address[layout.LOOKERS] = (
            memory.heaps(lookers, 2 * groups) if is_order else memory.lists(lookers, places)
        )
    address[layout.WITH_EQUAL] = int(part.with_equal)
    excludes = part.kind in (COUNT, MEET, FIRST) or part.with_equal
    excludes |= part.kind == ORDER and not part.is_alike
    excludes &= bool(view[layout.OTHERS_ONLY])
    address[layout.EXCLUDES] = int(excludes or part.without_itself)
    return memory.put(address)
