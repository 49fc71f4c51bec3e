"""From what a network was found to see and to decide by, a program that stands alone."""

from __future__ import annotations

from collections.abc import Mapping

from algolens.algorithms import Algorithm
from algolens.logic import FALSE, Formula, GoOn, Quantifier
from algolens.logic.formula import And, Concept, Constant, Not, Or
from algolens.logic.rule_set import RuleSet
from algolens.looks import Quantified, Quantity, Term, Test, Whose
from algolens.models.architecture import GOES_ON
from algolens.programs import Program


def found_program(
    algorithm: Algorithm, statements: Mapping[str, Formula], rules: RuleSet
) -> Program:
    """The program of a network for an algorithm: statements are what its observations were found to
    be, by name.

    Going on is among them where that was found too. How it begins, what is added and how things
    move is no matter of learning: that is as declared.
    """
    going_on = as_go_on(statements[GOES_ON]) if GOES_ON in statements else None
    if going_on is not None:
        rules = RuleSet(rules.concepts, rules.rules, going_on).with_remarks(rules.remarks)
    return Program.of(algorithm).with_statements(statements).with_rules(rules)


def as_go_on(statement: Formula) -> GoOn | None:
    """A statement about a graph as a rule for going on; None where it says more than one can."""
    match statement:
        case Constant(value):
            # of a graph without elements too
            return GoOn(FALSE, Quantifier.NO if value else Quantifier.EXISTS)
        case Quantified(Quantity.SOME, _, body):
            quantifier = Quantifier.EXISTS
        case Quantified(Quantity.EVERY, _, body):
            quantifier = Quantifier.EVERY
        case Not(Quantified(Quantity.SOME, _, body)):
            quantifier = Quantifier.NO
        case _:
            return None
    formula = _of_concepts(body)
    return None if formula is None else GoOn(formula, quantifier)


def _of_concepts(formula: Formula) -> Formula | None:
    """What is said of one in view, as a rule about its concepts."""
    match formula:
        case Constant():
            return formula
        case Test(Term(Whose.ITS, (name,)), None):
            return Concept(name)
        case Not(term):
            inner = _of_concepts(term)
            return None if inner is None else Not(inner)
        case And(terms) | Or(terms):
            parts = [_of_concepts(term) for term in terms]
            return (
                None
                if None in parts
                else type(formula)(tuple(part for part in parts if part is not None))
            )
    return None
