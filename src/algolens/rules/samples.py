"""Samples of a table: columns as concepts, and distinct patterns with one label each."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algolens.errors import ExtractionError
from algolens.logic import Formula, concepts, conjunction, pack
from algolens.logic.names import as_name, check_name
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, telling


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

    patterns: np.ndarray  # [P, C] bools
    counts: np.ndarray  # [P, classes] the weight of the samples
    columns: np.ndarray  # [c] the concepts that rules may speak of

    @classmethod
    def of(
        cls,
        patterns: np.ndarray,
        labels: np.ndarray,
        num_classes: int,
        weights: np.ndarray | None = None,
    ) -> Labelled:
        """From [M, C] bools and [M] numbers of classes; weights: [M] as how many samples each
        counts, by default one.
        """
        first, kind = _distinct(patterns)
        counts = np.bincount(
            kind * num_classes + labels, weights, minlength=len(first) * num_classes
        )
        is_all = (
            len(first) == len(patterns) and (first == np.arange(len(first))).all()
        )  # a copy of a million rows takes as long as the search
        return cls(
            patterns if is_all else patterns[first],
            counts.reshape(len(first), num_classes),
            np.arange(patterns.shape[1]),
        )

    @property
    def labels(self) -> np.ndarray:
        """[P] the most frequent class of each; of equals the first."""
        return self.counts.argmax(1)

    @property
    def told(self) -> np.ndarray:
        """[P, c] the patterns of the concepts that rules may speak of."""
        # a copy of a million rows takes as long as the search
        is_all = len(self.columns) == self.patterns.shape[1]
        return self.patterns if is_all else self.patterns[:, self.columns]

    @property
    def packed(self) -> np.ndarray:
        """[P] patterns of the concepts that rules may speak of."""
        if len(self.columns) > MAX_PACKED_CONCEPTS:
            raise ExtractionError(
                f"{len(self.columns)} concepts are needed to tell the classes apart; rules can "
                f"speak of at most {MAX_PACKED_CONCEPTS}. Leave out concepts, or take "
                "unseen='dont-care'."
            )
        return pack(self.told)

    def without_copies(self) -> Labelled:
        """Without concepts that never vary, or that say what an earlier one says, or the
        opposite.
        """
        return replace(self, columns=self.columns[telling(self.told)])

    def without_ties(self) -> Labelled:
        """Of two classes, without the patterns that came with both equally often: a rule may say
        either of them.
        """
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

    def only(self, chosen: np.ndarray) -> Labelled:
        """Of the concepts that rules may speak of, those that are chosen: [c] bools."""
        return replace(self, columns=self.columns[chosen])

    def without_needless_concepts(self) -> Labelled:
        """Where there are too many concepts, only those by which a decision tree tells the labels
        apart.
        """
        if len(self.columns) <= MAX_PACKED_CONCEPTS:
            return self
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(random_state=0).fit(self.told, self.labels).tree_
        return replace(self, columns=self.columns[np.unique(tree.feature[tree.feature >= 0])])

    def conflicts(self, names: Sequence[str], classes: Sequence[Any]) -> tuple[Conflict, ...]:
        """The patterns that came with several labels, the most frequent first."""
        mixed = np.flatnonzero((self.counts > 0).sum(1) > 1)
        mixed = mixed[np.argsort(-self.counts[mixed].sum(1), kind="stable")]
        return tuple(
            Conflict(_in_full(self.patterns[i], names), _by_label(self.counts[i], classes))
            for i in mixed
        )


def _distinct(patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each distinct pattern, and [M] which of them each pattern is."""
    if patterns.shape[1] <= MAX_PACKED_CONCEPTS:
        keys = pack(patterns)
    else:
        # whole words, mixed into one each: sorting rows of many takes ten times as long; that no
        # two differ is looked at
        packed = np.packbits(patterns, axis=1)
        words = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
        factors = np.random.default_rng(0).integers(
            0, 2**64, (2, words.shape[1]), dtype=np.uint64
        ) | np.uint64(1)
        keys = ((words ^ (words >> np.uint64(29))) * factors[0] >> np.uint64(7)) * factors[1]
        keys = np.bitwise_xor.reduce(keys ^ (keys >> np.uint64(32)), axis=1)
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        if len(first) == len(patterns):  # all are distinct, and stay where they are
            return np.arange(len(patterns)), np.arange(len(patterns))
        if (packed[first][kind] != packed).any():
            _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        return first, kind.ravel()
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    return first, kind


def _in_full(pattern: np.ndarray, names: Sequence[str]) -> Formula:
    return conjunction(
        *(
            concept if bit else ~concept
            for concept, bit in zip(concepts(*names), pattern, strict=True)
        )
    )


def _by_label(counts: np.ndarray, classes: Sequence[Any]) -> dict[Any, float]:
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
    may_miss: np.ndarray
    names: tuple[str, ...]  # one for each concept

    @classmethod
    def learnt(
        cls,
        X: np.ndarray,
        threshold: float,
        missing: str,
        given: Sequence[str] | None,
        columns: Sequence[str],
    ) -> ConceptColumns:
        """From samples [M, columns]; given: names of the concepts, else the columns' own, with an
        underscore for odd marks.
        """
        may_miss = np.zeros(0, int)
        if missing == "concept" and X.dtype.kind == "f":
            may_miss = np.flatnonzero(np.isnan(X).any(0))
        return cls(threshold, may_miss, _names(given, columns, may_miss))

    def as_bools(self, X: np.ndarray) -> np.ndarray:
        """[M, concepts] from samples [M, columns]."""
        if X.dtype == bool:
            return (
                np.concatenate([X, np.zeros((len(X), len(self.may_miss)), bool)], 1)
                if len(self.may_miss)
                else X
            )
        low, high = (
            (np.nan, np.nan)
            if X.dtype.kind == "f" and np.isnan(X).all()
            else (np.nanmin(X), np.nanmax(X))
        )
        if self.threshold == 0.5 and not (np.isnan(low) or 0 <= low <= high <= 1):
            warnings.warn(
                f"X holds numbers from {low:g} to {high:g}, so neither bools nor probabilities; "
                "they count as true above 0.5. Give the threshold that suits them, 0 for logits, "
                "or threshold them yourself.",
                stacklevel=4,
            )
        bools = np.greater(X, self.threshold)
        return (
            np.concatenate([bools, np.isnan(X[:, self.may_miss])], 1)
            if len(self.may_miss)
            else bools
        )


def _names(
    given: Sequence[str] | None, columns: Sequence[str], may_miss: np.ndarray
) -> tuple[str, ...]:
    """A name for each concept."""
    names = tuple(given) if given is not None else tuple(as_name(str(column)) for column in columns)
    for name in names:
        check_name(name, "a concept")
    if len(names) == len(columns):
        names += tuple(f"{names[i]}_is_missing" for i in may_miss)
    expected = len(columns) + len(may_miss)
    if len(names) != expected or len(set(names)) < len(names):
        raise ExtractionError(
            f"{len(set(names))} different names came for {expected} concepts: {', '.join(names)}. "
            "Give every concept a name of its own in feature_names."
        )
    return names
