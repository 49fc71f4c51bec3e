"""Laws of rules from noisy samples: the hidden formula comes back, and nothing changes where
samples are clean.
"""

from __future__ import annotations

import sqlite3
import time
from itertools import product
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algolens.errors import ExtractionError
from algolens.logic.patterns import all_patterns
from algolens.rules import RuleClassifier
from tests.effort import examples, in_proportion
from tests.strategies import NAMES

matplotlib.use("Agg")


def hidden(num_concepts, num_samples, noise, seed, concept_noise=0.0):
    """Noisy samples of 4 clauses of 3 literals; then every pattern, and the truth of it."""
    random = np.random.default_rng(seed)
    clauses = [
        (random.choice(num_concepts, 3, replace=False), random.random(3) > 0.5) for _ in range(4)
    ]

    def truth(patterns):
        return np.any([(patterns[:, places] == signs).all(1) for places, signs in clauses], axis=0)

    X = random.random((num_samples, num_concepts)) > 0.5
    y = truth(X) ^ (random.random(num_samples) < noise)
    X = X ^ (random.random(X.shape) < concept_noise)
    return X, y, all_patterns(num_concepts), truth(all_patterns(num_concepts))


@pytest.mark.parametrize(
    ("num_samples", "noise"), [(2000, 0.0), (2000, 0.05), (2000, 0.1), (10_000, 0.2)]
)
@pytest.mark.parametrize("seed", range(in_proportion(4)))
def test_a_hidden_formula_comes_back_through_noise(num_samples, noise, seed):
    X, y, patterns, truth = hidden(10, num_samples, noise, seed)
    classifier = RuleClassifier().fit(X, y)
    assert (classifier.predict(patterns) == truth).all()
    assert len(classifier.rules_[True].clauses) <= 4


@pytest.mark.parametrize("swap", [False, True])
def test_either_class_may_be_the_one_with_the_short_rule(swap):
    X, y, patterns, truth = hidden(10, 2000, 0.05, 0)
    classifier = RuleClassifier().fit(X, y ^ swap)
    assert (classifier.predict(patterns) == truth ^ swap).all()
    assert classifier.list_.order == (0 if swap else 1,)


def test_noise_in_concepts_leaves_the_rule():
    X, y, patterns, truth = hidden(10, 4000, 0.0, 1, concept_noise=0.02)
    assert (RuleClassifier().fit(X, y).predict(patterns) == truth).all()


@examples(40)
@given(st.lists(st.booleans(), min_size=16, max_size=16), st.sets(st.integers(0, 15), min_size=1))
def test_clean_samples_get_exact_and_smallest_rules(table, rows):
    X, y = all_patterns(4)[sorted(rows)], np.array(table)[sorted(rows)]
    classifier, exact = RuleClassifier().fit(X, y), RuleClassifier(noise="none").fit(X, y)
    assert classifier.score(X, y) == 1
    for label, rule in classifier.rules_.items():
        assert rule.proven
        assert len(rule.clauses) == len(exact.rules_[label].clauses)


def test_several_classes_with_noise():
    random = np.random.default_rng(0)
    X = random.random((4000, 8)) > 0.5
    truth = np.where(X[:, 0] & X[:, 1], "both", np.where(~X[:, 0] & X[:, 2], "third", "none"))
    y = np.where(random.random(4000) < 0.1, random.choice(["both", "third", "none"], 4000), truth)
    classifier = RuleClassifier().fit(X, y)
    assert classifier.score(X, truth) == 1
    assert [row.rule for row in classifier.rule_rows()] == ["x0 & x1", "~x0 & x2", "otherwise"]


def test_labels_without_a_pattern_get_no_rule():
    random = np.random.default_rng(0)
    classifier = RuleClassifier().fit(random.random((3000, 12)) > 0.5, random.random(3000) < 0.4)
    assert [row.rule for row in classifier.rule_rows()] == ["otherwise"]


def test_copies_of_concepts_are_not_spoken_of():
    X, y, _, _ = hidden(8, 2000, 0.05, 0)
    alone, doubled = (
        RuleClassifier().fit(X, y),
        RuleClassifier().fit(np.concatenate([X, X, ~X], 1), y),
    )
    assert str(alone.rules_[True]) == str(doubled.rules_[True])


