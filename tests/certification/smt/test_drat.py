"""Equal rules have a proof that the checker accepts; others have a pattern on which they differ."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from algolens.certification.smt.drat import difference, equalities, equality, is_refuted
from algolens.experiment import load_model
from algolens.logic import Formula, parse
from algolens.logic.rule_set import RuleSet
from tests.effort import examples
from tests.strategies import NAMES, formulas

pytest.importorskip("pysat")


@examples(60)
@given(formulas(), formulas())
def test_two_formulas_are_equal_or_differ_on_the_pattern_that_is_told(
    first: Formula, second: Formula
) -> None:
    found = equality("rule", NAMES, first, second)
    if first.equivalent(second):
        assert found.is_shown
    else:
        assert found.proof is None
        assert found.pattern is not None
        values = {
            part.removeprefix("~"): not part.startswith("~") for part in found.pattern.split(" & ")
        }
        assert bool(first.evaluate(values)) != bool(second.evaluate(values))


@examples(60)
@given(formulas(), formulas())
def test_clauses_of_a_difference_hold_just_where_there_is_one(
    first: Formula, second: Formula
) -> None:
    cnf = difference(NAMES, first, second)
    if cnf.variables > 12:
        return
    differs = set()
    for values in itertools.product((False, True), repeat=cnf.variables):
        if all(
            any(values[abs(each) - 1] == (each > 0) for each in clause) for clause in cnf.clauses
        ):
            differs.add(values[: len(NAMES)])
    for pattern in itertools.product((False, True), repeat=len(NAMES)):
        named = dict(zip(NAMES, pattern, strict=True))
        assert (pattern in differs) == (bool(first.evaluate(named)) != bool(second.evaluate(named)))


def test_what_does_not_follow_is_no_proof() -> None:
    clauses = [(1, 2), (-1, 2), (1, -2), (-1, -2)]
    assert is_refuted(clauses, ["2 0", "0"])
    assert not is_refuted(clauses[:3], ["2 0", "0"])
    assert not is_refuted(clauses, ["0"])  # no unit clause is there: nothing follows at once
    assert not is_refuted(clauses, ["d 1 2 0", "d 1 -2 0", "1 0", "0"])


def test_rules_that_were_drawn_are_equal_to_those_declared() -> None:
    for name in ("bfs", "prim", "k_core"):
        run = load_model(name)
        rule_sets = run.rule_sets
        if rule_sets is None:
            continue
        for each in equalities(run.network.algorithm.declaration.rule_set, rule_sets[0]):
            assert each.is_shown or each.pattern is not None
    declared = RuleSet.parse(
        ("a", "b"), {"out": {"true": "a & b", "false": "~a | ~b"}}, continues="a"
    )
    other = RuleSet.parse(
        ("a", "b"), {"out": {"true": "~(~a | ~b)", "false": "~(b & a)"}}, continues="a | a & b"
    )
    assert [each.is_shown for each in equalities(declared, other)] == [True] * 3
    assert equality("rule", ("a", "b"), parse("a"), parse("a | b")).pattern == "~a & b"
