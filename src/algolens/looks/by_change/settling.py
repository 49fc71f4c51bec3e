"""What a change of a view makes of those who look."""

from __future__ import annotations

from algolens.looks.by_change.heaps import heap_key, heap_remove, heap_root, heap_second
from algolens.looks.by_change.layout import (
    ALIKE,
    DIFFER,
    EXCLUDES,
    FIRST,
    LEAST,
    LOOKERS,
    MARKED_HEAP,
    MEET,
    MOST,
    NUM_OWN,
    NUMBERS,
    OLD_NUMBERS,
    OLD_TOTALS,
    ORDER,
    PAIRS,
    SEEN,
    SINGLE,
    TOTALS,
    TOUCHED,
    WITH_EQUAL,
)
from algolens.looks.by_change.structures import (
    push,
    push_list,
    push_tracked,
)


def clip_count(m, w, b, view, number):
    """A number of those in view, as far as it makes a difference."""
    return min(max(number - m[view + LEAST] + 1, 0), m[view + MOST] - m[view + LEAST] + 1)


def seen_element(m, w, b, view, entry):
    """The element of an entry."""
    return w[m[view + SEEN] + entry] if m[view + SEEN] >= 0 else entry


def is_beyond(m, w, b, part, root, key):
    """Whether the first of the marked comes before a key."""
    if root < 0:
        return False
    least = heap_key(m, w, b, m[part + MARKED_HEAP], root)
    return least < key or (least == key and m[part + WITH_EQUAL] == 1)


def settle_part(m, w, b, view, part, queue, tracked):
    """Pushes those whose view has changed with the groups that were touched."""
    kind, touched, count = m[part], m[part + TOUCHED], m[view + NUM_OWN]
    is_single, excludes = m[view + SINGLE] == 1, m[part + EXCLUDES] == 1
    lookers = m[part + LOOKERS]
    for i in range(w[touched]):
        group = w[touched + 1 + i]
        old, old_total = w[m[part + OLD_NUMBERS] + group], m[m[part + OLD_TOTALS] + group]
        if kind >= ORDER:
            settle_order(m, w, b, view, part, group, queue, tracked)
            continue
        new, total = w[m[part + NUMBERS] + group], m[m[part + TOTALS] + group]
        if kind == DIFFER:
            has_changed = min(old, 2) != min(new, 2) or (new == 1 and old_total != total)
        else:
            has_changed = clip_count(m, w, b, view, old) != clip_count(m, w, b, view, new)
        if is_single:
            if has_changed or (
                excludes
                and clip_count(m, w, b, view, old - 1) != clip_count(m, w, b, view, new - 1)
            ):
                mine = w[m[m[part + PAIRS] + 2] + group] - 1 if kind == MEET else group
                push_tracked(m, w, b, queue, tracked, mine)
            continue
        if excludes and not has_changed:
            if m[view + MOST] == 1:
                # who is alone with its mark has nobody else in view
                if old == 1:
                    push_tracked(m, w, b, queue, tracked, old_total)
                if new == 1:
                    push_tracked(m, w, b, queue, tracked, total)
            else:
                has_changed = clip_count(m, w, b, view, old - 1) != clip_count(
                    m, w, b, view, new - 1
                )
        if has_changed:
            push_list(m, w, b, lookers, group, count, queue)
    w[touched] = 0


def push_firsts(m, w, b, view, part, group, entry, key, queue, tracked):
    """Pushes the first of a group, and those that are marked and equal to it."""
    heap = m[part + MARKED_HEAP]
    while entry >= 0 and heap_key(m, w, b, heap, entry) == key:
        push_tracked(m, w, b, queue, tracked, seen_element(m, w, b, view, entry))
        # of keys that change no two are equal here
        entry = heap_second(m, w, b, heap, group, entry) if m[heap] < 0 else -1


def settle_order(m, w, b, view, part, group, queue, tracked):
    """The same of an order: a threshold that moves touches those between old and new alone."""
    heap, lookers = m[part + MARKED_HEAP], m[part + LOOKERS]
    old, old_key = w[m[part + OLD_NUMBERS] + group], m[m[part + OLD_TOTALS] + group]
    root = heap_root(m, w, b, heap, group)
    if m[part + EXCLUDES] == 1:  # the first goes by the second, which may have changed
        if root >= 0:
            push_tracked(m, w, b, queue, tracked, seen_element(m, w, b, view, root))
        if old >= 0:
            push_tracked(m, w, b, queue, tracked, seen_element(m, w, b, view, old))
    if old == root and heap_key(m, w, b, heap, root) == old_key:
        return
    if m[part + ALIKE] == 1:
        push_firsts(m, w, b, view, part, group, root, heap_key(m, w, b, heap, root), queue, tracked)
        push_firsts(m, w, b, view, part, group, old, old_key, queue, tracked)
        return
    if m[view + SINGLE] == 1:
        push_tracked(m, w, b, queue, tracked, group)
        return
    count = m[view + NUM_OWN]
    if m[part] == FIRST:
        push_list(m, w, b, lookers, group, count, queue)
        return
    while heap_root(m, w, b, lookers, 2 * group) >= 0:
        node = heap_root(m, w, b, lookers, 2 * group)
        if is_beyond(m, w, b, part, root, heap_key(m, w, b, lookers, node)):
            break
        heap_remove(m, w, b, lookers, node)
        push(m, w, b, queue, node if node < count else node % count)
    while heap_root(m, w, b, lookers, 2 * group + 1) >= 0:
        node = heap_root(m, w, b, lookers, 2 * group + 1)
        if not is_beyond(m, w, b, part, root, -heap_key(m, w, b, lookers, node)):
            break
        heap_remove(m, w, b, lookers, node)
        push(m, w, b, queue, node if node < count else node % count)
