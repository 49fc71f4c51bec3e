"""Rules over concepts come back from HIR as they were."""

import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.language.rules import rule_set, with_rules
from algolens.logic import not_exactly_one
from algolens.logic.rule_set import RuleSet

DECLARED = [name for name, cls in algorithms().items() if not cls().declaration.in_python]


@pytest.mark.parametrize("name", DECLARED)
def test_rules_come_back_from_a_program_and_exactly_one_holds(name):
    declaration = algorithm(name).declaration
    found = rule_set(declaration.program, declaration.concepts)
    for output, classes in declaration.rule_set.rules.items():
        assert list(classes) == list(found.rules[output])
        assert all(rule.equivalent(found.rules[output][label]) for label, rule in classes.items())
        assert not_exactly_one(found.rules[output]) is None
    assert found.continues == declaration.rule_set.continues


def test_of_rules_that_overlap_or_leave_gaps_the_first_that_holds_decides_or_else_the_first():
    program = algorithm("bipartite").declaration.program
    rules = {"side": {"first": "has_better_neighbour & is_on_second_side", "second": "False"}}
    overlapping = RuleSet.parse(program.concepts, rules)
    found = rule_set(with_rules(program, overlapping, "node"), program.concepts)
    assert {label: str(rule) for label, rule in found.rules["side"].items()} == {
        "first": "True",
        "second": "False",
    }


def test_rules_of_many_classes_are_read_at_once():
    declaration = algorithm("coloring", colors=60).declaration
    found = rule_set(declaration.program, declaration.concepts)
    assert not_exactly_one(found.rules["color"]) is None
