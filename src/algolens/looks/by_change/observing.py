"""Observations and moves kept up to date by what changes; compiled by Numba."""

from __future__ import annotations

from algolens.looks.by_change.layout import (
    ENTRIES,
    EXCLUDES,
    GROUP_TERM,
    GROUPS,
    IS_ON,
    LOOKERS,
    MARKED_HEAP,
    NUM_LOOKS,
    NUM_OTHERS,
    NUM_OWN,
    PARTS,
    SINGLE,
    TOUCHED,
)
from algolens.looks.by_change.settling import seen_element
from algolens.looks.by_change.structures import (
    compiled,
    heap_root,
    link_into,
    push,
    push_dependent,
    push_list,
    unlink,
)
from algolens.looks.by_change.terms import features_value, term_value
from algolens.looks.by_change.views import (
    first_but,
    forget_lookers,
    forget_view,
    link_lookers,
    looked_at,
    place_other,
    renew_view,
    view_value,
)

# an observation
(
    OUT,
    COUNT_OF,
    CHANGES,
    DIRTY,
    TRACKED,  # of each element: negative where its own masks alone decide
    EARLY,  # masks that decide early
    DECIDED_EARLY,  # for each combination of them: what is concluded, or negative
    VIEWS,  # number, then view and size each
    ROWS,  # for each combination of masks and views, the row of the table
    CONSTANT,  # of each row, what is concluded whatever the rest; or negative
    REST,
    REST_SIZE,
    TABLE,
    REGISTERS,  # number, then list space, path and number of targets each
    EARLY_DEPENDENCIES,
    OWN_DEPENDENCIES,
    ALONG_DEPENDENCIES,
    REGISTERED,  # number, then changes and register each
    LABELS,  # number, then records
    NUM_ROWS,
) = range(20)
OBSERVATION_SIZE = 20


@compiled
def observe_element(m, seen, element):
    """What is true of an element; it is told from now on of what its truth depends on."""
    early = features_value(m, m[seen + EARLY], element)
    known = m[m[seen + DECIDED_EARLY] + early]
    tracked = m[seen + TRACKED] + element
    views, registers = m[seen + VIEWS], m[seen + REGISTERS]
    if known >= 0:
        if m[tracked] >= 0:
            for i in range(m[views]):
                forget_view(m, m[views + 1 + 2 * i], element)
            for i in range(m[registers]):
                unlink(m, m[registers + 1 + 3 * i], element)
            m[tracked] = -1
        return known
    case = early
    for i in range(m[views]):
        case = case * m[views + 2 + 2 * i] + view_value(m, m[views + 1 + 2 * i], element)
    row = m[m[seen + ROWS] + case]
    for i in range(m[registers]):
        target = term_value(m, m[registers + 2 + 3 * i], element)
        head = row * m[registers + 3 + 3 * i] + target
        link_into(m, m[registers + 1 + 3 * i], element, head)
    m[tracked] = row
    constant = m[m[seen + CONSTANT] + row]
    if constant >= 0:
        return constant
    rest = features_value(m, m[seen + REST], element)
    return m[m[seen + TABLE] + row * m[seen + REST_SIZE] + rest]


@compiled
def renew_observation(m, seen):
    """Brings an observation up to date, and notes whose truth has changed."""
    dirty, tracked = m[seen + DIRTY], m[seen + TRACKED]
    m[dirty] = 0
    push_dependent(m, m[seen + EARLY_DEPENDENCIES], dirty, -1)
    views = m[seen + VIEWS]
    for i in range(m[views]):
        renew_view(m, m[views + 1 + 2 * i], dirty, tracked)
    push_dependent(m, m[seen + OWN_DEPENDENCIES], dirty, tracked)
    push_dependent(m, m[seen + ALONG_DEPENDENCIES], dirty, -1)
    registered = m[seen + REGISTERED]
    for i in range(m[registered]):
        changes, register = m[registered + 1 + 2 * i], m[registered + 2 + 2 * i]
        for j in range(m[changes]):
            for row in range(m[seen + NUM_ROWS]):
                head = row * m[register + 2] + m[changes + 1 + j]
                push_list(m, m[register], head, m[seen + COUNT_OF], dirty)
    labels = m[seen + LABELS]
    for i in range(m[labels]):
        renew_labels(m, seen, m[labels + 1 + i])
    changes, out = m[seen + CHANGES], m[seen + OUT]
    m[changes] = 0
    for i in range(m[dirty]):
        element = m[dirty + 2 + i]
        value = observe_element(m, seen, element)
        if value != m[out + element]:
            m[out + element] = value
            m[changes] += 1
            m[changes + m[changes]] = element


@compiled
def renew_labels(m, seen, label):
    """Pushes those for whom a change of classes at the end of a path makes a difference.

    Record: register, number of combinations, features, known, differences, number of changes,
    changes.
    """
    register, number, known, differs = m[label], m[label + 1], m[label + 3], m[label + 4]
    for i in range(m[label + 5]):
        changes = m[label + 6 + i]
        for j in range(m[changes]):
            target = m[changes + 1 + j]
            old, new = m[known + target], features_value(m, m[label + 2], target)
            if old == new:
                continue
            m[known + target] = new
            for row in range(m[seen + NUM_ROWS]):
                if m[differs + (row * number + old) * number + new]:
                    head = row * m[register + 2] + target
                    push_list(m, m[register], head, m[seen + COUNT_OF], m[seen + DIRTY])


