"""Samples of a table: columns as concepts, and distinct patterns with one label each."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.errors import ExtractionError
from algolens.logic import Formula, pack
from algolens.logic.clauses import Clauses
from algolens.logic.names import as_name, check_name
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, telling
from algolens.rules.trade_off import Target


@dataclass(frozen=True)
class Conflict:
    """A pattern that came with several labels: a concept is missing, or a label is wrong."""

    pattern: Formula  # the conjunction that says it all
    # samples, or their weight, by label; the first is the one that it counts as
    counts: dict[Any, float]


@dataclass(frozen=True)
class Labelled:
    """Distinct patterns, each with its most frequent label.

    >>> patterns = np.array([[True, False], [True, False], [True, True], [True, False]])
    >>> seen = Labelled.of(patterns, np.array([1, 0, 0, 1]), 2)
    >>> seen.patterns.tolist(), seen.labels.tolist()
    ([[True, False], [True, True]], [1, 0])
    >>> seen.conflicts(["a", "b"], ["no", "yes"])
    (Conflict(pattern=Formula('a & ~b'), counts={'yes': 2, 'no': 1}),)
    """

    patterns: ndarray  # [P, C] bools
    counts: ndarray  # [P, classes] the weight of the samples
    columns: ndarray  # [c] the concepts that rules may speak of

    @classmethod
    def of(
        cls,
        patterns: ndarray,
        labels: ndarray,
        num_classes: int,
        weights: ndarray | None = None,
    ) -> Labelled:
        """From [M, C] bools, [M] numbers of classes, and [M] weights, by default one each."""
        first, kind = _distinct(patterns)
        counts = np.bincount(
            kind * num_classes + labels, weights, minlength=len(first) * num_classes
        )
        # a copy of a million rows takes as long as the search
        is_all = len(first) == len(patterns) and (first == np.arange(len(first))).all()
        return cls(
            patterns if is_all else patterns[first],
            counts.reshape(len(first), num_classes),
            np.arange(patterns.shape[1]),
        )

    @property
    def labels(self) -> ndarray:
        """[P] the most frequent class of each; of equals the first."""
        return self.counts.argmax(1)

    @cached_property
    def relevant(self) -> ndarray:
        """[P, c] the patterns of the concepts that rules may speak of."""
        is_all = len(self.columns) == self.patterns.shape[1]
        return self.patterns if is_all else self.patterns[:, self.columns]

    def target(self, number: int) -> Target:
        """What the rule of a class is to describe."""
        mine = self.counts[:, number]
        return Target(self.relevant, mine, self.counts.sum(1) - mine)

    def fewest_errors(self, number: int) -> float:
        """Those of a rule that gives every pattern its most frequent label."""
        return self.target(number).errors((self.labels == number)[None])

    def sides(self, number: int) -> tuple[ndarray, ndarray]:
        """Packed patterns whose label is a class, and the others."""
        if len(self.columns) > MAX_PACKED_CONCEPTS:
            raise ExtractionError(
                f"{len(self.columns)} concepts are needed to tell the classes apart; rules can "
                f"speak of at most {MAX_PACKED_CONCEPTS}. Leave out concepts, or take "
                "unseen='dont-care'."
            )
        packed, is_mine = pack(self.relevant), self.labels == number
        return packed[is_mine], packed[~is_mine]

    def without_copies(self) -> Labelled:
        """Without concepts that never vary, or say what an earlier one says, or the opposite."""
        return replace(self, columns=self.columns[telling(self.relevant)])

    def without_ties(self) -> Labelled:
        """Of two classes, without patterns that came with both equally often: either is right."""
        tied = self.counts[:, 0] == self.counts[:, -1]
        if self.counts.shape[1] != 2 or not tied.any() or tied.all():
            return self
        return replace(self, patterns=self.patterns[~tied], counts=self.counts[~tied])

    def some(self, at_most: int) -> Labelled:
        """At most so many of the patterns, drawn at random, always the same ones."""
        if len(self.patterns) <= at_most:
            return self
        drawn = np.sort(np.random.default_rng(0).choice(len(self.patterns), at_most, replace=False))
        return replace(self, patterns=self.patterns[drawn], counts=self.counts[drawn])

    def without_needless_concepts(self) -> Labelled:
        """Where there are too many concepts, those by which a decision tree tells labels apart."""
        if len(self.columns) <= MAX_PACKED_CONCEPTS:
            return self
        from sklearn.tree import DecisionTreeClassifier  # takes most of a second to load

        tree = DecisionTreeClassifier(random_state=0).fit(self.relevant, self.labels).tree_
        return replace(self, columns=self.columns[np.unique(tree.feature[tree.feature >= 0])])

    def conflicts(self, names: Sequence[str], classes: Sequence[Any]) -> tuple[Conflict, ...]:
        """The patterns that came with several labels, the most frequent first."""
        mixed = np.flatnonzero((self.counts > 0).sum(1) > 1)
        mixed = mixed[np.argsort(-self.counts[mixed].sum(1), kind="stable")]
        in_full = Clauses(self.patterns[mixed], np.ones((len(mixed), len(names)), bool))
        return tuple(
            Conflict(pattern, _by_label(counts, classes))
            for pattern, counts in zip(in_full.formulas(names), self.counts[mixed], strict=True)
        )


def _distinct(patterns: ndarray) -> tuple[ndarray, ndarray]:
    """The place of each distinct pattern, and [M] which of them each pattern is."""
    if patterns.shape[1] <= MAX_PACKED_CONCEPTS:
        keys = pack(patterns)
    else:  # rows of bytes as one value each
        packed = np.packbits(patterns, axis=1)
        keys = packed.view(f"V{packed.shape[1]}")[:, 0]
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    return first, kind


def _by_label(counts: ndarray, classes: Sequence[Any]) -> dict[Any, float]:
    """The labels that came, the most frequent first."""
    return {
        classes[k]: int(counts[k]) if counts[k] == int(counts[k]) else float(counts[k])
        for k in np.argsort(-counts, kind="stable")
        if counts[k]
    }


@dataclass(frozen=True)
class ConceptColumns:
    """How columns are read, learnt from the samples that rules are fitted to."""

    threshold: float  # above it, a number counts as true
    # the columns that miss a value in some sample: that they do is a concept too
    may_miss: ndarray
    names: tuple[str, ...]  # one for each concept

    @classmethod
    def learnt(
        cls,
        X: ndarray,
        threshold: float,
        missing: str,
        given: Sequence[str] | None,
        columns: Sequence[str],
    ) -> ConceptColumns:
        """From samples [M, columns]; given: names of the concepts, else those of the columns."""
        may_miss = np.zeros(0, int)
        if missing == "concept" and X.dtype.kind == "f":
            may_miss = np.flatnonzero(np.isnan(X).any(0))
        names = tuple(given) if given is not None else tuple(as_name(str(c)) for c in columns)
        for name in names:
            check_name(name, "a concept")
        if len(names) == len(columns):
            names += tuple(f"{names[i]}_is_missing" for i in may_miss)
        expected = len(columns) + len(may_miss)
        if len(names) != expected or len(set(names)) < len(names):
            raise ExtractionError(
                f"{len(set(names))} different names came for {expected} concepts: "
                f"{', '.join(names)}. Give every concept a name of its own in feature_names."
            )
        return cls(threshold, may_miss, names)

    def as_bools(self, X: ndarray) -> ndarray:
        """[M, concepts] from samples [M, columns]."""
        is_missing = np.zeros((len(X), len(self.may_miss)), bool)
        if X.dtype == bool:
            bools = X
        else:
            if X.dtype.kind == "f":
                is_missing = np.isnan(X[:, self.may_miss])
            self._warn_of_numbers(X)
            bools = np.greater(X, self.threshold)
        return np.concatenate([bools, is_missing], 1) if len(self.may_miss) else bools

    def _warn_of_numbers(self, X: ndarray) -> None:
        """Warns where the default threshold meets numbers that are no probabilities."""
        if self.threshold != 0.5 or (X.dtype.kind == "f" and np.isnan(X).all()):
            return
        low, high = np.nanmin(X), np.nanmax(X)
        if not 0 <= low <= high <= 1:
            warnings.warn(
                f"X holds numbers from {low:g} to {high:g}, so neither bools nor probabilities; "
                "they count as true above 0.5. Give the threshold that suits them, 0 for logits, "
                "or threshold them yourself.",
                stacklevel=5,
            )
