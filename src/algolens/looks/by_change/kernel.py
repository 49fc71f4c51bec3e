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
    EXCESS,
    FAILED,
    FILLED,
    FRESH,
    GOING_ON,
    LIMIT,
    MOST_EXCESS,
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
NUMBER, WORD, CLASS = range(3)  # which array a field lies in
NEVER, BY_WITNESS, BY_OBSERVATION = range(3)  # how it is asked whether to go on


def build_indices(m, w, b):
    """All indices from the values; gives the number of observations not as they were given."""
    m[EPOCH] += 1
    # number, then values, count and list space of each pointer that is walked back
    pointers = m[POINTERS]
    for i in range(m[pointers]):
        values, space = m[pointers + 1 + 3 * i], m[pointers + 3 + 3 * i]
        for element in range(m[pointers + 2 + 3 * i]):
            link_into(m, w, b, space, element, w[values + element])
    wrong = 0
    seen = m[OBSERVATIONS]
    for i in range(m[seen]):
        wrong += build_observation(m, w, b, m[seen + 1 + i])
    moved = m[MOVED]
    for i in range(m[moved]):
        field = m[moved + 1 + i]
        movers = m[field + FIELD_MOVERS]
        for j in range(m[movers]):
            if m[m[movers + 1 + j] + MOVER_VIEW] >= 0:
                build_view(m, w, b, m[m[movers + 1 + j] + MOVER_VIEW])
        if m[field + FIELD_LARGEST] >= 0:
            for element in range(m[field + FIELD_COUNT]):
                note_largest(m, w, b, field, m[m[field + FIELD_OUT] + element])
    going = m[GOING_ON]
    if m[going] == BY_WITNESS:
        for element in range(m[m[DECIDED] + 1]):
            holds = m[m[going + 2] + concept_pattern(m, w, b, element)]
            b[m[going + 3] + element] = holds
            m[m[going + 4]] += holds
    check_sums(m, w, b)
    m[EPOCH] += 1
    return wrong


def note_largest(m, w, b, field, value):
    """Keeps the largest magnitude that a number of the state has had."""
    largest = m[field + FIELD_LARGEST]
    if abs(value) > m[largest]:
        m[largest] = abs(value)


def check_sums(m, w, b):
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


def concept_pattern(m, w, b, element):
    """The concepts of an element as one number, the first as the highest bit."""
    decided, pattern = m[DECIDED], 0
    for i in range(m[decided + 2]):
        pattern = 2 * pattern + b[m[decided + 3 + 2 * i] + element]
    return pattern


def append_change(m, w, b, changes, element):
    """Notes a changed element."""
    w[changes] += 1
    w[changes + w[changes]] = element


def take_step(m, w, b):
    """Outputs by the concepts, moves by the observations: the state after the step."""
    is_fresh, moved, decided = m[FRESH] == 1, m[MOVED], m[DECIDED]
    for i in range(m[moved]):
        renew_moves(m, w, b, m[moved + 1 + i], is_fresh)
    queue = m[decided]
    if is_fresh:
        w[queue] = 0
        for element in range(m[decided + 1]):
            push(m, w, b, queue, element)
    outputs = decided + 3 + 2 * m[decided + 2]
    for i in range(m[outputs]):
        out, table = m[outputs + 1 + 3 * i], m[outputs + 2 + 3 * i]
        changes = m[outputs + 3 + 3 * i]
        w[changes] = 0
        for j in range(w[queue]):
            element = w[queue + 1 + j]
            value = m[table + concept_pattern(m, w, b, element)]
            if value != b[out + element]:
                b[out + element] = value
                append_change(m, w, b, changes, element)
    carried = m[CARRIED]
    for i in range(m[carried]):
        now, seen, last, changes, count = (
            m[carried + 1 + 5 * i],
            m[carried + 2 + 5 * i],
            m[carried + 3 + 5 * i],
            m[carried + 4 + 5 * i],
            m[carried + 5 + 5 * i],
        )
        w[changes] = 0
        for j in range(count if is_fresh else w[seen]):
            element = j if is_fresh else w[seen + 1 + j]
            if b[now + element] != b[last + element]:
                b[last + element] = b[now + element]
                append_change(m, w, b, changes, element)
    for i in range(m[moved]):
        set_moved(m, w, b, m[moved + 1 + i])
    m[FRESH] = 0


