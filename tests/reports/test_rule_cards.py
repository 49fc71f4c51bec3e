"""Rules as a picture: every concept of a rule is on its card, much is cut with a count, and trees
stay legible.
"""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algolens.extraction import Clause, Extraction, OutputRules, Rule, Tree, Unseen
from algolens.logic import Formula, parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet
from algolens.reports.rule_cards import MOST_CLAUSES, RuleCards, _tokens, _wrapped, formula_in_words
from algolens.reports.trees import MOST_LEAVES, Question, draw_explanation, questions_of
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


def entry(rule: str, clauses: int) -> Extraction:
    concepts = tuple(f"c{i}" for i in range(clauses * 2))
    held = tuple(Clause(parse(each), i) for i, each in enumerate(rule.split(" | ")))
    found = Rule(parse(rule), held, True, "", support=5, fidelity=1.0, accuracy=0.5)
    return Extraction(
        RuleSet(concepts, {"output": {"true": parse(rule)}}, None),
        {"output": OutputRules(concepts, {"true": found}, 0, None, read=False)},
        None,
        Unseen.DONT_CARE,
        num_graphs=2,
        num_elements=10,
        is_exact=False,
    )


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

    figure = draw_explanation("title", entry("c0 & ~c1", 1), [parity(7, 1), parity(3)])
    cards, large, small = figure.axes
    words = [text.get_text() for text in large.texts]
    assert sum(bool(re.fullmatch(r"c\d\?", word)) for word in words) == 15
    assert words.count("...") <= MOST_LEAVES
    assert "112 questions are left out" in large.get_title("left")  # of 127
    assert "99.99 %" in large.get_title("left")  # only the whole is called 100 %
    assert small.get_title("left") == "output as a tree: 100.00 % as the network"
    # eight answers, and two words at each of seven questions
    assert sum(text.get_text() in ("yes", "no") for text in small.texts) == 8 + 2 * 7
    assert all(axes.get_position().x1 <= 1 for axes in (cards, large, small))


@given(st.lists(st.integers(0, 2), min_size=8, max_size=8))
def test_a_tree_decides_as_it_was_fitted_and_asks_nothing_in_vain(classes):
    patterns, labels = all_patterns(3), ("a", "b", "c")
    tree = Tree("output", ("c0", "c1", "c2"), labels, patterns, np.eye(3, dtype=int)[classes])
    root = questions_of(tree)
    for pattern, number in zip(patterns, classes, strict=True):
        part = root
        while isinstance(part, Question):
            assert part.yes != part.no
            part = part.yes if pattern[tree.concepts.index(part.concept)] else part.no
        assert part.label == labels[number]


def test_opposites_are_said_as_people_say_them():
    assert (
        formula_in_words(parse("~is_colored & ~color_1_seen & has_priority"))
        == "is not colored and not color 1 seen and has priority"
    )