def test_the_trade_off_is_kept():
    X, y, _, _ = hidden(10, 2000, 0.05, 0)
    classifier = RuleClassifier().fit(X, y)
    scores = [classifier.rules_at(clauses).score(X, y) for clauses in range(6)]
    assert scores == sorted(scores)
    assert scores[4] == classifier.score(X, y) == classifier.rules_at(4).accuracy_
    assert all(len(classifier.rules_at(2).rules_[label].clauses) <= 2 for label in (False, True))
    with pytest.raises(ExtractionError, match="no trade-off"):
        RuleClassifier(noise="none").fit(X, y).rules_at(1)


def test_of_two_nearly_equal_concepts_a_rule_speaks_of_one():
    X, y, _, _ = hidden(8, 2000, 0.05, 0)
    random = np.random.default_rng(1)
    near = X[:, :3] ^ (random.random((len(X), 3)) < 0.01)
    alone, beside = (
        RuleClassifier().fit(X, y),
        RuleClassifier().fit(np.concatenate([X, near], 1), y),
    )
    assert len(beside.rules_[True].clauses) == len(alone.rules_[True].clauses)
    assert beside.score(np.concatenate([X, X[:, :3]], 1), y) >= alone.score(X, y) - 0.002


def test_a_pattern_that_came_as_often_with_both_labels_does_not_make_a_rule_longer():
    X, y, patterns, truth = hidden(6, 3000, 0.1, 0)
    tie = (X[0] == X).all(1)
    X, y = X[~tie], y[~tie]
    X, y = (
        np.concatenate([X, np.tile(patterns[truth][:1], (8, 1))]),
        np.concatenate([y, [True, False] * 4]),
    )
    assert len(RuleClassifier().fit(X, y).rules_[True].clauses) <= 4


def test_a_rule_that_errs_is_proven_to_be_the_shortest_description():
    random = np.random.default_rng(0)
    X = random.random((300, 6)) > 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 3] & ~X[:, 4])) ^ (random.random(300) < 0.1)
    classifier = RuleClassifier().fit(X, y)
    assert str(classifier.rules_[True]) == "(x0 & x1) | (x3 & ~x4)"
    assert "it is proven that no formula has a shorter one" in classifier.prove().optimality_[True]
    assert str(classifier.rules_[True]) == "(x0 & x1) | (x3 & ~x4)"


def test_ends_of_noughts_and_crosses_give_the_eight_lines():
    boards = [
        board for board in product("xo ", repeat=9) if board.count("x") - board.count("o") in (0, 1)
    ]
    drawn = np.random.default_rng(0).choice(len(boards), 1500, replace=False)
    X = np.array([[mark == cell for cell in boards[i] for mark in "xo"] for i in drawn])
    crosses = X[:, ::2]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    classifier = RuleClassifier().fit(
        X, np.any([crosses[:, line].all(1) for line in lines], axis=0)
    )
    assert {clause.names for clause in classifier.rules_[True].clauses} == {
        tuple(f"x{2 * i}" for i in line) for line in lines
    }


def test_a_limit_of_time_is_kept():
    random = np.random.default_rng(0)
    X, y = random.random((20_000, 100)) > 0.5, random.random(20_000) > 0.5
    began = time.process_time()
    with pytest.warns(UserWarning, match="stopped after 0.01 seconds"):
        RuleClassifier(seconds=0.01).fit(X, y)
    assert time.process_time() - began < 5


def test_a_weight_stands_for_so_many_samples_and_classes_have_weights():
    X, y = all_patterns(1), np.array([0, 1])
    X, y = np.concatenate([X, X]), np.concatenate([y, [1, 0]])
    assert RuleClassifier().fit(X, y, sample_weight=[3, 3, 1, 1]).predict([[0], [1]]).tolist() == [
        0,
        1,
    ]
    assert RuleClassifier().fit(X, y, sample_weight=[1, 1, 3, 3]).predict([[0], [1]]).tolist() == [
        1,
        0,
    ]
    assert RuleClassifier(class_weight={0: 1, 1: 9}).fit(X, y).predict([[0], [1]]).tolist() == [
        1,
        1,
    ]
    with pytest.raises(ExtractionError, match="weights of all samples are zero"):
        RuleClassifier(class_weight={0: 0, 1: 0}).fit(X, y)


def test_what_is_missing_can_be_a_concept():
    X = np.array([[1, np.nan], [0, np.nan], [1, 0], [0, 1]] * 5)
    classifier = RuleClassifier(missing="concept").fit(X, [1, 1, 0, 0] * 5)
    assert str(classifier.rules_[1]) == "x1_is_missing"
    assert classifier.predict([[0, np.nan], [0, 0]]).tolist() == [1, 0]


