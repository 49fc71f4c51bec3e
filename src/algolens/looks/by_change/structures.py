"""Lists, heaps, tables and queues in one array of whole numbers, compiled by Numba.

All that the kernel works on is one array ``m``: records, values and indices, by their addresses.
So every function has one type, is compiled once, and costs little to call.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numba

# the first cells of the array
EPOCH, FAILED, STEP, LIMIT, MOST_WORK, SCRATCH, SCRATCH_SIZE = range(7)
OBSERVATIONS, MOVED, DECIDED, CARRIED, TRACED, SUMS, GOING_ON, FRESH, PHASE, WORK = range(7, 17)
STAMP, HEADER = 17, 18

TOO_LARGE, TABLE_FULL, OUT_OF_BOUNDS = 1, 2, 3  # why it failed


# Python calls none of these, and none makes an array: what that would take is left out, which
# halves the time to compile
compiled: Any = partial(
    numba.njit, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False
)
inlined: Any = partial(compiled, forceinline=True)  # short, and called at every turn


# ---- queues: count, address of stamps, elements; each element once in an epoch


@inlined
def push(m, queue, element):
    """Adds an element that is not there yet in this epoch."""
    stamp = m[queue + 1] + element
    if m[stamp] != m[EPOCH]:
        m[stamp] = m[EPOCH]
        m[queue + 2 + m[queue]] = element
        m[queue] += 1


@inlined
def push_tracked(m, queue, tracked, element):
    """Adds an element that is followed; tracked: negative where all are."""
    if tracked < 0 or m[tracked + element] >= 0:
        push(m, queue, element)


# ---- doubly linked lists: a node is in one list at most. Record: nodes, heads
# of each node: next, previous, and the number of its list; numbers are one more, 0 is none, so that
# room that was never used takes no memory

LIST_NODE = 3


@inlined
def unlink(m, space, node):
    """Takes a node out of its list, if it is in one."""
    nodes = m[space]
    place = nodes + LIST_NODE * node
    head = m[place + 2]
    if head == 0:
        return
    after, before = m[place], m[place + 1]
    if before > 0:
        m[nodes + LIST_NODE * (before - 1)] = after
    else:
        m[m[space + 1] + head - 1] = after
    if after > 0:
        m[nodes + LIST_NODE * (after - 1) + 1] = before
    m[place + 2] = 0


@inlined
def link_into(m, space, node, head):
    """Puts a node at the front of a list, if it is not in it."""
    nodes = m[space]
    place = nodes + LIST_NODE * node
    if m[place + 2] == head + 1:
        return
    unlink(m, space, node)
    first = m[m[space + 1] + head]
    m[place] = first
    m[place + 1] = 0
    m[place + 2] = head + 1
    if first > 0:
        m[nodes + LIST_NODE * (first - 1) + 1] = node + 1
    m[m[space + 1] + head] = node + 1


@compiled
def push_list(m, space, head, count, queue):
    """Pushes the elements of a list; node n stands for element n modulo count."""
    node = m[m[space + 1] + head] - 1
    while node >= 0:
        push(m, queue, node if node < count else node % count)
        node = m[m[space] + LIST_NODE * node] - 1


# ---- pairing heaps. Record: nodes, roots
# of each node: key, first child, next, previous, and the number of its heap; this number and roots
# are one more, 0 is none

HEAP_NODE = 5


@inlined
def meld(m, nodes, one, other):
    """The root of two heaps made one."""
    if one < 0:
        return other
    if other < 0:
        return one
    if m[nodes + HEAP_NODE * other] < m[nodes + HEAP_NODE * one]:
        one, other = other, one
    above, below = nodes + HEAP_NODE * one, nodes + HEAP_NODE * other
    first = m[above + 1]
    m[below + 2] = first
    m[below + 3] = one
    if first >= 0:
        m[nodes + HEAP_NODE * first + 3] = other
    m[above + 1] = other
    m[above + 2] = -1
    m[above + 3] = -1
    return one


@compiled
def meld_siblings(m, nodes, node):
    """The root of a list of siblings made one heap: in pairs, then from the last to the first."""
    last = -1
    while node >= 0:
        place = nodes + HEAP_NODE * node
        partner = m[place + 2]
        pair, following = node, -1
        if partner >= 0:
            following = m[nodes + HEAP_NODE * partner + 2]
            pair = meld(m, nodes, node, partner)
        m[nodes + HEAP_NODE * pair + 2] = last
        last = pair
        node = following
    root = -1
    while last >= 0:
        following = m[nodes + HEAP_NODE * last + 2]
        m[nodes + HEAP_NODE * last + 2] = -1
        root = meld(m, nodes, root, last)
        last = following
    if root >= 0:
        m[nodes + HEAP_NODE * root + 3] = -1
    return root


@inlined
def heap_key(m, heap, node):
    """The key of a node; 0 of none."""
    return m[m[heap] + HEAP_NODE * node] if node >= 0 else 0


@inlined
def heap_root(m, heap, number):
    """The root of a heap; -1 where it is empty."""
    return m[m[heap + 1] + number] - 1


@compiled
def heap_insert(m, heap, node, key, root):
    """Puts a node that is in no heap into one."""
    place, at = m[heap] + HEAP_NODE * node, m[heap + 1] + root
    m[place] = key
    m[place + 1] = -1
    m[place + 2] = -1
    m[place + 3] = -1
    m[place + 4] = root + 1
    m[at] = meld(m, m[heap], m[at] - 1, node) + 1


@compiled
def heap_remove(m, heap, node):
    """Takes a node out of its heap, if it is in one."""
    nodes = m[heap]
    place = nodes + HEAP_NODE * node
    if m[place + 4] == 0:
        return
    at = m[heap + 1] + m[place + 4] - 1
    m[place + 4] = 0
    below = meld_siblings(m, nodes, m[place + 1])
    m[place + 1] = -1
    if m[at] == node + 1:
        m[at] = below + 1
        return
    after, before = m[place + 2], m[place + 3]
    if m[nodes + HEAP_NODE * before + 1] == node:
        m[nodes + HEAP_NODE * before + 1] = after
    else:
        m[nodes + HEAP_NODE * before + 2] = after
    if after >= 0:
        m[nodes + HEAP_NODE * after + 3] = before
    m[at] = meld(m, nodes, m[at] - 1, below) + 1


@compiled
def heap_second(m, heap, root):
    """The least node but the root; -1 where there is none."""
    child = m[heap] + HEAP_NODE * root + 1
    if m[child] < 0:
        return -1
    second = meld_siblings(m, m[heap], m[child])
    m[child] = second
    m[m[heap] + HEAP_NODE * second + 3] = root
    return second


# ---- places of pairs (group, key). Record: mask, used, groups, keys


@compiled
def place_of_pair(m, table, group, key):
    """The place of a pair, which it keeps."""
    mask = m[table]
    place = group * 40_503 + (key & 0xFFFFFFFF) * 65_599 + (key >> 32) * 31
    place = (place ^ (place >> 15)) & mask
    groups, keys = m[table + 2], m[table + 3]
    while m[groups + place] > 0:  # one more, 0 is none
        if m[groups + place] == group + 1 and m[keys + place] == key:
            return place
        place = (place + 1) & mask
    m[groups + place] = group + 1
    m[keys + place] = key
    m[table + 1] += 1
    if m[table + 1] * 4 > mask * 3:
        m[FAILED] = TABLE_FULL
        # it is given up at the end of the step; until then a place is left free
        if m[table + 1] >= mask:
            m[groups + place] = 0
            m[table + 1] -= 1
    return place


# ---- paths: back from where they lead. Record: number of steps, then of each its kind and address

ALONG, POINTED, ALL = range(3)


@compiled
def walk_back(m, path, element):
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
                    node = m[m[one + 1] + at] - 1
                    while node >= 0:
                        m[there + total] = node
                        total += 1
                        node = m[m[one] + LIST_NODE * node] - 1
        number = total
        here, there = there, here
    return here, number


@compiled
def push_dependent(m, dependencies, queue, tracked):
    """Pushes what depends on changed elements. dependencies: number, then changes and path each."""
    for i in range(m[dependencies]):
        changes = m[dependencies + 1 + 2 * i]
        path = m[dependencies + 2 + 2 * i]
        for j in range(m[changes]):
            element = m[changes + 1 + j]
            if m[path] == 0:
                push_tracked(m, queue, tracked, element)
                continue
            if m[path] == 1 and m[path + 1] == ALONG:
                starts, others = m[path + 2] + element, m[path + 3]
                for entry in range(m[starts], m[starts + 1]):
                    push_tracked(m, queue, tracked, m[others + entry])
                continue
            begin, number = walk_back(m, path, element)
            for k in range(number):
                push_tracked(m, queue, tracked, m[begin + k])
