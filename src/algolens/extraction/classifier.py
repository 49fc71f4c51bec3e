"""Rules from any boolean concepts and labels, as a scikit-learn classifier: no graphs, no network."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from algolens.errors import ExtractionError
from algolens.extraction.labelled import Conflict, Labelled
from algolens.extraction.measures import counted, said
from algolens.logic import Minimised, Program, minimise
from algolens.logic.names import as_name, check_name

UNSEEN = ("dont-care", "negative")


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The smallest rule for each class, from concepts X ([samples, concepts]) and labels y.

    X holds bools, or numbers that count as true above ``threshold``: 0.5 suits probabilities and zeros and ones, 0 suits
    logits. A pattern that came with several labels counts as the one it came with most often; ``conflicts_`` remembers it.

    A sample gets the first class whose rule holds, and the first class where none does; of two classes it gets the
    second where its rule holds, and the first elsewhere.

    threshold: above it, a number counts as true.
    unseen: what rules say of patterns that never came: "dont-care" gives the shortest rules, "negative" none that goes beyond
        what came.
    feature_names: a name for each concept, of letters, digits and underscores; else the columns' names, with an underscore for
        every other mark, or x0, x1, ...
    seconds: how long the proof that a rule is smallest may take.

    After fitting: ``rules_`` (a ``Minimised`` for each class), ``conflicts_``, ``classes_``, ``concepts_`` (the names),
    ``n_features_in_``, and ``accuracy_`` on the ``n_samples_`` that they were fitted to.

    >>> X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> classifier = RuleClassifier(feature_names=["wet", "warm", "windy"]).fit(X, ["stay", "stay", "stay", "go", "go"])
    >>> {label: str(rule) for label, rule in classifier.rules_.items()}
    {'go': 'wet & warm', 'stay': '~wet | ~warm'}
    >>> classifier.predict([[1, 1, 0]]).tolist(), classifier.rules_["go"].proven
    (['go'], True)
    """

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        unseen: str = "dont-care",
        feature_names: Sequence[str] | None = None,
        seconds: float = 10.0,
    ) -> None:
        self.threshold = threshold
        self.unseen = unseen
        self.feature_names = feature_names
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> RuleClassifier:
        """The rules by which the labels y ([samples]) follow from the concepts X."""
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        return self._fit(self._as_bools(X), y)

    def fit_decoder(self, X: Any, decode: Callable[[np.ndarray], Any]) -> RuleClassifier:
        """The rules of a decoder on the concepts X, of which each distinct pattern is decoded once.

        ``decode`` takes [patterns, concepts] zeros and ones, and gives a label, or a score for each class, for every pattern.

        >>> decoder = lambda patterns: patterns @ [[0.0, 1.0], [0.0, -2.0]]
        >>> str(RuleClassifier().fit_decoder([[0, 0], [0, 1], [1, 0], [1, 1]], decoder).rules_[1])
        'x0 & ~x1'
        """
        patterns = np.unique(self._as_bools(validate_data(self, X)), axis=0)
        decoded = np.asarray(decode(patterns.astype(float)))
        if decoded.ndim == 0 or len(decoded) != len(patterns) or decoded.ndim > 2:
            raise ExtractionError(
                f"the decoder gave an array of shape {list(decoded.shape)} for {len(patterns)} patterns; "
                f"it should give [{len(patterns)}] labels, or [{len(patterns)}, classes] scores."
            )
        return self._fit(patterns, decoded.argmax(1) if decoded.ndim == 2 else decoded)

    def _fit(self, patterns: np.ndarray, y: np.ndarray) -> RuleClassifier:
        if self.unseen not in UNSEEN:
            raise ExtractionError(f"unseen is '{self.unseen}'; it should be one of: {', '.join(UNSEEN)}.")
        self.concepts_ = self._names()
        self.classes_, labels = np.unique(y, return_inverse=True)
        seen = Labelled.of(patterns, labels, len(self.classes_))
        if self.unseen == "dont-care":
            seen = seen.without_needless_concepts()
        names = [self.concepts_[i] for i in seen.columns]
        self.rules_: dict[Any, Minimised] = {}
        for i, label in enumerate(self.classes_):
            true, false = seen.packed[seen.labels == i], seen.packed[seen.labels != i]
            others = None if self.unseen == "negative" else false
            self.rules_[_plain(label)] = minimise(names, true, others, seconds=self.seconds)
        self.accuracy_ = float((self._decided(patterns) == labels).mean())
        self.n_samples_ = len(patterns)
        self.conflicts_: tuple[Conflict, ...] = seen.conflicts(self.concepts_, [_plain(label) for label in self.classes_])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """[samples] the class of each, by the rules."""
        check_is_fitted(self)
        patterns = self._as_bools(validate_data(self, X, reset=False))
        return self.classes_[self._decided(patterns)]

    def _decided(self, patterns: np.ndarray) -> np.ndarray:
        """[samples] the number of each one's class."""
        values = dict(zip(self.concepts_, patterns.T, strict=True))
        holds = np.stack([np.broadcast_to(rule.formula.evaluate(values), len(patterns)) for rule in self.rules_.values()])
        # argmax gives the first that holds, and 0 where none does
        return holds[1].astype(int) if len(holds) == 2 else holds.argmax(0)

    def program(self, output: str = "label") -> Program:
        """The rules as a program, which decides as ``predict`` does, and writes itself as Python, LaTeX and more.

        What it writes says how often it gives the label of a sample that it was fitted to.

        Of two classes it is a mask, true for the second. output: its name, of letters, digits and underscores.
        """
        check_is_fitted(self)
        labels = ("false", "true") if len(self.classes_) == 2 else tuple(map(str, self.rules_))
        rules = dict(zip(labels, (rule.formula for rule in self.rules_.values()), strict=True))
        right = counted(self.accuracy_, self.n_samples_, "samples")
        fitted = said(
            f"these rules give the label of {right}, of those that they were fitted to.", is_right=self.accuracy_ == 1
        )
        return Program(self.concepts_, {output: rules}).with_remarks([fitted])

    def _as_bools(self, X: np.ndarray) -> np.ndarray:
        if X.dtype == bool:
            return X
        low, high = X.min(), X.max()
        if self.threshold == 0.5 and not 0 <= low <= high <= 1:
            warnings.warn(
                f"X holds numbers from {low:g} to {high:g}, so neither bools nor probabilities; they count as true above 0.5. "
                "Give the threshold that suits them, 0 for logits, or threshold them yourself.",
                stacklevel=3,
            )
        return np.greater(X, self.threshold)

    def _names(self) -> tuple[str, ...]:
        """A name for each concept."""
        if self.feature_names is None:
            columns = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
            names = tuple(as_name(str(column)) for column in columns)
        else:
            names = tuple(self.feature_names)
        for name in names:
            check_name(name, "a concept")
        if len(names) != self.n_features_in_ or len(set(names)) < len(names):
            raise ExtractionError(
                f"{len(set(names))} different names came for {self.n_features_in_} concepts: {', '.join(names)}. "
                "Give every concept a name of its own in feature_names."
            )
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on numbers that are no concepts, thresholded all alike
        return tags


def _plain(label: Any) -> Any:
    """The label as Python writes it, so that rules_ prints well."""
    return label.item() if isinstance(label, np.generic) else label