@st.composite
def fitted(draw: st.DrawFn) -> RuleClassifier:
    """A classifier of two or three classes with names."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 15), st.sampled_from(["bird", "fish", "o'clock"])),
            min_size=1,
            max_size=60,
        )
    )
    return RuleClassifier(feature_names=NAMES).fit(
        all_patterns(4)[[row[0] for row in rows]], [row[1] for row in rows]
    )


@settings(deadline=None)
@given(fitted())
def test_sql_python_and_the_program_say_what_the_classifier_says(classifier):
    patterns = all_patterns(4)
    said = classifier.predict(patterns).tolist()
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE samples ({', '.join(NAMES)})")
    database.executemany("INSERT INTO samples VALUES (?, ?, ?, ?)", patterns.astype(int).tolist())
    assert [
        row[0]
        for row in database.execute(f"SELECT {classifier.to_sql()} FROM samples ORDER BY rowid")
    ] == said
    rule_set = classifier.rule_set("kind")
    assert [
        row[0]
        for row in database.execute(
            f"SELECT {rule_set.to_sql()['kind']} FROM samples ORDER BY rowid"
        )
    ] == said
    assert [
        classifier.classes_[k] for k in rule_set.decide(torch.from_numpy(patterns))["kind"].tolist()
    ] == said
    module: dict[str, Any] = {}
    exec(classifier.to_python_source(), module)
    assert [module["CLASSES"]["label"][int(k)] for k in module["decide"](patterns)["label"]] == said


@settings(deadline=None)
@given(fitted())
def test_what_fired_is_what_decided(classifier):
    patterns = all_patterns(4)
    rows = classifier.rule_rows()
    assert rows[-1].rule == "otherwise"
    for pattern, label, fired in zip(
        patterns, classifier.predict(patterns), classifier.fired(patterns), strict=True
    ):
        values = dict(zip(NAMES, pattern.tolist(), strict=True))
        assert fired.label == label
        assert bool(fired.rules) == (label != rows[-1].prediction)
        assert all(rule.evaluate(values) for rule in fired.rules)
        for near in fired.nearest:
            assert near.label != label
            assert near.fails
            assert not any(literal.evaluate(values) for literal in near.fails)


def test_the_table_counts_what_the_rules_hold_for():
    X, y, _, _ = hidden(8, 500, 0.05, 0)
    classifier = RuleClassifier().fit(X, y)
    values = dict(zip(classifier.concepts_, X.T, strict=True))
    *rows, last = classifier.rule_rows()
    for row, clause in zip(rows, classifier.rules_[rows[0].prediction].clauses, strict=True):
        held = clause.evaluate(values)
        assert row.support == held.sum()
        assert row.precision == pytest.approx((y[held] == row.prediction).mean())
        assert row.coverage == pytest.approx(
            (y[held] == row.prediction).sum() / (y == row.prediction).sum()
        )
    assert last.support == (classifier.predict(X) == last.prediction).sum()


def test_a_data_frame_goes_in_and_a_table_comes_out_where_pandas_is_installed():
    pandas = pytest.importorskip("pandas")
    samples = pandas.DataFrame(
        {"has wings": [True, True, False, None], "swims": [False, True, True, True]}, dtype=float
    )
    named = RuleClassifier(missing="concept").fit(samples, ["bird", "bird", "fish", "fish"])
    assert named.concepts_ == ("has_wings", "swims", "has_wings_is_missing")
    assert named.predict(samples).tolist() == ["bird", "bird", "fish", "fish"]
    frame = (
        RuleClassifier(feature_names=["wings", "swims"])
        .fit([[1, 0], [1, 1], [0, 1]], ["bird", "bird", "fish"])
        .get_rules()
    )
    assert list(frame.columns) == [
        "rule",
        "prediction",
        "support",
        "precision",
        "coverage",
        "exception_to",
    ]
    assert frame["prediction"].tolist() == ["fish", "bird"]


def test_the_picture_shows_the_trade_off_of_each_class():
    X, y, _, _ = hidden(8, 500, 0.05, 0)
    classifier = RuleClassifier().fit(X, y)
    axes = classifier.plot_trade_off()
    assert len(axes.lines) == 4


def test_a_proof_may_take_its_time(monkeypatch):
    monkeypatch.setattr("algolens.rules.fitting.PROOF_SECONDS", 0.0)
    X, y, _, _ = hidden(15, 2000, 0.0, 0)
    classifier = RuleClassifier().fit(X, y)
    assert classifier.score(X, y) == 1
    assert not classifier.rules_[True].proven
    assert classifier.prove().rules_[True].proven
