"""Records of those in view: who stands where, who looks there, and the parts that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.looks.by_change import layout
from algolens.looks.by_change.field_memory import (
    Depends,
    FieldMemory,
    Resolve,
    path_term,
)
from algolens.looks.by_change.layout import COUNT, DIFFER, FIRST, MEET, ORDER
from algolens.looks.by_change.memory import CLASSES, NUMBERS, WORDS, NotByChange, Sized
from algolens.looks.by_change.orders import Keys, keys_of, number_key, ranked
from algolens.looks.by_change.plan import ViewCount, ViewPart
from algolens.looks.features import Compared, Label
from algolens.looks.relations import Relation

Sizes = tuple[int, int, int]  # entries, groups, and those who look


@dataclass(frozen=True, eq=False)
class Followed:
    """Which elements an observation follows: those whose own masks leave its truth open."""

    features: Sequence[Label]
    is_open: np.ndarray  # [classes of these]
    resolve: Resolve


def view_record(
    memory: FieldMemory, view: ViewCount, resolve: Resolve, followed: Followed
) -> tuple[int, Depends, bool]:
    """The record of a count of those in view, what an element's own value depends on, and whether
    those who look are those that are marked, so that only the first of them sees none.
    """
    relation = view.relation
    parts, of_class = view.parts
    if view.obstacle is not None:
        raise NotByChange(view.obstacle)
    address, sizes, group_depends, look_depends = group_records(memory, relation)
    plain = view.plain
    others = memory.feature_dependencies(plain, resolve) + group_depends
    own = memory.feature_dependencies(view.own, resolve) + look_depends
    records, is_of_firsts = [], len(parts) == 1
    for part in parts:
        keys = Keys(-1, -1, None)
        if part.feature is not None:
            keys = keys_of(memory, part.feature, part.sign, resolve)
            sides = [[resolve(term) for term in side] for side in part.feature.sides]
            others += [name for term in sides[0] for name in memory.dependencies(term)]
            own += [name for term in sides[1] for name in memory.dependencies(term)]
        is_alike, is_same = _is_alike(view, part, keys, address, followed)
        is_of_firsts &= is_same
        records.append(part_record(memory, relation, part, address, sizes, keys, is_alike))
    address[layout.OTHERS_ONLY] |= int(any(part.without_itself for part in parts))
    address[layout.LEAST], address[layout.MOST] = view.least, view.most
    address[layout.PLAIN] = memory.features(plain, resolve)
    address[layout.PARTS] = memory.listing(records)
    address[layout.SELECTING] = memory.features(view.own, resolve)
    address[layout.SELECTED] = memory.put(
        [sum(1 << number for number in numbers) for numbers in of_class]
    )
    address[layout.OTHER_DEPENDENCIES] = memory.depends(relation.others, others)
    return memory.put(address), own, is_of_firsts and of_class == [[0]]


def group_records(
    memory: FieldMemory, relation: Relation
) -> tuple[list[int], Sizes, Depends, Depends]:
    """Who stands where and who looks there: the begin of a record, and what each depends on."""
    graph = memory.graph
    address = [0] * layout.VIEW_SIZE
    count, others = graph.count(relation.own), graph.count(relation.others)
    address[layout.NUM_OWN], address[layout.NUM_OTHERS] = Sized(count), Sized(others)
    address[layout.MOVED_OTHERS] = memory.queue(others)
    address[layout.NUM_LOOKS] = 1
    address[layout.LOOK_TERM] = address[layout.GROUP_TERM] = address[layout.SEEN] = -1
    if relation.pointers:
        mine, its = relation.joins[0].paths
        term = path_term(relation.others, its)
        address[layout.GROUP_TERM] = memory.term(term)
        groups, _ = memory.ends(relation.others, its)
        address[layout.GROUPS] = memory.state(groups, WORDS)
        address[layout.OTHERS_ONLY] = int(relation.others_only)
        address[layout.SINGLE] = int(not mine)
        looks = path_term(relation.own, mine)
        address[layout.LOOK_TERM] = memory.term(looks)
        sizes = (others, graph.num_nodes, count)
        return address, sizes, memory.dependencies(term), memory.dependencies(looks)
    view = memory.view(relation)
    address[layout.ENTRIES], address[layout.GROUPS], address[layout.SEEN] = memory.entries(
        relation, view
    )
    address[layout.OTHERS_ONLY] = int(view.others_only)
    address[layout.SINGLE] = int(view.own_groups is None)
    if view.own_groups is not None:
        address[layout.NUM_LOOKS] = len(view.own_groups)
        address[layout.LOOK_GROUPS] = memory.data(view.own_groups.numpy(), WORDS)
    sizes = (len(view.others), view.num_groups, count * address[layout.NUM_LOOKS])
    return address, sizes, [], []


def _is_alike(
    view: ViewCount,
    part: ViewPart,
    keys: Keys,
    address: list[int],
    followed: Followed,
) -> tuple[bool, bool]:
    """Whether all who look by an order are marked by it: then only the first comes before all; and
    whether all that are marked look.
    """
    relation = view.relation
    if part.kind != ORDER or part.with_equal or not part.is_alike or relation.pointers:
        return False, False
    assert isinstance(part.feature, Compared)
    if keys.values is None and not part.feature.distinct:
        return False, False
    paths = [join.paths for join in relation.joins]
    if relation.own is not relation.others or len(paths) > 1 or paths[0][0] != paths[0][1]:
        return False, False
    if not paths[0][0] or relation.joins[0].through_links or address[layout.SINGLE]:
        return False, False
    features = [followed.resolve(feature.term) for feature in followed.features]
    own = [(term.steps, term.field) for term in features]
    its = []
    for feature in view.plain:
        if not isinstance(feature, Label):
            return False, False
        term = followed.resolve(feature.term)
        if (term.steps, term.field) not in own:
            return False, False
        its.append(own.index((term.steps, term.field)))
    classes = np.unravel_index(
        np.arange(len(followed.is_open)), [feature.size for feature in followed.features] or [1]
    )
    kinds = np.zeros(len(classes[0]), np.int64)
    for place, feature in zip(its, view.plain, strict=True):
        kinds = kinds * feature.size + classes[place]
    is_marked = part.mask[kinds].astype(bool)
    is_alike = bool(is_marked[followed.is_open].all())
    return is_alike, is_alike and bool((is_marked == followed.is_open).all())


def part_record(
    memory: FieldMemory,
    relation: Relation,
    part: ViewPart,
    view: list[int],
    sizes: Sizes,
    keys: Keys,
    is_alike: bool = False,
) -> int:
    """The record of a part, its index empty."""
    entries, groups, lookers = sizes
    address = [0] * layout.PART_SIZE
    address[layout.KIND] = part.kind
    address[layout.MASK] = memory.data(part.mask, CLASSES)
    address[layout.ITS_KEY], address[layout.MY_KEY] = keys.its, keys.mine
    address[layout.ALIKE] = int(is_alike)
    address[layout.IS_ON] = memory.room(view[layout.NUM_OTHERS], CLASSES)
    address[layout.KEPT_KEY] = memory.room(view[layout.NUM_OTHERS], NUMBERS)
    places = groups
    if part.kind in (MEET, DIFFER):
        address[layout.PAIRS], places = memory.pairs(entries + lookers)
        if part.kind == DIFFER:
            address[layout.MARKED_HEAP] = memory.room(places, WORDS)  # how many have a key
            places = groups
    if part.kind in (ORDER, FIRST):
        is_first = part.kind == FIRST
        if not relation.pointers and (is_first or keys.values is not None):
            address[layout.MARKED_HEAP] = ranked(memory, relation, keys)
            address[layout.ITS_KEY] = -1  # it has its place already
        else:
            address[layout.MARKED_HEAP] = memory.heaps(entries, groups)
            if is_first:
                address[layout.ITS_KEY] = number_key(memory, relation.others)
    else:
        address[layout.NUMBERS] = memory.room(places, WORDS)
        address[layout.TOTALS] = memory.room(places, NUMBERS)
    address[layout.TOUCHED] = memory.queue(places)
    address[layout.OLD_NUMBERS] = memory.room(places, WORDS)
    address[layout.OLD_TOTALS] = memory.room(places, NUMBERS)
    if not view[layout.SINGLE] and not is_alike:
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
