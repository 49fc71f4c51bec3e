"""What is compared of those in view: keys, and heaps of those whose keys stay."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from algolens.fields import Number
from algolens.graphs import Location
from algolens.looks.by_change.field_memory import FieldMemory, Resolve, grouped
from algolens.looks.by_change.memory import NUMBERS, WORDS, NotByChange, Sized
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
            total = total * (high - low) + (column - low)
    return Keys(its, mine, sign * total)


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


def ranked(memory: FieldMemory, relation: Relation, keys: np.ndarray | None) -> int:
    """A space of heaps by a relation that no pointer decides, all empty, whose keys stay.

    keys: of each in view; None: they come in the order of their numbers.
    """
    label = (relation, None if keys is None else keys.tobytes())
    if label not in memory.rankings:
        others, group, num_groups = memory.entry_values[relation]
        if keys is None:  # the order of their numbers
            first = None
            if relation.others is Location.LINK:
                first = grouped(memory.link_order[others], memory.graph.num_links)[1]
        else:
            first = _sorted(keys[others])
        starts, order = grouped(group if first is None else group[first], num_groups)
        order = order if first is None else first[order]
        slots = np.empty_like(order)
        slots[order] = np.arange(len(order))
        kept = -1 if keys is None else memory.data(keys[others[order]], NUMBERS)
        columns = (memory.data(column, WORDS) for column in (slots, order, starts))
        memory.rankings[label] = (next(columns), next(columns), next(columns), kept)
    levels = memory.bits(len(memory.entry_values[relation][0]))
    number, unused = Sized(len(levels)), [Sized(0)] * (MOST_LEVELS - len(levels))
    return memory.put([-1, *memory.rankings[label], number, *levels, *unused])


def _sorted(keys: np.ndarray) -> np.ndarray:
    """The places of keys in ascending order, equal ones as they come."""
    low = int(keys.min(initial=0))
    span = int(keys.max(initial=0)) - low + 1
    if span <= 4 * len(keys):
        return grouped(keys - low, span)[1]
    return np.argsort(keys, kind="stable")