def set_moved(m, w, b, field):
    """Sets the values that moves gave."""
    changes, pending, pointers = m[field + FIELD_CHANGES], m[field + FIELD_PENDING], 0
    pointers, largest = m[field + FIELD_POINTERS], m[field + FIELD_LARGEST]
    before = m[largest] if largest >= 0 else 0
    w[changes] = 0
    for j in range(w[pending]):
        element, value = w[pending + 1 + j], m[m[field + FIELD_VALUES] + j]
        if largest >= 0:
            m[m[field + FIELD_OUT] + element] = value
        else:
            w[m[field + FIELD_OUT] + element] = value
        append_change(m, w, b, changes, element)
        if pointers >= 0:
            link_into(m, w, b, pointers, element, value)
        if largest >= 0:
            note_largest(m, w, b, field, value)
            if value < m[field + FIELD_LEAST] or value > m[field + FIELD_MOST]:
                m[FAILED] = OUT_OF_BOUNDS
    if largest >= 0 and m[largest] > before and m[FAILED] == 0:
        check_sums(m, w, b)


def goes_on(m, w, b):
    """Whether another step is asked for; the elements whose concepts have changed are gathered."""
    decided, going = m[DECIDED], m[GOING_ON]
    queue = m[decided]
    w[queue] = 0
    for i in range(m[decided + 2]):
        changes = m[decided + 4 + 2 * i]
        for j in range(w[changes]):
            push(m, w, b, queue, w[changes + 1 + j])
    if m[going] == NEVER:
        return True
    if m[going] == BY_OBSERVATION:
        return b[m[going + 1]] == 1
    for i in range(w[queue]):
        element = w[queue + 1 + i]
        holds = m[m[going + 2] + concept_pattern(m, w, b, element)]
        m[m[going + 4]] += holds - b[m[going + 3] + element]
        b[m[going + 3] + element] = holds
    return (m[m[going + 4]] > 0) == (m[going + 1] == 1)


def has_room(m, w, b, room):
    """Whether the changes of a step can be kept."""
    traced, most = m[TRACED], 0
    for i in range(m[traced]):
        most = max(most, m[m[FILLED] + i] + w[m[traced + 1 + 3 * i]])
    return most <= room


def keep_changes(m, w, b, steps, elements, values, room):
    """Adds the changes of a step to the columns of each field."""
    traced, step = m[TRACED], m[STEP]
    for i in range(m[traced]):
        changes, out = m[traced + 1 + 3 * i], m[traced + 2 + 3 * i]
        at, number = m[m[FILLED] + i] + i * room, w[changes]
        for j in range(number):
            element = w[changes + 1 + j]
            steps[at + j] = step
            elements[at + j] = element
            if m[traced + 3 + 3 * i] == CLASS:
                values[at + j] = b[out + element]
            elif m[traced + 3 + 3 * i] == WORD:
                values[at + j] = w[out + element]
            else:
                values[at + j] = m[out + element]
        m[m[FILLED] + i] += number


def advance(m, w, b, steps, elements, values, room, keeps):
    """Takes steps until the run ends, or the kernel hands back; gives why.

    steps, elements, values: columns with room for so many changes of each field.
    """
    if m[PHASE] == BUILDING:
        m[NUM_WRONG] = build_indices(m, w, b)
        m[PHASE] = DECIDING
        return BUILT
    observations, work = m[OBSERVATIONS], m[WORK]
    while True:
        if m[PHASE] == DECIDING:
            take_step(m, w, b)
            m[PHASE] = TRACING
        if m[PHASE] == TRACING:
            if keeps == 1:
                if not has_room(m, w, b, room):
                    return FULL
                keep_changes(m, w, b, steps, elements, values, room)
            m[STEP] += 1
            m[PHASE] = LOOKING
            if m[FAILED] != 0:
                return BEFORE_LOOK
            total = 0
            for i in range(m[work]):
                total += w[m[work + 1 + 2 * i]] * m[work + 2 + 2 * i]
            if total > m[MOST_WORK]:  # a few wide steps cost less than to build indices anew
                m[EXCESS] += total
                if m[EXCESS] > m[MOST_EXCESS]:
                    return WIDE
        m[EPOCH] += 1
        for i in range(m[observations]):
            w[m[m[observations + 1 + i] + CHANGES]] = 0
        for i in range(m[observations]):
            renew_observation(m, w, b, m[observations + 1 + i])
        if m[FAILED] != 0:
            return IN_LOOK
        m[PHASE] = DECIDING
        if not goes_on(m, w, b):
            return BY_RULE
        if m[STEP] >= m[LIMIT]:
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
