"""Rules of the outputs, from a concept decoder and the concepts that were seen (the paper's
appendix on formulas).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from algolens.algorithms import Declaration
from algolens.errors import AlgoLensError
from algolens.extraction.observations import Observations
from algolens.logic import Formula, Minimised, concepts, conjunction, disjunction, minimise, unpack
from algolens.rules.clause_choice import Target
from algolens.rules.trade_off import trade_offs

FEW_CLAUSES = 3  # of which a rule can be read as it stands
MOSTLY = 0.97  # of the decisions, that a shorter rule must say
MOST_OF_CLASS = 0.2  # of the decisions for its class, on which it may err
MOSTLY_SECONDS = 2.0
MAX_LISTED = 12  # of more concepts, the patterns never seen are counted and not listed


class Unseen(Enum):
    """What a rule may say of patterns that were never seen."""

    DONT_CARE = "dont-care"  # whatever makes it short
    NEGATIVE = "negative"  # that it does not hold


@dataclass(frozen=True)
class Clause:
    """One conjunction of a rule."""

    formula: Formula
    support: int  # elements and steps at which it held

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {"formula": str(self.formula), "support": self.support}


@dataclass(frozen=True)
class Mostly:
    """A rule of fewer clauses that says almost the same: what a network mostly goes by."""

    formula: Formula
    fidelity: float  # share of elements and steps at which it says what the decoder decided
    exception: Formula  # the pattern of concepts that it fails at most often
    exceptions: int  # elements and steps with that pattern at which it fails

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "formula": str(self.formula),
            "fidelity": self.fidelity,
            "exception": str(self.exception),
            "exceptions": self.exceptions,
        }


@dataclass(frozen=True)
class Rule:
    """When an output takes a class."""

    formula: Formula
    clauses: tuple[Clause, ...]
    proven: bool  # no rule that says the same is smaller
    how: str  # how it was minimised, in a sentence
    support: int  # elements and steps at which it held
    fidelity: float  # share of elements and steps at which it says what the decoder decided
    accuracy: float  # share at which it says what is true
    # where the rule is long, and one of at most half the clauses says almost the same
    mostly: Mostly | None = None

    @property
    def num_literals(self) -> int:
        """Concepts mentioned, each as often as it is."""
        return sum(len(clause.formula.names) for clause in self.clauses)

    def to_json(self) -> dict[str, Any]:
        """What is known of it, as JSON."""
        return {
            "formula": str(self.formula),
            "clauses": [clause.to_json() for clause in self.clauses],
            "literals": self.num_literals,
            "proven_minimal": self.proven,
            "how": self.how,
            "support": self.support,
            "fidelity": self.fidelity,
            "accuracy": self.accuracy,
            "mostly": self.mostly and self.mostly.to_json(),
        }


@dataclass(frozen=True)
class OutputRules:
    """The rules of one output."""

    relevant: tuple[str, ...]  # the concepts that its decoder looks at
    classes: Mapping[str, Rule]
    num_seen: int  # distinct patterns of the relevant concepts
    never_seen: tuple[int, ...] | None  # packed; None where there are too many to list
    # what its decoder decides was read on all patterns of the relevant concepts, seen or not
    read: bool

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "relevant": list(self.relevant),
            "read": self.read,
            "classes": {label: rule.to_json() for label, rule in self.classes.items()},
            "patterns_seen": self.num_seen,
            "patterns_never_seen": None if self.never_seen is None else list(self.never_seen),
        }


def output_rules(
    declaration: Declaration,
    seen: Observations,
    relevant: Mapping[str, tuple[str, ...]],
    unseen: Unseen,
    decoded: Mapping[str, np.ndarray],
) -> dict[str, OutputRules]:
    """The rules of every output. relevant: what its decoder looks at; decoded: where it was read,
    [2**R] what it decides.
    """
    if not len(seen.patterns):
        raise AlgoLensError(
            "no step was taken on the graphs that rules are to be drawn from: give graphs that "
            "need one."
        )
    return {
        output: _rules(output, kind.labels, seen, relevant[output], unseen, decoded.get(output))
        for output, kind in declaration.decided.items()
    }


def _rules(
    output: str,
    labels: tuple[str, ...],
    seen: Observations,
    relevant: tuple[str, ...],
    unseen: Unseen,
    decoded: np.ndarray | None,
) -> OutputRules:
    shown, which = seen.over(relevant)
    of_element = which[seen.which]  # [M] what each element shows of the relevant concepts
    votes = np.bincount(
        of_element * len(labels) + seen.decided[output], minlength=len(shown) * len(labels)
    )
    votes = votes.reshape(len(shown), len(labels))
    classes, counts = (
        votes.argmax(1),
        votes.sum(1),
    )  # [Q] what was decided most often of each pattern, and how often it was seen
    bools = unpack(shown, len(relevant))
    values = {name: bools[:, i] for i, name in enumerate(relevant)}
    known, of_known = (shown, classes) if decoded is None else (np.arange(len(decoded)), decoded)
    found = {}
    for number, label in enumerate(labels):
        holds = of_known == number
        only = unseen is Unseen.NEGATIVE and decoded is None
        found[label] = minimise(relevant, known[holds], None if only else known[~holds])
    if (
        set(labels) == {"false", "true"}
        and not only
        and decoded is None
        and len(relevant) <= MAX_LISTED
    ):
        found["false"] = _opposite(found["true"], relevant)
    mostly = {
        label: _mostly(found[label], relevant, bools, votes[:, number], counts - votes[:, number])
        for number, label in enumerate(labels)
    }
    rules = {
        label: _measured(
            found[label],
            values,
            counts,
            of_element,
            seen.decided[output] == number,
            seen.true[output] == number,
            mostly[label],
        )
        for number, label in enumerate(labels)
    }
    listed = None
    if len(relevant) <= MAX_LISTED:
        listed = tuple(np.setdiff1d(np.arange(2 ** len(relevant)), shown.astype(np.int64)).tolist())
    return OutputRules(relevant, rules, len(shown), listed, decoded is not None)


def _opposite(rule: Minimised, relevant: tuple[str, ...]) -> Minimised:
    """The rule for false: it holds where that for true does not, on patterns that were never seen
    too.
    """
    every = np.arange(2 ** len(relevant))
    bools = unpack(every, len(relevant))
    says = np.asarray(
        rule.formula.evaluate({name: bools[:, i] for i, name in enumerate(relevant)}), dtype=bool
    )
    says = np.broadcast_to(says, every.shape)
    return minimise(relevant, every[~says], every[says])


def _mostly(
    found: Minimised,
    relevant: tuple[str, ...],
    patterns: np.ndarray,
    true: np.ndarray,
    false: np.ndarray,
) -> Mostly | None:
    """The fewest clauses, at most half, that say almost the same; patterns: [Q, C] bools; true,
    false: [Q] counts.
    """
    if len(found.clauses) <= FEW_CLAUSES:
        return None
    total, of_class = float(true.sum() + false.sum()), float(true.sum())
    target = Target(patterns, true, false)
    (curve,) = trade_offs([target], deadline=time.monotonic() + MOSTLY_SECONDS)
    # a rule that never holds is often right, and says nothing
    most = min((1 - MOSTLY) * total, MOST_OF_CLASS * of_class)
    close = [
        point
        for point in curve.points
        if point.errors <= most and 0 < len(point.clauses) <= len(found.clauses) / 2
    ]
    if not close:
        return None
    best = close[0]
    says = best.clauses.hold(patterns).any(0)
    fails = np.where(says, false, true)
    if not fails.any():
        return None
    place = int(fails.argmax())
    pattern = conjunction(
        *(
            c if bit else ~c
            for c, bit in zip(concepts(*relevant), patterns[place].tolist(), strict=True)
        )
    )
    formula = disjunction(*best.clauses.in_order().formulas(relevant))
    return Mostly(formula, 1 - float(fails.sum()) / total, pattern, int(fails[place]))


def _measured(
    found: Minimised,
    values: Mapping[str, np.ndarray],
    counts: np.ndarray,
    of_element: np.ndarray,
    decided: np.ndarray,
    true: np.ndarray,
    mostly: Mostly | None,
) -> Rule:
    """The rule with its measures; counts: [Q] how often each pattern was seen; decided and true:
    [M] is it this class?
    """

    def holds(formula: Formula) -> np.ndarray:
        return np.broadcast_to(np.asarray(formula.evaluate(values), dtype=bool), counts.shape)

    says = holds(found.formula)[of_element]
    return Rule(
        formula=found.formula,
        clauses=tuple(Clause(clause, int(counts[holds(clause)].sum())) for clause in found.clauses),
        proven=found.proven,
        how=found.how,
        support=int(says.sum()),
        fidelity=float((says == decided).mean()),
        accuracy=float((says == true).mean()),
        mostly=mostly,
    )
