"""Rules as a table, a row for each clause; and which of them fired for a sample, or came
nearest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from algolens.extraction.rule_list import RuleList, truth
from algolens.logic import Formula, Minimised
from algolens.logic.formula import And, Constant

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


def table_of(
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
