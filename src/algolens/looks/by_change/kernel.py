"""The kernel by change: step after step of a run."""

from __future__ import annotations

from algolens.looks.by_change.moving import (
    FIELD_CHANGES,
    FIELD_COUNT,
    FIELD_LARGEST,
    FIELD_LEAST,
    FIELD_MOST,
    FIELD_MOVERS,
    FIELD_OUT,
    FIELD_PENDING,
    FIELD_POINTERS,
    FIELD_VALUES,
    MOVER_VIEW,
    renew_moves,
)
from algolens.looks.by_change.observing import (
    CHANGES,
    build_observation,
    build_view,
    renew_observation,
)
from algolens.looks.by_change.structures import (
    CARRIED,
    DECIDED,
    EPOCH,
    FAILED,
    FILLED,
    FRESH,
    GOING_ON,
    LIMIT,
    MOST_WORK,
    MOVED,
    NUM_WRONG,
    OBSERVATIONS,
    OUT_OF_BOUNDS,
    PHASE,
    POINTERS,
    STEP,
    SUMS,
    TOO_LARGE,
    TRACED,
    WORK,
    link_into,
    push,
)
from algolens.looks.sums import MOST

# why the kernel hands back
BY_RULE, BY_LIMIT, WIDE, FULL, BEFORE_LOOK, IN_LOOK, BUILT = range(7)
BUILDING, DECIDING, TRACING, LOOKING = range(4)  # what comes next
NEVER, BY_WITNESS, BY_OBSERVATION = range(3)  # how it is asked whether to go on


def build_indices(m):
    """All indices from the values; gives the number of observations not as they were given."""
    m[EPOCH] += 1
    # number, then values, count and list space of each pointer that is walked back
    pointers = m[POINTERS]
    for i in range(m[pointers]):
        values, space = m[pointers + 1 + 3 * i], m[pointers + 3 + 3 * i]
        for element in range(m[pointers + 2 + 3 * i]):
            link_into(m, space, element, m[values + element])
    wrong = 0
    seen = m[OBSERVATIONS]
    for i in range(m[seen]):
        wrong += build_observation(m, m[seen + 1 + i])
    moved = m[MOVED]
    for i in range(m[moved]):
        field = m[moved + 1 + i]
        movers = m[field + FIELD_MOVERS]
        for j in range(m[movers]):
            if m[m[movers + 1 + j] + MOVER_VIEW] >= 0:
                build_view(m, m[m[movers + 1 + j] + MOVER_VIEW])
        if m[field + FIELD_LARGEST] >= 0:
            for element in range(m[field + FIELD_COUNT]):
                note_largest(m, field, m[m[field + FIELD_OUT] + element])
    going = m[GOING_ON]
    if m[going] == BY_WITNESS:
        for element in range(m[m[DECIDED] + 1]):
            holds = m[m[going + 2] + concept_pattern(m, element)]
            m[m[going + 3] + element] = holds
            m[m[going + 4]] += holds
    check_sums(m)
    m[EPOCH] += 1
    return wrong


def note_largest(m, field, value):
    """Keeps the largest magnitude that a number of the state has had."""
    largest = m[field + FIELD_LARGEST]
    if abs(value) > m[largest]:
        m[largest] = abs(value)


def check_sums(m):
    """Gives up where a sum might leave its bits: the tensor kernel looks at each."""
    sums = m[SUMS]
    for i in range(m[sums]):
        record = m[sums + 1 + i]
        total, place = 0, record + 1
        for _ in range(m[record]):
            product = m[place]
            for j in range(m[place + 1]):
                size = m[m[place + 2 + j]]
                if size > MOST // product:
                    m[FAILED] = TOO_LARGE
                    return
                product *= max(size, 1)
            total += product
            place += 2 + m[place + 1]
            if total >= MOST:
                m[FAILED] = TOO_LARGE
                return


def concept_pattern(m, element):
    """The concepts of an element as one number, the first as the highest bit."""
    decided, pattern = m[DECIDED], 0
    for i in range(m[decided + 2]):
        pattern = 2 * pattern + m[m[decided + 3 + 2 * i] + element]
    return pattern


def append_change(m, changes, element):
    """Notes a changed element."""
    m[changes] += 1
    m[changes + m[changes]] = element


def take_step(m):
    """Outputs by the concepts, moves by the observations: the state after the step."""
    is_fresh, moved, decided = m[FRESH] == 1, m[MOVED], m[DECIDED]
    for i in range(m[moved]):
        renew_moves(m, m[moved + 1 + i], is_fresh)
    queue = m[decided]
    if is_fresh:
        m[queue] = 0
        for element in range(m[decided + 1]):
            push(m, queue, element)
    outputs = decided + 3 + 2 * m[decided + 2]
    for i in range(m[outputs]):
        out, table = m[outputs + 1 + 3 * i], m[outputs + 2 + 3 * i]
        changes = m[outputs + 3 + 3 * i]
        m[changes] = 0
        for j in range(m[queue]):
            element = m[queue + 1 + j]
            value = m[table + concept_pattern(m, element)]
            if value != m[out + element]:
                m[out + element] = value
                append_change(m, changes, element)
    carried = m[CARRIED]
    for i in range(m[carried]):
        now, seen, last, changes, count = (
            m[carried + 1 + 5 * i],
            m[carried + 2 + 5 * i],
            m[carried + 3 + 5 * i],
            m[carried + 4 + 5 * i],
            m[carried + 5 + 5 * i],
        )
        m[changes] = 0
        for j in range(count if is_fresh else m[seen]):
            element = j if is_fresh else m[seen + 1 + j]
            if m[now + element] != m[last + element]:
                m[last + element] = m[now + element]
                append_change(m, changes, element)
    for i in range(m[moved]):
        set_moved(m, m[moved + 1 + i])
    m[FRESH] = 0


