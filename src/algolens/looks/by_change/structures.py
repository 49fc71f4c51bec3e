"""Lists, tables and queues in arrays of whole numbers.

All that the kernel works on lies in three arrays: ``m`` of 64 bits, for records, numbers and keys;
``w`` of 32, for elements, pointers and lists of them; ``b`` of 8, without signs, for classes. What
is touched lies far apart, so the fewer bytes it has, the more of it is at hand. Records hold the
addresses.
"""

from __future__ import annotations

# the first cells of m
EPOCH, FAILED, STEP, LIMIT, MOST_WORK, SCRATCH, SCRATCH_SIZE = range(7)
OBSERVATIONS, MOVED, DECIDED, CARRIED, TRACED, SUMS, GOING_ON, FRESH, PHASE, WORK = range(7, 17)
POINTERS, NUM_WRONG, FILLED, EXCESS, MOST_EXCESS, HEADER = range(17, 23)

TOO_LARGE, TABLE_FULL, OUT_OF_BOUNDS = 1, 2, 3  # why it failed


# ---- queues: count, elements; each element once in an epoch, by stamps that lie before the queue


def push(m, w, b, queue, element):
    """Adds an element that is not there yet in this epoch."""
    stamp = queue - 1 - element
    if w[stamp] != m[EPOCH]:
        w[stamp] = m[EPOCH]
        w[queue] += 1
        w[queue + w[queue]] = element


def push_tracked(m, w, b, queue, tracked, element):
    """Adds an element that is followed; tracked: negative where all are."""
    if tracked < 0 or b[tracked + element] == 1:
        push(m, w, b, queue, element)


# ---- doubly linked lists: a node is in one list at most. Record: nodes, heads
# of each node: next, previous, and the number of its list; numbers are one more, 0 is none, so that
# room that was never used takes no memory

LIST_NODE = 3


def unlink(m, w, b, space, node):
    """Takes a node out of its list, if it is in one."""
    nodes = m[space]
    place = nodes + LIST_NODE * node
    head = w[place + 2]
    if head == 0:
        return
    after, before = w[place], w[place + 1]
    if before > 0:
        w[nodes + LIST_NODE * (before - 1)] = after
    else:
        w[m[space + 1] + head - 1] = after
    if after > 0:
        w[nodes + LIST_NODE * (after - 1) + 1] = before
    w[place + 2] = 0


def link_into(m, w, b, space, node, head):
    """Puts a node at the front of a list, if it is not in it."""
    nodes = m[space]
    place = nodes + LIST_NODE * node
    if w[place + 2] == head + 1:
        return
    unlink(m, w, b, space, node)
    first = w[m[space + 1] + head]
    w[place] = first
    w[place + 1] = 0
    w[place + 2] = head + 1
    if first > 0:
        w[nodes + LIST_NODE * (first - 1) + 1] = node + 1
    w[m[space + 1] + head] = node + 1


def push_list(m, w, b, space, head, count, queue):
    """Pushes the elements of a list; node n stands for element n modulo count."""
    node = w[m[space + 1] + head] - 1
    while node >= 0:
        push(m, w, b, queue, node if node < count else node % count)
        node = w[m[space] + LIST_NODE * node] - 1


# ---- places of pairs (group, key). Record: mask, where the number of used ones is, groups, keys


def place_of_pair(m, w, b, table, group, key):
    """The place of a pair, which it keeps."""
    mask = m[table]
    place = group * 40_503 + (key & 0xFFFFFFFF) * 65_599 + (key >> 32) * 31
    place = (place ^ (place >> 15)) & mask
    groups, keys = m[table + 2], m[table + 3]
    while w[groups + place] > 0:  # one more, 0 is none
        if w[groups + place] == group + 1 and m[keys + place] == key:
            return place
        place = (place + 1) & mask
    w[groups + place] = group + 1
    m[keys + place] = key
    used = m[table + 1]
    m[used] += 1
    if m[used] * 4 > mask * 3:
        m[FAILED] = TABLE_FULL
        # it is given up at the end of the step; until then a place is left free
        if m[used] >= mask:
            w[groups + place] = 0
            m[used] -= 1
    return place


# ---- paths: back from where they lead. Record: number of steps, then of each its kind and address

ALONG, POINTED, ALL = range(3)


def walk_back(m, w, b, path, element):
    """All elements whose path leads to one, written to the scratch space; gives their number."""
    here, size = m[SCRATCH], m[SCRATCH_SIZE]
    there = here + size
    w[here] = element
    number = 1
    for step in range(m[path]):
        kind, one, other = m[path + 1 + 3 * step], m[path + 2 + 3 * step], m[path + 3 + 3 * step]
        total = 0
        if kind == ALL:
            for node in range(one):
                w[there + node] = node
            total = one
        else:
            for i in range(number):
                at = w[here + i]
                if kind == ALONG:
                    for entry in range(w[one + at], w[one + at + 1]):
                        w[there + total] = w[other + entry]
                        total += 1
                else:
                    node = w[m[one + 1] + at] - 1
                    while node >= 0:
                        w[there + total] = node
                        total += 1
                        node = w[m[one] + LIST_NODE * node] - 1
        number = total
        here, there = there, here
    return here, number


def way_back(m, w, b, path, element):
    """Where the elements begin whose path leads to one, and how many they are."""
    if m[path] == 0:
        w[m[SCRATCH]] = element
        return m[SCRATCH], 1
    if m[path] == 1 and m[path + 1] == ALONG:
        starts = m[path + 2] + element
        return m[path + 3] + w[starts], w[starts + 1] - w[starts]
    return walk_back(m, w, b, path, element)


def push_dependent(m, w, b, dependencies, queue, tracked):
    """Pushes what depends on changed elements. dependencies: number, then changes and path each."""
    for i in range(m[dependencies]):
        changes, path = m[dependencies + 1 + 2 * i], m[dependencies + 2 + 2 * i]
        for j in range(w[changes]):
            begin, number = way_back(m, w, b, path, w[changes + 1 + j])
            for place in range(begin, begin + number):
                push_tracked(m, w, b, queue, tracked, w[place])
