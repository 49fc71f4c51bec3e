"""What is compared of those in view: keys, and heaps of those whose keys stay."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from algolens.fields import Number
from algolens.graphs import Location
from algolens.looks.by_change.field_memory import FieldMemory, Resolve
from algolens.looks.by_change.memory import NUMBERS, WORDS, NotByChange, Sized
from algolens.looks.by_change.places import grouped, inverted, is_ascending, taken_at
from algolens.looks.features import Feature
from algolens.looks.relations import Relation
from algolens.looks.scope import NUMBER, ResolvedTerm

ASSUMED = 2**30  # magnitude of a later number of a key that has no bound; a larger one is noticed
MOST_KEY = 2**62
MOST_LEVELS = 7  # of bits that say who is marked


class Keys(NamedTuple):
    """The records of what is compared of one in view, and of the element that looks."""

    its: int
    mine: int
    values: np.ndarray | None  # of each in view; None: they change
    label: tuple[object, ...] = ()  # what they are of


def keys_of(memory: FieldMemory, feature: Feature, sign: int, resolve: Resolve) -> Keys:
    """What is compared of one in view, and of the element that looks."""
    sides = [[resolve(term) for term in side] for side in feature.sides]
    bounds = [_bounds(memory, *pair) for pair in zip(*sides, strict=True)]
    later = prod(high - low for low, high in bounds[1:])
    if later > MOST_KEY // 2**10:
        raise NotByChange("it compares more numbers than one holds")
    first = MOST_KEY // later
    if bounds[0][1] - bounds[0][0] > min(first, 2 * ASSUMED - 1):  # a number beyond is noticed
        bounds[0] = (-(first // 2), first // 2)
    its, mine = (
        memory.put(
            [
                sign,
                len(side),
                *(
                    number
                    for term, (low, high) in zip(side, bounds, strict=True)
                    for number in (memory.term(term), Sized(low), Sized(high - low))
                ),
            ]
        )
        for side in sides
    )
    if any(memory.dependencies(term) for term in sides[0]):
        return Keys(its, mine, None)
    columns = [memory.term_values(term) for term in sides[0]]
    total = columns[0]
    if len(columns) > 1:
        total = np.zeros(len(total), np.int64)
        for column, (low, high) in zip(columns, bounds, strict=True):
            if len(column) and (column.min() < low or column.max() >= high):
                return Keys(its, mine, None)  # the kernel notices it where it matters
            total = total * (high - low) + (column.astype(np.int64) - low)
    return Keys(its, mine, total if sign > 0 else -total, (sign, *sides[0]))


def _bounds(memory: FieldMemory, *terms: ResolvedTerm) -> tuple[int, int]:
    """Numbers between which both sides of a comparison lie."""
    lows, highs = [], []
    for term in terms:
        if term.field is None or term.field == NUMBER:
            lows.append(0)
            highs.append(max(1, memory.graph.count(term.at)))
        elif isinstance(term.kind, Number) and term.kind.bits <= 31:
            lows.append(term.kind.least)
            highs.append(term.kind.most + 1)
        else:
            lows.append(-ASSUMED)
            highs.append(ASSUMED)
    return min(lows), max(highs)


def number_key(memory: FieldMemory, at: Location) -> int:
    """The record of the number of an element itself, as a key."""
    chain = [memory.data(memory.link_order, WORDS)] if at is Location.LINK else []
    return memory.put([1, 1, memory.put([0, 1, len(chain), 1, -1, *chain]), 0, 0])


def ranked(memory: FieldMemory, relation: Relation, keys: Keys) -> int:
    """A space of heaps by a relation that no pointer decides, all empty, whose keys stay.

    keys: of each in view; without values they come in the order of their numbers.
    """
    label = (relation, keys.label)
    if label not in memory.rankings:
        memory.rankings[label] = _ranking(memory, relation, keys.values)
    levels = memory.bits(len(memory.entry_values[relation][1]))
    number, unused = Sized(len(levels)), [Sized(0)] * (MOST_LEVELS - len(levels))
    return memory.put([-1, *memory.rankings[label], number, *levels, *unused])


def _ranking(
    memory: FieldMemory, relation: Relation, keys: np.ndarray | None
) -> tuple[int, int, int, int]:
    """Slots of entries, entries of slots, starts of groups and keys of slots."""
    others, group, num_groups = memory.entry_values[relation]
    own = memory.link_order if keys is None and relation.others is Location.LINK else keys
    own = own if others is None or own is None else taken_at(own, others)
    slots = nodes = -1
    if _are_in_order(group, own):
        starts, _ = grouped(group, num_groups)
    else:
        first = None if own is None else _sorted(own)
        starts, order = grouped(group if first is None else taken_at(group, first), num_groups)
        order = order if first is None else taken_at(first, order)
        own = None if own is None else taken_at(own, order)
        slots, nodes = memory.data(inverted(order), WORDS), memory.data(order, WORDS)
    kept = -1 if keys is None or own is None else memory.data(own, NUMBERS)
    return slots, nodes, memory.data(starts, WORDS), kept


def _are_in_order(group: np.ndarray, keys: np.ndarray | None) -> bool:
    """Whether entries lie group after group, those of a group by their keys."""
    if not is_ascending(group):
        return False
    return keys is None or bool(((group[1:] > group[:-1]) | (keys[1:] >= keys[:-1])).all())


def _sorted(keys: np.ndarray) -> np.ndarray:
    """The places of keys in ascending order, equal ones as they come."""
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    if span <= 4 * len(keys):
        return grouped(keys - low, span)[1]
    return np.argsort(keys, kind="stable")
