"""Observations kept up to date by what changes."""

from __future__ import annotations

from algolens.looks.by_change.layout import (
    NUM_OTHERS,
    PARTS,
    TOUCHED,
)
from algolens.looks.by_change.structures import (
    link_into,
    push,
    push_dependent,
    push_list,
    unlink,
    way_back,
)
from algolens.looks.by_change.terms import features_value, term_value
from algolens.looks.by_change.views import (
    forget_view,
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
    TRACKED,  # of each element: 0 where its own masks alone decide
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
    IS_DIRECT,  # the table alone decides, by what own paths lead to; its record ends with REST
    IS_OF_FIRSTS,  # it is false of all but those that come first in a group
) = range(22)
OBSERVATION_SIZE = 22


def observe_directly(m, w, b, seen, element):
    """What is true of an element, by its table alone."""
    return m[m[seen + TABLE] + features_value(m, w, b, m[seen + REST], element)]


def renew_direct(m, w, b, seen):
    """Brings an observation of no others up to date: none is asked for twice, none is kept."""
    dependencies, out, changes = m[seen + ALONG_DEPENDENCIES], m[seen + OUT], m[seen + CHANGES]
    total = 0
    for i in range(m[dependencies]):
        changed, path = m[dependencies + 1 + 2 * i], m[dependencies + 2 + 2 * i]
        for j in range(w[changed]):
            begin, number = way_back(m, w, b, path, w[changed + 1 + j])
            for place in range(begin, begin + number):
                element = w[place]
                value = observe_directly(m, w, b, seen, element)
                if value != b[out + element]:
                    b[out + element] = value
                    total += 1
                    w[changes + total] = element
    w[changes] = total


def observe_element(m, w, b, seen, element):
    """What is true of an element; it is told from now on of what its truth depends on."""
    if m[seen + IS_DIRECT] == 1:
        return observe_directly(m, w, b, seen, element)
    early = features_value(m, w, b, m[seen + EARLY], element)
    known = m[m[seen + DECIDED_EARLY] + early]
    tracked = m[seen + TRACKED] + element
    views, registers = m[seen + VIEWS], m[seen + REGISTERS]
    if known >= 0:
        if m[seen + IS_OF_FIRSTS] == 1:
            return known
        if b[tracked] == 1:
            for i in range(m[views]):
                forget_view(m, w, b, m[views + 1 + 2 * i], element)
            for i in range(m[registers]):
                unlink(m, w, b, m[registers + 1 + 3 * i], element)
            b[tracked] = 0
        return known
    case = early
    for i in range(m[views]):
        case = case * m[views + 2 + 2 * i] + view_value(m, w, b, m[views + 1 + 2 * i], element)
    row = m[m[seen + ROWS] + case]
    for i in range(m[registers]):
        target = term_value(m, w, b, m[registers + 2 + 3 * i], element)
        head = row * m[registers + 3 + 3 * i] + target
        link_into(m, w, b, m[registers + 1 + 3 * i], element, head)
    if m[seen + IS_OF_FIRSTS] == 0:
        b[tracked] = 1
    constant = m[m[seen + CONSTANT] + row]
    if constant >= 0:
        return constant
    rest = features_value(m, w, b, m[seen + REST], element)
    return m[m[seen + TABLE] + row * m[seen + REST_SIZE] + rest]


def renew_observation(m, w, b, seen):
    """Brings an observation up to date, and notes whose truth has changed."""
    if m[seen + IS_DIRECT] == 1:
        renew_direct(m, w, b, seen)
        return
    dirty, tracked = m[seen + DIRTY], m[seen + TRACKED]
    changes, out = m[seen + CHANGES], m[seen + OUT]
    w[dirty] = 0
    w[changes] = 0
    if m[seen + IS_OF_FIRSTS] == 1:
        renew_view(m, w, b, m[m[seen + VIEWS] + 1], dirty, -1)
        push_dependent(m, w, b, m[seen + OWN_DEPENDENCIES], dirty, out)
    else:
        push_affected(m, w, b, seen, dirty, tracked)
    for i in range(w[dirty]):
        element = w[dirty + 1 + i]
        value = observe_element(m, w, b, seen, element)
        if value != b[out + element]:
            b[out + element] = value
            w[changes] += 1
            w[changes + w[changes]] = element


