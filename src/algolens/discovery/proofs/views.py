"""Those in view of an element, as formulas for Z3: that so many are so, and which one is the first.

Each statement about them is a predicate or a function of its own, with axioms that define it. A
question rests on the definitions of what it names alone (``StateWords.resting``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, islice, product
from typing import TYPE_CHECKING

from algolens.discovery.proofs.deadline import in_time
from algolens.discovery.proofs.theory import (
    GRAPH,
    LINK,
    Expression,
    Value,
    all_of,
    for_all,
    lexicographic,
    z3,
)
from algolens.graphs import Location
from algolens.language.relations import RELATIONS, Join, Relation
from algolens.logic.formula import And, Formula, Not
from algolens.looks import Comparison, Order, Quantified, Quantity, Term, Test, Whose

if TYPE_CHECKING:
    from algolens.discovery.proofs.state_words import StateWords

ALL = {relation.others: relation for relation in RELATIONS if relation.own is GRAPH}
MOST_PATTERNS = 200  # of one axiom
Said = Callable[[Expression, Expression], Expression]  # of an element and one in view


@dataclass(frozen=True)
class WayIntoView:
    """One way for another to be in view: a variable, when it is, and whom it leads to."""

    variable: Expression
    there: Expression  # that the graph has such a variable
    mine: Expression  # both sides meet where it is in view; None: it always is
    its: Expression
    it: Expression
    apart: bool  # it is not the element itself

    def holds(self, me: Expression) -> Expression:
        """Whether it is in view of an element."""
        parts = [self.there]
        if self.mine is not None:
            parts.append(self.mine == self.its)
        if self.apart:
            parts.append(self.it != me)
        return all_of(parts)


class Views:
    """What is said of those in view, in one state.

    Parameters
    ----------
    words : StateWords
        The state.
    definitions : dict
        Axioms by the name of what they define, which declarations of one state share.
    seen : dict
        What is defined.
    """

    def __init__(
        self,
        words: StateWords,
        definitions: dict[str, list[Expression]],
        seen: dict[object, tuple[Value, Expression]],
    ) -> None:
        self.words, self.theory = words, words.theory
        self.definitions, self.seen = definitions, seen

    def ways(self, relation: Relation, me: Expression) -> list[WayIntoView]:
        """The ways for another to be in view of an element."""
        joins = list(relation.joins)
        if joins[0].through_links and self.theory.graphs == "undirected":
            joins = joins[:1]  # every edge has a link each way
        return [self._view(relation, join, me) for join in joins]

    def _view(self, relation: Relation, join: Join, me: Expression) -> WayIntoView:
        mine, its = join.paths
        theory = self.theory
        if join.through_links:
            link = theory.variable(LINK, "link")
            ends = [self.words.term(Term(Whose.MY, path), LINK, link)[0] for path in (mine, its)]
            return WayIntoView(link, theory.has_edges, me, ends[0], ends[1], relation.others_only)
        other = theory.variable(relation.others, "other")
        there = theory.there(relation.others)
        if join.mine == "graph" or relation.own is GRAPH:
            return WayIntoView(other, there, None, None, other, relation.others_only)
        left = self.words.term(Term(Whose.MY, mine), relation.own, me)[0]
        right = self.words.term(Term(Whose.MY, its), relation.others, other)[0]
        return WayIntoView(other, there, left, right, other, relation.others_only)

    def quantified(self, atom: Quantified, at: Location) -> Value:
        """A predicate of elements that says that so many in view are so; defined once.

        Where it holds, there are witnesses; and where there are enough in view, it holds.
        """
        if atom.relation.exactly is not None:
            return lambda me: self._among_few(atom, at, me)
        relation, count = atom.relation, atom.count
        others = relation.others
        me = None if at is GRAPH else z3.Const("me", self.theory.sorts[at])
        it = z3.Const("it", self.theory.sorts[others])
        body = z3.simplify(self.words.formula(atom.counted, at, me, others, it))
        predicate = self._defined(
            relation,
            count,
            at,
            lambda me, it: self.words.formula(atom.counted, at, me, others, it),
            body,
            atom,
        )
        is_less = atom.quantity is Quantity.EVERY
        return (lambda me: z3.Not(predicate(me))) if is_less else predicate

    def _defined(
        self,
        relation: Relation,
        count: int,
        at: Location,
        said: Said,
        body: Expression,
        atom: Quantified | None = None,
    ) -> Value:
        """The predicate that so many in view are so; one for each relation, count and body."""
        node = z3.Const("node", self.theory.sorts[Location.NODE])
        pointed = tuple(self.words.values[name](node).sexpr() for name in relation.pointers)
        key = (relation.words, count, body.get_id(), pointed)
        if key not in self.seen:
            # the body is kept, so that its id stays its own
            predicate = self._counting(relation, count, at, said)
            self.seen[key] = predicate, body
            if atom is not None:
                me = None if at is GRAPH else self.theory.variable(at, "me")
                self._least_exists(atom, at, predicate(me))
        return self.seen[key][0]

    def _among_few(self, atom: Quantified, at: Location, me: Expression) -> Expression:
        """Of an edge, both ends: each is looked at."""
        ends = [
            self.words.term(Term(Whose.MY, join.paths[0]), at, me)[0]
            for join in atom.relation.joins
        ]
        said = [self.words.formula(atom.counted, at, me, atom.relation.others, end) for end in ends]
        enough = z3.AtLeast(*said, atom.count) if atom.count > 1 else z3.Or(*said)
        if atom.count > len(said):
            enough = z3.BoolVal(False)
        return z3.Not(enough) if atom.quantity is Quantity.EVERY else enough

    def _counting(self, relation: Relation, count: int, at: Location, body: Said) -> Value:
        theory = self.theory
        me = None if at is GRAPH else theory.variable(at, "me")
        predicate = self._of(at, f"some {relation.words[0]}", z3.BoolSort())
        # where it holds, so many different ones are in view that are so
        parts, its = [], []
        for _ in range(count):
            it, in_view = self._in_view(relation, at, me)
            parts += [in_view, body(me, it), theory.is_met(relation.others, it)]
            its.append(it)
        if count > 1:
            parts.append(z3.Distinct(*its))
        some = z3.Implies(predicate(me), z3.And(*parts))
        self._add(predicate(me), some if me is None else for_all([me], some, [[predicate(me)]], 1))
        # and where so many are, it holds
        views = self.ways(relation, me)
        for places in combinations_with_replacement(range(len(views)), count):
            chosen = [self.ways(relation, me)[place] for place in places]
            self._enough(predicate, chosen, relation, me, body)
        return predicate

    def _in_view(
        self, relation: Relation, at: Location, me: Expression
    ) -> tuple[Expression, Expression]:
        """A new witness for each element, and that it is in view."""
        views = self.ways(relation, me)
        ways = [self._of(at, "way", view.variable.sort())(me) for view in views]
        if len(views) == 1:
            there = (views[0].variable, ways[0])
            return z3.substitute(views[0].it, there), z3.substitute(views[0].holds(me), there)
        it = self._of(at, "witness", self.theory.sorts[relation.others])(me)
        met = [
            z3.substitute(z3.And(view.holds(me), view.it == it), (view.variable, way))
            for view, way in zip(views, ways, strict=True)
        ]
        return it, z3.Or(*met)

    def _add(self, called: Expression, axiom: Expression) -> None:
        """Adds an axiom to the definition of what is called."""
        self.definitions.setdefault(called.decl().name(), []).append(axiom)

    def _of(self, at: Location, words: str, sort: Expression) -> Value:
        """A new function of elements; at the graph, a constant."""
        name = self.theory.fresh(words + self.words.suffix)
        if at is GRAPH:
            constant = z3.Const(name, sort)
            return lambda _: constant
        return z3.Function(name, self.theory.sorts[at], sort)

    def _enough(
        self,
        predicate: Value,
        views: list[WayIntoView],
        relation: Relation,
        me: Expression,
        body: Said,
    ) -> None:
        """Adds that a predicate holds where those of some views are so."""
        its = [view.it for view in views]
        parts = [view.holds(me) for view in in_time(views, self.theory.until)]
        parts += [body(me, it) for it in its]
        if len(its) > 1:
            parts.append(z3.Distinct(*its))
        self.for_each(views, relation, me, predicate, z3.Implies(z3.And(*parts), predicate(me)))

    def for_each(
        self,
        views: list[WayIntoView],
        relation: Relation,
        me: Expression,
        called: Value,
        said: Expression,
    ) -> None:
        """Adds a statement about an element and those in view, where a function is called of it."""
        theory, first = self.theory, views[0]
        variables = [view.variable for view in views]
        if me is not None and first.mine is not None and first.mine.eq(me):
            # the element is where the first one's path leads
            said = z3.substitute(said, (me, first.its))
            patterns = [[called(first.its), *(view.its for view in views[1:])]]
            self._add(called(me), for_all(variables, said, patterns))
            return
        ways = [
            theory.met(relation.others, view.variable)
            if view.its is None or view.its.eq(view.variable)
            else [[view.its]]
            for view in views
        ]
        own = [] if me is None else [called(me)]
        some = islice(product(*ways), MOST_PATTERNS)
        patterns = [[*own, *chain(*chosen)] for chosen in in_time(some, theory.until)]
        bound = variables if me is None else [me, *variables]
        self._add(called(me), for_all(bound, said, patterns))

    def some(self, relation: Relation, at: Location, body: Said) -> Value:
        """That some in view are so; defined once."""
        me = None if at is GRAPH else z3.Const("me", self.theory.sorts[at])
        it = z3.Const("it", self.theory.sorts[relation.others])
        return self._defined(relation, 1, at, body, z3.simplify(body(me, it)))

    def some_of_graph(self, at: Location, body: Value) -> Expression:
        """That some element of the graph is so."""
        return self.some(ALL[at], GRAPH, lambda _, it: body(it))(None)

    def first(self, relation: Relation, at: Location, body: Said, exists: Value) -> Value:
        """Of those in view that are so, the first by its place; any, where none is."""
        theory, others = self.theory, relation.others
        chosen = self._of(at, "first", theory.sorts[others])
        me = None if at is GRAPH else theory.variable(at, "me")
        ways = [
            z3.substitute(
                z3.And(view.holds(me), view.it == chosen(me)),
                (view.variable, self._of(at, "way", view.variable.sort())(me)),
            )
            for view in self.ways(relation, me)
        ]
        said = z3.Implies(
            exists(me),
            z3.And(z3.Or(*ways), body(me, chosen(me)), theory.is_met(others, chosen(me))),
        )
        self._add(chosen(me), said if me is None else for_all([me], said, [[chosen(me)]], 1))
        for view in self.ways(relation, me):
            before = theory.place(others, chosen(me)) <= theory.place(others, view.it)
            said = z3.Implies(z3.And(view.holds(me), body(me, view.it)), before)
            self.for_each([view], relation, me, chosen, said)
        return chosen

    # ---- finite sets have a first

    def _least_exists(self, atom: Quantified, at: Location, called: Expression) -> None:
        """That a finite set which is not empty has a first, for sets of which a statement says so.

        ``no other node (waits & its key < my key)`` tells the first of those that wait: if any
        waits, one does before which none comes.
        """
        match atom.counted:
            case And(terms):
                parts = list(terms)
            case one:
                parts = [one]
        compared = [
            part
            for part in parts
            if isinstance(part, Comparison)
            and part.left[0].whose is not part.right[0].whose
            and [term.path for term in part.left] == [term.path for term in part.right]
            and part.order in (Order.LOWER, Order.HIGHER)
        ]
        rest = [part for part in parts if part not in compared]
        relation = atom.relation
        if len(compared) != 1 or atom.count != 1 or relation.joins[0].through_links:
            return
        if any(term.whose is Whose.MY for part in rest for term in every_term(part)):
            return
        join, theory = relation.joins[0], self.theory
        if len(relation.joins) > 1 or join.mine != join.its or relation.own is not relation.others:
            return
        its_lower = compared[0].left[0].whose is Whose.ITS
        lower = compared[0].order is Order.LOWER
        keys = [term.path for term in compared[0].left]
        first = its_lower == lower  # the least comes first, else the greatest

        def key(element: Expression) -> list[Expression]:
            return [self.words.term(Term(Whose.MY, path), at, element)[0] for path in keys]

        def belongs(element: Expression) -> Expression:
            return z3.And(
                z3.BoolVal(True),
                *[self.words.formula(part, at, element, at, element) for part in rest],
            )

        member = theory.variable(at, "member")
        group = (
            None
            if join.mine == "graph"
            else self.words.term(Term(Whose.MY, join.paths[0]), at, member)[0]
        )
        name = theory.fresh(f"first{self.words.suffix}")
        least = (
            z3.Const(name, theory.sorts[at])
            if group is None
            else z3.Function(name, group.sort(), theory.sorts[at])(group)
        )
        sides = (key(member), key(least)) if first else (key(least), key(member))
        parts = [belongs(least), theory.is_met(at, least)]
        if group is not None:
            parts.append(self.words.term(Term(Whose.MY, join.paths[0]), at, least)[0] == group)
        self._add(
            called,
            for_all(
                [member],
                z3.Implies(belongs(member), z3.And(*parts)),
                theory.met(at, member),
                1,
            ),
        )
        none_before = z3.Implies(belongs(member), z3.Not(lexicographic(*sides)))
        met = [
            pattern if group is None else [least, *pattern] for pattern in theory.met(at, member)
        ]
        self._add(called, for_all([member], none_before, met))


def every_term(formula: Formula) -> Iterator[Term]:
    """All terms of a formula but those inside a quantifier, which speak of its own."""
    match formula:
        case Test(term):
            yield term
        case Comparison(left, _, right):
            yield from (*left, *right)
        case Quantified():
            yield Term(Whose.MY, ())
        case Not(inner):
            yield from every_term(inner)
        case _:
            for part in getattr(formula, "terms", ()):
                yield from every_term(part)
