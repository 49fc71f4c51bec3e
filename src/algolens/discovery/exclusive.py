"""Rules of which exactly one holds."""

from __future__ import annotations

import numpy as np
import torch

from algolens.errors import FormulaError
from algolens.logic import Formula, minimal_rules, not_exactly_one
from algolens.logic.formula import MASK_CLASSES
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet

MOST_CONCEPTS = 16


def exclusive(rule_set: RuleSet) -> RuleSet:
    """The same decisions by rules of which exactly one holds on every pattern.

    Rules that were drawn from samples may overlap, or leave patterns out: the first that holds
    counts, else the first class.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rule_set = RuleSet.parse(["a", "b"], {"color": {"0": "a", "1": "b"}})
    >>> print(exclusive(rule_set))
    color = 0: a | ~b
    color = 1: ~a & b
    """
    wrong = {
        output for output, classes in rule_set.rules.items() if not_exactly_one(classes) is not None
    }
    if not wrong:
        return rule_set
    if len(rule_set.concepts) > MOST_CONCEPTS:
        raise FormulaError(
            f"rules of {len(rule_set.concepts)} concepts overlap, or leave patterns out; of "
            f"{MOST_CONCEPTS} at most they can be told apart: declare fewer concepts, or take "
            "rules of which exactly one holds."
        )
    patterns = all_patterns(len(rule_set.concepts))
    decided = rule_set.decide(torch.from_numpy(patterns))
    rules = {
        output: _apart(rule_set.concepts, tuple(classes), decided[output].numpy())
        if output in wrong
        else dict(classes)
        for output, classes in rule_set.rules.items()
    }
    return RuleSet(rule_set.concepts, rules, rule_set.continues).with_remarks(rule_set.remarks)


def _apart(
    concepts: tuple[str, ...], labels: tuple[str, ...], decided: np.ndarray
) -> dict[str, Formula]:
    order = MASK_CLASSES if set(labels) == set(MASK_CLASSES) else labels
    rows = np.arange(len(decided))
    return {
        label: minimal_rules(concepts, rows[decided == number], rows[decided != number]).formula
        for number, label in enumerate(order)
    }
