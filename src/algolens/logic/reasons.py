"""Why a formula holds: the part of it that decides."""

from __future__ import annotations

from collections.abc import Mapping

from algolens.logic.formula import And, Concept, Formula, Not, Or, conjunction


def reason(formula: Formula, values: Mapping[str, bool]) -> Formula:
    """A conjunction of concepts and their opposites that holds here, and that the formula's truth
    value follows from.

    >>> from algolens.logic import parse
    >>> str(reason(parse("(a | b) & ~c"), {"a": False, "b": True, "c": False}))
    'b & ~c'
    """
    holds = bool(formula.evaluate(values))
    match formula:
        case Concept():
            return formula if holds else Not(formula)
        case Not(term):
            return reason(term, values)
        case And(terms) | Or(terms):
            if holds is isinstance(formula, And):  # every term was needed
                return conjunction(
                    *dict.fromkeys(
                        part for term in terms for part in _literals(reason(term, values))
                    )
                )
            return next(
                reason(term, values) for term in terms if bool(term.evaluate(values)) is holds
            )
    return formula if holds else Not(formula)


def _literals(formula: Formula) -> tuple[Formula, ...]:
    return formula.terms if isinstance(formula, And) else (formula,)
