"""Laws of decision diagrams, against truth tables."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algolens.logic import concepts, conjunction, disjunction, not_exactly_one
from algolens.logic.diagrams import ALWAYS, NEVER, Diagrams
from tests.strategies import NAMES, formulas


@given(formulas(), formulas(), st.permutations(NAMES))
def test_a_diagram_is_a_truth_table(one, other, order):
    diagrams = Diagrams(order)
    first, second = diagrams.of(one), diagrams.of(other)
    assert (first == second) == one.equivalent(other)
    assert (first == NEVER) == (not one.table(NAMES).any())
    assert (first == ALWAYS) == one.table(NAMES).all()
    both = diagrams.choose(first, second, NEVER)
    assert (both == NEVER) == (not (one & other).table(NAMES).any())
    if first != NEVER:
        pattern = diagrams.pattern(first).table(NAMES)
        assert pattern.any()
        assert one.table(NAMES)[pattern].all()


@given(st.lists(formulas(), min_size=1, max_size=5))
def test_exactly_one_rule_holds_or_a_pattern_says_where_not(rules):
    classes = {str(i): rule for i, rule in enumerate(rules)}
    holds = np.stack([rule.table(NAMES) for rule in rules])
    found = not_exactly_one(classes)
    assert (found is None) == bool((holds.sum(0) == 1).all())
    if found is not None:
        pattern, holding = found
        there = holds[:, pattern.table(NAMES)]
        assert there.size
        assert len(holding) in (0, 2)
        assert all(there[int(label)].all() for label in holding)
        assert holding or not there.any()


def test_many_concepts_are_no_harm():
    """Rules of sixty concepts, of which a table would have 2**60 rows: the first concept that holds
    decides, else none.
    """
    names = concepts(*(f"c{i}" for i in range(60)))
    rules = {str(i): conjunction(*(~each for each in names[:i]), names[i]) for i in range(60)}
    began = time.perf_counter()
    none = conjunction(*(~each for each in names))
    assert not_exactly_one({**rules, "none": none}) is None
    assert not_exactly_one(rules) == (none, ())
    twice = not_exactly_one({**rules, "none": none | (names[3] & names[59])})
    assert twice is not None
    assert twice[1][1] == "none"
    # mentioned side by side, so asked side by side
    pairs = disjunction(*(names[i] & names[59 - i] for i in range(10)))
    assert not_exactly_one({"true": pairs, "false": ~pairs}) is None
    assert time.perf_counter() - began < 5
