"""The audit of an algorithm's concepts: which are never used, which follow from others, and where
one is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from algolens.execution import Run
from algolens.extraction.observations import observe
from algolens.logic import Formula, minimise, pack
from algolens.logic.rule_set import RuleSet
from algolens.rules.samples import Conflict, Labelled


@dataclass(frozen=True)
class Audit:
    """What the concepts are worth."""

    unused: tuple[str, ...]  # no rule speaks of them
    # those that follow from the others on every pattern seen, and how
    determined: Mapping[str, Formula]
    # of each output: one pattern, two classes, so that a concept is missing
    conflicts: Mapping[str, tuple[Conflict, ...]]

    def __str__(self) -> str:
        lines = [f"No rule uses {name}." for name in self.unused]
        lines += [
            f"On these graphs, {name} follows from the others: {formula}."
            for name, formula in self.determined.items()
        ]
        lines += [
            (
                f"A concept is missing: {conflict.pattern} is {output} "
                f"{' and '.join(map(str, conflict.counts))}."
            )
            for output, found in self.conflicts.items()
            for conflict in found
        ]
        return (
            "\n".join(lines)
            or "Every concept is used, none follows from the others, and none is missing."
        )


def audit(truth: Run, rule_set: RuleSet | None = None) -> Audit:
    """The audit of the concepts on true traces; rule_set: whose rules count as use (by default, the
    algorithm's own).

    >>> from algolens.algorithms import algorithm
    >>> from algolens.data import fixed
    >>> print(audit(fixed(algorithm("coloring")).train))
    No rule uses color_5_seen.
    """
    declaration = truth.algorithm.declaration
    rule_set = rule_set or declaration.rule_set
    rules = [rule for classes in rule_set.rules.values() for rule in classes.values()]
    if rule_set.continues is not None:
        rules.append(rule_set.continues.formula)
    used = {name for rule in rules for name in rule.names}
    seen = observe(truth, truth)
    elements = seen.bools[seen.which]
    return Audit(
        unused=tuple(name for name in declaration.concepts if name not in used),
        determined=_determined(seen.names, seen.bools),
        conflicts={
            output: Labelled.of(elements, seen.true[output], len(kind.labels)).conflicts(
                seen.names, kind.labels
            )
            for output, kind in declaration.decided.items()
        },
    )


def _determined(names: tuple[str, ...], bools: np.ndarray) -> dict[str, Formula]:
    """The concepts that never differ where all others are alike, each as the smallest formula of
    the others.
    """
    result = {}
    for i, name in enumerate(names):
        others = tuple(other for other in names if other != name)
        rest = pack(np.delete(bools, i, axis=1))
        true, false = np.unique(rest[bools[:, i]]), np.unique(rest[~bools[:, i]])
        if others and len(np.intersect1d(true, false)) == 0:
            result[name] = minimise(others, true, false).formula
    return result
