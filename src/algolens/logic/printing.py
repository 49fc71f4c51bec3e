"""How a formula is written: as text, LaTeX, Python, SymPy and SMT-LIB. Printing is kept apart from what is printed."""

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
SMT_WORDS = frozenset(
    {"_", "as", "exists", "forall", "let", "match", "par", "lambda", "BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING"}
)
SMT_FUNCTIONS = frozenset({"xor", "ite", "distinct"})  # and, or, not, true and false name no concept anyway


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


def to_smtlib(formula: Formula) -> str:
    """The formula as a term of SMT-LIB 2."""
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Concept(name):
            return smt_symbol(name)
        case Not(term):
            return f"(not {to_smtlib(term)})"
        case And(terms):
            return f"(and {' '.join(map(to_smtlib, terms))})"
        case Or(terms):
            return f"(or {' '.join(map(to_smtlib, terms))})"
    raise TypeError(f"not a formula: {formula!r}")


def smt_symbol(name: str) -> str:
    """A concept's name in SMT-LIB; quoted where it is no plain symbol there, or one with a meaning of its own."""
    if name in SMT_FUNCTIONS:
        return f"|concept {name}|"
    return name if name.isascii() and name not in SMT_WORDS else f"|{name}|"


def _enclosed(term: Formula, notation: Notation, kinds: tuple[type[Formula], ...]) -> str:
    text = write(term, notation)
    return f"({text})" if isinstance(term, kinds) else text
