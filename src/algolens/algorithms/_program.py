"""Declarations as programs, until declarations are read as such."""

from __future__ import annotations

from collections.abc import Mapping

from algolens.fields import Field, Pointer
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.ir import IT, ME, NUMBER, TRUE, Expr
from algolens.language.relations import Relation
from algolens.logic import formula as logic
from algolens.looks import language
from algolens.looks.moves import Move
from algolens.looks.scope import STEPS
from algolens.looks.sums import Sum
from algolens.looks.terms import Term, Whose


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
