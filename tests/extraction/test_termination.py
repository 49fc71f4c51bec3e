"""Laws of termination rules, against every combination tried one by one."""

from __future__ import annotations

import itertools
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algolens.errors import ExtractionError
from algolens.extraction.termination import smallest_exists
from algolens.logic import FALSE, TRUE, Formula, parse
from algolens.logic.clauses import Clauses, Occurrences
from tests.effort import examples
from tests.strategies import NAMES

WIDE = tuple(f"c{i}" for i in range(20))


@st.composite
def seen_steps(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Elements with their concepts, the step of each (some steps may be empty), and which steps go
    on.
    """
    num_steps = draw(st.integers(1, 6))
    rows = draw(st.lists(st.tuples(st.integers(0, num_steps - 1), st.integers(0, 15)), max_size=14))
    step, packed = np.array([row[0] for row in rows], int), np.array([row[1] for row in rows], int)
    goes_on = np.array(draw(st.lists(st.booleans(), min_size=num_steps, max_size=num_steps)))
    return (packed[:, None] >> np.arange(3, -1, -1) & 1).astype(bool), step, goes_on


def every_combination(patterns, step, goes_on):
    """[81, steps] at which steps each combination exists; and of each its literals, concepts and
    opposites.
    """
    exists, about = [], []
    for signs in itertools.product((True, False, None), repeat=len(NAMES)):
        holds = np.ones(len(patterns), bool)
        for column, sign in zip(patterns.T, signs, strict=True):
            holds &= True if sign is None else column == sign
        exists.append([holds[step == i].any() for i in range(len(goes_on))])
        places = [place for place, sign in enumerate(signs) if sign is not None]
        about.append((len(places), places, signs.count(False)))
    return np.array(exists, bool), about


def cheapest_or(exists, about, goes_on, price):
    """What the best "or" of up to three combinations costs: of more, each would explain less than
    it costs.
    """
    literals = price * np.array([each[0] for each in about])
    pairs = exists[:, None] | exists[None]
    of_two = (pairs != goes_on).sum(-1) + literals[:, None] + literals
    triples = pairs[:, :, None] | exists[None, None]
    of_three = (triples != goes_on).sum(-1) + (literals[:, None] + literals)[:, :, None] + literals
    return min(of_two.min(), of_three.min())


@settings(deadline=None)
@given(seen_steps(), st.sampled_from([1.0, 1.5, 2.25, 4.0]))
def test_nothing_that_fits_is_smaller_and_where_nothing_fits_nothing_is_a_better_bargain(
    steps, price
):
    patterns, step, goes_on = steps
    rule = smallest_exists(NAMES, patterns, step, goes_on, price=price)
    values = dict(zip(NAMES, patterns.T, strict=True))
    holds = np.broadcast_to(np.asarray(rule.rule.formula.evaluate(values)), len(patterns))
    wrong = [i for i in range(len(goes_on)) if holds[step == i].any() != goes_on[i]]
    assert list(rule.contradictions) == wrong
    assert rule.fits == (not wrong)
    assert rule.fidelity == 1 - len(wrong) / len(goes_on)
    assert rule.num_steps == len(goes_on)
    assert rule.proven
    if not goes_on.any():
        assert rule.rule.formula == FALSE
        return
    exists, about = every_combination(patterns, step, goes_on)
    fails = (exists != goes_on).sum(1)
    written = re.findall(r"\b[a-d]\b", str(rule.rule.formula))
    places = [NAMES.index(name) for name in written]
    ours = (len(places), places, str(rule.rule.formula).count("~"))
    fitting = [each for each, failing in zip(about, fails, strict=True) if not failing]
    if fitting:  # the paper's rule
        assert ours == min(fitting)
        return
    costs = [
        (failing + price * each[0], failing, *each)
        for each, failing in zip(about, fails, strict=True)
    ]
    best = min(goes_on.sum(), min(costs)[0], cheapest_or(exists, about, goes_on, price))
    assert len(wrong) + price * ours[0] == pytest.approx(best)


@given(st.integers(0, 2**32 - 1))
def test_occurrences_are_those_of_the_patterns(seed):
    random = np.random.default_rng(seed)
    owner = np.sort(random.integers(0, 5, random.integers(0, 200)))
    patterns = random.integers(0, 2**6, len(owner)).astype(np.uint64)
    care = np.stack(
        [random.permutation([True, True, False, False, False, False]) for _ in range(7)]
    )
    cubes = Clauses((random.random((7, 6)) > 0.5) & care, care)
    groups = Occurrences(patterns, owner, 5, 6)
    matches = cubes.hold(patterns)
    occurs = np.stack([matches[:, owner == group].any(1) for group in range(5)], 1)
    assert (groups.table(cubes) == occurs).all()
    parts = [part.table(cubes) for part in groups.parts()]
    assert sorted(np.concatenate(parts, 1).T.tolist()) == sorted(occurs.T.tolist())


def planted(num_elements: int, num_wrong: int = 0):
    """500 steps of random elements that go on while a combination of six literals exists."""
    random = np.random.default_rng(num_elements)
    rule = parse("c1 & ~c4 & c7 & c11 & ~c12 & ~c19")
    places, signs = [1, 4, 7, 11, 12, 19], np.array([True, False, True, True, False, False])
    patterns, goes_on = random.random((500, num_elements, 20)) > 0.5, np.arange(500) % 5 < 3
    patterns[np.flatnonzero(goes_on)[:, None], 0, places] = signs
    stopping = patterns[~goes_on]
    holds = (stopping[:, :, places] == signs).all(2)
    stopping[holds, 7] = False
    patterns[~goes_on] = stopping
    goes_on[random.choice(500, num_wrong, replace=False)] ^= True
    return rule, patterns.reshape(-1, 20), np.repeat(np.arange(500), num_elements), goes_on


@pytest.mark.parametrize("num_elements", [5, 40, 120])
def test_a_planted_rule_of_six_literals_is_found_quickly(num_elements):
    rule, patterns, step, goes_on = planted(num_elements)
    began = time.perf_counter()
    found = smallest_exists(WIDE, patterns, step, goes_on)
    assert time.perf_counter() - began < 5  # alone on a core it takes a tenth of that
    assert found.fits
    assert found.rule.formula == rule


def test_steps_that_contradict_are_named():
    rule, patterns, step, goes_on = planted(10, num_wrong=3)
    found = smallest_exists(WIDE, patterns, step, goes_on)
    assert found.rule.formula == rule
    assert not found.fits
    assert len(found.contradictions) == 3
    assert str(found) == f"exists n: {rule}"


def exists_at_steps(
    rule: Formula, names: tuple[str, ...], patterns: np.ndarray, elements: int
) -> np.ndarray:
    """[steps] does an element exist for which the rule holds? Each step has so many, one after the
    other.
    """
    holds: np.ndarray = np.asarray(rule.evaluate(dict(zip(names, patterns.T, strict=True))))
    return np.array([each.any() for each in np.split(holds, len(holds) // elements)])


TRUE_RULES = ("a | (b & ~c)", "(a & b) | (c & d)", "~a | ~b", "(a & ~b) | (~a & b)", "a & ~c", "~d")


@examples(30)
@given(st.sampled_from(TRUE_RULES), st.floats(0, 0.0019), st.integers(0, 2**32 - 1))
def test_a_rule_is_found_among_the_mistakes_of_a_network_and_they_are_not_fitted(text, share, seed):
    """A network that errs at fewer than one step in 500 gets its own rule, whatever it errs in."""
    random = np.random.default_rng(seed)
    patterns, step = random.random((3000, 4)) < random.uniform(0.3, 0.7, 4), np.arange(3000) // 2
    rule = parse(text)
    goes_on = exists_at_steps(rule, NAMES, patterns, 2)
    wrong = random.choice(1500, int(share * 1500), replace=False)
    goes_on[wrong] ^= True
    found = smallest_exists(NAMES, patterns, step, goes_on)
    assert found.rule.formula.equivalent(rule)
    assert len(found.rule.formula.names) == len(rule.names)
    assert sorted(found.contradictions) == sorted(wrong.tolist())


@examples(20)
@given(st.floats(0.002, 0.05), st.integers(0, 2**32 - 1))
def test_many_mistakes_make_no_long_rule(share, seed):
    """Ten concepts and a thousand patterns, so that almost every mistake has some of its own."""
    random = np.random.default_rng(seed)
    patterns, step = random.random((2400, 10)) < 0.5, np.arange(2400) // 4
    goes_on = exists_at_steps(parse("c0 & c5"), WIDE[:10], patterns, 4)
    goes_on[random.choice(600, int(share * 600), replace=False)] ^= True
    found = smallest_exists(WIDE[:10], patterns, step, goes_on)
    assert str(found.rule.formula) == "c0 & c5"


def test_an_or_of_wide_concepts_is_found():
    random = np.random.default_rng(0)
    patterns, step = random.random((4000, 10)) < 0.5, np.arange(4000) // 2
    rule = parse("(c1 & ~c4 & c7) | (c2 & c9) | (~c3 & c5 & c8)")
    goes_on = exists_at_steps(rule, WIDE[:10], patterns, 2)
    found = smallest_exists(WIDE[:10], patterns, step, goes_on)
    assert found.fits
    assert found.rule.formula.equivalent(rule)


def test_ties_go_to_earlier_concepts_then_to_more_that_are_true():
    same = np.array([[True, True, True, False], [False, False, False, True]])
    assert (
        str(smallest_exists(NAMES, same, np.array([0, 1]), np.array([True, False])).rule.formula)
        == "a"
    )
    assert (
        str(smallest_exists(NAMES, same, np.array([1, 0]), np.array([True, False])).rule.formula)
        == "~a"
    )


def test_always_and_never():
    patterns = np.array([[True], [False]])
    assert (
        smallest_exists(["a"], patterns, np.array([0, 1]), np.array([True, True])).rule.formula
        == TRUE
    )
    assert (
        smallest_exists(["a"], patterns, np.array([0, 1]), np.array([False, False])).rule.formula
        == FALSE
    )


def test_a_step_without_elements_cannot_go_on():
    rule = smallest_exists(["a"], np.array([[True]]), np.array([0]), np.array([True, True]))
    assert not rule.fits
    assert rule.contradictions == (1,)


@pytest.mark.parametrize(
    ("names", "patterns", "step", "goes_on", "complaint"),
    [
        (["a"], np.array([[0.7]]), np.array([0]), np.array([True]), "threshold them first"),
        (
            ["a", "b"],
            np.array([[True]]),
            np.array([0]),
            np.array([True]),
            r"bools of shape \[1, 2\]",
        ),
        (["a"], np.array([[True]]), np.array([1]), np.array([True]), "from 0 to 0"),
        (["a"], np.array([[True]]), np.array([0.0]), np.array([True]), "float64 came"),
        (["a"], np.array([[True]]), np.array([0]), np.array([1]), "a bool for every step"),
        (["a"], np.zeros((0, 1), bool), np.zeros(0, int), np.zeros(0, bool), "one at least"),
    ],
)
def test_misuse_is_refused_with_a_hint(names, patterns, step, goes_on, complaint):
    with pytest.raises(ExtractionError, match=complaint):
        smallest_exists(names, patterns, step, goes_on)
