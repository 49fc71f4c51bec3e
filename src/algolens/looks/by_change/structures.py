"""Lists, heaps, tables and queues in one array of whole numbers, compiled by Numba.

All that the kernel works on is one array ``m``: records, values and indices, by their addresses.
So every function has one type, is compiled once, and costs little to call.
"""

from __future__ import annotations

from functools import partial

import numba

# the first cells of the array
EPOCH, FAILED, STEP, LIMIT, MOST_WORK, SCRATCH, SCRATCH_SIZE = range(7)
OBSERVATIONS, MOVED, DECIDED, CARRIED, TRACED, SUMS, GOING_ON, FRESH, PHASE, WORK = range(7, 17)
STAMP, HEADER = 17, 18

TOO_LARGE, TABLE_FULL, OUT_OF_BOUNDS = 1, 2, 3  # why it failed


# Python calls none of these, and none makes an array: what that would take is left out, which
# halves the time to compile
compiled = partial(
    numba.njit, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False
)


# ---- queues: count, address of stamps, elements; each element once in an epoch


@compiled
def push(m, queue, element):  # type: ignore[no-untyped-def]
    """Adds an element that is not there yet in this epoch."""
    stamp = m[queue + 1] + element
    if m[stamp] != m[EPOCH]:
        m[stamp] = m[EPOCH]
        m[queue + 2 + m[queue]] = element
        m[queue] += 1


@compiled
def push_tracked(m, queue, tracked, element):  # type: ignore[no-untyped-def]
    """Adds an element that is followed; tracked: negative where all are."""
    if tracked < 0 or m[tracked + element] >= 0:
        push(m, queue, element)


# ---- doubly linked lists: a node is in one list at most. Record: next, previous, at, heads


@compiled
def unlink(m, space, node):  # type: ignore[no-untyped-def]
    """Takes a node out of its list, if it is in one."""
    at = m[space + 2] + node
    head = m[at]
    if head < 0:
        return
    after, before = m[m[space] + node], m[m[space + 1] + node]
    if before >= 0:
        m[m[space] + before] = after
    else:
        m[m[space + 3] + head] = after
    if after >= 0:
        m[m[space + 1] + after] = before
    m[at] = -1


@compiled
def link_into(m, space, node, head):  # type: ignore[no-untyped-def]
    """Puts a node at the front of a list."""
    at = m[space + 2] + node
    if m[at] == head:
        return
    unlink(m, space, node)
    first = m[m[space + 3] + head]
    m[m[space] + node] = first
    m[m[space + 1] + node] = -1
    if first >= 0:
        m[m[space + 1] + first] = node
    m[m[space + 3] + head] = node
    m[at] = head


@compiled
def push_list(m, space, head, count, queue):  # type: ignore[no-untyped-def]
    """Pushes the elements of a list; node n stands for element n modulo count."""
    node = m[m[space + 3] + head]
    while node >= 0:
        push(m, queue, node % count)
        node = m[m[space] + node]


# ---- pairing heaps. Record: keys, child, next, previous, at, roots


@compiled
def meld(m, heap, one, other):  # type: ignore[no-untyped-def]
    """The root of two heaps made one."""
    if one < 0:
        return other
    if other < 0:
        return one
    keys = m[heap]
    if m[keys + other] < m[keys + one]:
        one, other = other, one
    child, after, before = m[heap + 1], m[heap + 2], m[heap + 3]
    first = m[child + one]
    m[after + other] = first
    m[before + other] = one
    if first >= 0:
        m[before + first] = other
    m[child + one] = other
    m[after + one] = -1
    m[before + one] = -1
    return one


@compiled
def meld_siblings(m, heap, node):  # type: ignore[no-untyped-def]
    """The root of a list of siblings made one heap: in pairs, then from the last to the first."""
    after = m[heap + 2]
    last = -1
    while node >= 0:
        partner = m[after + node]
        if partner < 0:
            following = -1
            m[m[heap + 3] + node] = -1
            pair = node
        else:
            following = m[after + partner]
            m[after + node] = -1
            m[after + partner] = -1
            pair = meld(m, heap, node, partner)
        m[after + pair] = last
        last = pair
        node = following
    root = -1
    while last >= 0:
        following = m[after + last]
        m[after + last] = -1
        root = meld(m, heap, root, last)
        last = following
    if root >= 0:
        m[m[heap + 3] + root] = -1
    return root


