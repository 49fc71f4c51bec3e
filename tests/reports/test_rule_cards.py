"""Rules as a picture: every concept of a rule is on its card, much is cut with a count, and trees
stay legible.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from algolens.extraction import Tree
from algolens.logic import Formula, parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet
from algolens.reports.rule_cards import MOST_CLAUSES, RuleCards, _tokens, _wrapped, formula_in_words
from algolens.reports.trees import MOST_LEAVES, draw_explanation
from tests.strategies import formulas


@given(formulas())
def test_a_wrapped_rule_loses_no_word(formula: Formula):
    tokens = list(_tokens(formula))
    lines = _wrapped(tokens, 4.0)
    assert [token for line in lines for token in line] == tokens
    for line in lines:
        assert (
            sum(token.width for token in line) <= 4.0
            or sum(token.holds is not None for token in line) <= 1
        )
        assert line[0].words != ")"
    assert {name.replace("_", " ") for name in formula.names} <= {
        token.words.replace("not ", "", 1) for token in tokens if token.holds is not None
    }


def entry(rule: str, clauses: int) -> dict[str, Any]:
    concepts = tuple(f"c{i}" for i in range(clauses * 2))
    found = {
        "true": {
            "support": 5,
            "fidelity": 1.0,
            "accuracy": 0.5,
            "clauses": [
                {"formula": each, "support": i} for i, each in enumerate(rule.split(" | "))
            ],
        },
    }
    rule_set = RuleSet(concepts, {"output": {"true": parse(rule)}}, None)
    return {
        "rule_set": rule_set,
        "elements": 10,
        "graphs": 2,
        "outputs": {"output": {"classes": found}},
        "termination": None,
    }


def test_of_many_clauses_those_that_hold_most_are_shown_and_the_rest_counted():
    rule = " | ".join(f"(c{2 * i} & c{2 * i + 1})" for i in range(20))
    (card,) = RuleCards("many", entry(rule, 20)).cards
    words = [token.words for token in card.tokens]
    assert sum(word.startswith("c") for word in words) == 2 * MOST_CLAUSES
    assert words[-1].startswith(f"or one of {20 - MOST_CLAUSES} more clauses")
    assert card.share == 0.5


def test_a_large_tree_is_cut_and_says_by_how_much():
    def parity(num_concepts: int, num_odd: int = 0) -> Tree:
        """A tree that asks for every concept on every path; some decisions contradict it."""
        patterns = all_patterns(num_concepts)
        counts = np.eye(2, dtype=int)[patterns.sum(1) % 2] * 1000
        counts[0, 1] = num_odd
        names = tuple(f"c{i}" for i in range(num_concepts))
        return Tree("output", names, ("false", "true"), patterns, counts)

    figure = draw_explanation("title", entry("c0 & ~c1", 1), [parity(7, 1), parity(3)], "a note")
    cards, large, small = figure.axes
    words = [text.get_text() for text in large.texts]
    assert sum(word.startswith("not c") for word in words) == 15
    assert len(words) - 15 <= MOST_LEAVES + 2  # True and False stand beside the first question
    assert "112 questions are left out" in large.get_title("left")  # of 127
    assert "99.99 %" in large.get_title("left")  # only the whole is called 100 %
    assert small.get_title("left") == "output as a tree: 100.00 % as the network"
    assert sum(text.get_text() in ("false", "true") for text in small.texts) == 8
    assert all(axes.get_position().x1 <= 1 for axes in (cards, large, small))


def test_opposites_are_said_as_people_say_them():
    assert (
        formula_in_words(parse("~is_colored & ~color_1_seen & has_priority"))
        == "is not colored and not color 1 seen and has priority"
    )
