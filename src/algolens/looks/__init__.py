"""Looks: what an algorithm sees in a graph, as declared logic."""

from algolens.looks.language import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Term,
    Test,
    Whose,
    write,
)
from algolens.looks.look import Look, LookOnGraph
from algolens.looks.moves import Move, Mover, Sum
from algolens.looks.observer import Observer, Sight
from algolens.looks.parsing import parse_look
from algolens.looks.reading import Compared, Feature, Label, Meeting, Observation, Reading
from algolens.looks.relations import RELATIONS, Relation, View
from algolens.looks.scope import Batch, Scope
from algolens.looks.units import Unit, units

__all__ = [
    "RELATIONS",
    "Batch",
    "Compared",
    "Comparison",
    "Feature",
    "Label",
    "Look",
    "LookOnGraph",
    "Meeting",
    "Move",
    "Mover",
    "Observation",
    "Observer",
    "Order",
    "Quantified",
    "Quantity",
    "Reading",
    "Relation",
    "Scope",
    "Sight",
    "Sum",
    "Term",
    "Test",
    "Unit",
    "View",
    "Whose",
    "parse_look",
    "units",
    "write",
]
