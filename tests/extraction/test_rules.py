"""Laws of what an imperfect network mostly goes by: few clauses, and what is said of their fidelity
is so.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from algolens.extraction.extract import output_rules
from algolens.extraction.extraction import Extraction, OutputRules, Unseen
from algolens.extraction.observations import Observations
from algolens.logic import parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet

NAMES = ("a", "b", "c", "d", "e", "f", "g")


def decisions(num_odd: int, seed: int) -> Observations:
    """Of a network that goes by (a & b) | (c & ~d), but at some rare patterns decides otherwise."""
    random = np.random.default_rng(seed)
    patterns = all_patterns(len(NAMES))
    counts = np.where(np.arange(len(patterns)) % 4 == 0, 3, 60)
    true = (patterns[:, 0] & patterns[:, 1]) | (patterns[:, 2] & ~patterns[:, 3])
    odd = random.choice(np.flatnonzero(counts == 3), num_odd, replace=False)
    decided = true ^ np.isin(np.arange(len(patterns)), odd)
    which = np.repeat(np.arange(len(patterns)), counts)
    return Observations(NAMES, patterns[which], {"out": decided[which]}, {"out": true[which]})


def rules(seen: Observations) -> Any:
    declaration: Any = SimpleNamespace(decided={"out": SimpleNamespace(classes=("false", "true"))})
    return output_rules(declaration, seen, {"out": NAMES}, Unseen.DONT_CARE, {})["out"].classes[
        "true"
    ]


@pytest.mark.parametrize("seed", range(3))
def test_the_few_rules_that_it_mostly_goes_by_are_found_and_measured(seed):
    seen = decisions(10, seed)
    rule = rules(seen)
    assert rule.fidelity == 1
    assert len(rule.clauses) > 4
    assert rule.mostly.formula == "(a & b) | (c & ~d)"
    values = {name: seen.patterns[:, i] for i, name in enumerate(NAMES)}
    says, decided = parse(rule.mostly.formula).evaluate(values), seen.decided["out"]
    assert rule.mostly.fidelity == pytest.approx((says == decided).mean())
    at = parse(rule.mostly.exception).evaluate(values)
    assert rule.mostly.exceptions == (at & (says != decided)).sum() == 3


def test_a_network_that_goes_by_few_rules_has_nothing_besides():
    assert rules(decisions(0, 0)).mostly is None


def test_it_is_said_in_a_sentence():
    rule = rules(decisions(10, 0))
    drawn = Extraction(
        RuleSet(NAMES, {"out": {"true": parse(rule.formula)}}),
        {"out": OutputRules(list(NAMES), False, {"true": rule}, 0, None)},
        None,
        Unseen.DONT_CARE,
        num_graphs=5,
        num_elements=1000,
        is_exact=False,
    )
    (line,) = [line for line in drawn.with_remarks().rule_set.remarks if "mostly" in line]
    assert line.startswith(
        "For out = true the network mostly goes by '(a & b) | (c & ~d)': that is what it decided "
        "at "
    )
    assert "; otherwise most often where '" in line
