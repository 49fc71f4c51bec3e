"""Looks: what an algorithm sees in a graph, as declared logic."""

from algolens.language.relations import RELATIONS, Relation
from algolens.looks.adjacency import Adjacency
from algolens.looks.features import Compared, Feature, Label, Meeting
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Test, statement_text
from algolens.looks.look import Look, LookOnGraph
from algolens.looks.moves import Move, Mover
from algolens.looks.observer import CompiledObservation, Observer
from algolens.looks.parsing import parse_look
from algolens.looks.scope import Scope
from algolens.looks.state import GraphState
from algolens.looks.statement import Statement
from algolens.looks.sums import Sum
from algolens.looks.terms import Term, Whose

__all__ = [
    "RELATIONS",
    "Adjacency",
    "Compared",
    "Comparison",
    "CompiledObservation",
    "Feature",
    "GraphState",
    "Label",
    "Look",
    "LookOnGraph",
    "Meeting",
    "Move",
    "Mover",
    "Observer",
    "Order",
    "Quantified",
    "Quantity",
    "Relation",
    "Scope",
    "Statement",
    "Sum",
    "Term",
    "Test",
    "Whose",
    "parse_look",
    "statement_text",
]
