"""One declaration in a state of any graph: what it sees, what a step makes, whether it goes on."""

from __future__ import annotations

from functools import partial

from algolens.algorithms import Declaration
from algolens.discovery.proofs.state_words import StateWords, as_expression
from algolens.discovery.proofs.theory import Expression, Value, z3
from algolens.fields import Category, Mask, Number
from algolens.graphs import Location
from algolens.logic import Quantifier
from algolens.logic.formula import Concept, Formula
from algolens.looks import Look
from algolens.looks.moves import Mover
from algolens.looks.scope import carried
from algolens.looks.sums import MOST, Sum


class DeclaredSide:
    """A declaration, in a state that words speak of.

    Parameters
    ----------
    declaration : Declaration
        With a look.
    state : StateWords
        Inputs and state, by their own names.
    """

    def __init__(self, declaration: Declaration, state: StateWords) -> None:
        self.declaration, self.words = declaration, state.beside()
        look = declaration.seen
        assert look is not None
        self.look: Look = look
        words = self.words
        for name in declaration.state:
            if name in declaration.look:  # statements call it by another name
                words.define(carried(name), words.fields[name], words.values[name])
        for name, total in look.totals.items():
            words.add_sum(name, look.sums[name].location, total)
        words.observe(look.statements)
        self._moves: dict[str, Value] = {}

    def said(self, formula: Formula, at: Location, me: Expression) -> Expression:
        """A formula over concepts, of an element."""

        def of_atom(atom: Formula) -> Expression:
            assert isinstance(atom, Concept)
            return self.words.values[atom.name](me)

        return as_expression(formula, of_atom)

    def after(self, name: str, me: Expression) -> Expression:
        """What a step makes of a field of an element."""
        declaration = self.declaration
        if name in declaration.look:
            return self.words.values[name](me)
        if name in declaration.moves:
            if name not in self._moves:
                self._moves[name] = self._moved(name)
            return self._moves[name](me)
        field = declaration.predicted[name]
        rules = declaration.rule_set.rules[name]
        if isinstance(field.kind, Mask):
            return self.said(rules["true"], field.location, me)
        assert isinstance(field.kind, Category)
        labels = list(rules)  # the first whose rule holds; where none does, the first
        value = self.words.theory.label_of(labels[0])
        for label in reversed(labels):
            holds = self.said(rules[label], field.location, me)
            value = z3.If(holds, self.words.theory.label_of(label), value)
        return value

    def _moved(self, name: str) -> Value:
        movers = [mover for mover in self.look.movers if mover.name == name]
        before = self.words.values[name]
        for mover in reversed(movers):  # of several, the first that is declared decides
            before = self._move(mover, before)
        return before

    def _move(self, mover: Mover, before: Value) -> Value:
        """What a field becomes: of those in view that are marked, the first one's value."""
        words, move, at = self.words, mover.move, mover.at

        def guarded(me: Expression) -> Expression:
            return z3.BoolVal(True) if move.guard is None else words.formula(move.guard, at, me)

        if move.relation is None or move.mark is None:
            return lambda me: z3.If(guarded(me), words.term(move.value, at, me)[0], before(me))
        relation, others = move.relation, move.relation.others
        mark = mover.mark
        assert mark is not None

        def marked(_: Expression, it: Expression) -> Expression:
            return words.formula(mark.formula, others, it)

        exists = words.views.some(relation, at, marked)
        first = words.views.first(relation, at, marked, exists)

        def value(me: Expression) -> Expression:
            taken = words.term(move.value, at, me, others, first(me))[0]
            return z3.If(z3.And(guarded(me), exists(me)), taken, before(me))

        return value

    def refuses(self) -> Expression:
        """Whether a run is refused in this state: some number on the way to a sum has no room."""
        parts = [z3.BoolVal(False)]
        for name, total in self.look.totals.items():
            at = self.look.sums[name].location
            if at is Location.GRAPH:
                parts.append(self._has_no_room(total, at, None))
            else:
                some = partial(self._has_no_room, total, at)
                parts.append(self.words.views.some_of_graph(at, some))
        return z3.Or(*parts)

    def _has_no_room(self, total: Sum, at: Location, me: Expression) -> Expression:
        """As ``CompiledSum`` looks at it, but for what the bits of fields keep in bounds."""
        found = [z3.BoolVal(False)]
        value, least, most = z3.IntVal(total.constant), total.constant, total.constant

        def look_at(number: Expression, *ends: int) -> None:
            if max(map(abs, ends)) >= MOST:
                found.extend((number >= MOST, number <= -MOST))

        for product in total.products:
            ends = [product.factor]
            for place, term in enumerate(product.terms, 1):
                kind = self.look.scope.resolve(term, at, None).kind
                assert isinstance(kind, Number)
                ends = [one * other for one in ends for other in (kind.least, kind.most)]
                ends = [min(ends), max(ends)]
                made = self.words.product(product.factor, product.terms[:place], at, me)
                if place > 1 or product.factor != 1:
                    look_at(made, *ends)
            value, least, most = value + made, least + ends[0], most + ends[1]
            look_at(value, least, most)
        return z3.Or(*found)

    def goes_on(self) -> Expression | None:
        """Whether another step is taken from this state."""
        rule, at = self.declaration.rule_set.continues, self.declaration.location
        if rule is None:
            return None
        some = self.words.views.some_of_graph(at, lambda me: self.said(rule.witness, at, me))
        return some if rule.quantifier is Quantifier.EXISTS else z3.Not(some)


def start_of(declaration: Declaration, inputs: StateWords, name: str, me: Expression) -> Expression:
    """How a field of an element begins."""
    look = declaration.seen
    assert look is not None
    start = look.starts[name]
    at, kind = start.field.location, start.field.kind
    if start.term is not None:
        return inputs.term(start.term, at, me)[0]
    if start.value is not None:
        if isinstance(kind, Category):
            return inputs.theory.label_of(kind.labels[start.value])
        return z3.IntVal(start.value)
    if isinstance(kind, Mask):
        return inputs.formula(start.cases[0][1].formula, at, me)
    assert isinstance(kind, Category)
    value = inputs.theory.label_of(kind.labels[0])
    for number, statement in reversed(start.cases):  # the first that holds decides
        holds = inputs.formula(statement.formula, at, me)
        value = z3.If(holds, inputs.theory.label_of(kind.labels[number]), value)
    return value
