"""The audit of an algorithm's concepts: which are never used, which follow from others, and where one is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algolens.execution import Run
from algolens.extraction.observations import observe
from algolens.logic import Formula, Program, minimise, pack
from algolens.logic.patterns import in_words


@dataclass(frozen=True)
class Conflict:
    """One pattern of concepts that is labelled in two ways: the concepts do not tell the cases apart."""

    output: str
    pattern: str
    labels: dict[str, int]  # how often each was true


@dataclass(frozen=True)
class Audit:
    """What the concepts are worth."""

    unused: tuple[str, ...]  # no rule speaks of them
    determined: dict[str, Formula]  # those that follow from the others on every pattern seen, and how
    conflicts: tuple[Conflict, ...]

    def __str__(self) -> str:
        lines = [f"No rule uses {name}." for name in self.unused]
        lines += [f"{name} follows from the others: {formula}." for name, formula in self.determined.items()]
        lines += [f"A concept is missing: {c.pattern} is {c.output} {c.labels}." for c in self.conflicts]
        return "\n".join(lines) or "Every concept is used, none follows from the others, and none is missing."


def audit(truth: Run, program: Program | None = None) -> Audit:
    """The audit of the concepts on true traces; program: whose rules count as use (by default, the algorithm's own).

    >>> from algolens.algorithms import algorithm
    >>> from algolens.data import fixed
    >>> audit(fixed(algorithm("coloring")).train).unused
    ('color_5_seen',)
    """
    declaration = truth.algorithm.declaration
    program = program or declaration.program
    rules = [rule for classes in program.rules.values() for rule in classes.values()]
    if program.continues is not None:
        rules.append(program.continues)
    used = {name for rule in rules for name in rule.names}
    seen = observe(truth, truth)
    conflicts = []
    for output, kind in declaration.outputs.items():
        table = np.zeros((len(seen.patterns), len(kind.labels)), dtype=np.int64)
        np.add.at(table, (seen.which, seen.true[output]), 1)
        for place in np.flatnonzero((table > 0).sum(1) > 1):
            labels = {kind.labels[k]: int(table[place, k]) for k in np.flatnonzero(table[place])}
            conflicts.append(Conflict(output, in_words(int(seen.patterns[place]), seen.names), labels))
    return Audit(
        unused=tuple(name for name in declaration.concepts if name not in used),
        determined=_determined(seen.names, seen.bools),
        conflicts=tuple(conflicts),
    )


def _determined(names: tuple[str, ...], bools: np.ndarray) -> dict[str, Formula]:
    result = {}
    for i, name in enumerate(names):
        others = tuple(other for other in names if other != name)
        rest = pack(np.delete(bools, i, axis=1))
        true, false = np.unique(rest[bools[:, i]]), np.unique(rest[~bools[:, i]])
        if others and len(np.intersect1d(true, false)) == 0:
            result[name] = minimise(others, true, false).formula
    return result
