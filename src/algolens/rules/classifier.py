"""Rules from any boolean concepts and labels, as a scikit-learn classifier."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from algolens.errors import ExtractionError
from algolens.lazy import require
from algolens.logic import Minimised
from algolens.logic.printing import sql_case
from algolens.logic.remarks import counted, said
from algolens.rules.fitting import RuleFitting
from algolens.rules.rule_list import Fired, RuleList, RuleRow
from algolens.rules.trade_off import ConceptColumns, Labelled, TradeOff

if TYPE_CHECKING:
    from algolens.logic.rule_set import RuleSet

ALLOWED = {
    "unseen": ("dont-care", "negative"),
    "noise": ("auto", "none"),
    "missing": ("refuse", "concept"),
}


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn classifier that learns the simplest rules that the samples support.

    On clean samples the rules are exact and as small as possible. If labels or concepts are noisy,
    the rules minimise the total description length of rules and exceptions; ``rules_at`` gives
    larger and smaller ones. A sample gets the first class of ``list_`` whose rule holds, or else
    the default class.

    Parameters
    ----------
    threshold
        Numbers above it count as true: use 0.5 for probabilities or 0/1 data, and 0 for logits.
    noise
        "auto" lets rules err on some samples if the data favour noise over exact rules by a
        thousand to one; "none" gives every pattern its most frequent label.
    unseen
        How to treat patterns that are not in the samples: "dont-care" gives the shortest rules;
        with "negative", no rule holds there, and rules are exact on every pattern.
    missing
        "refuse" raises an error on missing values (NaN); "concept" counts a missing concept as
        false and adds a concept NAME_is_missing if the samples lack any.
    class_weight
        A factor for the samples of each class, or "balanced", as elsewhere in scikit-learn.
    feature_names
        A name for each concept; by default, the column names, with underscores, or x0, x1, ...
    seconds
        Time limit for fitting. ``fit`` only briefly attempts proofs; ``prove`` searches longer.

    Attributes
    ----------
    rules_, list_, trade_offs_
        A ``Minimised`` for each class, the order of the classes, and the errors by number of
        clauses.
    conflicts_
        Patterns that occur with more than one label.
    classes_, concepts_, n_features_in_, n_samples_, accuracy_
        Labels, names of concepts, numbers of columns and samples, and the accuracy on the samples.

    Examples
    --------
    >>> X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> y = ["stay", "stay", "stay", "go", "go"]
    >>> classifier = RuleClassifier(feature_names=["wet", "warm", "windy"]).fit(X, y)
    >>> {label: str(rule) for label, rule in classifier.rules_.items()}
    {'go': 'wet & warm', 'stay': '~wet | ~warm'}
    >>> classifier.predict([[1, 1, 0]]).tolist(), classifier.rules_["go"].proven
    (['go'], True)
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
        """Find rules that give the labels y ([samples]) from X ([samples, concepts]).

        Parameters
        ----------
        X
            [samples, concepts] bools, or numbers that count as true above ``threshold``.
        y
            [samples] labels.
        sample_weight
            [samples] weights: how many samples each one counts as.
        """
        began = time.monotonic()
        self._check_settings()
        X, y = self._validated(X, y)
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
                raise ExtractionError("the weights of all samples are zero: give one that counts.")
            X, y, weights = X[counts], y[counts], weights[counts]
        columns = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        self._columns = ConceptColumns.learnt(
            X, self.threshold, self.missing, self.feature_names, columns
        )
        self.concepts_, patterns = self._columns.names, self._columns.as_bools(X)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._labels = self.classes_.tolist()  # as Python writes them, so that rules_ prints well
        self._seen = seen = Labelled.of(patterns, labels, len(self.classes_), weights)
        self._fitting = fitting = RuleFitting(seen, seen.without_copies(), self.concepts_)
        self.conflicts_ = seen.conflicts(self.concepts_, self._labels)
        curves: Sequence[TradeOff] = ()
        with threadpool_limits(1):  # matrix products are small: more threads wait for each other
            if self.noise == "none" or self.unseen == "negative":
                is_false = self.unseen == "negative"
                rules = fitting.exact_rules(self.seconds, unseen_is_false=is_false)
            else:
                rules, curves = fitting.supported_rules(began, self.seconds)
        self.trade_offs_ = dict(zip(self._labels, curves, strict=False))
        if not all(curve.in_time for curve in curves):
            warnings.warn(
                f"the search for rules was stopped after {self.seconds:g} seconds; simpler or "
                "better rules may exist. Give more seconds, or fewer concepts.",
                stacklevel=2,
            )
        self._set_rules(rules)
        if weights is not None:
            self.accuracy_ = float((self.list_.decide(self._holds(patterns)) == labels).mean())
        self.n_samples_ = len(patterns)
        return self

    def _set_rules(self, rules: Sequence[Minimised]) -> None:
        """Keeps the rules, as the shortest list, and the share of samples that they get right."""
        self.rules_ = dict(zip(self._labels, rules, strict=True))
        holds, counts = self._holds(self._seen.patterns), self._seen.counts
        self.list_ = RuleList.shortest(rules, holds, counts, len(self.concepts_))
        decided = self.list_.decide(holds)
        self.accuracy_ = float(counts[np.arange(len(decided)), decided].sum() / counts.sum())

    @property
    def optimality_(self) -> dict[Any, str]:
        """For each rule, a proof that none is better, or a lower bound on a better one."""
        check_is_fitted(self)
        return {label: rule.how for label, rule in self.rules_.items()}

    def prove(self, seconds: float = 60.0) -> RuleClassifier:
        """Search this long for smaller rules that are as exact, or prove that none exist.

        Replaces a rule that errs if the search finds one with a shorter description;
        ``optimality_`` then says that none is shorter, or gives a lower bound.
        """
        check_is_fitted(self)
        seconds = seconds / len(self.rules_)
        with threadpool_limits(1):
            rules = [
                self._fitting.proven(number, rule, self.trade_offs_.get(label), seconds)
                for number, (label, rule) in enumerate(self.rules_.items())
            ]
        self._set_rules(rules)
        return self

    def rules_at(self, complexity: int) -> RuleClassifier:
        """Return the same classifier with at most this many clauses in every rule.

        Examples
        --------
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
        rules = dict(self.rules_)
        for label, rule in rules.items():
            if len(rule.clauses) > complexity:
                rules[label] = self._fitting.as_rule(self.trade_offs_[label].at(complexity))
        other._set_rules(list(rules.values()))
        return other

    def predict(self, X: Any) -> ndarray:
        """Return the class that the rules give each sample."""
        check_is_fitted(self)
        return self.classes_[self.list_.decide(self._holds(self._patterns(X)))]

    def rule_rows(self) -> list[RuleRow]:
        """Return a row for each clause in order, with its support, precision and coverage.

        Examples
        --------
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> y = ["fish", "fish", "bird", "bird"] * 10
        >>> rows = RuleClassifier(feature_names=["wings", "swims"]).fit(X, y).rule_rows()
        >>> [(row.rule, row.prediction, row.support, row.precision, row.coverage) for row in rows]
        [('~wings', 'fish', 20.0, 1.0, 1.0), ('otherwise', 'bird', 20.0, 1.0, 1.0)]
        """
        check_is_fitted(self)
        return self.list_.rows(self._labels, self.concepts_, self._seen.patterns, self._seen.counts)

    def get_rules(self) -> Any:
        """Return the rows as a pandas data frame: a rule, its prediction and its measures."""
        try:
            from pandas import DataFrame
        except ImportError as absent:
            raise ImportError(
                "a table of rules is a pandas DataFrame: pip install pandas; or take rule_rows()."
            ) from absent
        frame = DataFrame(map(asdict, self.rule_rows()))
        frame["exception_to"] = [", ".join(map(str, labels)) for labels in frame["exception_to"]]
        return frame

    def fired(self, X: Any) -> list[Fired]:
        """Return each sample's class, the clauses that fired, and the closest other clauses."""
        check_is_fitted(self)
        return [
            self.list_.fired(self._labels, dict(zip(self.concepts_, pattern, strict=True)))
            for pattern in self._patterns(X).tolist()
        ]

    def rule_set(self, output: str = "label") -> RuleSet:
        """Return the rules as a rule set that decides as ``predict`` does and can be exported.

        Its classes are named after the labels; bool labels make a mask.
        """
        check_is_fitted(self)
        is_mask = self.classes_.dtype == bool
        names = [str(label).lower() if is_mask else str(label) for label in self._labels]
        named = dict(zip(names, self.list_.exclusive_rules(), strict=True))
        right = counted(self.accuracy_, self.n_samples_, "samples")
        fitted = said(
            f"these rules give the label of {right}, of those that they were fitted to.",
            is_right=self.accuracy_ == 1,
        )
        from algolens.logic.rule_set import RuleSet  # loads PyTorch, which no other method needs

        return RuleSet(self.concepts_, {output: named}).with_remarks([fitted])

    def to_python_source(self) -> str:
        """Return the rules as a Python module that needs only NumPy."""
        return self.rule_set().to_python_source()

    def to_sql(self) -> str:
        """Return the label as an SQL expression over columns with the concepts' names."""
        check_is_fitted(self)
        rules = self.list_.rules
        cases = [(self._labels[i], rules[i].formula) for i in self.list_.order]
        return sql_case(cases, self._labels[self.list_.otherwise])

    def plot_trade_off(self, ax: Any = None) -> Any:
        """Plot errors by number of clauses, a line for each class, and mark the choice."""
        check_is_fitted(self)
        if ax is None:
            ax = require("matplotlib.pyplot").subplots()[1]
        for label, curve in self.trade_offs_.items():
            sizes, errors = zip(*((len(p.clauses), p.errors) for p in curve.points), strict=True)
            (line,) = ax.plot(sizes, errors, ".-", label=str(label))
            point = curve.at(len(self.rules_[label].clauses))
            ax.plot([len(point.clauses)], [point.errors], marker="o", color=line.get_color())
        ax.set(xlabel="clauses", ylabel="errors")
        ax.legend(title="class")
        return ax

    def _validated(self, *data: Any, reset: bool = True) -> Any:
        finite = True if self.missing == "refuse" else "allow-nan"
        return validate_data(self, *data, reset=reset, ensure_all_finite=finite)

    def _patterns(self, X: Any) -> ndarray:
        return self._columns.as_bools(self._validated(X, reset=False))

    def _holds(self, patterns: ndarray) -> ndarray:
        """[classes, samples] where the rule of each class holds."""
        return np.stack(
            [rule.formula.on(self.concepts_, patterns) for rule in self.rules_.values()]
        )

    def _check_settings(self) -> None:
        for name, allowed in ALLOWED.items():
            if getattr(self, name) not in allowed:
                raise ExtractionError(
                    f"{name} is '{getattr(self, name)}'; it should be one of: {', '.join(allowed)}."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # on numbers that are no concepts, thresholded all alike
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = self.missing == "concept"
        return tags
