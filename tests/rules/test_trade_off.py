"""Laws of formulas that may err: what a point says of itself is so, errors fall, and the best
clause is the best.
"""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from algolens.logic.clauses import Clauses, ClauseSearch, clause_bits
from algolens.logic.patterns import all_patterns
from algolens.rules.trade_off import Point, Target, description_bits, shortest, trade_offs
from tests.strategies import NAMES


def every_clause(num_concepts: int) -> Clauses:
    """All conjunctions."""
    digits = np.array(list(itertools.product((0, 1, 2), repeat=num_concepts)))
    return Clauses(digits == 1, digits < 2)


def best_of(patterns: np.ndarray, true: np.ndarray, false: np.ndarray) -> Point:
    """The formula that the samples support."""
    (curve,) = trade_offs([Target(patterns, true, false)])
    return curve.best


@settings(deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=8, max_size=8), st.sampled_from([0.5, 2.0, 5.0]))
def test_where_all_are_listed_the_best_clause_comes_first(saved, price):
    search, every = ClauseSearch(all_patterns(3)), every_clause(3)
    gains = price * every.hold(all_patterns(3)) @ np.array(saved) - clause_bits(
        every.num_literals, 3
    )
    first = search.best(np.array(saved, float), price)[:1]
    (gain,) = price * first.hold(all_patterns(3)) @ np.array(saved) - clause_bits(
        first.num_literals, 3
    )
    assert abs(gain - gains.max()) < 1e-4


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=16, max_size=16))
def test_points_are_what_they_say_and_errors_fall(weights):
    true, false = np.array(weights, float).T
    patterns = all_patterns(4)
    for curve, on, off in zip(
        trade_offs([Target(patterns, true, false), Target(patterns, false, true)]),
        (true, false),
        (false, true),
        strict=True,
    ):
        before = np.inf
        for point in curve.points:
            holds = point.clauses.hold(patterns).any(0)
            assert point.errors == off[holds].sum() + on[~holds].sum() < before
            bits = description_bits(
                point.errors, true.sum() + false.sum(), point.clauses.num_literals, 4
            )
            assert abs(point.bits - bits) < 1e-6
            assert curve.best.bits <= point.bits
            before = point.errors
        assert curve.at(0) == curve.points[0]


def test_weights_that_rounding_changes_lead_to_an_end():
    for seed in range(4):
        random = np.random.default_rng(seed)
        columns = random.random((60, 5)) > 0.5
        patterns = np.concatenate(
            [columns, columns], 1
        )  # so that clauses can be exchanged for none
        weights = 1e6 * random.random((2, 60))
        (curve,) = trade_offs([Target(patterns, *weights)])
        for point in curve.points:
            errs = point.clauses.hold(patterns).any(0) != (weights[0] > weights[1])
            assert point.errors == pytest.approx(
                np.where(errs, weights.max(0), weights.min(0)).sum()
            )


def test_what_grows_from_seeds_is_what_a_list_finds():
    random = np.random.default_rng(0)
    patterns = np.unique(random.random((3000, 14)) > 0.5, axis=0)
    holds = (patterns[:, 2] & ~patterns[:, 5] & patterns[:, 11]) | (
        ~patterns[:, 0] & patterns[:, 7] & patterns[:, 13]
    )
    flipped = random.random(len(patterns)) < 0.1
    true = (holds ^ flipped).astype(float)
    found = best_of(patterns, true, 1 - true)
    assert found.errors == flipped.sum()
    names = [f"c{i}" for i in range(14)]
    formulas = found.clauses.in_order().formulas(names)
    assert list(map(str, formulas)) == [
        "~c0 & c7 & c13",
        "c2 & ~c5 & c11",
    ]


def test_of_many_patterns_clauses_are_measured_on_all():
    random = np.random.default_rng(0)
    patterns = np.unique(random.random((30_000, 20)) > 0.5, axis=0)
    true = (patterns[:, 2] & patterns[:, 3]).astype(float)
    true[random.random(len(patterns)) < 0.05] = 0.5
    found = best_of(patterns, true, 1 - true)
    assert list(map(str, found.clauses.in_order().formulas([f"c{i}" for i in range(20)]))) == [
        "c2 & c3"
    ]
    assert found.errors == (true == 0.5).sum() / 2


def test_after_its_deadline_it_looks_for_nothing():
    target = Target(all_patterns(4), np.ones(16), np.ones(16))
    (curve,) = trade_offs([target], deadline=time.monotonic() - 1)
    assert len(curve.points) == 1


def test_clauses_are_written_the_plainest_first_and_once():
    value, care = (
        np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], bool),
        np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 1]], bool),
    )
    assert list(map(str, Clauses(value, care).in_order().formulas(NAMES[:4]))) == [
        NAMES[1],
        f"{NAMES[0]} & ~{NAMES[3]}",
    ]


@settings(deadline=None, max_examples=8)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=8, max_size=8).filter(
        lambda all_: any(map(any, all_))
    )
)
# no clause pays for itself
@example([(3, 4), (6, 7), (2, 8), (3, 8), (8, 9), (5, 5), (0, 6), (6, 6)])
def test_the_shortest_description_is_the_shortest_of_all(weights):
    true, false = np.array(weights, float).T
    patterns, every, total = all_patterns(3), every_clause(3), float(np.sum(weights))
    holds = every.hold(patterns)

    def point(chosen: tuple[int, ...]) -> Point:
        held = holds[list(chosen)].any(0)
        return Point.of(
            every[np.array(chosen, int)], float(false[held].sum() + true[~held].sum()), total
        )

    best = min(
        point(chosen).bits
        for size in range(4)
        for chosen in itertools.combinations(range(len(every)), size)
    )
    found = shortest(Target(patterns, true, false), point(()), seconds=600)
    assert found is not None
    assert found.is_proven
    assert found.point.bits <= best + 1e-6
    assert found.at_least <= best + 0.01
    held = found.point.clauses.hold(patterns).any(0)
    assert found.point.errors == false[held].sum() + true[~held].sum()


def test_without_time_the_bound_is_below_what_was_found():
    true, false = np.arange(16.0), np.arange(16.0)[::-1]
    known = best_of(all_patterns(4), true, false)
    found = shortest(Target(all_patterns(4), true, false), known, seconds=0.0)
    assert found is not None
    assert 0 <= found.at_least <= found.point.bits <= known.bits
    wide = Target(np.zeros((1, 11), bool), np.ones(1), np.zeros(1))
    assert shortest(wide, known, seconds=1) is None


def test_a_broad_clause_that_errs_does_not_stand_in_the_way_of_several_that_do_not():
    patterns = all_patterns(9)
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    holds = np.any([patterns[:, line].all(1) for line in lines], axis=0)
    found = best_of(patterns, holds.astype(float), (~holds).astype(float))
    assert (found.errors, len(found.clauses)) == (0, 8)


def test_what_is_found_on_some_patterns_is_gone_on_with_on_more(monkeypatch):
    monkeypatch.setattr("algolens.rules.trade_off.FIRST_SEARCHED", 100)
    random = np.random.default_rng(0)
    patterns = np.unique(random.random((3000, 14)) > 0.5, axis=0)
    holds = (patterns[:, 2] & ~patterns[:, 5]) | (
        ~patterns[:, 0] & patterns[:, 7] & patterns[:, 13]
    )
    flipped = random.random(len(patterns)) < 0.1
    found = best_of(patterns, (holds ^ flipped).astype(float), (holds == flipped).astype(float))
    assert (found.errors, len(found.clauses)) == (flipped.sum(), 2)
