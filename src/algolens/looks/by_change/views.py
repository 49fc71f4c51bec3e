"""Counts of those in view, kept up to date by what changes."""

from __future__ import annotations

from algolens.looks.by_change.heaps import (
    HEAP_NODE,
    heap_insert,
    heap_key,
    heap_remove,
    heap_root,
    heap_second,
)
from algolens.looks.by_change.layout import (
    ALIKE,
    COUNT,
    DIFFER,
    ENTRIES,
    EXCLUDES,
    GROUP_TERM,
    GROUPS,
    IS_ON,
    ITS_KEY,
    KEPT_KEY,
    LOOK_GROUPS,
    LOOK_TERM,
    LOOKERS,
    MARKED_HEAP,
    MASK,
    MEET,
    MOVED_OTHERS,
    MY_KEY,
    NUM_LOOKS,
    NUM_OWN,
    NUMBERS,
    OLD_NUMBERS,
    OLD_TOTALS,
    ORDER,
    OTHER_DEPENDENCIES,
    OTHERS_ONLY,
    PAIRS,
    PARTS,
    PLAIN,
    SELECTED,
    SELECTING,
    SINGLE,
    TOTALS,
    TOUCHED,
)
from algolens.looks.by_change.settling import (
    clip_count,
    is_beyond,
    seen_element,
    settle_part,
)
from algolens.looks.by_change.structures import (
    link_into,
    place_of_pair,
    push,
    push_dependent,
    push_tracked,
    unlink,
)
from algolens.looks.by_change.terms import features_value, key_value, term_value


def touch(m, w, b, part, group):
    """Keeps what a group was before the first change."""
    touched = m[part + TOUCHED]
    before = w[touched]
    push(m, w, b, touched, group)
    if w[touched] == before:
        return
    if m[part] >= ORDER:
        root = heap_root(m, w, b, m[part + MARKED_HEAP], group)
        w[m[part + OLD_NUMBERS] + group] = root
        m[m[part + OLD_TOTALS] + group] = heap_key(m, w, b, m[part + MARKED_HEAP], root)
    else:
        w[m[part + OLD_NUMBERS] + group] = w[m[part + NUMBERS] + group]
        m[m[part + OLD_TOTALS] + group] = m[m[part + TOTALS] + group]


def change_entry(m, w, b, part, entry, group, element, key, sign):
    """Puts a marked one into a group (sign 1), or takes it out (-1)."""
    kind = m[part]
    if kind >= ORDER:
        touch(m, w, b, part, group)
        if sign > 0:
            heap_insert(m, w, b, m[part + MARKED_HEAP], entry, key, group)
        else:
            heap_remove(m, w, b, m[part + MARKED_HEAP], entry)
        return
    if kind == COUNT:
        touch(m, w, b, part, group)
        w[m[part + NUMBERS] + group] += sign
        m[m[part + TOTALS] + group] += sign * element
        return
    place = place_of_pair(m, w, b, m[part + PAIRS], group, key)
    if kind == MEET:
        touch(m, w, b, part, place)
        w[m[part + NUMBERS] + place] += sign
        m[m[part + TOTALS] + place] += sign * element
        return
    # of those that differ: how many keys there are, and their sum, which is the only one's
    there = m[part + MARKED_HEAP] + place  # how many have this key
    w[there] += sign
    if (sign > 0 and w[there] == 1) or (sign < 0 and w[there] == 0):
        touch(m, w, b, part, group)
        w[m[part + NUMBERS] + group] += sign
        m[m[part + TOTALS] + group] += sign * key


def entries_of(m, w, b, view, element):
    """From which entry to before which one an element that is seen stands in groups."""
    if m[view + ENTRIES] < 0:
        return element, element + 1
    return w[m[view + ENTRIES] + element], w[m[view + ENTRIES] + element + 1]


def place_other(m, w, b, view, element):
    """Brings one that is seen up to date in all parts."""
    kind = features_value(m, w, b, m[view + PLAIN], element)
    is_given = m[view + GROUP_TERM] < 0
    before = now = 0
    if not is_given:
        before = w[m[view + GROUPS] + element]
        now = term_value(m, w, b, m[view + GROUP_TERM], element)
        w[m[view + GROUPS] + element] = now
    parts = m[view + PARTS]
    for i in range(m[parts]):
        part = m[parts + 1 + i]
        is_on, was_on = b[m[part + MASK] + kind], b[m[part + IS_ON] + element]
        key, old = 0, 0
        if m[part + ITS_KEY] >= 0:
            kept = m[part + KEPT_KEY] + element
            old = m[kept]
            if is_on:
                key = key_value(m, w, b, m[part + ITS_KEY], element)
                m[kept] = key
        if was_on == is_on and (not is_on or (key == old and before == now)):
            continue
        b[m[part + IS_ON] + element] = is_on
        if is_given:
            begin, end = entries_of(m, w, b, view, element)
            for entry in range(begin, end):
                group = w[m[view + GROUPS] + entry]
                if was_on:
                    change_entry(m, w, b, part, entry, group, element, old, -1)
                if is_on:
                    change_entry(m, w, b, part, entry, group, element, key, 1)
        else:
            if was_on:
                change_entry(m, w, b, part, element, before, element, old, -1)
            if is_on:
                change_entry(m, w, b, part, element, now, element, key, 1)


