"""Rules from any boolean concepts and labels, as a scikit-learn classifier: no graphs, no network."""

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
from algolens.extraction.labelled import Conflict, Labelled
from algolens.extraction.measures import counted, said
from algolens.extraction.rule_list import RuleList, opposite, truth
from algolens.extraction.rule_table import Fired, RuleRow, as_frame, fired, table_of
from algolens.extraction.supported import Supported, as_minimised, supported_rules
from algolens.logic import Minimised, Program, minimise
from algolens.logic.clause_search import Clauses
from algolens.logic.cubes import Cubes
from algolens.logic.exports import sql_case
from algolens.logic.minimisation import MAX_LISTED_CONCEPTS
from algolens.logic.names import as_name, check_name
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.logic.trade_off import TradeOff

UNSEEN = ("dont-care", "negative")
NOISE = ("auto", "none")
MISSING = ("refuse", "concept")
PROOF_SECONDS = 1.0  # for each rule, while a classifier is fitted; ``prove`` may take longer


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The simplest rules that the samples support, from concepts X ([samples, concepts]) and labels y.

    X holds bools, or numbers that count as true above ``threshold``: 0.5 suits probabilities and zeros and ones, 0 suits
    logits. Where the samples are clean, the rules are exact, and smallest. Where labels or concepts are noisy, they are those
    that describe the labels in the fewest bits, rules and exceptions together; ``rules_at`` gives the others.

    A sample gets the first class of ``list_`` whose rule holds, and the class for the rest where none does. Of two classes
    the one with the shorter rule is asked for.

    threshold: above it, a number counts as true.
    noise: "auto" lets rules err on some samples where the samples speak for it, a thousand to one; "none" gives every pattern
        its most frequent label.
    unseen: what rules say of patterns that never came: "dont-care" gives the shortest rules, "negative" none that goes beyond
        what came, and errs on no pattern.
    missing: "refuse" refuses missing values (NaN); "concept" lets a missing concept count as false, and adds a concept
        NAME_is_missing where one is missing in the samples.
    class_weight: a factor for the samples of each class, or "balanced", as elsewhere in scikit-learn.
    feature_names: a name for each concept, of letters, digits and underscores; else the columns' names, with an underscore for
        every other mark, or x0, x1, ...
    seconds: how long fitting may take, beyond reading the samples. Proofs are tried for a moment; ``prove`` takes its time.

    After fitting: ``rules_`` (a ``Minimised`` for each class), ``list_`` (their order), ``trade_offs_`` (errors by number of
    clauses, for each class), ``conflicts_`` (patterns that came with several labels), ``classes_``, ``concepts_`` (the names),
    ``n_features_in_``, and ``accuracy_`` on the ``n_samples_`` that they were fitted to.

    >>> X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> classifier = RuleClassifier(feature_names=["wet", "warm", "windy"]).fit(X, ["stay", "stay", "stay", "go", "go"])
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
                raise ExtractionError("the weights of all samples are zero: give at least one that counts.")
            X, y, weights = X[counts], y[counts], weights[counts]
        self._learn_missing(X)
        return self._fit(self._as_bools(X), y, weights, self.noise)

    def fit_decoder(self, X: Any, decode: Callable[[np.ndarray], Any]) -> RuleClassifier:
        """The rules of a decoder on the concepts X, of which each distinct pattern is decoded once: exact, for it has no noise.

        ``decode`` takes [patterns, concepts] zeros and ones, and gives a label, or a score for each class, for every pattern.

        >>> decoder = lambda patterns: patterns @ [[0.0, 1.0], [0.0, -2.0]]
        >>> str(RuleClassifier().fit_decoder([[0, 0], [0, 1], [1, 0], [1, 1]], decoder).rules_[1])
        'x0 & ~x1'
        """
        self._check_settings()
        X = validate_data(self, X, ensure_all_finite=self._finite)
        self._learn_missing(X)
        patterns = np.unique(self._as_bools(X), axis=0)
        decoded = np.asarray(decode(patterns.astype(float)))
        if decoded.ndim == 0 or len(decoded) != len(patterns) or decoded.ndim > 2:
            raise ExtractionError(
                f"the decoder gave an array of shape {list(decoded.shape)} for {len(patterns)} patterns; "
                f"it should give [{len(patterns)}] labels, or [{len(patterns)}, classes] scores."
            )
        return self._fit(patterns, decoded.argmax(1) if decoded.ndim == 2 else decoded, None, "none")

    def _fit(self, patterns: np.ndarray, y: np.ndarray, weights: np.ndarray | None, noise: str) -> RuleClassifier:
        self.concepts_ = self._names()
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._labels = [_plain(label) for label in self.classes_]
        self._seen = seen = Labelled.of(patterns, labels, len(self.classes_), weights)
        self._told = seen.without_copies()
        deadline = time.monotonic() + self.seconds
        self.conflicts_: tuple[Conflict, ...] = seen.conflicts(self.concepts_, self._labels)
        self.trade_offs_: dict[Any, TradeOff] = {}
        if noise == "none" or self.unseen == "negative":
            seconds = self.seconds / len(self.classes_)
            rules = [self._exact(number, seconds, None) for number in range(len(self.classes_))]
        else:
            found = supported_rules(self._told, time.monotonic() + 0.6 * self.seconds)
            self.trade_offs_ = {label: each.curve for label, each in zip(self._labels, found, strict=True)}
            if not all(each.curve.in_time for each in found):
                warnings.warn(
                    f"the search for rules was stopped after {self.seconds:g} seconds; simpler or better rules may exist. "
                    "Give more seconds, or fewer concepts.",
                    stacklevel=3,
                )
            rules = self._chosen(found, deadline)
        self._set_rules(rules)
        self.accuracy_ = float((self._decided(patterns) == labels).mean())
        self.n_samples_ = len(patterns)
        return self

    def _set_rules(self, rules: Sequence[Minimised]) -> None:
        self.rules_: dict[Any, Minimised] = dict(zip(self._labels, rules, strict=True))
        seen = self._seen
        self.list_ = RuleList.shortest(rules, self._holds(seen.patterns), seen.counts, len(self.concepts_))

    def _chosen(self, found: Sequence[Supported], deadline: float) -> list[Minimised]:
        """The rule of each class, by what the samples support."""
        seen = self._seen
        names, total = [self.concepts_[i] for i in self._told.columns], float(seen.counts.sum())
        fewest = total - float(seen.counts.max(1).sum())
        seconds = max(0.0, min(PROOF_SECONDS, (deadline - time.monotonic()) / len(found)))

        def rule(number: int) -> Minimised:
            each = found[number]
            return (
                self._exact(number, seconds, each.curve)
                if each.is_exact
                else as_minimised(each.curve.best, names, total, fewest)
            )

        if len(found) != 2 or (found[0].is_exact and len(names) <= MAX_LISTED_CONCEPTS):
            return [rule(number) for number in range(len(found))]
        # of both only the shorter was looked for to the end; the opposite of a short rule can be a very long one
        shorter = int(found[1].curve.best.bits <= found[0].curve.best.bits)
        decides = rule(shorter)
        other = opposite(decides, seconds)
        return [other, decides] if shorter else [decides, other]

    def _exact(self, number: int, seconds: float, curve: TradeOff | None) -> Minimised:
        """The smallest rule of a class that gives every pattern its most frequent label. curve: it may hold such a rule."""
        seen, known = self._seen, None
        if self.unseen == "dont-care":
            seen = self._told
            clauses = None if curve is None else self._right_clauses(number, curve, seen)
            if clauses is not None and len(seen.columns) > MAX_PACKED_CONCEPTS:
                used = np.asarray(clauses.care.any(0))
                if 0 < used.sum() <= MAX_PACKED_CONCEPTS:
                    seen, clauses = seen.only(used), Clauses(clauses.value[:, used], clauses.care[:, used])
                else:
                    clauses = None
            seen = seen.without_needless_concepts()
            if clauses is not None:
                known = Cubes.from_bits(clauses.value, clauses.care)
        true, false = seen.packed[seen.labels == number], seen.packed[seen.labels != number]
        names = [self.concepts_[i] for i in seen.columns]
        return minimise(names, true, None if self.unseen == "negative" else false, seconds=seconds, known=known)

    def _right_clauses(self, number: int, curve: TradeOff, seen: Labelled) -> Clauses | None:
        """Those of the best point, if they give every pattern its most frequent label."""
        clauses = curve.best.clauses
        is_right = (clauses.hold(seen.told).any(0) == (seen.labels == number)).all()
        return clauses if is_right and len(clauses) else None

    def prove(self, seconds: float = 60.0) -> RuleClassifier:
        """Takes so long to find smaller rules that are as exact, or to prove that there are none. Rules that err stay."""
        check_is_fitted(self)
        rules = [
            rule if rule.proven or not self._is_exact_rule(number) else self._exact(number, seconds / len(self.rules_), None)
            for number, rule in enumerate(self.rules_.values())
        ]
        self._set_rules(rules)
        return self

    def _is_exact_rule(self, number: int) -> bool:
        held = self._holds(self._seen.patterns)[number]
        return bool((held == (self._seen.labels == number)).all())

    def rules_at(self, complexity: int) -> RuleClassifier:
        """The same classifier with at most so many clauses in every rule: another point of the trade-off.

        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> classifier = RuleClassifier().fit(X, [0, 1, 1, 1] * 10)
        >>> [classifier.rules_at(clauses).accuracy_ for clauses in (0, 1, 2)]
        [0.75, 1.0, 1.0]
        """
        check_is_fitted(self)
        if not self.trade_offs_:
            raise ExtractionError(
                "there is no trade-off to choose from: rules that err on no pattern were asked for. Fit with noise='auto' and "
                "unseen='dont-care'."
            )
        other, total = copy.copy(self), float(self._seen.counts.sum())
        fewest = total - float(self._seen.counts.max(1).sum())
        names = [self.concepts_[i] for i in self._told.columns]
        rules = []
        for label, rule in self.rules_.items():
            curve = self.trade_offs_[label]
            fits = len(rule.clauses) <= complexity
            rules.append(rule if fits else as_minimised(curve.at(complexity), names, total, fewest))
        other._set_rules(rules)
        decided = other._decided(self._seen.patterns)
        other.accuracy_ = float(self._seen.counts[np.arange(len(decided)), decided].sum() / total)
        return other

    def predict(self, X: Any) -> np.ndarray:
        """[samples] the class of each, by the rules."""
        check_is_fitted(self)
        return self.classes_[self._decided(self._patterns(X))]

    def _patterns(self, X: Any) -> np.ndarray:
        return self._as_bools(validate_data(self, X, reset=False, ensure_all_finite=self._finite))

    def _decided(self, patterns: np.ndarray) -> np.ndarray:
        """[samples] the number of each one's class."""
        return self.list_.decide(self._holds(patterns))

    def _holds(self, patterns: np.ndarray) -> np.ndarray:
        """[classes, samples] where the rule of each class holds."""
        values = dict(zip(self.concepts_, patterns.T, strict=True))
        return np.stack([truth(rule.formula, values, len(patterns)) for rule in self.rules_.values()])

    def rule_rows(self) -> list[RuleRow]:
        """A row for each clause, in the order in which they are asked, with its support, precision and coverage.

        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> classifier = RuleClassifier(feature_names=["wings", "swims"]).fit(X, ["fish", "fish", "bird", "bird"] * 10)
        >>> [(row.rule, row.label, row.support, row.precision, row.coverage) for row in classifier.rule_rows()]
        [('~wings', 'fish', 20.0, 1.0, 1.0), ('otherwise', 'bird', 20.0, 1.0, 1.0)]
        """
        check_is_fitted(self)
        values = dict(zip(self.concepts_, self._seen.patterns.T, strict=True))
        return table_of(list(self.rules_.values()), self._labels, self.list_, values, self._seen.counts)

    def get_rules(self) -> Any:
        """The same as a pandas data frame: rule, class, support, precision, coverage, exception_to."""
        return as_frame(self.rule_rows())

    def fired(self, X: Any) -> list[Fired]:
        """For each sample the class that it gets, the clauses that give it, and those that come nearest to another class."""
        check_is_fitted(self)
        rules = list(self.rules_.values())
        return [fired(rules, self._labels, self.list_, self.concepts_, pattern) for pattern in self._patterns(X)]

    def program(self, output: str = "label") -> Program:
        """The rules as a program, which decides as ``predict`` does, and writes itself as Python, SQL, LaTeX and more.

        Its classes have the labels' names, in the order of ``classes_``; labels that are bools make a mask. What it writes
        says how often it gives the label of a sample that it was fitted to. output: its name, of letters, digits and
        underscores.
        """
        check_is_fitted(self)
        rules = self.list_.as_rules([rule.formula for rule in self.rules_.values()])
        is_mask = self.classes_.dtype == bool and len(self.classes_) == 2
        names = [str(label).lower() if is_mask else str(label) for label in self._labels]
        named = dict(zip(names, rules, strict=True))
        right = counted(self.accuracy_, self.n_samples_, "samples")
        fitted = said(
            f"these rules give the label of {right}, of those that they were fitted to.", is_right=self.accuracy_ == 1
        )
        return Program(self.concepts_, {output: named}).with_remarks([fitted])

    def to_python_source(self) -> str:
        """The rules as a Python module that needs NumPy alone."""
        return self.program().to_python_source()

    def to_sql(self) -> str:
        """The rules as an SQL expression over columns with the concepts' names, which gives the label."""
        check_is_fitted(self)
        rules = list(self.rules_.values())
        cases = [(self._labels[i], rules[i].formula) for i in self.list_.order]
        return sql_case(cases, self._labels[self.list_.otherwise])

    def plot_trade_off(self, ax: Any = None) -> Any:
        """Errors and description length by the number of clauses, a line for each class, the choice marked."""
        from algolens.extraction.rule_figures import draw_trade_offs

        check_is_fitted(self)
        return draw_trade_offs(self.trade_offs_, {label: len(rule.clauses) for label, rule in self.rules_.items()}, ax)

    def plot_rules(self, ax: Any = None) -> Any:
        """The rule list as a picture: a row for each clause, a column for each concept that one speaks of."""
        from algolens.extraction.rule_figures import draw_rules

        return draw_rules(self.rule_rows(), self.concepts_, ax)

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
                raise ExtractionError(f"{name} is '{value}'; it should be one of: {', '.join(allowed)}.")

    def _learn_missing(self, X: np.ndarray) -> None:
        """Which concepts are missing in some sample, so that their being missing is a concept."""
        self._may_miss = np.zeros(0, int)
        if self.missing == "concept" and X.dtype.kind == "f":
            self._may_miss = np.flatnonzero(np.isnan(X).any(0))

    def _as_bools(self, X: np.ndarray) -> np.ndarray:
        if X.dtype == bool:
            return np.concatenate([X, np.zeros((len(X), len(self._may_miss)), bool)], 1) if len(self._may_miss) else X
        low, high = (np.nan, np.nan) if X.dtype.kind == "f" and np.isnan(X).all() else (np.nanmin(X), np.nanmax(X))
        if self.threshold == 0.5 and not (np.isnan(low) or 0 <= low <= high <= 1):
            warnings.warn(
                f"X holds numbers from {low:g} to {high:g}, so neither bools nor probabilities; they count as true above 0.5. "
                "Give the threshold that suits them, 0 for logits, or threshold them yourself.",
                stacklevel=3,
            )
        bools = np.greater(X, self.threshold)
        return np.concatenate([bools, np.isnan(X[:, self._may_miss])], 1) if len(self._may_miss) else bools

    def _names(self) -> tuple[str, ...]:
        """A name for each concept."""
        if self.feature_names is None:
            columns = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
            names = tuple(as_name(str(column)) for column in columns)
        else:
            names = tuple(self.feature_names)
        for name in names:
            check_name(name, "a concept")
        if len(names) == self.n_features_in_:
            names += tuple(f"{names[i]}_is_missing" for i in self._may_miss)
        expected = self.n_features_in_ + len(self._may_miss)
        if len(names) != expected or len(set(names)) < len(names):
            raise ExtractionError(
                f"{len(set(names))} different names came for {expected} concepts: {', '.join(names)}. "
                "Give every concept a name of its own in feature_names."
            )
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on numbers that are no concepts, thresholded all alike
        tags.input_tags.allow_nan = self.missing == "concept"
        return tags


def _plain(label: Any) -> Any:
    """The label as Python writes it, so that rules_ prints well."""
    return label.item() if isinstance(label, np.generic) else label
