"""What a fitted rule classifier can be turned into: a table, a rule set, Python, SQL, pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from algolens.logic import Minimised, parse
from algolens.logic.exports import sql_case
from algolens.logic.formula import And, Not
from algolens.logic.remarks import said
from algolens.rules.measures import counted
from algolens.rules.rule_list import OTHERWISE, Fired, RuleList, RuleRow, as_frame, fired, rule_rows
from algolens.rules.samples import Labelled
from algolens.rules.trade_off import TradeOff

if TYPE_CHECKING:
    from algolens.logic.rule_set import RuleSet


def draw_trade_offs(
    curves: Mapping[Any, TradeOff], chosen: Mapping[Any, int], ax: Any = None
) -> Any:
    """Errors by the number of clauses, a line for each class; a dot where the rule is that was
    chosen.
    """
    ax = ax or _new_axes()
    for label, curve in curves.items():
        sizes, errors = (
            [len(point.clauses) for point in curve.points],
            [point.errors for point in curve.points],
        )
        (line,) = ax.plot(sizes, errors, marker=".", label=str(label))
        point = curve.at(chosen[label])
        ax.plot([len(point.clauses)], [point.errors], marker="o", color=line.get_color())
    ax.set_xlabel("clauses")
    ax.set_ylabel("errors")
    ax.legend(title="class")
    return ax


def draw_rules(rows: Sequence[RuleRow], names: Sequence[str], ax: Any = None) -> Any:
    """A row for each clause, with its class and its precision; a filled mark for a concept, an
    empty one for its opposite.
    """
    ax = ax or _new_axes()
    literals = [[] if row.rule == OTHERWISE else _literals(row.rule) for row in rows]
    used = [name for name in names if any(name == literal for of in literals for literal, _ in of)]
    for place, (row, of) in enumerate(zip(rows, literals, strict=True)):
        for name, is_true in of:
            ax.plot(
                [used.index(name)],
                [place],
                "o",
                color="C0",
                fillstyle="full" if is_true else "none",
            )
        ax.text(
            len(used),
            place,
            f"{row.label}  ({100 * row.precision:.1f} % of {row.support:g})",
            va="center",
        )
    ax.set_xticks(range(len(used)), used, rotation=90)
    ax.set_yticks(range(len(rows)), [OTHERWISE if row.rule == OTHERWISE else "" for row in rows])
    ax.set_xlim(-0.5, len(used) + 3)
    ax.invert_yaxis()
    return ax


def _literals(rule: str) -> list[tuple[str, bool]]:
    """The concepts that a clause speaks of, and whether it wants them true."""
    clause = parse(rule)
    terms = clause.terms if isinstance(clause, And) else (clause,)
    return [(name, not isinstance(term, Not)) for term in terms for name in term.names]


def _new_axes() -> Any:
    import matplotlib.pyplot as plt  # only pictures should cost the time to load it

    return plt.subplots()[1]


class RuleExports:
    """What can be asked of rules once they are fitted; ``RuleClassifier`` fits them."""

    rules_: dict[Any, Minimised]
    list_: RuleList
    trade_offs_: dict[Any, TradeOff]
    concepts_: tuple[str, ...]
    classes_: np.ndarray
    accuracy_: float
    n_samples_: int
    _labels: list[Any]
    _seen: Labelled

    @abstractmethod
    def _patterns(self, X: Any) -> np.ndarray:
        """[M, C] bools: samples as patterns of concepts."""

    def rule_rows(self) -> list[RuleRow]:
        """A row for each clause, in the order in which they are asked, with its support, precision
        and coverage.

        >>> from algolens.rules import RuleClassifier
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> y = ["fish", "fish", "bird", "bird"] * 10
        >>> rows = RuleClassifier(feature_names=["wings", "swims"]).fit(X, y).rule_rows()
        >>> [(row.rule, row.label, row.support, row.precision, row.coverage) for row in rows]
        [('~wings', 'fish', 20.0, 1.0, 1.0), ('otherwise', 'bird', 20.0, 1.0, 1.0)]
        """
        check_is_fitted(self)
        values = dict(zip(self.concepts_, self._seen.patterns.T, strict=True))
        return rule_rows(
            list(self.rules_.values()), self._labels, self.list_, values, self._seen.counts
        )

    def get_rules(self) -> Any:
        """The same as a pandas data frame: rule, class, support, precision, coverage,
        exception_to.
        """
        return as_frame(self.rule_rows())

    def fired(self, X: Any) -> list[Fired]:
        """For each sample the class that it gets, the clauses that give it, and those that come
        nearest to another class.
        """
        check_is_fitted(self)
        rules = list(self.rules_.values())
        return [
            fired(rules, self._labels, self.list_, self.concepts_, pattern)
            for pattern in self._patterns(X)
        ]

    def rule_set(self, output: str = "label") -> RuleSet:
        """The rules as a program, which decides as ``predict`` does, and writes itself as Python,
        SQL, LaTeX and more.

        Its classes have the labels' names, in the order of ``classes_``; labels that are bools make
        a mask. What it writes says how often it gives the label of a sample that it was fitted to.
        output: its name, of letters, digits and underscores.
        """
        check_is_fitted(self)
        rules = self.list_.as_rules([rule.formula for rule in self.rules_.values()])
        is_mask = self.classes_.dtype == bool and len(self.classes_) == 2
        names = [str(label).lower() if is_mask else str(label) for label in self._labels]
        named = dict(zip(names, rules, strict=True))
        right = counted(self.accuracy_, self.n_samples_, "samples")
        fitted = said(
            f"these rules give the label of {right}, of those that they were fitted to.",
            is_right=self.accuracy_ == 1,
        )
        from algolens.logic.rule_set import RuleSet

        return RuleSet(self.concepts_, {output: named}).with_remarks([fitted])

    def to_python_source(self) -> str:
        """The rules as a Python module that needs NumPy alone."""
        return self.rule_set().to_python_source()

    def to_sql(self) -> str:
        """The rules as an SQL expression over columns with the concepts' names, which gives the
        label.
        """
        check_is_fitted(self)
        rules = list(self.rules_.values())
        cases = [(self._labels[i], rules[i].formula) for i in self.list_.order]
        return sql_case(cases, self._labels[self.list_.otherwise])

    def plot_trade_off(self, ax: Any = None) -> Any:
        """Errors and description length by the number of clauses, a line for each class, the choice
        marked.
        """

        check_is_fitted(self)
        return draw_trade_offs(
            self.trade_offs_, {label: len(rule.clauses) for label, rule in self.rules_.items()}, ax
        )

    def plot_rules(self, ax: Any = None) -> Any:
        """The rule list as a picture: a row for each clause, a column for each concept that one
        speaks of.
        """

        return draw_rules(self.rule_rows(), self.concepts_, ax)