def push_affected(m, w, b, seen, dirty, tracked):
    """Pushes all whose truth may have changed; those that own masks decide are done at once."""
    changes, out = m[seen + CHANGES], m[seen + OUT]
    early = m[seen + EARLY_DEPENDENCIES]
    for i in range(m[early]):
        changed, path = m[early + 1 + 2 * i], m[early + 2 + 2 * i]
        for j in range(w[changed]):
            begin, number = way_back(m, w, b, path, w[changed + 1 + j])
            for place in range(begin, begin + number):
                element = w[place]
                known = m[
                    m[seen + DECIDED_EARLY] + features_value(m, w, b, m[seen + EARLY], element)
                ]
                if known < 0 or b[tracked + element] == 1:
                    push(m, w, b, dirty, element)
                elif known != b[out + element]:  # it was not followed, and is not now
                    b[out + element] = known
                    w[changes] += 1
                    w[changes + w[changes]] = element
    views = m[seen + VIEWS]
    for i in range(m[views]):
        renew_view(m, w, b, m[views + 1 + 2 * i], dirty, tracked)
    push_dependent(m, w, b, m[seen + OWN_DEPENDENCIES], dirty, tracked)
    push_dependent(m, w, b, m[seen + ALONG_DEPENDENCIES], dirty, -1)
    registered = m[seen + REGISTERED]
    for i in range(m[registered]):
        changed, register = m[registered + 1 + 2 * i], m[registered + 2 + 2 * i]
        for j in range(w[changed]):
            for row in range(m[seen + NUM_ROWS]):
                head = row * m[register + 2] + w[changed + 1 + j]
                push_list(m, w, b, m[register], head, m[seen + COUNT_OF], dirty)
    labels = m[seen + LABELS]
    for i in range(m[labels]):
        renew_labels(m, w, b, seen, m[labels + 1 + i])


def renew_labels(m, w, b, seen, label):
    """Pushes those for whom a change of classes at the end of a path makes a difference.

    Record: register, number of combinations, features, known, differences, number of changes,
    changes.
    """
    register, number, known, differs = m[label], m[label + 1], m[label + 3], m[label + 4]
    for i in range(m[label + 5]):
        changes = m[label + 6 + i]
        for j in range(w[changes]):
            target = w[changes + 1 + j]
            old, new = w[known + target], features_value(m, w, b, m[label + 2], target)
            if old == new:
                continue
            w[known + target] = new
            for row in range(m[seen + NUM_ROWS]):
                if m[differs + (row * number + old) * number + new]:
                    head = row * m[register + 2] + target
                    push_list(m, w, b, m[register], head, m[seen + COUNT_OF], m[seen + DIRTY])


# ---- all indices, from the values as they are


def build_view(m, w, b, view):
    """Places all that can be seen."""
    for element in range(m[view + NUM_OTHERS]):
        place_other(m, w, b, view, element)
    parts = m[view + PARTS]
    for i in range(m[parts]):
        w[m[m[parts + 1 + i] + TOUCHED]] = 0


def build_observation(m, w, b, seen):
    """Looks at every element once; gives the number of those that are not as they were given."""
    views, labels = m[seen + VIEWS], m[seen + LABELS]
    for i in range(m[views]):
        build_view(m, w, b, m[views + 1 + 2 * i])
    for i in range(m[labels]):
        label = m[labels + 1 + i]
        for target in range(m[m[label] + 2]):
            w[m[label + 3] + target] = features_value(m, w, b, m[label + 2], target)
    wrong = 0
    for element in range(m[seen + COUNT_OF]):
        if observe_element(m, w, b, seen, element) != b[m[seen + OUT] + element]:
            wrong += 1
    return wrong
