"""Looks for readers: a listing, Markdown tables, LaTeX mathematics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from algolens.logic.formula import And, Formula, Not, Or, conjunction, disjunction, formula_text
from algolens.logic.printing import LATEX, in_code, in_latex, latex_name
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Test, statement_text
from algolens.looks.moves import Move
from algolens.looks.start import FieldStart
from algolens.looks.terms import CONSTANT, Term, Whose

if TYPE_CHECKING:
    from algolens.looks.look import Look

VARIABLES = {Whose.MY: "x", Whose.ITS: "y"}
LATEX_TIMES = r" \cdot "
ORDERS = {Order.NOT_HIGHER: r"\le", Order.DIFFERENT: r"\ne", Order.NOT_LOWER: r"\ge"}


def look_to_text(look: Look) -> str:
    """A line for each: how the state begins, sums, observations with where they sit, moves."""
    parts = [
        ("begins", [(name, "", said) for name, said in started(look)]),
        ("adds", sums(look)),
        ("sees", writings(look)),
        ("moves", [(name, "", said) for name, said in moved(look)]),
    ]
    wide = max(len(name) for _, rows in parts for name, _, _ in rows)
    lines = []
    for title, rows in parts:
        lines += [title] if rows else []
        lines += [f"  {where:<5} {name:<{wide}}  {said}" for name, where, said in rows]
    return "\n".join(lines)


def writings(look: Look) -> list[tuple[str, str, str]]:
    """Each observation: its name, where it sits, and its statement."""
    return [
        (statement.name, statement.location.value, statement_text(statement.formula))
        for statement in look.statements
    ]


def sums(look: Look) -> list[tuple[str, str, str]]:
    """Each sum: its name, where it sits, and what is added; constants stand where they are used."""
    return [
        (name, look.sums[name].location.value, str(total))
        for name, total in look.totals.items()
        if not CONSTANT.fullmatch(name)
    ]


def moved(look: Look) -> list[tuple[str, str]]:
    """Each move: what moves, and what it becomes; of several, the first that applies."""
    return [(mover.name, str(mover.move)) for mover in look.movers]


def started(look: Look) -> list[tuple[str, str]]:
    """Each field of the state, and how it begins."""
    rows = []
    for name, field in look.state.items():
        start = look.start[name]
        if isinstance(start, Mapping):
            cases = [f"{label} where {text}" for label, text in start.items()]
            start = "; ".join([*cases, f"else {field.kind.labels[0]}"])
        rows.append((name, str(start)))
    return rows


def look_to_markdown(look: Look) -> str:
    """Tables of the start, the sums, the observations and the moves, where there are such."""
    parts = [
        (("state", "begins"), [(name, "", said) for name, said in started(look)]),
        (("number", "where", "sum"), sums(look)),
        (("observation", "where", "statement"), writings(look)),
        (("state", "becomes"), [(name, "", said) for name, said in moved(look)]),
    ]
    return "\n".join(_table(columns, rows) for columns, rows in parts if rows)


def _table(columns: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, where, said in rows:
        lines.append(
            f"| {' | '.join([in_code(name), *([where] if where else []), in_code(said)])} |"
        )
    return "\n".join(lines) + "\n"


def formula_to_latex(formula: Formula) -> str:
    r"""A statement of a look as LaTeX mathematics.

    >>> from algolens.looks import parse_look
    >>> print(formula_to_latex(parse_look("at least 2 neighbours (its weight < my weight)")))
    \exists^{\ge 2}\, y \in \text{neighbours}(x)\; (\mathit{weight}(y) < \mathit{weight}(x))
    """
    return formula_text(_without_negated_orders(formula), replace(LATEX, atom=_atom))


def look_to_latex(look: Look) -> str:
    """Aligned mathematics: sums, observations in order, then what pointers and numbers become."""
    lines = [
        rf"{latex_name(name)}(x) &= {look.totals[name].text(_term, LATEX_TIMES)}"
        for name, _, _ in sums(look)
    ]
    lines += [
        rf"{latex_name(statement.name)}(x) &\leftrightarrow {formula_to_latex(statement.formula)}"
        for statement in look.statements
    ]
    lines += [
        rf"{latex_name(mover.name)}(x) &:= {move_to_latex(mover.move)}" for mover in look.movers
    ]
    return _aligned(lines) + "\n"


def start_to_latex(look: Look) -> str:
    """Aligned mathematics: how each field of the state begins."""
    return _aligned(
        [rf"{latex_name(name)}(x) &:= {_begins(look.starts[name])}" for name in look.state]
    )


def _aligned(lines: list[str]) -> str:
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _begins(start: FieldStart) -> str:
    labels = start.field.kind.labels
    if start.term is not None:
        return _term(start.term)
    if start.value is not None:
        return rf"\text{{{in_latex(labels[start.value] if labels else str(start.value))}}}"
    cases = [(labels[number], formula_to_latex(case.formula)) for number, case in start.cases]
    if labels == ("false", "true"):
        return cases[0][1]
    lines = [rf"\text{{{in_latex(label)}}} & {where}" for label, where in cases]
    lines.append(rf"\text{{{in_latex(labels[0])}}} & \text{{else}}")
    return r"\begin{cases}" + r" \\ ".join(lines) + r"\end{cases}"


def move_to_latex(move: Move) -> str:
    r"""A move: the value of the first one that is marked, and where it applies."""
    guard = "" if move.guard is None else rf"\;\text{{ where }}\; {formula_to_latex(move.guard)}"
    if move.relation is None or move.mark is None:
        return _term(move.value) + guard
    marked = (
        rf"\text{{ of the first }} y \in {_view(move.relation.phrase(2))} \text{{ with }} "
        rf"{formula_to_latex(move.mark)}"
    )
    return _term(move.value) + marked + guard


def _atom(atom: Formula) -> str:
    match atom:
        case Test(term, None):
            return _term(term)
        case Test(term, label):
            return rf"({_term(term)} = \text{{{in_latex(label or '')}}})"
        case Comparison(left, order, right):
            return f"{_several(left)} {ORDERS.get(order, order.value)} {_several(right)}"
        case Quantified(quantity, relation, body, count):
            how = r"\forall" if quantity is Quantity.EVERY else r"\exists"
            many = rf"^{{\ge {count}}}" if quantity is Quantity.AT_LEAST else ""
            view = _view(relation.phrase(2))
            return rf"{how}{many}\, y \in {view}\; ({formula_to_latex(body)})"
    raise TypeError(f"{type(atom).__name__} is no part of a look")


def _view(phrase: str) -> str:
    return rf"\text{{{in_latex(phrase)}}}(x)"


def _term(term: Term) -> str:
    if term.constant is not None:
        return str(term.constant)
    text = VARIABLES[term.whose]
    for word in term.path:
        text = f"{latex_name(word)}({text})".replace(" ", r"\ ")
    return text


def _several(terms: tuple[Term, ...]) -> str:
    texts = [_term(term) for term in terms]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _without_negated_orders(formula: Formula) -> Formula:
    """The same with "not lower" as "at least": a negation would seem to be of one number alone."""
    match formula:
        case Not(Comparison(left, order, right)):
            return Comparison(left, order.opposite, right)
        case Not(term):
            return Not(_without_negated_orders(term))
        case And(terms):
            return conjunction(*map(_without_negated_orders, terms))
        case Or(terms):
            return disjunction(*map(_without_negated_orders, terms))
    return formula
