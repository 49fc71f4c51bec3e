"""Laws of minimisation: right where it must be, and smallest, by brute force over every cover."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algolens.errors import FormulaError
from algolens.logic import FALSE, TRUE, minimal_rules, pack, unpack
from algolens.logic.clauses import Clauses, Occurrences, implicants, prime_implicants
from algolens.logic.minimal import grown_covers, proven_size, smallest_cover
from tests.effort import examples
from tests.logic.brute_force import size, smallest_by_brute_force
from tests.strategies import NAMES, formulas

# no deadlines: whichever test comes first loads SciPy
WIDE = tuple(f"c{i}" for i in range(20))


@st.composite
def tables(draw: st.DrawFn, max_concepts: int = 4) -> tuple[int, np.ndarray, np.ndarray]:
    """Concepts, and for each pattern: true, false, or either."""
    num_concepts = draw(st.integers(1, max_concepts))
    kinds = draw(
        st.lists(st.sampled_from("tf-"), min_size=2**num_concepts, max_size=2**num_concepts)
    )
    true, false = (
        np.array([i for i, kind in enumerate(kinds) if kind == wanted], int) for wanted in "tf"
    )
    return num_concepts, true, false


@settings(deadline=None)
@given(tables())
def test_it_is_right_where_it_is_fixed_and_nothing_smaller_exists(table):
    num_concepts, true, false = table
    found = minimal_rules(NAMES[:num_concepts], true, false)
    rows = found.formula.table(NAMES[:num_concepts])
    assert rows[true].all()
    assert not rows[false].any()
    assert found.proven
    assert size(found.clauses) == smallest_by_brute_force(
        num_concepts, true.tolist(), false.tolist()
    )


@settings(deadline=None)
@given(formulas())
def test_without_don_t_cares_the_truth_table_is_kept(formula):
    rows = formula.table(NAMES)
    found = minimal_rules(NAMES, np.flatnonzero(rows), None)
    assert found.formula.equivalent(formula)
    assert size(found.clauses) == size(
        minimal_rules(NAMES, np.flatnonzero(rows), np.flatnonzero(~rows)).clauses
    )


@settings(deadline=None)
@given(tables())
def test_grown_covers_are_right_and_what_witnesses_prove_is_so(table):
    num_concepts, true, false = table
    on, off = true.astype(np.uint64), false.astype(np.uint64)
    assume(len(on) and len(off))
    for cover in grown_covers(on, off, num_concepts):
        assert cover.hold(on).any(0).all()
        assert not cover.hold(off).any()
        is_fewest, is_smallest = proven_size(cover, on, off)
        smallest = smallest_by_brute_force(num_concepts, true.tolist(), false.tolist())
        assert cover.size >= smallest
        assert not is_fewest or cover.size[0] == smallest[0]
        assert not is_smallest or (is_fewest and cover.size == smallest)


@given(tables())
def test_prime_implicants_listed_either_way_are_the_same(table):
    num_concepts, true, false = table
    on, off = true.astype(np.uint64), false.astype(np.uint64)
    listed = prime_implicants(true, false, num_concepts)
    anywhere = Occurrences(on, np.zeros(len(on), int), 1, num_concepts)
    levels = [clauses for clauses, _ in implicants(anywhere, off, 1000, float("inf"))]
    few = Clauses.join(levels).in_order()
    assert few.formulas(NAMES[:num_concepts]) == listed.formulas(NAMES[:num_concepts])
    for i in range(len(listed)):  # each is an implicant, and with any literal less it is none
        assert not listed[[i]].hold(off).any()
        for place in np.flatnonzero(listed.care[i]):
            rest = np.arange(num_concepts) != place
            shorter = Clauses(listed.value[[i]] & rest, listed.care[[i]] & rest)
            assert shorter.hold(off).any()


def test_many_concepts_and_few_patterns_are_proven_too():
    random = np.random.default_rng(3)
    packed = random.choice(2**20, 40, replace=False)
    found = minimal_rules(WIDE, packed[:20], packed[20:])
    assert found.proven
    values = dict(zip(WIDE, unpack(packed, 20).T, strict=True))
    assert found.formula.evaluate(values).tolist() == [True] * 20 + [False] * 20


@settings(deadline=None)
@given(st.integers(1, 7), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_the_smallest_cover_is_smallest(num_rows, num_columns, seed):
    random = np.random.default_rng(seed)
    hits = random.random((num_rows, num_columns)) < 0.4
    hits[np.arange(num_rows), random.integers(num_columns, size=num_rows)] = True
    costs = random.integers(1, 4, num_columns)
    found = smallest_cover(hits, costs)
    covers = [
        (len(chosen), costs[list(chosen)].sum())
        for count in range(1, num_columns + 1)
        for chosen in itertools.combinations(range(num_columns), count)
        if hits[:, chosen].any(1).all()
    ]
    assert hits[:, found.chosen].any(1).all()
    assert found.is_fewest
    assert found.is_cheapest
    assert (len(found.chosen), costs[found.chosen].sum()) == min(covers)


@examples(10)
@given(st.integers(0, 2**32 - 1), st.sampled_from([7, 10, 14, 20]))
def test_a_hidden_formula_is_found_again(seed, num_concepts):
    random = np.random.default_rng(seed)
    patterns = random.random((10_000, num_concepts)) > 0.5
    chosen = [
        (random.choice(num_concepts, 3, replace=False), random.random(3) > 0.5) for _ in range(4)
    ]
    holds = np.any([(patterns[:, places] == signs).all(1) for places, signs in chosen], axis=0)
    packed, names = pack(patterns), WIDE[:num_concepts]
    found = minimal_rules(names, packed[holds], packed[~holds])
    assert found.proven or num_concepts > 14  # with more, how much is proven is a question of time
    assert len(found.clauses) <= 4
    assert (found.formula.evaluate(dict(zip(names, patterns.T, strict=True))) == holds).all()


def test_labels_without_a_pattern_in_them_still_get_a_right_formula():
    random = np.random.default_rng(0)
    packed = random.choice(2**20, 600, replace=False)
    found = minimal_rules(WIDE, packed[:300], packed[300:], seconds=0.5)
    values = dict(zip(WIDE, unpack(packed, 20).T, strict=True))
    assert found.formula.evaluate(values).tolist() == [True] * 300 + [False] * 300
    assert not found.proven
    assert "may exist" in found.how


def test_the_same_patterns_give_the_same_formula_in_any_order():
    random = np.random.default_rng(1)
    packed = random.choice(2**12, 80, replace=False)
    one = minimal_rules(WIDE[:12], packed[:40], packed[40:], seconds=60)
    other = minimal_rules(
        WIDE[:12], random.permutation(packed[:40]), random.permutation(packed[40:]), seconds=60
    )
    assert one == other


def test_of_concepts_that_say_the_same_the_first_is_used():
    patterns = np.array([[True, True, False], [False, False, True]])
    found = minimal_rules(["a", "b", "not_a"], pack(patterns[:1]), pack(patterns[1:]))
    assert str(found) == "a"


def test_constants():
    nothing = np.array([], int)
    assert minimal_rules(["a"], nothing, nothing).formula == FALSE
    assert minimal_rules(["a"], nothing, np.array([1])).clauses == ()
    assert minimal_rules(["a"], np.array([1]), nothing).clauses == (TRUE,)
    assert minimal_rules(["a"], np.array([0, 1]), None).formula == TRUE
    assert minimal_rules([], np.array([0]), nothing).formula == TRUE


@given(st.integers(0, 64), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_packed_patterns_are_rows_of_a_truth_table(num_concepts, num_patterns, seed):
    patterns = np.random.default_rng(seed).random((num_patterns, num_concepts)) > 0.5
    packed = pack(patterns)
    assert packed.tolist() == [
        sum(2**i for i, bit in enumerate(row[::-1]) if bit) for row in patterns.tolist()
    ]
    assert (unpack(packed, num_concepts) == patterns).all()


@pytest.mark.parametrize(
    ("names", "true", "false", "complaint"),
    [
        (["a", "b"], [1, 2], [0, 2], "'a & ~b' is to be true and false at once"),
        (["a", "b"], [4], [0], "4, among the true patterns, is no pattern of the 2 concepts a, b"),
        (["a", "b"], [0], [-1], "-1, among the false patterns"),
        (["a", "b"], [0.5], [1], "true patterns came as float64"),
        (["a", "b"], [[0, 1]], [1], "pack bools"),
        (["a", "a"], [0], [1], "'a' names a concept twice"),
        ([f"c{i}" for i in range(65)], [0], [1], "65 concepts came"),
        (["two words"], [0], [1], "cannot name a concept"),
    ],
)
def test_misuse_is_refused_with_a_hint(names, true, false, complaint):
    with pytest.raises(FormulaError, match=complaint):
        minimal_rules(names, np.array(true), np.array(false))


def test_only_bools_are_packed():
    with pytest.raises(FormulaError, match="threshold them first"):
        pack(np.array([[0.2, 0.7]]))
    with pytest.raises(FormulaError, match="shape"):
        pack(np.array([True]))
