"""Names for concepts that nobody named, made from what they say."""

from __future__ import annotations

import re

from algolens.logic.formula import And, Formula, Not
from algolens.looks import Comparison, Order, Quantified, Quantity, Test

COUNTS = {2: "two", 3: "three", 4: "four"}
ORDERS = {
    Order.LOWER: "lower",
    Order.HIGHER: "higher",
    Order.EQUAL: "equal",
    Order.DIFFERENT: "other",
    Order.NOT_HIGHER: "no_higher",
    Order.NOT_LOWER: "no_lower",
}
LONGEST = 60


def concept_name(formula: Formula) -> str:
    """A short name for a statement.

    >>> from algolens.looks import parse_look
    >>> concept_name(parse_look("some neighbour (color is 0 & its priority > my priority)"))
    'has_color_0_neighbour_of_higher_priority'
    >>> concept_name(parse_look("at least 3 neighbours (in_core)"))
    'has_three_in_core_neighbours'
    >>> concept_name(parse_look("visited"))
    'is_visited'
    """
    return re.sub(r"\W+", "_", _words(formula)).strip("_")[:LONGEST].strip("_")


def _words(formula: Formula) -> str:
    match formula:
        case Not(term):
            return f"not_{_words(term)}"
        case Quantified(quantity, relation, body, count):
            parts = body.terms if isinstance(body, And) else (body,)
            said = [_adjective(part) for part in parts if not _crosses(part)]
            than = [_than(part) for part in parts if _crosses(part)]
            many = f"{COUNTS.get(count, count)}_" if quantity is Quantity.AT_LEAST else ""
            words = "_".join(filter(None, [*said, relation.phrase(count).replace(" ", "_")]))
            return f"has_{many}{words}" + "".join(f"_{part}" for part in than)
        case And(terms):
            return "_and_".join(map(_words, terms))
        case Test(term, None):
            bare = "_".join(term.path).replace("last ", "was_")
            return bare if bare.startswith(("is_", "was_", "has_")) else f"is_{bare}"
        case Test(term, label):
            return f"{'_'.join(term.path)}_is_{label}"
        case Comparison(left, order, right):
            return f"{_path(left[0].path)}_{ORDERS[order]}_{_path(right[0].path)}"
    return "holds"


def _adjective(formula: Formula) -> str:
    match formula:
        case Not(Test(term, None)):
            return f"not_{_path(term.path)}"
        case Not(Test(term, label)):
            return (
                f"not_{label}" if not str(label).isdecimal() else f"not_{_path(term.path)}_{label}"
            )
        case Test(term, None):
            return _path(term.path)
        case Test(term, label):
            return str(label) if not str(label).isdecimal() else f"{_path(term.path)}_{label}"
        case Comparison(left, order, right):
            return f"{_path(left[0].path)}_{ORDERS[order]}_{_path(right[0].path)}"
    return ""


def _path(path: tuple[str, ...]) -> str:
    return "_".join(path).replace("last ", "was_") or "itself"


def _crosses(formula: Formula) -> bool:
    if not isinstance(formula, Comparison):
        return False
    return formula.left[0].whose is not formula.right[0].whose


def _than(formula: Formula) -> str:
    assert isinstance(formula, Comparison)
    return f"of_{ORDERS[formula.order]}_{_path(formula.left[0].path)}"


def names_of(formulas: tuple[Formula, ...], taken: tuple[str, ...]) -> dict[str, Formula]:
    """Statements by short names, each once, other than those taken."""
    made: dict[str, Formula] = {}
    known = set(taken)
    for formula in formulas:
        name = first = concept_name(formula)
        number = 2
        while name in known:
            name, number = f"{first}_{number}", number + 1
        known.add(name)
        made[name] = formula
    return made
