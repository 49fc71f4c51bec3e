"""Factoring: what all clauses share is said once."""

from __future__ import annotations

from algolens.logic.formula import And, Formula, Or, conjunction, disjunction


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
