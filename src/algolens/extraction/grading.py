"""Grading: is an extracted rule set the true one?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy import ndarray

from algolens.algorithms import Algorithm
from algolens.arrays import NUMPY
from algolens.data import fresh, takes_long
from algolens.engines import Run
from algolens.graphs import Recipe, stream
from algolens.logic import Formula, GoOn, pack, unpack
from algolens.logic.patterns import all_patterns, pattern_in_words
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase

# graphs, and how many times the training size, whose true traces are looked at
SAMPLES = ((2000, 1), (400, 2), (100, 5))
GOING_ON = "continue"
ONLY_ONE = "only one of both has a rule for going on"
MAX_TABLE = 20  # concepts of which all patterns are compared; of more, as many patterns at random


@dataclass(frozen=True)
class Verdict:
    """How an extracted rule set compares with the true one."""

    # on every pattern that occurs, and at every step of the traces it was seen in
    equal_on_seen: bool
    equal_on_all: bool  # on every pattern at all
    num_patterns: int | None  # that occur; None where they were not looked for
    # in words; of the patterns that occur where there is one, else of all
    first_difference: str | None

    def __str__(self) -> str:
        if self.equal_on_all:
            return "equal to the true rules on every pattern of concepts"
        if self.equal_on_seen:
            return (
                f"equal to the true rules on all {self.num_patterns} patterns that occur; "
                f"elsewhere, {self.first_difference}"
            )
        return f"not the true rules: {self.first_difference}"


@lru_cache(maxsize=8)
def occurring(algorithm: Algorithm, recipe: Recipe) -> tuple[ndarray, tuple[Run, ...]]:
    """[P, C] the patterns of concepts in true traces of new graphs, and these traces.

    recipe: of training graphs; the others are up to five times as large, unless runs are long.
    """
    traces: list[Run] = []
    for count, times in SAMPLES:
        size = recipe.size * times
        trace = next(fresh(algorithm, count, seed=1_000 + times, sizes=(size,), recipe=recipe))
        traces.append(trace.to(NUMPY))
        if takes_long(traces[-1], size):
            break
    count = len(algorithm.declaration.concepts)
    packed = [pack(trace.patterns().reshape(-1, count)) for trace in traces]
    return unpack(np.unique(np.concatenate(packed)), count), tuple(traces)


def grade(rule_set: RuleSet, algorithm: Algorithm) -> Verdict:
    """Compare a rule set with an algorithm's true one, on the patterns that occur and on all.

    Where the truth tables agree, they decide; only where they differ, graphs are drawn to see
    whether that occurs.

    Parameters
    ----------
    rule_set
        Rules over the algorithm's concepts.
    algorithm
        Its declaration has the true rules.

    Returns
    -------
    Verdict
    """
    patterns = _all(len(rule_set.concepts))
    elsewhere = _differs(rule_set, algorithm, patterns, and_goes_on=True)
    if elsewhere is None and len(rule_set.concepts) <= MAX_TABLE:
        return Verdict(True, True, None, None)
    with phase(f"grading the rules of {algorithm.name} on new graphs"):
        seen, traces = occurring(algorithm, algorithm.recipe)
        difference = _differs(rule_set, algorithm, seen) or _stops_otherwise(rule_set, traces)
    return Verdict(
        equal_on_seen=difference is None,
        equal_on_all=difference is None and elsewhere is None,
        num_patterns=len(seen),
        first_difference=difference or elsewhere,
    )


def tally(rule_sets: Sequence[RuleSet]) -> dict[str, list[tuple[str, int]]]:
    """Count how many seeds gave each rule, as in the paper's tables.

    Returns
    -------
    dict
        By 'output = class' or 'continue': rules as text, commonest first.
    """
    return {
        what: [(str(rule), count) for rule, count in rules]
        for what, rules in count_rules(rule_sets).items()
    }


def count_rules(rule_sets: Sequence[RuleSet]) -> dict[str, list[tuple[Formula | GoOn, int]]]:
    """What ``tally`` counts with rules as formulas, to be written in any notation."""
    counts: dict[str, Counter[Formula | GoOn]] = defaultdict(Counter)
    for rule_set in rule_sets:
        for output, label, rule in rule_set.each:
            counts[f"{output} = {label}"][rule] += 1
        if rule_set.continues is not None:
            counts[GOING_ON][rule_set.continues] += 1
    return {what: counter.most_common() for what, counter in counts.items()}


def _differs(
    rule_set: RuleSet, algorithm: Algorithm, patterns: ndarray, *, and_goes_on: bool = False
) -> str | None:
    """The first pattern at which another rule holds."""
    true, names = algorithm.declaration.rule_set, rule_set.concepts
    rules = [
        (f"its rule for {output} = {label}", rule_set.rules[output][label], rule)
        for output, label, rule in true.each
    ]
    mine_on, true_on = (each.continues if and_goes_on else None for each in (rule_set, true))
    if mine_on and true_on:
        rules.append(("what going on is asked by", mine_on.witness, true_on.witness))
    for what, mine, other in rules:
        holds = mine.on(names, patterns)
        wrong = np.flatnonzero(holds != other.on(names, patterns))[:1]
        if len(wrong):
            pattern = pattern_in_words(int(pack(patterns[wrong])[0]), names)
            return f"at {pattern} {what} {'holds' if holds[wrong[0]] else 'does not hold'}"
    if mine_on and true_on:
        if mine_on.equivalent(true_on):
            return None
        return f"its rule for going on is '{mine_on}', and the true one '{true_on}'"
    return None if mine_on is true_on else ONLY_ONE


def _stops_otherwise(rule_set: RuleSet, traces: Sequence[Run]) -> str | None:
    """The first step of a trace at which the rule set goes on, or stops, and should not."""
    declaration = traces[0].algorithm.declaration
    if (rule_set.continues is not None) != declaration.terminates:
        return ONLY_ONE
    for trace in traces if declaration.terminates else ():
        any_per_graph = partial(trace.graph.any_per_graph, location=declaration.location)
        for step, ahead in enumerate(trace.patterns_ahead()):
            asks = rule_set.goes_on(ahead, any_per_graph)
            wrong = asks[trace.is_alive[step] & (asks != trace.goes_on[step])]
            if len(wrong):
                goes = "goes on" if wrong[0] else "stops"
                return f"it {goes} after step {step + 1} of a graph where the algorithm does not"
    return None


def _all(num_concepts: int) -> ndarray:
    if num_concepts <= MAX_TABLE:
        return all_patterns(num_concepts)
    return stream(0, "patterns", num_concepts).random((2**MAX_TABLE, num_concepts)) < 0.5
