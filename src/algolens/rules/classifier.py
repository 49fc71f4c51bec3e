"""Rules from any boolean concepts and labels, as a scikit-learn classifier: no graphs, no
network.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from algolens.errors import ExtractionError
from algolens.logic import Minimised
from algolens.rules.exports import RuleExports
from algolens.rules.fitting import RuleFitting
from algolens.rules.rule_list import RuleList, truth
from algolens.rules.samples import ConceptColumns, Conflict, Labelled

UNSEEN = ("dont-care", "negative")
NOISE = ("auto", "none")
MISSING = ("refuse", "concept")
SEARCHING = 0.6  # of the time that is given, at most


class RuleClassifier(RuleExports, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The simplest rules that the samples support, from concepts X ([samples, concepts]) and labels
    y.

    X holds bools, or numbers that count as true above ``threshold``: 0.5 suits probabilities and
    zeros and ones, 0 suits logits. Where the samples are clean, the rules are exact, and smallest.
    Where labels or concepts are noisy, they are those that describe the labels in the fewest bits,
    rules and exceptions together; ``rules_at`` gives the others.

    A sample gets the first class of ``list_`` whose rule holds, and the class for the rest where
    none does. Of two classes the one with the shorter rule is asked for.

    threshold: above it, a number counts as true.
    noise: "auto" lets rules err on some samples where the samples speak for it, a thousand to one;
        "none" gives every pattern its most frequent label.
    unseen: what rules say of patterns that never came: "dont-care" gives the shortest rules,
        "negative" none that goes beyond what came, and errs on no pattern.
    missing: "refuse" refuses missing values (NaN); "concept" lets a missing concept count as false,
        and adds a concept NAME_is_missing where one is missing in the samples.
    class_weight: a factor for the samples of each class, or "balanced", as elsewhere in
        scikit-learn.
    feature_names: a name for each concept, of letters, digits and underscores; else the columns'
        names, with an underscore for every other mark, or x0, x1, ...
    seconds: how long fitting may take. Proofs are tried for a moment; ``prove`` takes its time.

    After fitting: ``rules_`` (a ``Minimised`` for each class), ``list_`` (their order),
    ``trade_offs_`` (errors by number of clauses, for each class), ``conflicts_`` (patterns that
    came with several labels), ``classes_``, ``concepts_`` (the names), ``n_features_in_``,
    ``accuracy_`` on the ``n_samples_`` that they were fitted to, and ``optimality_`` (a sentence
    for each class: what is known of its rule).

    >>> X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> y = ["stay", "stay", "stay", "go", "go"]
    >>> classifier = RuleClassifier(feature_names=["wet", "warm", "windy"]).fit(X, y)
    >>> {label: str(rule) for label, rule in classifier.rules_.items()}
    {'go': 'wet & warm', 'stay': '~wet | ~warm'}
    >>> classifier.predict([[1, 1, 0]]).tolist(), classifier.rules_["go"].proven
    (['go'], True)

    With labels of which one in twenty is wrong:

    >>> random = np.random.default_rng(0)
    >>> X = random.random((2000, 10)) > 0.5
    >>> y = (X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3])
    >>> noisy = RuleClassifier().fit(X, y ^ (random.random(2000) < 0.05))
    >>> str(noisy.rules_[True]), noisy.score(X, y)
    ('(x0 & x1) | (x2 & ~x3)', 1.0)
    """

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        noise: str = "auto",
        unseen: str = "dont-care",
        missing: str = "refuse",
        class_weight: Any = None,
        feature_names: Sequence[str] | None = None,
        seconds: float = 10.0,
    ) -> None:
        self.threshold = threshold
        self.noise = noise
        self.unseen = unseen
        self.missing = missing
        self.class_weight = class_weight
        self.feature_names = feature_names
        self.seconds = seconds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RuleClassifier:
        """The rules by which the labels y ([samples]) follow from the concepts X.

        sample_weight: [samples] as how many samples each counts.
        """
        began = time.monotonic()
        self._check_settings()
        X, y = validate_data(self, X, y, ensure_all_finite=self._finite)
        check_classification_targets(y)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if self.class_weight is not None:
            of_class = compute_sample_weight(self.class_weight, y)
            weights = of_class if weights is None else weights * of_class
        if weights is not None:
            counts = weights > 0
            if not counts.any():
                raise ExtractionError(
                    "the weights of all samples are zero: give at least one that counts."
                )
            X, y, weights = X[counts], y[counts], weights[counts]
        return self._fit_patterns(self._read(X), y, weights, self.noise, began)

    def fit_decoder(self, X: Any, decode: Callable[[np.ndarray], Any]) -> RuleClassifier:
        """The rules of a decoder on the concepts X, of which each distinct pattern is decoded once:
        exact, for it has no noise.

        ``decode`` takes [patterns, concepts] zeros and ones, and gives a label, or a score for each
        class, for every pattern.

        >>> decoder = lambda patterns: patterns @ [[0.0, 1.0], [0.0, -2.0]]
        >>> str(RuleClassifier().fit_decoder([[0, 0], [0, 1], [1, 0], [1, 1]], decoder).rules_[1])
        'x0 & ~x1'
        """
        began = time.monotonic()
        self._check_settings()
        X = validate_data(self, X, ensure_all_finite=self._finite)
        patterns = np.unique(self._read(X), axis=0)
        decoded = np.asarray(decode(patterns.astype(float)))
        if decoded.ndim == 0 or len(decoded) != len(patterns) or decoded.ndim > 2:
            raise ExtractionError(
                f"the decoder gave an array of shape {list(decoded.shape)} for {len(patterns)} "
                f"patterns; it should give [{len(patterns)}] labels, or [{len(patterns)}, classes] "
                "scores."
            )
        return self._fit_patterns(
            patterns, decoded.argmax(1) if decoded.ndim == 2 else decoded, None, "none", began
        )

    def _read(self, X: np.ndarray) -> np.ndarray:
        """[samples, concepts] bools; how columns are read is kept."""
        columns = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        self._columns = ConceptColumns.learnt(
            X, self.threshold, self.missing, self.feature_names, columns
        )
        self.concepts_ = self._columns.names
        return self._columns.as_bools(X)

    def _fit_patterns(
        self,
        patterns: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None,
        noise: str,
        began: float,
    ) -> RuleClassifier:
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._labels = [_plain(label) for label in self.classes_]
        self._seen = seen = Labelled.of(patterns, labels, len(self.classes_), weights)
        self._fitting = RuleFitting(seen, seen.without_copies(), self.concepts_)
        self.conflicts_: tuple[Conflict, ...] = seen.conflicts(self.concepts_, self._labels)
        self.trade_offs_ = {}
        if noise == "none" or self.unseen == "negative":
            fit = self._fitting.nowhere_else if self.unseen == "negative" else self._fitting.exact
            seconds = self.seconds / len(self.classes_)
            rules = [fit(number, seconds) for number in range(len(self.classes_))]
        else:
            deadline, now = began + self.seconds, time.monotonic()
            # what is found is measured on all samples, which takes about as long as reading them
            until = min(began + SEARCHING * self.seconds, deadline - (now - began))
            rules, curves = self._fitting.supported(max(until, now + 0.1 * self.seconds), deadline)
            self.trade_offs_ = dict(zip(self._labels, curves, strict=True))
            if not all(curve.in_time for curve in curves):
                warnings.warn(
                    f"the search for rules was stopped after {self.seconds:g} seconds; simpler or "
                    "better rules may exist. Give more seconds, or fewer concepts.",
                    stacklevel=3,
                )
        decided = self._set_rules(rules)
        if weights is None:
            self.accuracy_ = self._share_right(decided)
        else:
            self.accuracy_ = float((self.list_.decide(self._holds(patterns)) == labels).mean())
        self.n_samples_ = len(patterns)
        return self

    def _set_rules(self, rules: Sequence[Minimised]) -> np.ndarray:
        """[P] what the rules, as the shortest list, decide of each pattern that was seen."""
        self.rules_ = dict(zip(self._labels, rules, strict=True))
        holds = self._holds(self._seen.patterns)
        self.list_ = RuleList.shortest(rules, holds, self._seen.counts, len(self.concepts_))
        return self.list_.decide(holds)

    def _share_right(self, decided: np.ndarray) -> float:
        """Of the samples, by their weight. decided: [P] the class of each pattern."""
        counts = self._seen.counts
        return float(counts[np.arange(len(decided)), decided].sum() / counts.sum())

    @property
    def optimality_(self) -> dict[Any, str]:
        """What is known of the rule of each class: that none is better, or what a better one would
        take at least.
        """
        check_is_fitted(self)
        return {label: rule.how for label, rule in self.rules_.items()}

    def prove(self, seconds: float = 60.0) -> RuleClassifier:
        """Takes so long to find smaller rules that are as exact, or to prove that there are none.

        A rule that errs is replaced where one with a shorter description is found; ``optimality_``
        then says whether it is proven that none is shorter, or what the shortest takes at least.
        """
        check_is_fitted(self)
        seconds = seconds / len(self.rules_)
        self._set_rules(
            [
                self._proven(number, rule, seconds)
                for number, rule in enumerate(self.rules_.values())
            ]
        )
        return self

    def _proven(self, number: int, rule: Minimised, seconds: float) -> Minimised:
        held = self._holds(self._seen.patterns)[number]
        is_exact = bool((held == (self._seen.labels == number)).all())
        if rule.proven:
            return rule
        if is_exact:
            return self._fitting.exact(number, seconds)
        curve = self.trade_offs_.get(self._labels[number])
        return rule if curve is None else self._fitting.shortest(number, curve, rule, seconds)

    def rules_at(self, complexity: int) -> RuleClassifier:
        """The same classifier with at most so many clauses in every rule: another point of the
        trade-off.

        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> classifier = RuleClassifier().fit(X, [0, 1, 1, 1] * 10)
        >>> [classifier.rules_at(clauses).accuracy_ for clauses in (0, 1, 2)]
        [0.75, 1.0, 1.0]
        """
        check_is_fitted(self)
        if not self.trade_offs_:
            raise ExtractionError(
                "there is no trade-off to choose from: rules that err on no pattern were asked "
                "for. Fit with noise='auto' and unseen='dont-care'."
            )
        other = copy.copy(self)
        rules = [
            rule
            if len(rule.clauses) <= complexity
            else self._fitting.as_rule(self.trade_offs_[label].at(complexity))
            for label, rule in self.rules_.items()
        ]
        decided = other._set_rules(rules)
        other.accuracy_ = self._share_right(decided)
        return other

    def predict(self, X: Any) -> np.ndarray:
        """[samples] the class of each, by the rules."""
        check_is_fitted(self)
        return self.classes_[self.list_.decide(self._holds(self._patterns(X)))]

    def _patterns(self, X: Any) -> np.ndarray:
        return self._columns.as_bools(
            validate_data(self, X, reset=False, ensure_all_finite=self._finite)
        )

    def _holds(self, patterns: np.ndarray) -> np.ndarray:
        """[classes, samples] where the rule of each class holds."""
        values = dict(zip(self.concepts_, patterns.T, strict=True))
        return np.stack(
            [truth(rule.formula, values, len(patterns)) for rule in self.rules_.values()]
        )

    @property
    def _finite(self) -> Any:
        return True if self.missing == "refuse" else "allow-nan"

    def _check_settings(self) -> None:
        for name, value, allowed in (
            ("unseen", self.unseen, UNSEEN),
            ("noise", self.noise, NOISE),
            ("missing", self.missing, MISSING),
        ):
            if value not in allowed:
                raise ExtractionError(
                    f"{name} is '{value}'; it should be one of: {', '.join(allowed)}."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # on numbers that are no concepts, thresholded all alike
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = self.missing == "concept"
        return tags


def _plain(label: Any) -> Any:
    """The label as Python writes it, so that rules_ prints well."""
    return label.item() if isinstance(label, np.generic) else label
