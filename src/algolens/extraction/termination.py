"""Rules for going on: the smallest combination of concepts that exists exactly while a run does.

Or the smallest "or" of such; or what exists exactly where it stops.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.errors import ExtractionError
from algolens.logic import (
    FALSE,
    Formula,
    GoOn,
    Quantifier,
    concepts,
    conjunction,
    disjunction,
    pack,
)
from algolens.logic.clauses import Clauses, Occurrences, implicants, plainest_first
from algolens.logic.formula import And, Concept, Not, Or
from algolens.logic.minimal import cheapest_rules

# where nothing short fits every step, a literal must explain more steps than both of these
FEWEST_STEPS, SHARE_OF_STEPS = 3, 1 / 500
MAX_WIDTH = 2_000_000  # combinations of one size that are looked at; of more, the most hopeful


@dataclass(frozen=True)
class TerminationRule:
    """A rule for going on, and how it agrees with the steps it was found from."""

    rule: GoOn
    num_wrong: int  # how many steps say otherwise
    num_steps: int
    # no combination that fits has fewer literals; where none fits, nothing is a better bargain
    proven: bool
    read: bool = False  # it was read off the network, and not found from the steps
    of_algorithm: bool = False  # it is the algorithm's own, for the network does not tell
    contradictions: tuple[int, ...] = ()  # those steps; a file has only their number

    @property
    def fits(self) -> bool:
        """Whether it says what every step says."""
        return not self.num_wrong

    @property
    def fidelity(self) -> float:
        """Share of the steps at which it says what the network decided."""
        return 1 - self.num_wrong / self.num_steps

    def __str__(self) -> str:
        return str(self.rule)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "rule": str(self.rule),
            "read": self.read,
            "fits": self.fits,
            "steps": self.num_steps,
            "contradicting_steps": self.num_wrong,
            "fidelity": self.fidelity,
            **({"of_algorithm": True} if self.of_algorithm else {}),
        }


def measured(
    rule: GoOn, names: Sequence[str], patterns: ndarray, step: ndarray, goes_on: ndarray
) -> TerminationRule:
    """A rule that was read off a network, beside the steps that it took, as smallest_exists."""

    exists = np.zeros(len(goes_on), bool)
    exists[step[rule.witness.on(names, patterns)]] = True
    wrong = tuple(np.flatnonzero(exists ^ rule.negates != goes_on).tolist())
    return TerminationRule(
        rule, len(wrong), len(goes_on), proven=False, read=True, contradictions=wrong
    )


def smallest_going_on(
    names: Sequence[str],
    patterns: ndarray,
    step: ndarray,
    goes_on: ndarray,
    *,
    seconds: float = 10.0,
) -> TerminationRule:
    """The smallest rule for going on: what exists while it does, or else where it stops.

    Where neither fits every step, the one of the fewer mistakes is taken. Parameters as of
    ``smallest_exists``.

    Examples
    --------
    >>> patterns = np.array([[True], [True], [True], [False], [False]])
    >>> step = np.array([0, 0, 1, 1, 2])
    >>> str(smallest_going_on(["waits"], patterns, step, np.array([True, False, False])))
    'every n: waits'
    """
    exists = smallest_exists(names, patterns, step, goes_on, seconds=seconds)
    if exists.fits and not isinstance(exists.rule.formula, Or):
        return exists
    stops = smallest_exists(names, patterns, step, ~np.asarray(goes_on), seconds=seconds)
    # the fewer mistakes, then the fewer literals
    mistakes = exists.num_wrong, num_literals(exists.rule.formula)
    if mistakes <= (stops.num_wrong, num_literals(stops.rule.formula)):
        return exists
    return replace(stops, rule=_while_none(stops.rule.formula))


def _while_none(formula: Formula) -> GoOn:
    """Going on while no element is so, said with as few opposites as can be."""
    terms = formula.parts if isinstance(formula, And | Or) else (formula,)
    opposites = [term.term if isinstance(term, Not) else Not(term) for term in terms]
    are_literals = all(isinstance(term, Concept | Not) for term in terms)
    if not are_literals or 2 * sum(isinstance(term, Not) for term in terms) <= len(terms):
        return GoOn(formula, Quantifier.NO)
    joined = conjunction if isinstance(formula, Or) else disjunction
    return GoOn(joined(*opposites), Quantifier.EVERY)


def num_literals(formula: Formula) -> int:
    """Count the concepts that a formula names, with repetitions."""
    return sum(map(num_literals, formula.parts)) if formula.parts else len(formula.names)


def smallest_exists(
    names: Sequence[str],
    patterns: ndarray,
    step: ndarray,
    goes_on: ndarray,
    *,
    price: float | None = None,
    seconds: float = 10.0,
) -> TerminationRule:
    """The smallest combination that an element has at the steps that go on, and at no other.

    Of combinations of one size, the one of earlier concepts (so that who declares them says which
    matter most), then the one with more that are true.

    Where no combination fits all steps, a network errs, or its rule is an "or". A step at which a
    rule fails then costs 1, a literal costs ``price``, and the cheapest "or" of combinations is
    taken, the shorter of equals. So mistakes fewer than that never make a rule longer.

    Parameters
    ----------
    names
        The concepts.
    patterns
        [M, C] bools: the concepts of elements after a step.
    step
        [M] the number of the step that each belongs to, over all graphs.
    goes_on
        [steps] bools.
    price
        By default 3, or one in 500 of the steps where that is more.
    seconds
        After about this time the search ends with the best so far, which is then not proven.

    Returns
    -------
    TerminationRule

    Raises
    ------
    ExtractionError
        If shapes or types do not match.

    Examples
    --------
    >>> patterns = np.array([[True, False], [True, True], [True, True], [False, False]])
    >>> step, goes_on = np.array([0, 0, 1, 2]), np.array([True, False, False])
    >>> rule = smallest_exists(["near", "seen"], patterns, step, goes_on)
    >>> str(rule), rule.fits
    ('exists n: near & ~seen', True)
    >>> patterns = np.repeat([[True, False], [False, True], [False, False]], 20, axis=0)
    >>> goes_on = np.repeat([True, True, False], 20)
    >>> str(smallest_exists(["near", "seen"], patterns, np.arange(60), goes_on))
    'exists n: near | seen'
    """
    patterns, step, goes_on = _checked(names, patterns, step, goes_on)
    if not goes_on.any():
        return TerminationRule(GoOn(FALSE), 0, len(goes_on), proven=True)
    steps, deadline = _steps(patterns, step, len(goes_on)), time.monotonic() + seconds
    best, proven = _smallest_that_fits(steps, goes_on, deadline - seconds / 2)
    if best is None:
        price = max(FEWEST_STEPS, SHARE_OF_STEPS * len(goes_on)) if price is None else price
        best, proven = cheapest_rules(steps, goes_on, price, deadline)
    wrong = tuple(np.flatnonzero(steps.table(best).any(0) != goes_on).tolist())
    rule = GoOn(disjunction(*best.formulas(names)))
    return TerminationRule(rule, len(wrong), len(goes_on), proven, contradictions=wrong)


def _steps(patterns: ndarray, step: ndarray, num_steps: int) -> Occurrences:
    """The distinct patterns of every step."""
    pairs = np.unique(np.rec.fromarrays([step.astype(np.int64), pack(patterns).astype(np.uint64)]))
    return Occurrences(pairs["f1"], pairs["f0"], num_steps, patterns.shape[1])


def _smallest_that_fits(
    steps: Occurrences, goes_on: ndarray, deadline: float
) -> tuple[Clauses | None, bool]:
    """The plainest that an element has at every step that goes on, and none has at another."""
    forbidden = np.unique(steps.patterns[~goes_on[steps.owner]])
    # an element that also occurs at a step that stops can be no reason to go on
    telling = goes_on[steps.owner] & ~np.isin(steps.patterns, forbidden)
    going = replace(steps, patterns=steps.patterns[telling], owner=steps.owner[telling])
    for clauses, is_complete in implicants(going.take(goes_on), forbidden, MAX_WIDTH, deadline):
        if len(clauses):
            return plainest_first(clauses)[:1], is_complete
    return None, is_complete


def _checked(
    names: Sequence[str], patterns: ndarray, step: ndarray, goes_on: ndarray
) -> tuple[ndarray, ...]:
    concepts(*names)  # refuses what cannot name a concept
    patterns, step, goes_on = np.asarray(patterns), np.asarray(step), np.asarray(goes_on)
    if patterns.dtype != bool or patterns.shape != (len(step), len(names)):
        raise ExtractionError(
            f"patterns came as {patterns.dtype} of shape {list(patterns.shape)}; for {len(step)} "
            f"elements and the concepts {', '.join(names)} they are bools of shape [{len(step)}, "
            f"{len(names)}]: threshold them first, as in values > 0.5."
        )
    if goes_on.dtype != bool or goes_on.ndim != 1 or len(goes_on) == 0:
        raise ExtractionError(
            f"goes_on came as {goes_on.dtype} of shape {list(goes_on.shape)}; it is a bool for "
            "every step, and one at least."
        )
    if (
        step.ndim != 1
        or step.dtype.kind not in "iu"
        or (step.size and not 0 <= step.min() <= step.max() < len(goes_on))
    ):
        raise ExtractionError(
            f"steps are numbered from 0 to {len(goes_on) - 1}, as many as goes_on has; "
            f"{step.dtype} came" + (f", from {step.min()} to {step.max()}." if step.size else ".")
        )
    return patterns, step, goes_on
