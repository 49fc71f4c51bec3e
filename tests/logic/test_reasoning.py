"""Laws of reasoning about formulas, against truth tables."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algolens.logic import concepts, conjunction, disjunction, factored, not_exactly_one
from tests.strategies import NAMES, formulas


@given(formulas())
def test_a_factored_formula_is_equivalent(formula):
    assert factored(formula).equivalent(formula)


@given(st.lists(formulas(), min_size=1, max_size=5))
def test_exactly_one_rule_holds_or_a_pattern_says_where_not(rules):
    classes = {str(i): rule for i, rule in enumerate(rules)}
    holds = np.stack([rule.table(NAMES) for rule in rules])
    overlap = not_exactly_one(classes)
    assert (overlap is None) == bool((holds.sum(0) == 1).all())
    if overlap is not None:
        pattern, holding = overlap
        there = holds[:, pattern.table(NAMES)]
        assert there.size
        assert len(holding) in (0, 2)
        assert all(there[int(label)].all() for label in holding)
        assert holding or not there.any()


def test_many_concepts_are_no_harm():
    """Rules of sixty concepts, of which a table would have 2**60 rows."""
    names = concepts(*(f"c{i}" for i in range(60)))
    rules = {str(i): conjunction(*(~name for name in names[:i]), names[i]) for i in range(60)}
    began = time.process_time()
    none = conjunction(*(~name for name in names))
    assert not_exactly_one({**rules, "none": none}) is None
    assert not_exactly_one(rules) == (none, ())
    twice = not_exactly_one({**rules, "none": none | (names[3] & names[59])})
    assert twice is not None
    assert twice[1][1] == "none"
    pairs = disjunction(*(names[i] & names[59 - i] for i in range(10)))
    assert not_exactly_one({"true": pairs, "false": ~pairs}) is None
    assert time.process_time() - began < 5
