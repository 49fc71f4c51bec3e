"""Rules of several classes as one list and as a table, and which of them fired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from algolens.logic import Formula, Minimised, conjunction, disjunction, minimise
from algolens.logic.formula import And, Concept, Constant, Not
from algolens.rules.clause_choice import description_bits

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


OTHERWISE = "otherwise"


@dataclass(frozen=True)
class RuleRow:
    """One clause of a rule list."""

    rule: str  # "otherwise" in the last row
    label: Any  # the class that it gives
    support: float  # samples that it holds for, or their weight
    precision: float  # the share of those that have this class; 1 where it holds for none
    coverage: float  # the share of the samples of this class that it holds for
    exception_to: tuple[Any, ...]
    # classes further down whose rules hold for some of the same samples


def rule_rows(
    rules: Sequence[Minimised],
    labels: Sequence[Any],
    found: RuleList,
    values: Mapping[str, np.ndarray],
    counts: np.ndarray,
) -> list[RuleRow]:
    """The rows in the order in which they are asked. values: the concepts of P patterns; counts:
    [P, classes].
    """
    size, weights = len(counts), counts.sum(1)
    holds = [truth(rule.formula, values, size) for rule in rules]
    rows, earlier = [], np.zeros(size, bool)
    for place, number in enumerate(found.order):
        for clause in rules[number].clauses:
            held = truth(clause, values, size)
            after = [k for k in found.order[place + 1 :] if (held & holds[k] & (weights > 0)).any()]
            rows.append(
                _row(str(clause), number, held, counts, labels, tuple(labels[k] for k in after))
            )
        earlier |= holds[number]
    rows.append(_row(OTHERWISE, found.otherwise, ~earlier, counts, labels, ()))
    return rows


def _row(
    rule: str,
    number: int,
    held: np.ndarray,
    counts: np.ndarray,
    labels: Sequence[Any],
    after: tuple[Any, ...],
) -> RuleRow:
    support, right, of_class = (
        float(counts[held].sum()),
        float(counts[held, number].sum()),
        float(counts[:, number].sum()),
    )
    return RuleRow(
        rule=rule,
        label=labels[number],
        support=support,
        precision=right / support if support else 1.0,
        coverage=right / of_class if of_class else 0.0,
        exception_to=after,
    )


def as_frame(rows: Sequence[RuleRow]) -> Any:
    """The rows as a pandas data frame."""
    try:
        import pandas
    except ImportError as absent:
        raise ImportError(
            "a table of rules is a pandas DataFrame: pip install pandas; or take rule_rows()."
        ) from absent
    records = [
        {("class" if key == "label" else key): value for key, value in asdict(row).items()}
        for row in rows
    ]
    frame = pandas.DataFrame(records)
    frame["exception_to"] = [", ".join(map(str, classes)) for classes in frame["exception_to"]]
    return frame


@dataclass(frozen=True)
class Near:
    """A clause that does not hold for a sample, and the literals by which it fails."""

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


def fired(
    rules: Sequence[Minimised],
    labels: Sequence[Any],
    found: RuleList,
    names: Sequence[str],
    pattern: np.ndarray,
) -> Fired:
    """Which clauses hold for one pattern ([C] bools), and which come nearest to giving another
    class.
    """
    values: dict[str, Any] = dict(zip(names, pattern.tolist(), strict=True))
    holds = np.array([[bool(rule.formula.evaluate(values))] for rule in rules])
    decided = int(found.decide(holds)[0])
    holding = (
        tuple(clause for clause in rules[decided].clauses if clause.evaluate(values))
        if decided in found.order
        else ()
    )
    after = found.order[found.order.index(decided) + 1 :] if decided in found.order else ()
    near = [
        Near(
            labels[k],
            clause,
            tuple(literal for literal in _literals(clause) if not literal.evaluate(values)),
        )
        for k in found.order
        if k != decided
        for clause in rules[k].clauses
        if not clause.evaluate(values)
    ]
    fewest = min((len(one.fails) for one in near), default=0)
    return Fired(
        labels[decided],
        holding,
        tuple(labels[k] for k in after if holds[k, 0]),
        tuple(one for one in near if len(one.fails) == fewest),
    )


def _literals(clause: Formula) -> tuple[Formula, ...]:
    if isinstance(clause, Constant):
        return ()
    return clause.terms if isinstance(clause, And) else (clause,)
