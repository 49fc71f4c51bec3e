"""The rule language: formulas over named concepts, and programs made of them."""

from algolens.logic.diagrams import not_exactly_one
from algolens.logic.factoring import factored, reason
from algolens.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    concepts,
    conjunction,
    disjunction,
    from_json,
)
from algolens.logic.going_on import GoOn, Quantifier
from algolens.logic.minimisation import Minimised, minimise
from algolens.logic.parsing import parse
from algolens.logic.patterns import pack, unpack

__all__ = [
    "FALSE",
    "TRUE",
    "Formula",
    "GoOn",
    "Minimised",
    "Quantifier",
    "concepts",
    "conjunction",
    "disjunction",
    "factored",
    "from_json",
    "minimise",
    "not_exactly_one",
    "pack",
    "parse",
    "reason",
    "unpack",
]