@compiled
def heap_insert(m, heap, node, key, root):  # type: ignore[no-untyped-def]
    """Puts a node that is in no heap into one."""
    m[m[heap] + node] = key
    m[m[heap + 1] + node] = -1
    m[m[heap + 2] + node] = -1
    m[m[heap + 3] + node] = -1
    m[m[heap + 4] + node] = root
    m[m[heap + 5] + root] = meld(m, heap, m[m[heap + 5] + root], node)


@compiled
def heap_remove(m, heap, node):  # type: ignore[no-untyped-def]
    """Takes a node out of its heap, if it is in one."""
    at = m[heap + 4] + node
    if m[at] < 0:
        return
    place = m[heap + 5] + m[at]
    m[at] = -1
    below = meld_siblings(m, heap, m[m[heap + 1] + node])
    m[m[heap + 1] + node] = -1
    if m[place] == node:
        m[place] = below
        return
    after, before = m[m[heap + 2] + node], m[m[heap + 3] + node]
    if m[m[heap + 1] + before] == node:
        m[m[heap + 1] + before] = after
    else:
        m[m[heap + 2] + before] = after
    if after >= 0:
        m[m[heap + 3] + after] = before
    m[place] = meld(m, heap, m[place], below)


@compiled
def heap_second(m, heap, root):  # type: ignore[no-untyped-def]
    """The least node but the root; -1 where there is none."""
    child = m[heap + 1] + root
    if m[child] < 0:
        return -1
    second = meld_siblings(m, heap, m[child])
    m[child] = second
    m[m[heap + 3] + second] = root
    return second


# ---- places of pairs (group, key). Record: mask, used, groups, keys


@compiled
def place_of_pair(m, table, group, key):  # type: ignore[no-untyped-def]
    """The place of a pair, which it keeps."""
    mask = m[table]
    place = (group * 0x1E3779B97F4A7C15) ^ (key * 0x42B2AE3D27D4EB4F)
    place = (place ^ (place >> 29)) & mask
    groups, keys = m[table + 2], m[table + 3]
    while m[groups + place] >= 0:
        if m[groups + place] == group and m[keys + place] == key:
            return place
        place = (place + 1) & mask
    m[groups + place] = group
    m[keys + place] = key
    m[table + 1] += 1
    if m[table + 1] * 4 > mask * 3:
        m[FAILED] = TABLE_FULL
        # it is given up at the end of the step; until then a place is left free
        if m[table + 1] >= mask:
            m[groups + place] = -1
            m[table + 1] -= 1
    return place


# ---- paths: back from where they lead. Record: number of steps, then of each its kind and address

ALONG, POINTED, ALL = range(3)


@compiled
def walk_back(m, path, element):  # type: ignore[no-untyped-def]
    """All elements whose path leads to one, written to the scratch space; gives their number."""
    here, size = m[SCRATCH], m[SCRATCH_SIZE]
    there = here + size
    m[here] = element
    number = 1
    for step in range(m[path]):
        kind, one, other = m[path + 1 + 3 * step], m[path + 2 + 3 * step], m[path + 3 + 3 * step]
        total = 0
        if kind == ALL:
            for node in range(one):
                m[there + node] = node
            total = one
        else:
            for i in range(number):
                at = m[here + i]
                if kind == ALONG:
                    for entry in range(m[one + at], m[one + at + 1]):
                        m[there + total] = m[other + entry]
                        total += 1
                else:
                    node = m[m[one + 3] + at]
                    while node >= 0:
                        m[there + total] = node
                        total += 1
                        node = m[m[one] + node]
        number = total
        here, there = there, here
    return here, number


@compiled
def push_dependent(m, dependencies, queue, tracked):  # type: ignore[no-untyped-def]
    """Pushes what depends on changed elements. dependencies: number, then changes and path each."""
    for i in range(m[dependencies]):
        changes = m[dependencies + 1 + 2 * i]
        path = m[dependencies + 2 + 2 * i]
        for j in range(m[changes]):
            element = m[changes + 1 + j]
            if m[path] == 0:
                push_tracked(m, queue, tracked, element)
                continue
            begin, number = walk_back(m, path, element)
            for k in range(number):
                push_tracked(m, queue, tracked, m[begin + k])
