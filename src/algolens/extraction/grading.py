"""Grading: is an extracted rule set the true one?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.data import fresh
from algolens.execution import Run
from algolens.graphs import stream
from algolens.logic import Formula, GoOn, pack, unpack
from algolens.logic.patterns import all_patterns, pattern_in_words
from algolens.logic.rule_set import RuleSet

# graphs, and how many times the training size, whose true traces are looked at
SAMPLES = ((2000, 1), (400, 2), (100, 5))
GOING_ON = "continue"
MAX_TABLE = 20  # concepts of which all patterns are compared; of more, as many patterns at random


@dataclass(frozen=True)
class Verdict:
    """How an extracted rule set compares with the true one."""

    # on every pattern that occurs, and at every step of the traces it was seen in
    equal_on_seen: bool
    equal_on_all: bool  # on every pattern at all
    num_patterns: int  # that occur
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


@dataclass(frozen=True, eq=False)
class Occurring:
    """What occurs in true traces on a sample of graphs of several sizes."""

    patterns: Tensor  # [P, C] bools: seen before a step
    traces: tuple[Run, ...]


def occurring(algorithm: Algorithm) -> Occurring:
    """The patterns of concepts that occur in true traces: of 2,500 new graphs, from training size
    to five times that.
    """
    return _occurring(algorithm, algorithm.recipe.size)


@lru_cache(maxsize=8)
def _occurring(algorithm: Algorithm, size: int) -> Occurring:
    traces = tuple(
        next(fresh(algorithm, count, seed=1_000 + times, sizes=(size * times,)))
        for count, times in SAMPLES
    )
    packed = [pack(trace.concepts.flatten(0, 1).cpu().numpy()) for trace in traces]
    patterns = unpack(np.unique(np.concatenate(packed)), len(algorithm.declaration.concepts))
    return Occurring(torch.from_numpy(patterns), traces)


def grade(rule_set: RuleSet, algorithm: Algorithm) -> Verdict:
    """Compares a rule set with an algorithm's true one, on the patterns that occur and on all."""
    known = occurring(algorithm)
    true = algorithm.declaration.rule_set
    difference = _differs(rule_set, true, known.patterns) or _stops_otherwise(
        rule_set, true, known.traces
    )
    patterns = _all(len(rule_set.concepts))
    elsewhere = _differs(rule_set, true, patterns)
    if elsewhere is None and rule_set.continues is not None and true.continues is not None:
        elsewhere = _goes_on_otherwise(rule_set, true, patterns)
    return Verdict(
        equal_on_seen=difference is None,
        equal_on_all=difference is None and elsewhere is None,
        num_patterns=len(known.patterns),
        first_difference=difference or elsewhere,
    )


def tally(rule_sets: Sequence[RuleSet]) -> dict[str, list[tuple[str, int]]]:
    """How often each rule came over seeds, as in the paper's tables: by 'output = class' or
    'continue', commonest first.
    """
    return {
        what: [(str(rule), count) for rule, count in rules]
        for what, rules in count_rules(rule_sets).items()
    }


def count_rules(rule_sets: Sequence[RuleSet]) -> dict[str, list[tuple[Formula | GoOn, int]]]:
    """The same with rules as formulas, to be written in any notation."""
    counts: dict[str, Counter[Formula | GoOn]] = {}
    for rule_set in rule_sets:
        for output, classes in rule_set.rules.items():
            for label, rule in classes.items():
                counts.setdefault(f"{output} = {label}", Counter())[rule] += 1
        if rule_set.continues is not None:
            counts.setdefault(GOING_ON, Counter())[rule_set.continues] += 1
    return {what: counter.most_common() for what, counter in counts.items()}


def _differs(rule_set: RuleSet, true: RuleSet, patterns: Tensor) -> str | None:
    ours, theirs = rule_set.decide(patterns), true.decide(patterns)
    for output, value in theirs.items():
        wrong = (ours[output] != value).nonzero().flatten()
        if len(wrong):
            labels = _labels(rule_set.rules[output])
            got, should = (labels[int(each[output][wrong[0]])] for each in (ours, theirs))
            return (
                f"at {_words(patterns[wrong[0]], rule_set)} it says {output} = {got}, where "
                f"{should} is true"
            )
    values = {name: patterns[:, i] for i, name in enumerate(rule_set.concepts)}
    for output, classes in true.rules.items():
        for label, rule in classes.items():
            ours_holds, theirs_holds = (
                torch.as_tensor(each.evaluate(values)).expand(len(patterns))
                for each in (rule_set.rules[output][label], rule)
            )
            wrong = (ours_holds != theirs_holds).nonzero().flatten()
            if len(wrong):
                what = "holds" if ours_holds[wrong[0]] else "does not hold"
                return (
                    f"at {_words(patterns[wrong[0]], rule_set)} its rule for {output} = {label} "
                    f"{what}"
                )
    return None


def _goes_on_otherwise(rule_set: RuleSet, true: RuleSet, patterns: Tensor) -> str | None:
    """The first pattern that one element can have, alone or beside others, and by which the two
    rules for going on differ.
    """
    values = {name: patterns[:, i] for i, name in enumerate(rule_set.concepts)}
    rules = [each.continues for each in (rule_set, true) if each.continues is not None]
    ours, theirs = (
        torch.as_tensor(rule.witness.evaluate(values)).expand(len(patterns)) for rule in rules
    )
    wrong = (ours != theirs).nonzero().flatten()
    if len(wrong):
        return f"at {_words(patterns[wrong[0]], rule_set)} going on is asked for otherwise"
    alike = rules[0].equivalent(rules[1])
    return (
        None if alike else f"its rule for going on is '{rules[0]}', and the true one '{rules[1]}'"
    )


def _labels(classes: Mapping[str, object]) -> list[str]:
    """A mask's value is 0 or 1, a category's the number of its class."""
    return ["false", "true"] if set(classes) == {"false", "true"} else list(classes)


def _stops_otherwise(rule_set: RuleSet, true: RuleSet, traces: Sequence[Run]) -> str | None:
    """The first step of a trace at which the rule set goes on, or stops, and should not."""
    if rule_set.continues is None or true.continues is None:
        return (
            None
            if rule_set.continues is true.continues
            else "only one of both has a rule for going on"
        )
    for trace in traces:
        location = trace.algorithm.declaration.location
        for step in range(trace.num_steps):
            asks = rule_set.goes_on(
                trace.concepts_ahead[step], partial(trace.graph.any_per_graph, location=location)
            )
            wrong = (trace.is_alive[step] & (asks != trace.goes_on[step])).nonzero().flatten()
            if len(wrong):
                goes = "goes on" if bool(asks[wrong[0]]) else "stops"
                return f"it {goes} after step {step + 1} of a graph where the algorithm does not"
    return None


def _words(pattern: Tensor, rule_set: RuleSet) -> str:
    return pattern_in_words(int(pack(pattern[None].numpy())[0]), rule_set.concepts)


def _all(num_concepts: int) -> Tensor:
    if num_concepts <= MAX_TABLE:
        return torch.from_numpy(all_patterns(num_concepts))
    return torch.from_numpy(
        stream(0, "patterns", num_concepts).random((2**MAX_TABLE, num_concepts)) < 0.5
    )
