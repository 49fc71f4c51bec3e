"""Moves of pointers and numbers kept up to date by what changes."""

from __future__ import annotations

from algolens.looks.by_change.heaps import heap_root
from algolens.looks.by_change.layout import (
    EXCLUDES,
    GROUP_TERM,
    GROUPS,
    IS_ON,
    LOOKERS,
    MARKED_HEAP,
    NUM_LOOKS,
    NUM_OWN,
    PARTS,
    SINGLE,
)
from algolens.looks.by_change.settling import seen_element
from algolens.looks.by_change.structures import (
    link_into,
    push,
    push_dependent,
    push_list,
    unlink,
)
from algolens.looks.by_change.terms import features_value, term_value
from algolens.looks.by_change.views import (
    entries_of,
    first_but,
    forget_lookers,
    link_lookers,
    looked_at,
    renew_view,
)

# a field that moves: its movers come after
(
    FIELD_OUT,
    FIELD_COUNT,
    FIELD_CHANGES,
    FIELD_DIRTY,
    FIELD_PENDING,  # number, elements
    FIELD_VALUES,  # of each pending one
    FIELD_LEAST,
    FIELD_MOST,
    FIELD_LARGEST,  # where the largest magnitude so far is kept
    FIELD_DEPENDENCIES,
    FIELD_POINTERS,  # list space of who points where; negative: not needed
    FIELD_MOVERS,
) = range(12)

# one mover
(
    GUARD,  # features; negative: it always moves
    GUARD_TABLE,
    MOVER_VIEW,  # negative: a value of the element's own
    MOVER_VALUE,
    VALUE_DEPENDENCIES,  # of those in view
    VALUE_QUEUE,
    MOVER_REGISTERS,
    MOVER_REGISTERED,
) = range(8)


def renew_moves(m, w, b, field, is_fresh):
    """Finds what a field becomes; values are noted, and set later."""
    dirty, movers = m[field + FIELD_DIRTY], m[field + FIELD_MOVERS]
    w[dirty] = 0
    if is_fresh:
        for element in range(m[field + FIELD_COUNT]):
            push(m, w, b, dirty, element)
    else:
        push_dependent(m, w, b, m[field + FIELD_DEPENDENCIES], dirty, -1)
        for i in range(m[movers]):
            push_moved(m, w, b, field, m[movers + 1 + i])
    pending = m[field + FIELD_PENDING]
    w[pending] = 0
    for i in range(w[dirty]):
        element = w[dirty + 1 + i]
        is_known, value = False, 0
        for j in range(m[movers]):
            # each is asked, so that it is told of changes
            has_one, its = mover_value(m, w, b, m[movers + 1 + j], element)
            if has_one and not is_known:
                is_known, value = True, its
        if is_known and value != moving_value(m, w, b, field, element):
            m[m[field + FIELD_VALUES] + w[pending]] = value
            w[pending] += 1
            w[pending + w[pending]] = element


def moving_value(m, w, b, field, element):
    """What a field is: a number, or where a pointer leads."""
    out = m[field + FIELD_OUT] + element
    return m[out] if m[field + FIELD_LARGEST] >= 0 else w[out]


def push_moved(m, w, b, field, mover):
    """Pushes those whose move may have changed by what they have in view, or by its value."""
    dirty, view = m[field + FIELD_DIRTY], m[mover + MOVER_VIEW]
    registered = m[mover + MOVER_REGISTERED]
    for i in range(m[registered]):
        changes, register = m[registered + 1 + 2 * i], m[registered + 2 + 2 * i]
        for j in range(w[changes]):
            push_list(m, w, b, m[register], w[changes + 1 + j], m[field + FIELD_COUNT], dirty)
    if view < 0:
        return
    renew_view(m, w, b, view, dirty, -1)
    others = m[mover + VALUE_QUEUE]
    w[others] = 0
    push_dependent(m, w, b, m[mover + VALUE_DEPENDENCIES], others, -1)
    part = m[m[view + PARTS] + 1]
    for i in range(w[others]):
        element = w[others + 1 + i]
        if b[m[part + IS_ON] + element] == 0:
            continue
        if m[view + GROUP_TERM] >= 0:
            push_chosen(m, w, b, view, part, w[m[view + GROUPS] + element], element, dirty)
            continue
        begin, end = entries_of(m, w, b, view, element)
        for entry in range(begin, end):
            push_chosen(m, w, b, view, part, w[m[view + GROUPS] + entry], entry, dirty)


def push_chosen(m, w, b, view, part, group, entry, dirty):
    """Pushes those who take an entry whose value has changed."""
    if heap_root(m, w, b, m[part + MARKED_HEAP], group) != entry and m[part + EXCLUDES] == 0:
        return
    if m[view + SINGLE] == 1:
        push(m, w, b, dirty, group)
    else:
        push_list(m, w, b, m[part + LOOKERS], group, m[view + NUM_OWN], dirty)


def mover_value(m, w, b, mover, element):
    """Whether an element moves, and to which value."""
    view, registers = m[mover + MOVER_VIEW], m[mover + MOVER_REGISTERS]
    is_on = True
    if m[mover + GUARD] >= 0:
        case = features_value(m, w, b, m[mover + GUARD], element)
        is_on = m[m[mover + GUARD_TABLE] + case] == 1
    for i in range(m[registers]):
        register = m[registers + 1 + i]
        if is_on:
            link_into(m, w, b, m[register], element, term_value(m, w, b, m[register + 1], element))
        else:
            unlink(m, w, b, m[register], element)
    if view < 0:
        return is_on, (term_value(m, w, b, m[mover + MOVER_VALUE], element) if is_on else 0)
    part = m[m[view + PARTS] + 1]
    if not is_on:
        forget_lookers(m, w, b, view, part, element)
        return False, 0
    chosen = -1
    link_lookers(m, w, b, view, part, element)
    for number in range(m[view + NUM_LOOKS]):
        entry = first_but(m, w, b, view, part, looked_at(m, w, b, view, number, element), element)
        if entry >= 0:
            other = seen_element(m, w, b, view, entry)
            if chosen < 0 or other < chosen:
                chosen = other
    if chosen < 0:
        return False, 0
    return True, term_value(m, w, b, m[mover + MOVER_VALUE], chosen)