def set_moved(m, field):
    """Sets the values that moves gave."""
    changes, pending, pointers = m[field + FIELD_CHANGES], m[field + FIELD_PENDING], 0
    pointers, largest = m[field + FIELD_POINTERS], m[field + FIELD_LARGEST]
    before = m[largest] if largest >= 0 else 0
    m[changes] = 0
    for j in range(m[pending]):
        element, value = m[pending + 1 + j], m[m[field + FIELD_VALUES] + j]
        m[m[field + FIELD_OUT] + element] = value
        append_change(m, changes, element)
        if pointers >= 0:
            link_into(m, pointers, element, value)
        if largest >= 0:
            note_largest(m, field, value)
            if value < m[field + FIELD_LEAST] or value > m[field + FIELD_MOST]:
                m[FAILED] = OUT_OF_BOUNDS
    if largest >= 0 and m[largest] > before and m[FAILED] == 0:
        check_sums(m)


def goes_on(m):
    """Whether another step is asked for; the elements whose concepts have changed are gathered."""
    decided, going = m[DECIDED], m[GOING_ON]
    queue = m[decided]
    m[queue] = 0
    for i in range(m[decided + 2]):
        changes = m[decided + 4 + 2 * i]
        for j in range(m[changes]):
            push(m, queue, m[changes + 1 + j])
    if m[going] == NEVER:
        return True
    if m[going] == BY_OBSERVATION:
        return m[m[going + 1]] == 1
    for i in range(m[queue]):
        element = m[queue + 1 + i]
        holds = m[m[going + 2] + concept_pattern(m, element)]
        m[m[going + 4]] += holds - m[m[going + 3] + element]
        m[m[going + 3] + element] = holds
    return (m[m[going + 4]] > 0) == (m[going + 1] == 1)


def advance(m, fields, steps, elements, values, room, keeps):
    """Takes steps until the run ends, or the kernel hands back; gives why.

    fields, steps, elements, values: columns with room for so many changes.
    """
    filled = 0
    if m[PHASE] == BUILDING:
        m[NUM_WRONG] = build_indices(m)
        m[PHASE] = DECIDING
        m[FILLED] = filled
        return BUILT
    observations, traced, work = m[OBSERVATIONS], m[TRACED], m[WORK]
    while True:
        if m[PHASE] == DECIDING:
            take_step(m)
            m[PHASE] = TRACING
        if m[PHASE] == TRACING:
            if keeps:
                number = 0
                for i in range(m[traced]):
                    number += m[m[traced + 1 + 3 * i]]
                if filled + number > room:
                    m[FILLED] = filled
                    return FULL
                for i in range(m[traced]):
                    changes, out = m[traced + 1 + 3 * i], m[traced + 2 + 3 * i]
                    for j in range(m[changes]):
                        element = m[changes + 1 + j]
                        fields[filled] = m[traced + 3 + 3 * i]
                        steps[filled] = m[STEP]
                        elements[filled] = element
                        values[filled] = m[out + element]
                        filled += 1
            m[STEP] += 1
            m[PHASE] = LOOKING
            if m[FAILED] != 0:
                m[FILLED] = filled
                return BEFORE_LOOK
            total = 0
            for i in range(m[work]):
                total += m[m[work + 1 + 2 * i]] * m[work + 2 + 2 * i]
            if total > m[MOST_WORK]:
                m[FILLED] = filled
                return WIDE
        m[EPOCH] += 1
        for i in range(m[observations]):
            m[m[m[observations + 1 + i] + CHANGES]] = 0
        for i in range(m[observations]):
            renew_observation(m, m[observations + 1 + i])
        if m[FAILED] != 0:
            m[FILLED] = filled
            return IN_LOOK
        m[PHASE] = DECIDING
        if not goes_on(m):
            m[FILLED] = filled
            return BY_RULE
        if m[STEP] >= m[LIMIT]:
            m[FILLED] = filled
            return BY_LIMIT


def sort_by_field(fields, order, ends, count, num_fields):
    """The places of changes, field after field, each as they were made. ends: [num_fields]."""
    for at in range(count):
        ends[fields[at]] += 1
    for field in range(1, num_fields):
        ends[field] += ends[field - 1]
    at = count
    while at > 0:  # from the last to the first, so that ends become starts
        at -= 1
        ends[fields[at]] -= 1
        order[ends[fields[at]]] = at
    return 0
