"""Looks for readers: a listing, Markdown tables, LaTeX mathematics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from algolens.looks.language import statement_text
from algolens.looks.moves import Sum

if TYPE_CHECKING:
    from algolens.looks.look import Look
from dataclasses import replace

from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.logic.exports import in_code
from algolens.logic.formula import And, Formula, Not, Or
from algolens.logic.printing import LATEX, formula_text, in_latex, latex_name
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.moves import Move
from algolens.looks.parsing import Parser, parse_look

if TYPE_CHECKING:
    from algolens.looks.look import Look, Start


def look_to_text(look: Look) -> str:
    """All of it, a line for each: how the state begins, sums, observations with where they sit,
    moves.
    """
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
    found = [each.observation for each in look.readings]
    return [(each.name, each.location.value, statement_text(each.formula)) for each in found]


def sums(look: Look) -> list[tuple[str, str, str]]:
    """Each sum: its name, where it sits, and what is added."""
    return [
        (name, each.location.value, str(Sum.parse(each.text))) for name, each in look.sums.items()
    ]


def moved(look: Look) -> list[tuple[str, str]]:
    """Each move: what moves, and what it becomes; of several, the first that applies."""
    return [(mover.name, str(mover.move)) for mover in look.movers]


def started(look: Look) -> list[tuple[str, str]]:
    """Each state field, and how it begins."""
    return [
        (name, _begins(look.start[name], field.kind.labels)) for name, field in look.state.items()
    ]


def _begins(start: str | int | Mapping[str, str], labels: tuple[str, ...]) -> str:
    if isinstance(start, Mapping):
        return "; ".join(
            [
                *(f"{label} where {statement}" for label, statement in start.items()),
                f"else {labels[0]}",
            ]
        )
    return str(start)


def look_to_markdown(look: Look) -> str:
    """A table of what is seen: observation, where, statement; and of sums, moves and the start
    where there are such.
    """
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


VARIABLES = {Whose.MY: "x", Whose.ITS: "y"}
ORDERS = {Order.NOT_HIGHER: r"\le", Order.DIFFERENT: r"\ne", Order.NOT_LOWER: r"\ge"}


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
        rf"{latex_name(name)}(x) &= {sum_to_latex(Sum.parse(each.text))}"
        for name, each in look.sums.items()
    ]
    lines += [
        (
            rf"{latex_name(each.observation.name)}(x) &\leftrightarrow "
            rf"{formula_to_latex(each.observation.formula)}"
        )
        for each in look.readings
    ]
    lines += [
        rf"{latex_name(mover.name)}(x) &:= {move_to_latex(mover.move)}" for mover in look.movers
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def start_to_latex(look: Look) -> str:
    """Aligned mathematics: how each field of the state begins."""
    lines = [
        rf"{latex_name(name)}(x) &:= {_begins_in_latex(look.state[name], look.start[name])}"
        for name in look.state
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _begins_in_latex(field: Field, start: Start) -> str:
    match field.kind, start:
        case Mask(), str():
            return formula_to_latex(parse_look(start))
        case Category() as kind, Mapping():
            cases = [
                rf"\text{{{in_latex(label)}}} & {formula_to_latex(parse_look(each))}"
                for label, each in start.items()
            ]
            cases.append(rf"\text{{{in_latex(kind.labels[0])}}} & \text{{else}}")
            return r"\begin{cases}" + r" \\ ".join(cases) + r"\end{cases}"
        case ((Number() | Pointer()), str()):
            return _term(Parser(start).whole(lambda parser: parser.term(Whose.MY)))
    return rf"\text{{{in_latex(str(start))}}}"


def sum_to_latex(total: Sum) -> str:
    """A sum."""
    parts = [_term(term) for term in total.terms]
    return " + ".join(parts + ([str(total.constant)] if total.constant or not parts else []))


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
            how = {
                Quantity.SOME: r"\exists",
                Quantity.EVERY: r"\forall",
                Quantity.AT_LEAST: rf"\exists^{{\ge {count}}}",
            }
            return (
                rf"{how[quantity]}\, y \in {_view(relation.phrase(2))}\; ({formula_to_latex(body)})"
            )
    raise TypeError(f"{type(atom).__name__} is no part of a look")


def _view(phrase: str) -> str:
    return rf"\text{{{in_latex(phrase)}}}(x)"


def _term(term: Term) -> str:
    found = VARIABLES[term.whose]
    for word in term.path:
        found = f"{latex_name(word)}({found})".replace(" ", r"\ ")
    return found


def _several(terms: tuple[Term, ...]) -> str:
    texts = [_term(term) for term in terms]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _without_negated_orders(formula: Formula) -> Formula:
    """The same statement, in which "not lower" is "at least": a negation would seem to belong to
    the first number alone.
    """
    match formula:
        case Not(Comparison(left, order, right)):
            return Comparison(left, order.opposite, right)
        case Not(term):
            return Not(_without_negated_orders(term))
        case And(terms):
            return And(tuple(map(_without_negated_orders, terms)))
        case Or(terms):
            return Or(tuple(map(_without_negated_orders, terms)))
    return formula
