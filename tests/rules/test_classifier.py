"""Laws of the rule classifier; scikit-learn's own checks among them."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import estimator_checks_generator

from algolens.algorithms import algorithm, algorithms
from algolens.errors import ExtractionError, FormulaError
from algolens.logic.patterns import all_patterns
from algolens.rules import RuleClassifier
from algolens.rules.trade_off import Labelled
from tests.strategies import NAMES

CHECKS = list(estimator_checks_generator(RuleClassifier(), mark="skip"))


# scikit-learn's checks come with numbers that are no concepts
@pytest.mark.filterwarnings("ignore:X holds numbers")
@pytest.mark.parametrize(
    ("estimator", "check"),
    CHECKS,
    ids=[getattr(check, "func", check).__name__ for _, check in CHECKS],
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


@st.composite
def samples(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Patterns, some of them many times, with labels that may contradict each other."""
    rows = draw(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 2)), min_size=1, max_size=30))
    return all_patterns(4)[[row[0] for row in rows]], np.array([row[1] for row in rows])


@settings(deadline=None)
@given(samples(), st.sampled_from(["dont-care", "negative"]))
def test_every_pattern_gets_its_most_frequent_label(seen, unseen):
    X, y = seen
    classifier = RuleClassifier(unseen=unseen).fit(X, y)
    rows = X @ [8, 4, 2, 1]
    mixed = 0
    for row in set(rows.tolist()):
        labels = y[rows == row].tolist()
        (predicted,) = classifier.predict(all_patterns(4)[[row]])
        assert labels.count(predicted) == max(map(labels.count, labels))
        mixed += len(set(labels)) > 1
    assert len(classifier.conflicts_) == mixed
    assert all(sum(conflict.counts.values()) > 1 for conflict in classifier.conflicts_)
    best = sum(max(np.bincount(y[rows == row])) for row in set(rows.tolist()))
    assert classifier.score(X, y) == best / len(y)
    if unseen == "negative":
        others = [row for row in range(16) if row not in rows]
        values = dict(zip(classifier.concepts_, all_patterns(4)[others].T, strict=True))
        assert not any(np.any(rule.formula.evaluate(values)) for rule in classifier.rules_.values())


@settings(deadline=None)
@given(samples())
def test_the_program_decides_as_the_classifier_does(seen):
    X, y = seen
    classifier = RuleClassifier(feature_names=NAMES).fit(X, y)
    decided = classifier.rule_set("label").decide(torch.from_numpy(all_patterns(4)))["label"]
    assert (classifier.classes_[decided.int().numpy()] == classifier.predict(all_patterns(4))).all()


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_a_decoder_that_is_right_gives_the_true_rules(name):
    rule_set = algorithm(name).declaration.rule_set
    patterns = all_patterns(len(rule_set.concepts))
    for output, decided in rule_set.decide(torch.from_numpy(patterns)).items():
        learner = RuleClassifier(noise="none", feature_names=rule_set.concepts)
        classifier = learner.fit(patterns, decided.numpy())
        again = classifier.rule_set(output).decide(patterns)[output]
        assert (classifier.classes_[again.astype(int)] == decided.numpy()).all()
        for label, rule in classifier.rules_.items():
            assert rule.proven
            assert (rule.formula.table(rule_set.concepts) == (decided == label).numpy()).all()


def test_more_concepts_than_fit_into_a_word():
    random = np.random.default_rng(0)
    X = random.random((2000, 112)) > 0.5
    y = (X[:, 5] & ~X[:, 77]) | (X[:, 100] & X[:, 3])
    classifier = RuleClassifier().fit(X, y)
    assert str(classifier.rules_[True]) == "(x3 & x100) | (x5 & ~x77)"
    assert classifier.score(X, y) == 1
    with pytest.raises(ExtractionError, match="112 concepts are needed"):
        RuleClassifier(unseen="negative").fit(X, y)


def test_samples_are_put_together_by_pattern():
    patterns, labels = np.array([[True], [False], [True]]), np.array([1, 0, 0])
    seen = Labelled.of(patterns, labels, 2)
    assert seen.patterns.tolist() == [[False], [True]]
    assert seen.counts.tolist() == [[1, 0], [1, 1]]
    assert seen.labels.tolist() == [0, 0]


def test_logits_take_a_threshold_of_zero():
    X, y = np.array([[-1.5, 2.0], [0.3, -0.1]]), [0, 1]
    with pytest.warns(UserWarning, match="0 for logits"):
        RuleClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(RuleClassifier(threshold=0).fit(X, y).rules_[1]) == "x0"
        RuleClassifier().fit(np.abs(X) / 2, y)


def test_misuse_is_refused_with_a_hint():
    X, y = all_patterns(2), [0, 0, 0, 1]
    with pytest.raises(ExtractionError, match="one of: dont-care, negative"):
        RuleClassifier(unseen="positive").fit(X, y)
    with pytest.raises(ExtractionError, match="3 different names came for 2 concepts"):
        RuleClassifier(feature_names=NAMES[:3]).fit(X, y)
    with pytest.raises(FormulaError, match="cannot name a concept"):
        RuleClassifier(feature_names=["a b", "c"]).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RuleClassifier().fit(X, y[:3])
    with pytest.raises(ValueError, match="NaN"):
        RuleClassifier().fit([[np.nan]], [1])


@settings(deadline=None)
@given(samples())
def test_a_program_says_how_often_it_gives_the_label_of_a_sample(drawn):
    X, y = drawn
    classifier = RuleClassifier().fit(X, y)
    right = int((classifier.predict(X) == y).sum())
    (remark,) = classifier.rule_set().remarks
    assert (
        f"all {len(y):,} samples" if right == len(y) else f"{right:,} of {len(y):,} samples"
    ) in remark
    assert remark.startswith("WARNING") == (right < len(y))


def test_importing_it_loads_neither_pytorch_nor_scipy():
    """scikit-learn itself loads SciPy: it comes with the class, not with the package."""
    lines = """
import sys
from algolens.logic import minimal_rules
import algolens.rules
print(sorted({"torch", "scipy", "sklearn"} & set(sys.modules)))
from algolens.rules import RuleClassifier
RuleClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]).predict([[0, 1]])
print("torch" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert told.stdout.split("\n")[:2] == ["[]", "False"]
