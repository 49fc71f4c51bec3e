"""Declarations as programs, until declarations are read as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.ir import IT, ME, NUMBER, TRUE, Expr, put
from algolens.language.relations import Relation
from algolens.logic import Quantifier
from algolens.logic import formula as logic
from algolens.logic.rule_set import RuleSet
from algolens.looks import Look, language
from algolens.looks.moves import Move
from algolens.looks.scope import STEPS, carried
from algolens.looks.start import FieldStart
from algolens.looks.sums import Sum
from algolens.looks.terms import CONSTANT, Term, Whose

if TYPE_CHECKING:
    from algolens.algorithms._declaration import Declaration


def to_program(
    name: str,
    declaration: Declaration,
    rules: RuleSet | None = None,
) -> ir.Program:
    """A declaration as HIR; one that perceives in Python has none.

    Parameters
    ----------
    name, declaration
        What is declared, and what it is called.
    rules : RuleSet, optional
        Others than its own.
    """
    look, at = declaration.seen, declaration.location
    is_its_own, rules = rules is None, rules or declaration.rule_set
    assert look is not None
    names = {each: each if each in look.fields else carried(each) for each in look.state}
    fields = look.scope.fields
    lets, moved = of_look(look)
    reader = Reader(fields, at)
    if rules.continues is not None:
        view = ir.View(at.value, at.value, ((ME, ir.Get("graph", at.value, IT)),))
        body = put(reader.formula(rules.continues.formula), me=IT)
        is_every = rules.continues.quantifier is Quantifier.EVERY
        asks: Expr = ir.Quantified("every" if is_every else "some", view, body)
        asks = ir.Not(asks) if rules.continues.quantifier is Quantifier.NO else asks
        lets.append(ir.Let(ir.GOES_ON, "graph", asks))
    becomes: dict[str, ir.Let] = {}
    for each, classes in rules.rules.items():
        says = {label: reader.formula(rule) for label, rule in classes.items()}
        value: Expr
        if isinstance(declaration.outputs[each], Mask):
            value = says["true"]
        else:
            cases = [(rule, ir.Const(place)) for place, rule in enumerate(says.values())]
            # of its own rules one holds; of others maybe none, which is the first class
            _, last = cases.pop() if is_its_own else cases[0]
            value = ir.Case(tuple(cases), last)
        becomes[each] = ir.Let(names.get(each, each), at.value, value)
    for each, state in look.state.items():
        place = state.location
        if each in moved:
            becomes[each] = moved[each]
        elif each in look.observed:
            becomes[each] = ir.Let(names[each], place.value, ir.Get(each, place.value))
    return ir.Program(
        name,
        {
            each: replace(to_field(field), drawn=field.drawn)
            for each, field in declaration.inputs.items()
        },
        {names[each]: to_field(field) for each, field in look.state.items()},
        tuple(
            ir.Let(names[each], start.field.location.value, _start(start, look.starting))
            for each, start in look.starts.items()
        ),
        tuple(lets),
        tuple(becomes.values()),
        declaration.most_steps.times,
        cast("ir.Per", declaration.most_steps.counted),
        {
            names.get(each, each): to_field(Field(at, kind))
            for each, kind in declaration.outputs.items()
        },
        declaration.concepts,
        declaration.outcomes,
        dict(declaration.only_where),
        dict(declaration.endless),
    )


def of_look(look: Look) -> tuple[list[ir.Let], dict[str, ir.Let]]:
    """Sums and observations in order, and what each field that moves becomes."""
    fields = look.scope.fields
    lets = [
        ir.Let(each, place.location.value, Reader(fields, place.location).sum(look.totals[each]))
        for each, place in look.sums.items()
        if not CONSTANT.fullmatch(each)
    ]
    lets += [
        ir.Let(
            each.name,
            each.location.value,
            Reader(fields, each.location).formula(each.formula),
        )
        for each in look.statements
    ]
    cases: dict[str, list[tuple[Expr, Expr]]] = {}
    for mover in look.movers:
        cases.setdefault(mover.name, []).append(Reader(fields, mover.at).move(mover.move))
    moved = {}
    for name, moves in cases.items():
        at: ir.At = look.state[name].location.value
        moved[name] = ir.Let(name, at, ir.Case(tuple(moves), ir.Get(name, at)))
    return lets, moved


def to_field(field: Field) -> ir.Field:
    """Where a field sits, and its kind."""
    at: ir.At = field.location.value
    match field.kind:
        case Category(labels):
            return ir.Field(at, "category", labels)
        case Number() as kind:
            bits, signed = kind.bits, kind.signed
            return ir.Field(
                at, "number", bits=bits, signed=signed, distinct=kind.distinct, low=kind.low
            )
        case Pointer() as kind:
            return ir.Field(at, "pointer", to=kind.to.value, itself_is_none=kind.itself_is_none)
    return ir.Field(at, "mask")


class Reader:
    """Reads what is said of the elements at a location, and of those in view at another."""

    def __init__(
        self, fields: Mapping[str, Field], at: Location, others: Location | None = None
    ) -> None:
        self.fields, self.at, self.others = fields, at, others

    def path(self, words: tuple[str, ...], at: Location, of: Expr) -> Expr:
        for word in words:
            of = ir.Get(word, at.value, of)
            if (at, word) in STEPS:
                at = STEPS[at, word]
            elif word != NUMBER and isinstance(kind := self.fields[word].kind, Pointer):
                at = kind.to
        return of

    def term(self, term: Term) -> Expr:
        if term.constant is not None:
            return ir.Const(term.constant)
        if term.whose is Whose.MY:
            return self.path(term.path, self.at, ME)
        assert self.others is not None
        return self.path(term.path, self.others, IT)

    def formula(self, formula: logic.Formula) -> Expr:
        match formula:
            case logic.Constant(value):
                return ir.Const(value)
            case logic.Not(term):
                return ir.Not(self.formula(term))
            case logic.And(terms):
                return ir.And(tuple(map(self.formula, terms)))
            case logic.Or(terms):
                return ir.Or(tuple(map(self.formula, terms)))
            case logic.Concept(name):  # in a rule
                return ir.Get(name, self.at.value)
            case language.Test(term, None):
                return self.term(term)
            case language.Test(term, label):
                kind = self.fields[term.path[-1]].kind
                assert label is not None
                index = ir.Const(kind.labels.index(label))
                return ir.Compare((self.term(term),), "=", (index,))
            case language.Comparison(left, order, right):
                ours, theirs = (tuple(map(self.term, side)) for side in (left, right))
                return ir.Compare(ours, order.value, theirs)
            case language.Quantified(quantity, relation, body, count):
                inner = Reader(self.fields, self.at, relation.others)
                view = self.view(relation)
                return ir.Quantified(quantity.value, view, inner.formula(body), count)
        raise TypeError(formula)

    def view(self, relation: Relation) -> ir.View:
        words, joins = relation.phrase(1), relation.joins
        if joins[0].through_links:  # those at the other end of links, or of sides
            (mine, *_), (its, *_) = joins[0].paths
            rows: ir.At = "side" if len(joins) > 1 else "link"
            return ir.View(words, rows, ((ME, ir.Get(mine, rows, IT)),), ir.Get(its, rows, IT))
        pairs = tuple(
            (
                self.path(join.paths[0], relation.own, ME),
                self.path(join.paths[1], relation.others, IT),
            )
            for join in joins
        )
        return ir.View(words, relation.others.value, pairs, apart=relation.others_only)

    def sum(self, total: Sum) -> Expr:
        whole: Expr | None = None
        for product in total.products:
            value = self.term(product.terms[0])
            is_less = whole is not None and product.factor < 0
            factor = abs(product.factor) if is_less else product.factor
            value = value if factor == 1 else ir.Arith(value, "*", ir.Const(factor))
            for term in product.terms[1:]:
                value = ir.Arith(value, "*", self.term(term))
            whole = value if whole is None else ir.Arith(whole, "-" if is_less else "+", value)
        if whole is None:
            return ir.Const(total.constant)
        if not total.constant:
            return whole
        constant = ir.Const(abs(total.constant))
        return ir.Arith(whole, "-" if total.constant < 0 else "+", constant)

    def move(self, move: Move) -> tuple[Expr, Expr]:
        """Where it applies, and what the field becomes there."""
        guard = TRUE if move.guard is None else self.formula(move.guard)
        if move.relation is None or move.mark is None:
            return guard, self.term(move.value)
        inner = Reader(self.fields, self.at, move.relation.others)
        view = self.view(move.relation)
        return guard, ir.The(view, inner.formula(move.mark), inner.term(move.value))


def _start(start: FieldStart, fields: Mapping[str, Field]) -> Expr:
    reader = Reader(fields, start.field.location)
    if start.value is not None:
        return ir.Const(start.value)
    if start.term is not None:
        return reader.term(start.term)
    if isinstance(start.field.kind, Mask):
        return reader.formula(start.cases[0][1].formula)
    cases = ((reader.formula(each.formula), ir.Const(label)) for label, each in start.cases)
    return ir.Case(tuple(cases), ir.Const(0))
