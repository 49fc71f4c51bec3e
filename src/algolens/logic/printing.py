"""How a formula is written: as text, LaTeX, Python and SymPy. Printing is kept apart from what is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from algolens.logic.formula import And, Concept, Constant, Formula, Not, Or


@dataclass(frozen=True)
class Notation:
    """The marks of one way of writing formulas."""

    conjunction: str
    disjunction: str
    negation: str
    true: str
    false: str
    name: Callable[[str], str] = str


TEXT = Notation(" & ", " | ", "~", "True", "False")
PYTHON = Notation(" and ", " or ", "not ", "True", "False")
LATEX = Notation(
    r" \land ", r" \lor ", r"\lnot ", r"\top", r"\bot", name=lambda name: r"\mathit{" + name.replace("_", r"\_") + "}"
)


def write(formula: Formula, notation: Notation) -> str:
    """The formula in a notation, with parentheses only where they are needed."""
    match formula:
        case Constant(value):
            return notation.true if value else notation.false
        case Concept(name):
            return notation.name(name)
        case Not(term):
            return notation.negation + _enclosed(term, notation, (And, Or))
        case And(terms):
            return notation.conjunction.join(_enclosed(term, notation, (Or,)) for term in terms)
        case Or(terms):
            # a conjunction inside a disjunction needs no parentheses, but clauses read better with them
            return notation.disjunction.join(_enclosed(term, notation, (And,)) for term in terms)
    raise TypeError(f"not a formula: {formula!r}")


def to_sympy(formula: Formula) -> Any:
    """The formula in SymPy, written as it stands: nothing is simplified on the way."""
    import sympy

    match formula:
        case Constant(value):
            return sympy.true if value else sympy.false
        case Concept(name):
            return sympy.Symbol(name)
        case Not(term):
            return sympy.Not(to_sympy(term), evaluate=False)
        case And(terms):
            return sympy.And(*map(to_sympy, terms), evaluate=False)
        case Or(terms):
            return sympy.Or(*map(to_sympy, terms), evaluate=False)
    raise TypeError(f"not a formula: {formula!r}")


def _enclosed(term: Formula, notation: Notation, kinds: tuple[type[Formula], ...]) -> str:
    text = write(term, notation)
    return f"({text})" if isinstance(term, kinds) else text
