"""Rules of the outputs, from a concept decoder and the concepts that were seen."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
from msgspec import Struct, field
from numpy import ndarray

from algolens.algorithms import Declaration
from algolens.errors import AlgoLensError
from algolens.extraction.observations import Observations
from algolens.logic import Formula, Minimised, disjunction, minimal_rules, pack, parse
from algolens.logic.patterns import pattern_in_words
from algolens.reading import Count, Name, Share, Text, Word
from algolens.rules.samples import Labelled
from algolens.rules.trade_off import Target, trade_offs

FEW_CLAUSES = 3  # of which a rule can be read as it stands
MOSTLY = 0.97  # of the decisions, that a shorter rule must say
MOST_OF_CLASS = 0.2  # of the decisions for its class, on which it may err
MOSTLY_SECONDS = 2.0
MAX_LISTED = 12  # of more concepts, the patterns never seen are counted and not listed


class Unseen(Enum):
    """What a rule may say of patterns that were never seen."""

    DONT_CARE = "dont-care"  # whatever makes it short
    NEGATIVE = "negative"  # that it does not hold


class Clause(Struct, frozen=True, forbid_unknown_fields=True):
    """One conjunction of a rule."""

    formula: Text
    support: Count  # elements and steps at which it held

    def __post_init__(self) -> None:
        parse(self.formula)


class Mostly(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of fewer clauses that says almost the same: what a network mostly goes by."""

    formula: Text
    fidelity: Share  # of elements and steps, at which it says what the decoder decided
    exception: Text  # the pattern of concepts that it fails at most often
    exceptions: Count  # elements and steps with that pattern at which it fails

    def __post_init__(self) -> None:
        parse(self.formula)
        parse(self.exception)


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """When an output takes a class."""

    formula: Text
    clauses: list[Clause]
    literals: Count  # concepts mentioned, each as often as it is
    proven: bool = field(name="proven_minimal")  # no rule that says the same is smaller
    how: Text  # how it was minimised, in a sentence
    support: Count  # elements and steps at which it held
    fidelity: Share  # of elements and steps, at which it says what the decoder decided
    accuracy: Share  # of those, at which it says what is true
    # where the rule is long, and one of at most half the clauses says almost the same
    mostly: Mostly | None = None

    def __post_init__(self) -> None:
        parse(self.formula)


class OutputRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one output."""

    relevant: list[Name]  # the concepts that its decoder looks at
    # what its decoder decides was read on all patterns of the relevant concepts, seen or not
    read: bool
    classes: dict[Word, Rule]
    num_seen: Count = field(name="patterns_seen")  # distinct, of the relevant concepts
    # packed; None where there are too many to list
    never_seen: list[Count] | None = field(name="patterns_never_seen")


def output_rules(
    declaration: Declaration,
    seen: Observations,
    relevant: Mapping[str, tuple[str, ...]],
    unseen: Unseen,
    decoded: Mapping[str, ndarray],
) -> dict[str, OutputRules]:
    """The rules of every output.

    relevant: what its decoder looks at; decoded: where it was read, [2**R] what it decides.
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
    decoded: ndarray | None,
) -> OutputRules:
    columns = seen.patterns[:, [seen.names.index(name) for name in relevant]]
    # the same distinct patterns, counted by what was decided and by what is true
    decided, true = (
        Labelled.of(columns, classes[output], len(labels)) for classes in (seen.decided, seen.true)
    )
    shown = pack(decided.patterns)
    known, of_known = shown, decided.labels
    if decoded is not None:
        known, of_known = np.arange(len(decoded)), decoded
    is_negative = unseen is Unseen.NEGATIVE and decoded is None
    minimised = {}
    for number, label in enumerate(labels):
        holds = of_known == number
        minimised[label] = minimal_rules(
            relevant, known[holds], None if is_negative else known[~holds]
        )
    is_listed = len(relevant) <= MAX_LISTED
    if set(labels) == {"false", "true"} and not is_negative and decoded is None and is_listed:
        minimised["false"] = _opposite(minimised["true"], relevant)
    rules = {
        label: _measured(minimised[label], relevant, decided, true, number)
        for number, label in enumerate(labels)
    }
    never_seen = None
    if is_listed:
        never_seen = np.setdiff1d(np.arange(2 ** len(relevant)), shown).tolist()
    return OutputRules(list(relevant), decoded is not None, rules, len(shown), never_seen)


def _opposite(rule: Minimised, relevant: tuple[str, ...]) -> Minimised:
    """The rule for false: it holds where that for true does not, seen or not."""
    says = rule.formula.table(relevant)
    every = np.arange(len(says))
    return minimal_rules(relevant, every[~says], every[says])


def _measured(
    minimised: Minimised,
    relevant: tuple[str, ...],
    decided: Labelled,
    true: Labelled,
    number: int,
) -> Rule:
    """The rule of a class, by its number, with its measures."""
    values = {name: decided.patterns[:, i] for i, name in enumerate(relevant)}
    counts = decided.counts.sum(1)

    def holds(formula: Formula) -> ndarray:
        return np.broadcast_to(np.asarray(formula.evaluate(values), dtype=bool), counts.shape)

    def agreement(of_class: ndarray) -> float:
        return float(np.where(says, of_class, counts - of_class).sum() / counts.sum())

    says = holds(minimised.formula)
    return Rule(
        formula=str(minimised.formula),
        clauses=[
            Clause(str(clause), int(counts[holds(clause)].sum())) for clause in minimised.clauses
        ],
        literals=sum(len(clause.names) for clause in minimised.clauses),
        proven=minimised.proven,
        how=minimised.how,
        support=int(counts[says].sum()),
        fidelity=agreement(decided.counts[:, number]),
        accuracy=agreement(true.counts[:, number]),
        mostly=_mostly(len(minimised.clauses), relevant, decided, number),
    )


def _mostly(
    num_clauses: int, relevant: tuple[str, ...], decided: Labelled, number: int
) -> Mostly | None:
    """The fewest clauses, at most half as many, that say almost the same of a class."""
    if num_clauses <= FEW_CLAUSES:
        return None
    patterns, true = decided.patterns, decided.counts[:, number]
    false = decided.counts.sum(1) - true
    total = int(decided.counts.sum())
    target = Target(patterns, true, false)
    (curve,) = trade_offs([target], deadline=time.monotonic() + MOSTLY_SECONDS)
    # a rule that never holds is often right, and says nothing
    most = min((1 - MOSTLY) * total, MOST_OF_CLASS * true.sum())
    for point in curve.points:
        if point.errors <= most and 0 < len(point.clauses) <= num_clauses / 2:
            break
    else:
        return None
    fails = np.where(point.clauses.hold(patterns).any(0), false, true)
    if not fails.any():
        return None
    worst = int(fails.argmax())
    return Mostly(
        formula=str(disjunction(*point.clauses.in_order().formulas(relevant))),
        fidelity=1 - float(fails.sum()) / total,
        exception=pattern_in_words(int(pack(patterns[[worst]])[0]), relevant),
        exceptions=int(fails[worst]),
    )


def never_seen_formula(names: Sequence[str], never_seen: Sequence[int]) -> Formula:
    """The patterns that were never seen, in as few words as tell them from those that were."""
    seen = np.setdiff1d(np.arange(2 ** len(names)), never_seen)
    return minimal_rules(names, np.array(never_seen), seen).formula
