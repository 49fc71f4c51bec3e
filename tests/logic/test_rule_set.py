"""Laws of programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import FormulaError, ReadingError
from algolens.logic import GoOn, Quantifier, pack, parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import MAX_LOOKUP_CONCEPTS, RuleSet, table_rows
from tests.strategies import NAMES, formulas


@given(st.lists(formulas(), min_size=2, max_size=4), formulas(), formulas())
def test_the_first_rule_that_holds_decides(rules, mask, going_on):
    classes = {str(i): rule for i, rule in enumerate(rules)}
    rule_set = RuleSet(
        NAMES, {"color": classes, "seen": {"false": ~mask, "true": mask}}, GoOn(going_on)
    )
    patterns = all_patterns(len(NAMES))
    decided = rule_set.decide(torch.from_numpy(patterns))
    for row, pattern in enumerate(patterns.tolist()):
        values = dict(zip(NAMES, pattern, strict=True))
        holding = [i for i, rule in enumerate(rules) if rule.evaluate(values)]
        assert decided["color"][row] == (holding[0] if holding else 0)
        assert decided["seen"][row] == mask.evaluate(values)
        assert rule_set.goes_on(torch.from_numpy(patterns[[row]])) == going_on.evaluate(values)


@given(formulas(), formulas())
def test_many_concepts_are_decided_as_few_are(rule, formula):
    going_on = GoOn(formula)
    few = RuleSet(NAMES, {"seen": {"true": rule, "false": ~rule}}, going_on)
    wide = tuple(f"x{i}" for i in range(MAX_LOOKUP_CONCEPTS))
    many = RuleSet((*NAMES, *wide), few.rules, going_on)
    concepts = torch.rand(50, 3, len(NAMES))
    more = torch.cat([concepts, torch.rand(50, 3, len(wide))], -1)
    assert torch.equal(few.decide(concepts)["seen"], many.decide(more)["seen"])
    assert torch.equal(few.goes_on(concepts), many.goes_on(more))


@given(formulas(), formulas())
def test_json_round_trip(rule, other):
    rule_set = RuleSet(NAMES, {"seen": {"true": rule, "false": ~rule}}, GoOn(other))
    again = RuleSet.from_json(json.loads(json.dumps(rule_set.to_json())))
    assert again == rule_set


@given(st.integers(0, 100), st.integers(1, MAX_LOOKUP_CONCEPTS), st.integers(0, 2**32 - 1))
def test_rows_are_those_of_the_truth_table_in_any_layout(num_nodes, num_concepts, seed):
    patterns = np.random.default_rng(seed).random((num_nodes, num_concepts)) > 0.5
    rows = pack(patterns).astype(int).tolist()
    by_rows = torch.from_numpy(patterns)
    by_columns = by_rows.T.contiguous().T
    spread_out = torch.stack([by_rows, ~by_rows], -1)[..., 0]
    assert (
        table_rows(by_rows).tolist()
        == table_rows(by_columns).tolist()
        == table_rows(spread_out).tolist()
        == rows
    )
    assert table_rows(by_rows.expand(3, -1, -1)).tolist() == [rows] * 3
    assert table_rows(torch.stack([by_rows, by_rows])).tolist() == [rows] * 2
    assert table_rows(by_rows[1:, 1:]).tolist() == pack(patterns[1:, 1:]).tolist()


@given(formulas(), st.lists(formulas(), min_size=2, max_size=3))
def test_layout_does_not_matter(mask, rules):
    rule_set = RuleSet(
        NAMES,
        {"seen": {"true": mask, "false": ~mask}, "color": {str(i): r for i, r in enumerate(rules)}},
    )
    by_rows = torch.from_numpy(all_patterns(4)).reshape(2, 8, 4)
    by_columns = torch.stack(by_rows.unbind(-1)).movedim(0, -1)
    one, other = rule_set.decide(by_rows), rule_set.decide(by_columns)
    for output, values in one.items():
        assert values.dtype == other[output].dtype
        assert torch.equal(values, other[output])


@given(
    formulas(),
    st.sampled_from(Quantifier),
    st.lists(st.integers(0, 2 ** len(NAMES) - 1), max_size=5),
)
def test_going_on_is_asked_of_some_of_every_or_of_no_element(formula, quantifier, rows):
    rule = GoOn(formula, quantifier)
    elements = all_patterns(len(NAMES))[np.array(rows, int)]
    each = [bool(formula.evaluate(dict(zip(NAMES, row, strict=True)))) for row in elements.tolist()]
    truth = {
        Quantifier.EXISTS: any(each),
        Quantifier.EVERY: all(each),
        Quantifier.NO: not any(each),
    }[quantifier]
    rule_set = RuleSet(NAMES, {}, rule)
    assert bool(rule_set.goes_on(torch.from_numpy(elements))) == truth
    names: dict[str, Any] = {}
    exec(rule_set.to_python_source(), names)
    assert bool(names["goes_on"](elements)) == truth
    assert GoOn.parse(str(rule)) == rule
    assert RuleSet.from_json(rule_set.to_json()).continues == rule


@given(formulas(), formulas(), st.sampled_from(Quantifier), st.sampled_from(Quantifier))
def test_rules_for_going_on_are_equivalent_if_they_say_the_same_of_every_graph(
    one, other, of_one, of_other
):
    """A graph of two elements shows every difference; but of constants, of which one without
    elements is asked too.
    """
    rules = GoOn(one, of_one), GoOn(other, of_other)
    patterns = torch.from_numpy(all_patterns(len(NAMES)))
    pairs = torch.cartesian_prod(torch.arange(len(patterns)), torch.arange(len(patterns)))
    nothing = torch.zeros(0, len(NAMES), dtype=torch.bool)
    said = [[*RuleSet(NAMES, {}, rule).goes_on(patterns[pairs]).tolist()] for rule in rules]
    for rule, each in zip(rules, said, strict=True):
        each.append(bool(RuleSet(NAMES, {}, rule).goes_on(nothing)))
    assert rules[0].equivalent(rules[1]) == (said[0] == said[1])


def test_a_rule_for_going_on_of_unknown_words_is_refused():
    with pytest.raises(
        FormulaError,
        match="begins with 'exists n:', 'every n:' or 'no n:'; it begins with 'most n:'",
    ):
        GoOn.parse("most n: a")


def test_probabilities_are_true_above_one_half():
    rule_set = RuleSet.parse(["a"], {"seen": {"true": "a", "false": "~a"}})
    assert rule_set.decide(torch.tensor([[0.5], [0.51]]))["seen"].tolist() == [False, True]


def test_misuse_is_refused_with_a_hint():
    with pytest.raises(FormulaError, match="names 'b', which is no concept"):
        RuleSet.parse(["a"], {"seen": {"true": "b", "false": "~a"}})
    rule_set = RuleSet.parse(["a"], {"seen": {"true": "a", "false": "~a"}})
    with pytest.raises(FormulaError, match="2 columns"):
        rule_set.decide(torch.ones(3, 2))
    with pytest.raises(FormulaError, match="fixed number of steps"):
        rule_set.goes_on(torch.ones(3, 1))
    with pytest.raises(ReadingError, match="the rule set, rules: expected 'object', got 'int'"):
        RuleSet.from_json({"rules": 3})
    whole = {"concepts": ["a"], "rules": {"seen": {"true": "a"}}, "continues": None}
    for damage in (
        {"concepts": "a"},
        {"concepts": [1]},
        {"concepts": None},
        {"rules": ["a"]},
        {"rules": {"seen": "a"}},
    ):
        with pytest.raises(ReadingError, match=r"the rule set, (concepts|rules)"):
            RuleSet.from_json(whole | damage)
    with pytest.raises(ReadingError, match=r"the rule set, continues: expected 'array"):
        RuleSet.from_json(whole | {"continues": {"and": 3}})
    assert parse("a") == rule_set.rules["seen"]["true"]
