"""The rule language: formulas over named concepts, how they are written, read and made small."""

from algolens.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    concepts,
    conjunction,
    disjunction,
    factored,
    formula_text,
    not_exactly_one,
    reason,
)
from algolens.logic.minimal import Minimised, minimal_rules
from algolens.logic.parsing import parse
from algolens.logic.patterns import pack, unpack
from algolens.logic.printing import LATEX, PYTHON, SQL, to_smtlib, to_sympy
from algolens.logic.rule_set import GoOn, Quantifier

__all__ = [
    "FALSE",
    "LATEX",
    "PYTHON",
    "SQL",
    "TRUE",
    "Formula",
    "GoOn",
    "Minimised",
    "Quantifier",
    "concepts",
    "conjunction",
    "disjunction",
    "factored",
    "formula_text",
    "minimal_rules",
    "not_exactly_one",
    "pack",
    "parse",
    "reason",
    "to_smtlib",
    "to_sympy",
    "unpack",
]
