"""Rules of several classes as one list: which is asked first, and which class is left where none
holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.logic import Formula, Minimised, conjunction, disjunction, minimise
from algolens.logic.clause_choice import description_bits
from algolens.logic.formula import Concept, Not

MAX_OPPOSITE = 10  # concepts of a rule, up to which its opposite is minimised
MAX_COMPARED = 16  # concepts of two rules, up to which they are compared by their tables


@dataclass(frozen=True)
class RuleList:
    """A sample gets the first class of ``order`` whose rule holds, and ``otherwise`` where none
    does.
    """

    order: tuple[int, ...]  # classes, by number
    otherwise: int

    @classmethod
    def shortest(
        cls, rules: Sequence[Minimised], holds: np.ndarray, counts: np.ndarray, num_concepts: int
    ) -> RuleList:
        """The list that describes the labels in the fewest bits; of equals the one with an earlier
        class for the rest.

        holds: [classes, P] where the rule of each holds; counts: [P, classes] the weight of
        samples. The rules that are more often right come first.
        """
        literals = [np.array([len(clause.names) for clause in rule.clauses], int) for rule in rules]
        opposites = [
            number
            for number, rule in enumerate(rules)
            if any(map(_is_whole_opposite, rule.clauses))
        ]
        right = np.array(
            [
                (counts[held, i].sum() + 1e-9) / (counts[held].sum() + 1e-9)
                for i, held in enumerate(holds)
            ]
        )
        by_precision = [int(i) for i in np.argsort(-right, kind="stable")]
        total, best = float(counts.sum()), None
        for otherwise in opposites or range(len(holds)):
            found = cls(tuple(i for i in by_precision if i != otherwise), otherwise)
            errors = total - float(counts[np.arange(len(counts)), found.decide(holds)].sum())
            written = np.concatenate([np.zeros(0, int), *(literals[i] for i in found.order)])
            bits = description_bits(errors, total, written, num_concepts)
            if best is None or bits < best[0] - 1e-6:
                best = bits, found
        assert best is not None
        return best[1]

    def decide(self, holds: np.ndarray) -> np.ndarray:
        """[classes, P] where each rule holds to [P] the number of the class."""
        decided = np.full(holds.shape[1], self.otherwise)
        for number in reversed(self.order):
            decided[holds[number]] = number
        return decided

    def as_rules(self, rules: Sequence[Formula]) -> list[Formula]:
        """A rule for each class, in their order, of which always exactly one holds: that of the
        class that is decided on.

        A rule stands as it is, without what earlier ones of the list decide; the class for the rest
        has its own rule where that says the same as the opposite of all others.
        """
        decided = list(rules)
        for place, number in enumerate(self.order):
            clashing = [
                Not(rules[k]) for k in self.order[:place] if _may_meet(rules[number], rules[k])
            ]
            decided[number] = conjunction(rules[number], *clashing) if clashing else rules[number]
        mine, others = rules[self.otherwise], Not(disjunction(*(rules[i] for i in self.order)))
        decided[self.otherwise] = (
            mine if _is_compared(mine, others) and mine.equivalent(others) else others
        )
        return decided


def _is_whole_opposite(clause: Formula) -> bool:
    return isinstance(clause, Not) and not isinstance(clause.term, Concept)


def _is_compared(one: Formula, other: Formula) -> bool:
    return len(set(one.names + other.names)) <= MAX_COMPARED


def _may_meet(one: Formula, other: Formula) -> bool:
    """Whether a pattern exists on which both hold, as far as that is looked at."""
    return not _is_compared(one, other) or bool((one & other).table().any())


def opposite(rule: Minimised, seconds: float) -> Minimised:
    """The rule that holds where another does not, on patterns that were never seen too."""
    names = rule.formula.names
    if len(names) > MAX_OPPOSITE:
        whole = Not(rule.formula)
        return Minimised(
            whole, (whole,), False, "It is the opposite of the other rule, as it stands."
        )
    says = rule.formula.table(names)
    return minimise(names, np.flatnonzero(~says), np.flatnonzero(says), seconds=seconds)


def truth(formula: Formula, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """[count] where a formula holds."""
    return np.broadcast_to(np.asarray(formula.evaluate(values), dtype=bool), count)