def looked_at(m, w, b, view, number, element):
    """A group that an element looks at."""
    if m[view + SINGLE] == 1:
        return element
    if m[view + LOOK_TERM] >= 0:
        return term_value(m, w, b, m[view + LOOK_TERM], element)
    return w[m[view + LOOK_GROUPS] + number * m[view + NUM_OWN] + element]


def first_but(m, w, b, view, part, group, element):
    """The first entry of a group, but not an element's own where that is left out; or -1."""
    heap = m[part + MARKED_HEAP]
    root = heap_root(m, w, b, heap, group)
    if root >= 0 and m[part + EXCLUDES] == 1 and seen_element(m, w, b, view, root) == element:
        return heap_second(m, w, b, heap, group, root)
    return root


def part_value(m, w, b, view, part, element):
    """How many marked ones an element sees, or whether one; it is told from now on of changes."""
    kind, total = m[part], 0
    key = key_value(m, w, b, m[part + MY_KEY], element) if m[part + MY_KEY] >= 0 else 0
    is_single = m[view + SINGLE] == 1
    is_on = m[part + EXCLUDES] == 1 and b[m[part + IS_ON] + element] == 1
    for number in range(m[view + NUM_LOOKS]):
        group = looked_at(m, w, b, view, number, element)
        node = number * m[view + NUM_OWN] + element
        if kind == ORDER:
            beyond = is_beyond(m, w, b, part, first_but(m, w, b, view, part, group, element), key)
            if not is_single and m[part + ALIKE] == 0:
                lookers = m[part + LOOKERS]
                side, own = (2 * group, key) if beyond else (2 * group + 1, -key)
                place = m[lookers] + HEAP_NODE * node
                if m[place + 4] != side + 1 or m[place] != own:
                    heap_remove(m, w, b, lookers, node)
                    heap_insert(m, w, b, lookers, node, own, side)
            total += 1 if beyond else 0
            continue
        place = group
        if kind == MEET:
            place = place_of_pair(m, w, b, m[part + PAIRS], group, key)
        if not is_single:
            link_into(m, w, b, m[part + LOOKERS], node, place)
        there = w[m[part + NUMBERS] + place]
        if kind == DIFFER:
            total += 1 if there > 1 or (there == 1 and m[m[part + TOTALS] + place] != key) else 0
        else:
            is_itself = is_on and (kind == COUNT or m[m[part + KEPT_KEY] + element] == key)
            if is_itself and m[view + GROUP_TERM] >= 0:
                is_itself = w[m[view + GROUPS] + element] == group
            total += there - (1 if is_itself else 0)
    return total


def forget_lookers(m, w, b, view, part, element):
    """An element is no longer told of changes."""
    if m[view + SINGLE] == 1 or m[part + ALIKE] == 1:
        return
    for number in range(m[view + NUM_LOOKS]):
        node = number * m[view + NUM_OWN] + element
        if m[part] == ORDER:
            heap_remove(m, w, b, m[part + LOOKERS], node)
        else:
            unlink(m, w, b, m[part + LOOKERS], node)


def link_lookers(m, w, b, view, part, element):
    """An element is told from now on of changes in the groups that it looks at."""
    if m[view + SINGLE] == 1:
        return
    for number in range(m[view + NUM_LOOKS]):
        node = number * m[view + NUM_OWN] + element
        link_into(m, w, b, m[part + LOOKERS], node, looked_at(m, w, b, view, number, element))


def view_value(m, w, b, view, element):
    """The value of a count, of the parts that matter to the element's own class."""
    selected = m[m[view + SELECTED] + features_value(m, w, b, m[view + SELECTING], element)]
    parts, total = m[view + PARTS], 0
    for i in range(m[parts]):
        if selected >> i & 1:
            total += part_value(m, w, b, view, m[parts + 1 + i], element)
        else:
            forget_lookers(m, w, b, view, m[parts + 1 + i], element)
    return clip_count(m, w, b, view, total)


def forget_view(m, w, b, view, element):
    """An element is no longer told of changes of a view."""
    parts = m[view + PARTS]
    for i in range(m[parts]):
        forget_lookers(m, w, b, view, m[parts + 1 + i], element)


def renew_view(m, w, b, view, queue, tracked):
    """Brings a view up to date, and pushes those to whom it has changed."""
    dependencies = m[view + OTHER_DEPENDENCIES]
    if m[dependencies] == 1 and m[m[dependencies + 2]] == 0:  # each changes for itself, and once
        others = m[dependencies + 1]
    else:
        others = m[view + MOVED_OTHERS]
        w[others] = 0
        push_dependent(m, w, b, dependencies, others, -1)
    if w[others] == 0:
        return
    for i in range(w[others]):
        place_other(m, w, b, view, w[others + 1 + i])
    parts = m[view + PARTS]
    for i in range(m[parts]):
        settle_part(m, w, b, view, m[parts + 1 + i], queue, tracked)
    if m[view + OTHERS_ONLY] == 1:
        for i in range(w[others]):
            push_tracked(m, w, b, queue, tracked, w[others + 1 + i])
