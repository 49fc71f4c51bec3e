"""Values of terms, keys and features of an element, read from the array of whole numbers."""

from __future__ import annotations

from algolens.looks.by_change.structures import (
    FAILED,
    TOO_LARGE,
)

LABEL_FEATURE, COMPARED_FEATURE, MEETING_FEATURE = range(3)


def term_value(m, w, b, term, element):
    """A constant and products of what chains of fields lead to. Record: constant, number, chains.

    A chain begins with its length, a factor (0: it is multiplied with the chain before it), and the
    field of numbers at its end (negative: where it leads is the value).
    """
    total, product = m[term], 0
    place = term + 2
    for _ in range(m[term + 1]):
        value = element
        length, factor = m[place], m[place + 1]
        for i in range(length):
            field = m[place + 3 + i]
            value = w[field + value] if field >= 0 else 0  # the graph itself is number 0
        if m[place + 2] >= 0:
            value = m[m[place + 2] + value]
        if factor == 0:
            product *= value
        else:
            total += product
            product = factor * value
        place += 3 + length
    return total + product


def key_value(m, w, b, key, element):
    """Numbers that compare one after the other, as one. Record: sign, number, (term, low, span)."""
    if m[key + 1] == 1:
        return m[key] * term_value(m, w, b, m[key + 2], element)
    total = 0
    for i in range(m[key + 1]):
        at = key + 2 + 3 * i
        value = term_value(m, w, b, m[at], element) - m[at + 1]
        span = m[at + 2]
        if value < 0 or value >= span:
            m[FAILED] = TOO_LARGE
        total = total * span + value
    return m[key] * total


def feature_value(m, w, b, feature, element):
    """The number of a feature's value.

    Record: kind, number of terms of a side, terms; of a class, the chain of fields to it.
    """
    number = m[feature + 1]
    if m[feature] == LABEL_FEATURE:
        value = element
        for i in range(number - 1):
            field = m[feature + 2 + i]
            value = w[field + value] if field >= 0 else 0
        return b[m[feature + 1 + number] + value]
    for i in range(number):
        left = term_value(m, w, b, m[feature + 2 + i], element)
        right = term_value(m, w, b, m[feature + 2 + number + i], element)
        if left != right:
            return 0 if m[feature] == MEETING_FEATURE or left < right else 2
    return 1


def features_value(m, w, b, features, element):
    """The number of a combination of values. Record: number, then feature and size each."""
    index = 0
    for i in range(m[features]):
        value = feature_value(m, w, b, m[features + 1 + 2 * i], element)
        index = index * m[features + 2 + 2 * i] + value
    return index
