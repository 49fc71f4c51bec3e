"""Going on as an observation of the graph: some node (or edge) asks for it by its concepts, or all
do, or none does.
"""

from __future__ import annotations

from algolens.algorithms import Declaration
from algolens.errors import DefinitionError
from algolens.graphs import Location
from algolens.logic import Quantifier
from algolens.logic.formula import And, Concept, Constant, Formula, Not, Or
from algolens.looks import RELATIONS, Observation, Quantified, Quantity, Reading, Term, Test, Whose
from algolens.models.contract import GOES_ON


def going_on(declaration: Declaration) -> Reading | None:
    """What is to be seen of a graph that goes on; None where the number of steps is fixed."""
    rule = declaration.program.continues
    if rule is None or declaration.seen is None:
        return None
    relation = next(
        each
        for each in RELATIONS
        if each.own is Location.GRAPH and each.others is declaration.location
    )
    found: Formula = Quantified(Quantity.SOME, relation(), _said_of_another(rule.witness))
    formula = found if rule.quantifier is Quantifier.EXISTS else Not(found)
    return Reading(Observation(GOES_ON, Location.GRAPH, formula), declaration.seen.scope)


def _said_of_another(formula: Formula) -> Formula:
    """A rule about concepts, said of one in view."""
    match formula:
        case Constant():
            return formula
        case Concept(name):
            return Test(Term(Whose.ITS, (name,)))
        case Not(term):
            return Not(_said_of_another(term))
        case And(terms):
            return And(tuple(_said_of_another(term) for term in terms))
        case Or(terms):
            return Or(tuple(_said_of_another(term) for term in terms))
    raise DefinitionError(f"'{formula}' cannot say when to go on.")
