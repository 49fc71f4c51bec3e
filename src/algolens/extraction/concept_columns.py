"""Concepts from the columns of a table: numbers as bools, what is missing as a concept, and a name
for each.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.errors import ExtractionError
from algolens.logic.names import as_name, check_name


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
