"""Formulas made shorter: what all clauses share said once, and the part that decides."""

from __future__ import annotations

from collections.abc import Mapping

from algolens.logic.formula import And, Concept, Formula, Not, Or, conjunction, disjunction


def factored(formula: Formula) -> Formula:
    """An equivalent formula, shorter to read: literals that all of its clauses share stand outside.

    >>> from algolens.logic import parse
    >>> str(factored(parse("(a & ~c) | (b & ~c)")))
    '(a | b) & ~c'
    >>> str(factored(parse("(a & b) | c")))
    '(a & b) | c'
    """
    if not isinstance(formula, Or):
        return formula
    clauses = [clause.terms if isinstance(clause, And) else (clause,) for clause in formula.terms]
    shared = tuple(term for term in clauses[0] if all(term in clause for clause in clauses))
    if not shared:
        return formula
    rests = [conjunction(*(term for term in clause if term not in shared)) for clause in clauses]
    if any(len(clause) == len(shared) for clause in clauses):
        return conjunction(*shared)  # a clause without a rest holds wherever the others do
    return conjunction(disjunction(*rests), *shared)


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
