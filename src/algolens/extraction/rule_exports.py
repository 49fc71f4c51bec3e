"""What a fitted rule classifier can be turned into: a table, a program, Python, SQL, pictures."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from algolens.extraction.labelled import Labelled
from algolens.extraction.measures import counted
from algolens.extraction.rule_list import RuleList
from algolens.extraction.rule_table import Fired, RuleRow, as_frame, fired, table_of
from algolens.logic import Minimised, Program
from algolens.logic.exports import sql_case
from algolens.logic.remarks import said
from algolens.logic.trade_off import TradeOff


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

        >>> from algolens.extraction import RuleClassifier
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
        >>> classifier = RuleClassifier(feature_names=["wings", "swims"]).fit(X, ["fish", "fish", "bird", "bird"] * 10)
        >>> [(row.rule, row.label, row.support, row.precision, row.coverage) for row in classifier.rule_rows()]
        [('~wings', 'fish', 20.0, 1.0, 1.0), ('otherwise', 'bird', 20.0, 1.0, 1.0)]
        """
        check_is_fitted(self)
        values = dict(zip(self.concepts_, self._seen.patterns.T, strict=True))
        return table_of(
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

    def program(self, output: str = "label") -> Program:
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
        return Program(self.concepts_, {output: named}).with_remarks([fitted])

    def to_python_source(self) -> str:
        """The rules as a Python module that needs NumPy alone."""
        return self.program().to_python_source()

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
        from algolens.extraction.rule_figures import draw_trade_offs

        check_is_fitted(self)
        return draw_trade_offs(
            self.trade_offs_, {label: len(rule.clauses) for label, rule in self.rules_.items()}, ax
        )

    def plot_rules(self, ax: Any = None) -> Any:
        """The rule list as a picture: a row for each clause, a column for each concept that one
        speaks of.
        """
        from algolens.extraction.rule_figures import draw_rules

        return draw_rules(self.rule_rows(), self.concepts_, ax)
