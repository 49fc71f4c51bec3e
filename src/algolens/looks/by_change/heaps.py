"""Heaps in the arrays of whole numbers: of keys that stay, and of keys that change."""

from __future__ import annotations

# ---- heaps whose keys stay: nodes are put in order once, those of a heap side by side, and bits
# say which are there; a bit of each further level stands for 32 of the level below.
# Record: -1, slots of nodes, nodes of slots (both negative: slot n is node n), starts of heaps,
# keys of slots (negative: none), number of levels, levels

SLOTS, NODES, STARTS, KEYS, LEVELS = range(1, 6)
BITS = 5  # of a place within a word


def slot_of(m, w, b, heap, node):
    """The slot of a node."""
    return w[m[heap + SLOTS] + node] if m[heap + SLOTS] >= 0 else node


def mark_slot(m, w, b, heap, slot):
    """Sets a bit."""
    for level in range(m[heap + LEVELS]):
        word = m[heap + LEVELS + 1 + level] + (slot >> BITS)
        before = m[word]
        m[word] = before | (1 << (slot & 31))
        if before != 0:
            return
        slot >>= BITS


def clear_slot(m, w, b, heap, slot):
    """Clears a bit."""
    for level in range(m[heap + LEVELS]):
        word = m[heap + LEVELS + 1 + level] + (slot >> BITS)
        m[word] &= ~(1 << (slot & 31))
        if m[word] != 0:
            return
        slot >>= BITS


def lowest_bit(word):
    """The place of the lowest bit of a word that is not 0."""
    place = 0
    if word & 0xFFFF == 0:
        place, word = 16, word >> 16
    if word & 0xFF == 0:
        place, word = place + 8, word >> 8
    if word & 0xF == 0:
        place, word = place + 4, word >> 4
    if word & 3 == 0:
        place, word = place + 2, word >> 2
    return place + 1 - (word & 1)


def slot_from(m, w, b, heap, slot, end):
    """The node of the first slot that is set, from one to before another; or -1."""
    level = 0
    levels = heap + LEVELS + 1
    while slot << (BITS * level) < end:
        word = m[m[levels + level] + (slot >> BITS)] >> (slot & 31)
        if word == 0:
            slot = (slot >> BITS) + 1
            level += 1
            if level == m[heap + LEVELS]:
                return -1
            continue
        slot += lowest_bit(word)
        while level > 0:
            level -= 1
            slot = (slot << BITS) + lowest_bit(m[m[levels + level] + slot])
        if slot >= end:
            return -1
        return w[m[heap + NODES] + slot] if m[heap + NODES] >= 0 else slot
    return -1


# ---- pairing heaps, where keys change. Record: nodes, roots
# of each node: key, first child, next, previous, and the number of its heap; this number and roots
# are one more, 0 is none

HEAP_NODE = 5


def meld(m, w, b, nodes, one, other):
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


def meld_siblings(m, w, b, nodes, node):
    """The root of a list of siblings made one heap: in pairs, then from the last to the first."""
    last = -1
    while node >= 0:
        place = nodes + HEAP_NODE * node
        partner = m[place + 2]
        pair, following = node, -1
        if partner >= 0:
            following = m[nodes + HEAP_NODE * partner + 2]
            pair = meld(m, w, b, nodes, node, partner)
        m[nodes + HEAP_NODE * pair + 2] = last
        last = pair
        node = following
    root = -1
    while last >= 0:
        following = m[nodes + HEAP_NODE * last + 2]
        m[nodes + HEAP_NODE * last + 2] = -1
        root = meld(m, w, b, nodes, root, last)
        last = following
    if root >= 0:
        m[nodes + HEAP_NODE * root + 3] = -1
    return root


def heap_key(m, w, b, heap, node):
    """The key of a node; 0 of none, and where all is in order of numbers."""
    if node < 0:
        return 0
    if m[heap] >= 0:
        return m[m[heap] + HEAP_NODE * node]
    return m[m[heap + KEYS] + slot_of(m, w, b, heap, node)] if m[heap + KEYS] >= 0 else 0


def heap_root(m, w, b, heap, number):
    """The root of a heap; -1 where it is empty."""
    if m[heap] >= 0:
        return m[m[heap + 1] + number] - 1
    starts = m[heap + STARTS] + number
    return slot_from(m, w, b, heap, w[starts], w[starts + 1])


def heap_insert(m, w, b, heap, node, key, root):
    """Puts a node that is in no heap into one."""
    if m[heap] < 0:
        mark_slot(m, w, b, heap, slot_of(m, w, b, heap, node))
        return
    place, at = m[heap] + HEAP_NODE * node, m[heap + 1] + root
    m[place] = key
    m[place + 1] = -1
    m[place + 2] = -1
    m[place + 3] = -1
    m[place + 4] = root + 1
    m[at] = meld(m, w, b, m[heap], m[at] - 1, node) + 1


def heap_remove(m, w, b, heap, node):
    """Takes a node out of its heap, if it is in one."""
    nodes = m[heap]
    if nodes < 0:
        clear_slot(m, w, b, heap, slot_of(m, w, b, heap, node))
        return
    place = nodes + HEAP_NODE * node
    if m[place + 4] == 0:
        return
    at = m[heap + 1] + m[place + 4] - 1
    m[place + 4] = 0
    below = meld_siblings(m, w, b, nodes, m[place + 1])
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
    m[at] = meld(m, w, b, nodes, m[at] - 1, below) + 1


def heap_second(m, w, b, heap, number, root):
    """The least node of a heap but its root; -1 where there is none."""
    if m[heap] < 0:
        return slot_from(
            m, w, b, heap, slot_of(m, w, b, heap, root) + 1, w[m[heap + STARTS] + number + 1]
        )
    child = m[heap] + HEAP_NODE * root + 1
    if m[child] < 0:
        return -1
    second = meld_siblings(m, w, b, m[heap], m[child])
    m[child] = second
    m[m[heap] + HEAP_NODE * second + 3] = root
    return second
