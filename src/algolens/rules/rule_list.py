"""Rules of several classes as one list, as a table and as a picture, and which of them fired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.logic import Formula, Minimised, conjunction, disjunction
from algolens.logic.formula import Concept, Not, conjuncts
from algolens.rules.trade_off import description_bits

MAX_COMPARED = 16  # concepts of two rules, up to which they are compared by their tables
OTHERWISE = "otherwise"


@dataclass(frozen=True)
class RuleRow:
    """One clause of a rule list."""

    rule: str  # "otherwise" in the last row
    prediction: Any  # the class that it gives
    support: float  # samples that it holds for, or their weight
    precision: float  # the share of those that have this class; 1 where it holds for none
    coverage: float  # the share of the samples of this class that it holds for
    # classes further down whose rules hold for some of the same samples
    exception_to: tuple[Any, ...]


@dataclass(frozen=True)
class Near:
    """A clause that does not hold for a sample, and the literals that make it fail."""

    label: Any
    rule: Formula
    fails: tuple[Formula, ...]


@dataclass(frozen=True)
class Fired:
    """Why a sample got its class."""

    label: Any  # the class that it got
    # clauses for that class that hold; none where it is the class for the rest
    rules: tuple[Formula, ...]
    overruled: tuple[Any, ...]  # classes further down whose rules hold too
    # of the clauses for other classes that do not hold, those that fail by the fewest literals
    nearest: tuple[Near, ...]


@dataclass(frozen=True)
class RuleList:
    """A sample gets the first class of ``order`` whose rule holds, else ``otherwise``."""

    rules: tuple[Minimised, ...]  # of every class
    order: tuple[int, ...]  # classes, by number
    otherwise: int

    @classmethod
    def shortest(
        cls, rules: Sequence[Minimised], holds: ndarray, counts: ndarray, num_concepts: int
    ) -> RuleList:
        """The list that describes the labels in the fewest bits, rules that are often right first.

        holds: [classes, P] where the rule of each holds; counts: [P, classes] the weight of
        samples. Of equals the one with an earlier class for the rest.
        """
        literals = [np.array([len(clause.names) for clause in rule.clauses], int) for rule in rules]
        opposites = [i for i, rule in enumerate(rules) if _is_whole_opposite(rule.formula)]
        right = [
            (counts[held, i].sum() + 1e-9) / (counts[held].sum() + 1e-9)
            for i, held in enumerate(holds)
        ]
        by_precision = np.argsort(-np.array(right), kind="stable").tolist()
        total = float(counts.sum())

        def bits(candidate: RuleList) -> float:
            decided = counts[np.arange(len(counts)), candidate.decide(holds)]
            written = np.concatenate([np.zeros(0, int), *(literals[i] for i in candidate.order)])
            errors = total - float(decided.sum())
            return round(description_bits(errors, total, written, num_concepts), 6)

        candidates = [
            cls(tuple(rules), tuple(i for i in by_precision if i != otherwise), otherwise)
            for otherwise in opposites or range(len(holds))
        ]
        return min(candidates, key=bits)

    def decide(self, holds: ndarray) -> ndarray:
        """[classes, P] where each rule holds to [P] the number of the class."""
        decided = np.full(holds.shape[1], self.otherwise)
        for number in reversed(self.order):
            decided[holds[number]] = number
        return decided

    def exclusive_rules(self) -> list[Formula]:
        """A rule for each class, of which always exactly one holds: that of the class decided on.

        A rule stands as it is, without what earlier ones of the list decide; the class for the rest
        has its own rule where that says the same as the opposite of all others.
        """
        rules = [rule.formula for rule in self.rules]
        decided = list(rules)
        for place, number in enumerate(self.order):
            earlier = [rules[k] for k in self.order[:place] if _may_meet(rules[number], rules[k])]
            if earlier:
                decided[number] = conjunction(rules[number], *map(Not, earlier))
        mine, others = rules[self.otherwise], Not(disjunction(*(rules[i] for i in self.order)))
        is_same = _is_compared(mine, others) and mine.equivalent(others)
        decided[self.otherwise] = mine if is_same else others
        return decided

    def rows(
        self, labels: Sequence[Any], names: Sequence[str], patterns: ndarray, counts: ndarray
    ) -> list[RuleRow]:
        """A row for each clause as they are asked. patterns: [P, C]; counts: [P, classes]."""
        is_seen = counts.sum(1) > 0
        holds = [rule.formula.on(names, patterns) for rule in self.rules]

        def row(rule: str, number: int, held: ndarray, after: Sequence[int]) -> RuleRow:
            support, right = float(counts[held].sum()), float(counts[held, number].sum())
            of_class = float(counts[:, number].sum())
            return RuleRow(
                rule=rule,
                prediction=labels[number],
                support=support,
                precision=right / support if support else 1.0,
                coverage=right / of_class if of_class else 0.0,
                exception_to=tuple(labels[k] for k in after if (held & holds[k] & is_seen).any()),
            )

        rows, earlier = [], np.zeros(len(counts), bool)
        for place, number in enumerate(self.order):
            for clause in self.rules[number].clauses:
                held = clause.on(names, patterns)
                rows.append(row(str(clause), number, held, self.order[place + 1 :]))
            earlier |= holds[number]
        return [*rows, row(OTHERWISE, self.otherwise, ~earlier, ())]

    def fired(self, labels: Sequence[Any], values: Mapping[str, bool]) -> Fired:
        """Which clauses hold for one pattern, and which come nearest to another class."""
        holds = np.array([[bool(rule.formula.evaluate(values))] for rule in self.rules])
        decided = int(self.decide(holds)[0])
        place = self.order.index(decided) if decided in self.order else len(self.order)
        near = [
            Near(labels[k], clause, fails)
            for k in self.order
            if k != decided
            for clause in self.rules[k].clauses
            if (fails := tuple(each for each in conjuncts(clause) if not each.evaluate(values)))
        ]
        fewest = min((len(one.fails) for one in near), default=0)
        return Fired(
            labels[decided],
            tuple(
                clause
                for k in self.order[place : place + 1]
                for clause in self.rules[k].clauses
                if clause.evaluate(values)
            ),
            tuple(labels[k] for k in self.order[place + 1 :] if holds[k, 0]),
            tuple(one for one in near if len(one.fails) == fewest),
        )


def _is_whole_opposite(formula: Formula) -> bool:
    return isinstance(formula, Not) and not isinstance(formula.term, Concept)


def _is_compared(one: Formula, other: Formula) -> bool:
    return len(set(one.names + other.names)) <= MAX_COMPARED


def _may_meet(one: Formula, other: Formula) -> bool:
    """Whether a pattern exists on which both hold, as far as that is looked at."""
    return not _is_compared(one, other) or bool((one & other).table().any())
