"""Reasoning about formulas: shorter ones, why one holds, and whether rules overlap."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from algolens.logic.formula import (
    FALSE,
    TRUE,
    And,
    Concept,
    Constant,
    Formula,
    Not,
    Or,
    conjunction,
    disjunction,
)


def factored(formula: Formula) -> Formula:
    """Return an equivalent formula in which literals that all clauses share stand outside.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> str(factored(parse("(a & ~c) | (b & ~c)")))
    '(a | b) & ~c'
    >>> str(factored(parse("(a & b) | c")))
    '(a & b) | c'
    """
    if not isinstance(formula, Or):
        return formula
    clauses = [conjuncts(clause) for clause in formula.terms]
    shared = tuple(term for term in clauses[0] if all(term in clause for clause in clauses))
    if not shared:
        return formula
    rests = [conjunction(*(term for term in clause if term not in shared)) for clause in clauses]
    if any(len(clause) == len(shared) for clause in clauses):
        return conjunction(*shared)  # a clause without a rest holds wherever the others do
    return conjunction(disjunction(*rests), *shared)


def reason(formula: Formula, values: Mapping[str, bool]) -> Formula:
    """Return a conjunction of literals that holds here and settles the formula's truth value.

    Parameters
    ----------
    formula
        A formula that holds here, or does not.
    values
        The truth value of each concept here.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> str(reason(parse("(a | b) & ~c"), {"a": False, "b": True, "c": False}))
    'b & ~c'
    """
    holds = bool(formula.evaluate(values))
    match formula:
        case Not(term):
            return reason(term, values)
        case And(terms) | Or(terms):
            if holds is isinstance(formula, And):  # every term was needed
                literals = [part for term in terms for part in conjuncts(reason(term, values))]
                return conjunction(*dict.fromkeys(literals))
            return next(
                reason(term, values) for term in terms if bool(term.evaluate(values)) is holds
            )
    return formula if holds else Not(formula)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The terms of a conjunction; the formula itself where it is none."""
    return formula.terms if isinstance(formula, And) else (formula,)


def excludes(one: Formula, other: Formula) -> bool:
    """Whether two formulas never hold both; no table of all patterns is made."""
    return _satisfying(conjunction(one, other), set()) is None


def not_exactly_one(rules: Mapping[str, Formula]) -> tuple[Formula, tuple[str, ...]] | None:
    """Return a pattern on which two rules hold or none does, and the two; None if there is none.

    No table of all patterns is made, so the rules may speak of many concepts.

    Examples
    --------
    >>> from algolens.logic import concepts
    >>> a, b = concepts("a", "b")
    >>> not_exactly_one({"0": a, "1": ~a & b})
    (Formula('~a & ~b'), ())
    >>> not_exactly_one({"0": a, "1": ~a | b})
    (Formula('a & b'), ('0', '1'))
    >>> not_exactly_one({"0": a, "1": ~a})
    """
    for one, other in combinations(rules, 2):
        pattern = _satisfying(conjunction(rules[one], rules[other]), set())
        if pattern is not None:
            return _in_literals(pattern), (one, other)
    pattern = _satisfying(conjunction(*(Not(rule) for rule in rules.values())), set())
    return None if pattern is None else (_in_literals(pattern), ())


def _in_literals(pattern: Mapping[str, bool]) -> Formula:
    return conjunction(
        *(Concept(name) if value else Not(Concept(name)) for name, value in pattern.items())
    )


def _satisfying(formula: Formula, refuted: set[Formula]) -> dict[str, bool] | None:
    """Values under which a formula holds, whatever else is so; None where it never does.

    Davis and Putnam 1960: literals that must hold are taken; else a concept is false, or true.
    """
    pattern: dict[str, bool] = {}
    formula = _given(formula, {})
    while literals := [term for term in conjuncts(formula) if _is_literal(term)]:
        must = {literal.names[0]: isinstance(literal, Concept) for literal in literals}
        formula = _given(formula, must)
        pattern |= must
    if isinstance(formula, Constant):
        return pattern if formula.value else None
    if formula in refuted:
        return None
    name = formula.names[0]
    for value in (False, True):
        rest = _satisfying(_given(formula, {name: value}), refuted)
        if rest is not None:
            return {**pattern, name: value, **rest}
    refuted.add(formula)
    return None


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula.term if isinstance(formula, Not) else formula, Concept)


def _given(formula: Formula, values: Mapping[str, bool]) -> Formula:
    """A formula without constants, and without the concepts whose truth values are known."""
    match formula:
        case Concept(name) if name in values:
            return TRUE if values[name] else FALSE
        case Not(term):
            rest = _given(term, values)
            return Constant(not rest.value) if isinstance(rest, Constant) else Not(rest)
        case And(terms) | Or(terms):
            settles = isinstance(formula, Or)
            rests = []
            for term in terms:
                rest = _given(term, values)
                if not isinstance(rest, Constant):
                    rests.append(rest)
                elif rest.value is settles:
                    return rest
            return disjunction(*rests) if settles else conjunction(*rests)
    return formula
