"""What statements of a look say of any element of any graph, as formulas for Z3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from algolens.discovery.proofs.theory import (
    GRAPH,
    LINK,
    Expression,
    GraphTheory,
    Value,
    all_of,
    for_all,
    lexicographic,
    names_in,
    z3,
)
from algolens.discovery.proofs.views import Views
from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.looks import Comparison, Order, Quantified, Term, Test, Whose
from algolens.looks.scope import NUMBER, STEPS
from algolens.looks.statement import Statement
from algolens.looks.sums import Sum


class StateWords:
    """What is known of a state: its fields, and statements about them.

    Parameters
    ----------
    theory : GraphTheory
        The graph.
    suffix : str
        By which functions of this state differ from those of others.
    """

    def __init__(self, theory: GraphTheory, suffix: str = "") -> None:
        self.theory, self.suffix = theory, suffix
        self.fields: dict[str, Field] = {}
        self.values: dict[str, Value] = {}
        self.axioms: list[Expression] = []
        self.views = Views(self, {}, {})

    def another(self, suffix: str) -> StateWords:
        """Another state, of the fields that are known so far."""
        other = StateWords(self.theory, suffix)
        other.fields, other.values = dict(self.fields), dict(self.values)
        return other

    def beside(self) -> StateWords:
        """StateWords of another declaration for the same state: what both say is said once."""
        other = StateWords(self.theory, self.suffix)
        other.fields, other.values = dict(self.fields), dict(self.values)
        other.axioms = self.axioms
        other.views = Views(other, self.views.definitions, self.views.seen)
        return other

    def resting(self, statements: Sequence[Expression]) -> list[Expression]:
        """Axioms of this state that statements rest on: of definitions, those that they name."""
        return [*self.axioms, *self.definitions(statements)]

    def definitions(self, statements: Sequence[Expression]) -> list[Expression]:
        """Definitions of what statements name, and of what these name."""
        definitions, named, made = self.views.definitions, set[str](), list[Expression]()
        todo = list(statements)
        while todo:
            for name in names_in(todo.pop()) - named:
                named.add(name)
                made += definitions.get(name, ())
                todo += definitions.get(name, ())
        return made

    # ---- fields

    def declare(self, name: str, field: Field, key: str | None = None, met: bool = True) -> None:
        """Adds a field of any values of its kind.

        key: by which both declarations know it. met: whether axioms are instantiated for elements
        that it is said of.
        """
        theory, kind, at = self.theory, field.kind, field.location
        match kind:
            case Mask():
                sort = z3.BoolSort()
            case Category():
                sort = theory.label
            case Pointer():
                sort = theory.sorts[kind.to]
            case _:
                sort = z3.IntSort()
        # no word of the theory may be called so
        called = f"{key or 'field ' + name}{self.suffix}"
        value: Value
        if at is GRAPH:
            constant = z3.Const(called, sort)
            value = lambda _: constant  # noqa: E731
            own = [self._of_kind(kind, constant)]
        else:
            function = z3.Function(called, theory.sorts[at], sort)
            theory.known[at] += [function] if met else []
            value = function
            element = theory.variable(at)
            said = self._of_kind(kind, function(element))
            # an element that stands for none, in a graph without edges, has any value
            own = [
                None
                if said is None
                else for_all([element], theory.where_there(at, said), [[function(element)]])
            ]
        self.axioms += [axiom for axiom in own if axiom is not None]
        if isinstance(kind, Number) and kind.distinct is not None and at is not GRAPH:
            self.axioms.append(self._distinct(kind, at, value))
        self.fields[name], self.values[name] = field, value

    def _of_kind(self, kind: object, value: Expression) -> Expression | None:
        """What is true of every value of a kind."""
        if isinstance(kind, Category):
            return z3.Or(*[value == self.theory.label_of(label) for label in kind.labels])
        return value >= kind.least if isinstance(kind, Number) else None

    def _distinct(self, kind: Number, at: Location, value: Value) -> Expression:
        """That no two numbers of the graph, or of neighbours, are the same; inputs are refused
        where they are.
        """
        theory = self.theory
        if kind.distinct == "graph":
            element = theory.variable(at)
            back = z3.Function(theory.fresh("of number"), z3.IntSort(), theory.sorts[at])
            alone = back(value(element)) == element
            return for_all([element], theory.where_there(at, alone), [[value(element)]])
        link = theory.variable(LINK, "link")
        ends = [theory.steps[LINK, step](link) for step in ("sender", "receiver")]
        apart = theory.where_there(LINK, value(ends[0]) != value(ends[1]))
        return for_all([link], apart, theory.met(LINK, link))

    def define(self, name: str, field: Field, value: Value) -> None:
        """Adds a field that follows from others."""
        self.fields[name], self.values[name] = field, value

    def observe(self, statements: Sequence[Statement]) -> None:
        """Adds observations, in order."""
        for statement in statements:
            said = partial(self.formula, statement.formula, statement.location)
            self.define(statement.name, Field(statement.location, Mask()), said)

    def add_sum(self, name: str, location: Location, total: Sum) -> None:
        """Adds a sum: a whole number. That a run whose sums leave 62 bits is refused bounds what
        runs there are, and not what a sum is.
        """

        def value(me: Expression) -> Expression:
            products = [self.product(one.factor, one.terms, location, me) for one in total.products]
            return z3.Sum(z3.IntVal(total.constant), *products)

        self.define(name, Field(location, Number(62, signed=True)), value)

    def product(
        self, factor: int, terms: Sequence[Term], location: Location, me: Expression
    ) -> Expression:
        """A product: that factors commute is all that is used of it."""
        made, *rest = sorted((self.term(term, location, me)[0] for term in terms), key=str)
        times = z3.Function("times", z3.IntSort(), z3.IntSort(), z3.IntSort())
        for other in rest:
            made = times(made, other)
        return factor * made

    # ---- statements

    def term(
        self,
        term: Term,
        at: Location,
        me: Expression,
        other: Location | None = None,
        it: Expression = None,
    ) -> tuple[Expression, Location | None]:
        """A value, or an element and where it sits."""
        element = me
        if term.whose is Whose.ITS:
            assert other is not None
            at, element = other, it
        for word in term.path:
            if word == NUMBER and at is not GRAPH:
                return self.theory.number_of(at, element), None
            if (at, word) in STEPS:
                to = STEPS[at, word]
                element = None if to is GRAPH else self.theory.steps[at, word](element)
                at = to
                continue
            value = self.values[word](element)
            kind = self.fields[word].kind
            if not isinstance(kind, Pointer):
                return value, None
            at, element = kind.to, value
        return element, at

    def formula(
        self,
        formula: Formula,
        at: Location,
        me: Expression,
        other: Location | None = None,
        it: Expression = None,
    ) -> Expression:
        """What a statement says of an element, and of another one."""

        def of_atom(atom: Formula) -> Expression:
            match atom:
                case Test(term, label):
                    value, _ = self.term(term, at, me, other, it)
                    return value if label is None else value == self.theory.label_of(label)
                case Comparison():
                    return self._comparison(atom, at, me, other, it)
                case Quantified():
                    return self.views.quantified(atom, at)(me)
            raise TypeError(type(atom))

        return as_expression(formula, of_atom)

    def _comparison(
        self,
        atom: Comparison,
        at: Location,
        me: Expression,
        other: Location | None,
        it: Expression,
    ) -> Expression:
        left, right = ([self.term(t, at, me, other, it)[0] for t in side] for side in atom.sides)
        # two paths to the graph meet
        same = [
            z3.BoolVal(True) if mine is None else mine == its
            for mine, its in zip(left, right, strict=True)
        ]
        equal = all_of(same)
        match atom.order:
            case Order.EQUAL:
                return equal
            case Order.DIFFERENT:
                return z3.Not(equal)
            case Order.LOWER:
                return lexicographic(left, right)
            case Order.HIGHER:
                return lexicographic(right, left)
            case Order.NOT_HIGHER:
                return z3.Not(lexicographic(right, left))
        return z3.Not(lexicographic(left, right))


def as_expression(formula: Formula, of_atom: Callable[[Formula], Expression]) -> Expression:
    """A formula, given what its atoms are."""
    match formula:
        case Constant(value):
            return z3.BoolVal(bool(value))
        case Not(inner):
            return z3.Not(as_expression(inner, of_atom))
        case And(terms):
            return z3.And(*[as_expression(term, of_atom) for term in terms])
        case Or(terms):
            return z3.Or(*[as_expression(term, of_atom) for term in terms])
    return of_atom(formula)