# ---- moves

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


@compiled
def renew_moves(m, field, is_fresh):
    """Finds what a field becomes; values are noted, and set later."""
    dirty, movers = m[field + FIELD_DIRTY], m[field + FIELD_MOVERS]
    m[dirty] = 0
    if is_fresh:
        for element in range(m[field + FIELD_COUNT]):
            push(m, dirty, element)
    else:
        push_dependent(m, m[field + FIELD_DEPENDENCIES], dirty, -1)
        for i in range(m[movers]):
            push_moved(m, field, m[movers + 1 + i])
    pending = m[field + FIELD_PENDING]
    m[pending] = 0
    for i in range(m[dirty]):
        element = m[dirty + 2 + i]
        is_known, value = False, 0
        for j in range(m[movers]):
            # each is asked, so that it is told of changes
            has_one, its = mover_value(m, m[movers + 1 + j], element)
            if has_one and not is_known:
                is_known, value = True, its
        if is_known and value != m[m[field + FIELD_OUT] + element]:
            m[m[field + FIELD_VALUES] + m[pending]] = value
            m[pending] += 1
            m[pending + m[pending]] = element


@compiled
def push_moved(m, field, mover):
    """Pushes those whose move may have changed by what they have in view, or by its value."""
    dirty, view = m[field + FIELD_DIRTY], m[mover + MOVER_VIEW]
    registered = m[mover + MOVER_REGISTERED]
    for i in range(m[registered]):
        changes, register = m[registered + 1 + 2 * i], m[registered + 2 + 2 * i]
        for j in range(m[changes]):
            push_list(m, m[register], m[changes + 1 + j], m[field + FIELD_COUNT], dirty)
    if view < 0:
        return
    renew_view(m, view, dirty, -1)
    others = m[mover + VALUE_QUEUE]
    m[others] = 0
    push_dependent(m, m[mover + VALUE_DEPENDENCIES], others, -1)
    part = m[m[view + PARTS] + 1]
    for i in range(m[others]):
        element = m[others + 2 + i]
        if m[m[part + IS_ON] + element] == 0:
            continue
        if m[view + GROUP_TERM] >= 0:
            push_chosen(m, view, part, m[m[view + GROUPS] + element], element, dirty)
            continue
        for entry in range(m[m[view + ENTRIES] + element], m[m[view + ENTRIES] + element + 1]):
            push_chosen(m, view, part, m[m[view + GROUPS] + entry], entry, dirty)


@compiled
def push_chosen(m, view, part, group, entry, dirty):
    """Pushes those who take an entry whose value has changed."""
    if heap_root(m, m[part + MARKED_HEAP], group) != entry and m[part + EXCLUDES] == 0:
        return
    if m[view + SINGLE] == 1:
        push(m, dirty, group)
    else:
        push_list(m, m[part + LOOKERS], group, m[view + NUM_OWN], dirty)


@compiled
def mover_value(m, mover, element):
    """Whether an element moves, and to which value."""
    view, registers = m[mover + MOVER_VIEW], m[mover + MOVER_REGISTERS]
    is_on = True
    if m[mover + GUARD] >= 0:
        case = features_value(m, m[mover + GUARD], element)
        is_on = m[m[mover + GUARD_TABLE] + case] == 1
    for i in range(m[registers]):
        register = m[registers + 1 + i]
        if is_on:
            link_into(m, m[register], element, term_value(m, m[register + 1], element))
        else:
            unlink(m, m[register], element)
    if view < 0:
        return is_on, (term_value(m, m[mover + MOVER_VALUE], element) if is_on else 0)
    part = m[m[view + PARTS] + 1]
    if not is_on:
        forget_lookers(m, view, part, element)
        return False, 0
    chosen = -1
    link_lookers(m, view, part, element)
    for number in range(m[view + NUM_LOOKS]):
        entry = first_but(m, view, part, looked_at(m, view, number, element), element)
        if entry >= 0:
            other = seen_element(m, view, entry)
            if chosen < 0 or other < chosen:
                chosen = other
    if chosen < 0:
        return False, 0
    return True, term_value(m, m[mover + MOVER_VALUE], chosen)


# ---- all indices, from the values as they are


@compiled
def build_view(m, view):
    """Places all that can be seen."""
    for element in range(m[view + NUM_OTHERS]):
        place_other(m, view, element)
    parts = m[view + PARTS]
    for i in range(m[parts]):
        m[m[m[parts + 1 + i] + TOUCHED]] = 0


@compiled
def build_observation(m, seen):
    """Looks at every element once; gives the number of those that are not as they were given."""
    views, labels = m[seen + VIEWS], m[seen + LABELS]
    for i in range(m[views]):
        build_view(m, m[views + 1 + 2 * i])
    for i in range(m[labels]):
        label = m[labels + 1 + i]
        for target in range(m[m[label] + 2]):
            m[m[label + 3] + target] = features_value(m, m[label + 2], target)
    wrong = 0
    for element in range(m[seen + COUNT_OF]):
        if observe_element(m, seen, element) != m[m[seen + OUT] + element]:
            wrong += 1
    return wrong
