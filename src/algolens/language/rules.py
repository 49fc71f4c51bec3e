"""Rules over concepts, as formulas and as HIR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec.structs import replace

from algolens.errors import DefinitionError
from algolens.language.ir import (
    GOES_ON,
    IT,
    ME,
    TRUE,
    And,
    At,
    Case,
    Const,
    Expr,
    Get,
    Let,
    Me,
    Not,
    Or,
    Program,
    Quantified,
    View,
    negation,
    put,
)
from algolens.logic import Formula, GoOn, Quantifier, factored, minimal_rules, not_exactly_one
from algolens.logic import formula as logic
from algolens.logic.formula import excludes
from algolens.logic.minimal import QUICKLY_LISTED
from algolens.logic.rule_set import RuleSet

Quantity: TypeAlias = Literal["some", "every", "no"]
QUANTITIES: Mapping[Quantifier, Quantity] = {
    Quantifier.EXISTS: "some",
    Quantifier.EVERY: "every",
    Quantifier.NO: "no",
}


def as_expr(formula: Formula, at: At) -> Expr:
    """A formula over concepts at a table, as HIR."""
    match formula:
        case logic.Constant(value):
            return Const(value)
        case logic.Concept(name):
            return Get(name, at)
        case logic.Not(term):
            return Not(as_expr(term, at))
    terms = tuple(as_expr(term, at) for term in formula.parts)
    return And(terms) if isinstance(formula, logic.And) else Or(terms)


def as_formula(node: Expr) -> Formula:
    """HIR that speaks of concepts of the element itself alone, as a formula."""
    match node:
        case Const(value):
            return logic.Constant(bool(value))
        case Get(column, of=Me()):
            return logic.Concept(column)
        case Not(term):
            return logic.Not(as_formula(term))
        case And(terms):
            return logic.conjunction(*map(as_formula, terms))
        case Or(terms):
            return logic.disjunction(*map(as_formula, terms))
    raise DefinitionError(f"a rule joins concepts by and, or and not; {type(node).__name__} came.")


def of_elements(quantity: Quantity, body: Expr, at: At) -> Expr:
    """That something holds of some, of every or of no element of a graph."""
    view = View(at, at, ((ME, Get("graph", at, IT)),))
    found = Quantified("every" if quantity == "every" else "some", view, put(body, me=IT))
    return Not(found) if quantity == "no" else found


def rule_set(program: Program, concepts: tuple[str, ...]) -> RuleSet:
    """The rules of a program: what decided outputs become, and whether a run goes on."""
    rules: dict[str, dict[str, Formula]] = {}
    for let in program.becomes:
        output = program.outputs.get(let.name)
        if output is not None and output.kind == "mask":
            true, false = as_formula(let.value), as_formula(negation(let.value))
            rules[let.name] = {"true": true, "false": false}
        elif output is not None and output.kind == "category":
            rules[let.name] = _rules_of_classes(let, output.labels)
    rule = None if program.goes_on is None else as_go_on(program.goes_on)
    if program.goes_on is not None and rule is None:
        raise DefinitionError("a run goes on while some, every or no element is so.")
    return RuleSet(concepts, rules, rule)


def _rules_of_classes(let: Let, labels: tuple[str, ...]) -> dict[str, Formula]:
    """For each class, when it is the first whose statement holds."""
    if not isinstance(let.value, Case):
        raise DefinitionError(f"'{let.name}' has classes: give each a rule.")
    rules: dict[str, Formula] = dict.fromkeys(labels, logic.FALSE)
    before: list[tuple[Formula, Formula]] = []  # rules of which none holds, and their opposites
    for rule, place in (*let.cases, (TRUE, let.value.otherwise)):
        if not isinstance(place, Const):
            raise DefinitionError(f"'{let.name}' has classes: a rule gives one of them.")
        plain, label = as_formula(rule), labels[place.value]
        apart = [opposite for other, opposite in before if not excludes(plain, other)]
        said = _short(logic.conjunction(*apart, plain)) if apart else plain
        before.append((plain, as_formula(negation(rule))))
        is_first = rules[label] == logic.FALSE
        rules[label] = said if is_first else _short(logic.disjunction(rules[label], said))
    return rules


def _short(formula: Formula) -> Formula:
    """The shortest formula that says the same, where that is found at once."""
    if len(formula.names) > QUICKLY_LISTED:
        return logic.FALSE if excludes(formula, logic.TRUE) else formula
    table = formula.table()
    return factored(minimal_rules(formula.names, table.nonzero()[0], (~table).nonzero()[0]).formula)


def as_go_on(said: Expr) -> GoOn | None:
    """A statement about a graph as a rule for going on; None where it says more than one can."""
    match said:
        case Const(value):  # of a graph without elements too
            return GoOn(logic.FALSE, Quantifier.NO if value else Quantifier.EXISTS)
        case Quantified("some" | "every" as quantity, body=body):
            quantifier = Quantifier.EVERY if quantity == "every" else Quantifier.EXISTS
        case Not(Quantified("some", body=body)):
            quantifier = Quantifier.NO
        case _:
            return None
    try:
        return GoOn(as_formula(put(body, it=ME)), quantifier)
    except DefinitionError:
        return None


def with_rules(program: Program, rules: RuleSet, at: At) -> Program:
    """The same program with other rules."""
    becomes: dict[str, Expr] = {}
    for name, classes in rules.rules.items():
        said = [as_expr(rule, at) for rule in classes.values()]
        if program.outputs[name].kind == "mask":
            becomes[name] = said[0]
            continue
        cases = tuple((rule, Const(place)) for place, rule in enumerate(said))
        if not_exactly_one(classes) is None:  # the last follows from all others
            becomes[name] = Case(cases[:-1], cases[-1][1])
        else:  # the first that holds; where none does, the first class
            becomes[name] = Case(cases, Const(0))
    after = [replace(let, value=becomes.get(let.name, let.value)) for let in program.becomes]
    lets = {} if rules.continues is None else {GOES_ON: going_on(rules.continues, at)}
    return replace(with_lets(program, lets), becomes=tuple(after))


def going_on(rule: GoOn, at: At) -> Expr:
    """A rule for going on, as HIR of the graph."""
    return of_elements(QUANTITIES[rule.quantifier], as_expr(rule.formula, at), at)


def with_lets(program: Program, values: Mapping[str, Expr]) -> Program:
    """The same program with other values of some lets, by name; ``GOES_ON`` is one."""
    lets = [replace(let, value=values.get(let.name, let.value)) for let in program.lets]
    if GOES_ON in values and program.goes_on is None:
        lets.append(Let(GOES_ON, "graph", values[GOES_ON]))
    return replace(program, lets=tuple(lets))
