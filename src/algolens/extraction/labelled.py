"""Samples as distinct patterns with one label each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algolens.errors import ExtractionError
from algolens.logic import Formula, concepts, conjunction, pack
from algolens.logic.patterns import MAX_PACKED_CONCEPTS


@dataclass(frozen=True)
class Conflict:
    """A pattern that came with several labels: a concept is missing, or a label is wrong."""

    pattern: Formula  # the conjunction that says it all
    counts: dict[Any, int]  # samples by label; the first is the one that it counts as


@dataclass(frozen=True)
class Labelled:
    """Distinct patterns, each with its most frequent label.

    >>> seen = Labelled.of(np.array([[True, False], [True, False], [True, True], [True, False]]), np.array([1, 0, 0, 1]), 2)
    >>> seen.patterns.tolist(), seen.labels.tolist()
    ([[True, False], [True, True]], [1, 0])
    >>> seen.conflicts(["a", "b"], ["no", "yes"])
    (Conflict(pattern=Formula('a & ~b'), counts={'yes': 2, 'no': 1}),)
    """

    patterns: np.ndarray  # [P, C] bools
    counts: np.ndarray  # [P, classes] samples
    columns: np.ndarray  # [c] the concepts that rules may speak of

    @classmethod
    def of(cls, patterns: np.ndarray, labels: np.ndarray, num_classes: int) -> Labelled:
        """From [M, C] bools and [M] numbers of classes."""
        few = patterns.shape[1] <= MAX_PACKED_CONCEPTS
        keys = pack(patterns) if few else np.packbits(patterns, axis=1)
        _, first, kind = np.unique(keys, axis=None if few else 0, return_index=True, return_inverse=True)
        counts = np.bincount(kind.ravel() * num_classes + labels, minlength=len(first) * num_classes)
        return cls(patterns[first], counts.reshape(len(first), num_classes), np.arange(patterns.shape[1]))

    @property
    def labels(self) -> np.ndarray:
        """[P] the most frequent class of each; of equals the first."""
        return self.counts.argmax(1)

    @property
    def packed(self) -> np.ndarray:
        """[P] patterns of the concepts that rules may speak of."""
        if len(self.columns) > MAX_PACKED_CONCEPTS:
            raise ExtractionError(
                f"{len(self.columns)} concepts are needed to tell the classes apart; rules can speak of at most "
                f"{MAX_PACKED_CONCEPTS}. Leave out concepts, or take unseen='dont-care'."
            )
        return pack(self.patterns[:, self.columns])

    def without_needless_concepts(self) -> Labelled:
        """Where there are too many concepts, only those by which a decision tree tells the labels apart."""
        if len(self.columns) <= MAX_PACKED_CONCEPTS:
            return self
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(random_state=0).fit(self.patterns, self.labels).tree_
        return replace(self, columns=np.unique(tree.feature[tree.feature >= 0]))

    def conflicts(self, names: Sequence[str], classes: Sequence[Any]) -> tuple[Conflict, ...]:
        """The patterns that came with several labels, the most frequent first."""
        mixed = np.flatnonzero((self.counts > 0).sum(1) > 1)
        mixed = mixed[np.argsort(-self.counts[mixed].sum(1), kind="stable")]
        return tuple(Conflict(_in_full(self.patterns[i], names), _by_label(self.counts[i], classes)) for i in mixed)


def _in_full(pattern: np.ndarray, names: Sequence[str]) -> Formula:
    return conjunction(*(concept if bit else ~concept for concept, bit in zip(concepts(*names), pattern, strict=True)))


def _by_label(counts: np.ndarray, classes: Sequence[Any]) -> dict[Any, int]:
    """The labels that came, the most frequent first."""
    return {classes[k]: int(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k]}
