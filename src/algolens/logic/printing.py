"""How a formula is written for other tools: LaTeX, Python, SQL, SymPy and SMT-LIB."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence
from typing import Any

from algolens.lazy import require
from algolens.logic.formula import And, Concept, Constant, Formula, Not, Notation, Or, formula_text

# what generated Python says itself, besides Python's own words
PYTHON_TAKEN = frozenset(
    {"np", "concepts", "decide", "goes_on", "_as_bools", "CONCEPTS", "CLASSES", *dir(builtins)}
)
RENAMED = "concept_"
# words of SMT-LIB and its commands: they can be names between bars
SMT_WORDS = (
    "_ as exists forall let match par lambda BINARY DECIMAL HEXADECIMAL NUMERAL STRING assert echo "
    "exit pop push reset"
)
# functions of SMT-LIB, and what solvers know besides: between bars they are the same; "and" and the
# like name no concept
SMT_FUNCTIONS = "xor ite distinct implies iff if if_then_else equals equiv"
MARKDOWN_MARKS = {mark: f"\\{mark}" for mark in "\\`*_[]|~$"}
MARKDOWN_MARKS |= {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
LATEX_MARKS = {mark: f"\\{mark}" for mark in "#$%&_{}"}
LATEX_MARKS |= {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def python_variable(name: str) -> str:
    """A concept's name as a variable in Python: another where the name has a meaning there.

    >>> python_variable("color"), python_variable("lambda"), python_variable("concept_lambda")
    ('color', 'concept_lambda', 'concept_concept_lambda')
    """
    is_taken = keyword.iskeyword(name) or name in PYTHON_TAKEN or name.startswith(RENAMED)
    return f"{RENAMED}{name}" if is_taken else name


def in_latex(text: str) -> str:
    """Any text as LaTeX sets it in one line."""
    return _escaped(text, LATEX_MARKS)


def in_cell(text: str) -> str:
    """Any text in a cell of a table, where nothing of it is Markdown or HTML."""
    return _escaped(text, MARKDOWN_MARKS)


def _escaped(text: str, marks: dict[str, str]) -> str:
    return "".join(marks.get(mark, mark) if mark.isprintable() else " " for mark in text)


def latex_name(name: str) -> str:
    """A name in LaTeX mathematics, where only plain letters can be mathematics."""
    return rf"\{'mathit' if name.isascii() else 'textit'}{{{in_latex(name)}}}"


PYTHON = Notation(" and ", " or ", "not ", "True", "False", name=python_variable)
SQL = Notation(" AND ", " OR ", "NOT ", "1 = 1", "1 = 0", name=lambda name: f'"{name}"')
LATEX = Notation(r" \land ", r" \lor ", r"\lnot ", r"\top", r"\bot", name=latex_name)


def to_sympy(formula: Formula) -> Any:
    """Return a formula as a SymPy expression, written as it stands: nothing is simplified.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> to_sympy(parse("~a"))
    ~a
    """
    sympy = require("sympy")
    match formula:
        case Constant(value):
            return sympy.true if value else sympy.false
        case Concept(name):
            return sympy.Symbol(name)
    operator = {Not: sympy.Not, And: sympy.And, Or: sympy.Or}[type(formula)]
    return operator(*map(to_sympy, formula.parts), evaluate=False)


def to_smtlib(formula: Formula) -> str:
    """Return a formula as a term of SMT-LIB 2, which solvers such as Z3 and cvc5 read.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> to_smtlib(parse("~a & (b | True)"))
    '(and (not a) (or b true))'
    """
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Concept(name):
            return smt_symbol(name)
    operator = type(formula).__name__.lower()
    return f"({operator} {' '.join(map(to_smtlib, formula.parts))})"


def smt_symbol(name: str) -> str:
    """A concept's name in SMT-LIB, quoted where it is no plain symbol or has a meaning there."""
    if name in SMT_FUNCTIONS.split():
        return f"|concept {name}|"
    return name if name.isascii() and name not in SMT_WORDS.split() else f"|{name}|"


def sql_case(cases: Sequence[tuple[Any, Formula]], otherwise: Any) -> str:
    """An SQL expression that gives the first label whose rule holds, else another.

    >>> from algolens.logic import parse
    >>> print(sql_case([("it's", parse("a & ~(b | c)"))], 0))
    CASE
      WHEN "a" AND NOT ("b" OR "c") THEN 'it''s'
      ELSE 0
    END
    """
    whens = [
        f"  WHEN {formula_text(rule, SQL)} THEN {_sql_value(label)}\n" for label, rule in cases
    ]
    value = _sql_value(otherwise)
    return f"CASE\n{''.join(whens)}  ELSE {value}\nEND" if whens else value


def _sql_value(label: Any) -> str:
    if isinstance(label, int | float):
        return repr(int(label) if isinstance(label, bool) else label)
    return "'" + str(label).replace("'", "''") + "'"


def in_code(text: str) -> str:
    """A formula as code in a cell of a table."""
    return "`" + text.replace("|", r"\|") + "`"
