"""Pictures of rules: the trade-off between clauses and errors, and a rule list as a table of
marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.extraction.rule_table import OTHERWISE, RuleRow
from algolens.logic import parse
from algolens.logic.formula import And, Not
from algolens.logic.trade_off import TradeOff


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
